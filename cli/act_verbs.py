"""Verbs that act: sync, retry, purge, reset, undo, map."""

from cli.call import Call, WrongUsage
from cli.parser import RESETS

LOSSES = {
    "queue": "All waiting jobs are removed; the next sweep finds what they stood for.",
    "dead-letters": "All jobs that were given up are forgotten.",
    "matches": "Where Plex has its files is forgotten and looked up anew.",
}


def sync(call: Call) -> int:
    options = call.options
    if options.scenes and (options.all or options.recent):
        raise WrongUsage("Name scenes, or say --all or --recent; not both.")
    if options.scenes:
        answer = call.ask("sync_scenes", ids=options.scenes)
    elif options.all or options.recent:
        answer = call.run("all" if options.all else "recent")
    elif options.wait:
        answer = None
    else:
        raise WrongUsage("Say what to sync: ids of scenes, --all, --recent, or --wait for what waits already.")
    if options.wait:
        if answer is not None:
            call.screen.say(str(answer["sentence"]))
        answer = call.run("process_queue")
    assert answer is not None
    call.show(answer)
    return 1 if answer.get("left") else 0


def retry(call: Call) -> int:
    if bool(call.options.ids) == call.options.all:
        raise WrongUsage("Name numbers of dead letters (see list --state dead), or say --all.")
    answer = call.ask("retry", **({"all": True} if call.options.all else {"ids": call.options.ids}))
    call.show(answer)
    return 0 if answer["revived"] or call.options.all else 1


def purge(call: Call) -> int:
    call.show(call.run("purge_dlq", days=call.options.days))
    return 0


def reset(call: Call) -> int:
    chosen = list(dict.fromkeys(call.options.what))
    call.confirm(f"{' '.join(LOSSES[what] for what in chosen)} Go on?")
    answers = {what: call.run(RESETS[what]) for what in chosen}
    call.show({"sentence": " ".join(str(answer["sentence"]) for answer in answers.values()), **answers})
    return 0


def undo(call: Call) -> int:
    """End with 1 if something could not be put back, so that it is run again."""
    options = call.options
    if options.all:
        call.confirm("All that was ever written to Plex is put back. Go on?")
    scope = {"scene_id": options.scene, "run_id": options.run, "all": options.all or None}
    answer = call.run("undo_last_run", **{name: value for name, value in scope.items() if value is not None})
    call.show(answer)
    return 1 if answer["failed"] else 0


def map_scene(call: Call) -> int:
    options = call.options
    if options.clear == (options.item is not None):
        raise WrongUsage("Name the Plex item, or say --clear.")
    if options.clear:
        call.show(call.ask("unmap_scene", scene_id=options.scene))
    else:
        call.show(call.ask("map_scene", scene_id=options.scene, rating_key=options.item))
    return 0
