"""Verbs that act: sync, retry, purge, reset, undo, map, ignore."""

from cli.call import Call, WrongUsage
from cli.parser import RESETS
from cli.screen import print_json
from model.user_error import UserError
from tasks.answers import Cleared, Discarded, Forgotten, Mapped, Processed, Queued, Revived, Undone
from tasks.entry import answer_json

LOSSES = {
    "queue": "All waiting jobs are removed; the next check of all scenes finds what they stood for.",
    "dead-letters": "All jobs that were given up are forgotten.",
    "matches": "Where the servers have their files is forgotten and looked up anew.",
}


def sync(call: Call) -> int:
    """End with 1 if it was waited for, and something is left."""
    queued = _queue(call)
    if not call.options.wait:
        call.show(queued)
        return 0
    if queued is not None:
        call.screen.log(queued.sentence)
    processed: Processed = call.ask("process_queue")
    call.show(processed)
    return 1 if processed.left else 0


def _queue(call: Call) -> Queued | None:
    """Queue what was named; None if only what waits already is meant."""
    options = call.options
    if options.scenes and (options.all or options.recent):
        raise WrongUsage("Name scenes, or say --all or --recent; not both.")
    if options.scenes:
        return call.ask("sync_scenes", ids=options.scenes)
    if options.all or options.recent:
        return call.ask("all" if options.all else "recent")
    if options.wait:
        return None
    raise WrongUsage("Say what to sync: ids of scenes, --all, --recent, or --wait for what waits already.")


def retry(call: Call) -> int:
    if bool(call.options.ids) == call.options.all:
        raise WrongUsage("Name numbers of given-up jobs (see list --state dead), or say --all.")
    answer: Revived = call.ask("retry", **({"all": True} if call.options.all else {"ids": call.options.ids}))
    call.show(answer)
    return 0 if answer.revived or call.options.all else 1


def purge(call: Call) -> int:
    call.show(call.ask("purge_dlq", days=call.options.days))
    return 0


def reset(call: Call) -> int:
    chosen = list(dict.fromkeys(call.options.what))
    call.confirm(f"{' '.join(LOSSES[what] for what in chosen)} Go on?")
    answers: dict[str, Cleared | Discarded | Forgotten] = {what: call.ask(RESETS[what]) for what in chosen}
    sentence = " ".join(answer.sentence for answer in answers.values())
    if call.options.json:
        print_json({"sentence": sentence, **{what: answer_json(answer) for what, answer in answers.items()}})
    else:
        call.screen.line(sentence)
    return 0


def undo(call: Call) -> int:
    """End with 1 if something could not be put back, so that it is run again."""
    options = call.options
    if options.all:
        call.confirm("All that was ever written is put back. Go on?")
    answer: Undone = call.ask("undo", scene_id=options.scene, run_id=options.run, all=options.all or None)
    call.show(answer)
    return 1 if answer.failed else 0


def map_scene(call: Call) -> int:
    """End with 1 if scene or item is not there."""
    options = call.options
    if options.clear == (options.item is not None):
        raise WrongUsage("Name the item, or say --clear.")
    answer: Mapped = (
        call.ask("unmap_scene", scene_id=options.scene)
        if options.clear
        else call.ask("map_scene", scene_id=options.scene, item_id=options.item)
    )
    if not answer.ok and not call.options.json:
        raise UserError(answer.sentence)
    call.show(answer)
    return 0 if answer.ok else 1


def ignore(call: Call) -> int:
    call.show(call.ask("ignore_scene", ids=call.options.scenes, ignore=not call.options.off))
    return 0
