"""Operations that ask Plex. They need packages that may just have been installed, so each imports when that is sure."""

from stash.wire import Refusal
from sync_queue.operations import enqueue
from tasks import plex_tasks
from tasks.arguments import Arguments
from tasks.desk import Desk
from tasks.ledger_desk import open_ledger
from tasks.packages import load_packages
from tasks.table import Answer
from tasks.undo_scope import UndoScope


def preview_scene(desk: Desk) -> Answer:
    """Show what a sync of one scene would write and why, and write nothing."""
    scene_id = Arguments(desk.args).need_id("scene_id")
    load_packages(desk)
    from tasks.dry_run import DryRun  # noqa: PLC0415 - only now are its packages sure to be there
    from tasks.look_words import shown_plan  # noqa: PLC0415 - as above
    from tasks.plex_desk import open_plex_desk  # noqa: PLC0415 - as above

    with open_plex_desk(desk) as plex:
        scene = plex.stash.scenes([scene_id]).get(scene_id)
        if scene is None:
            raise Refusal(f"Stash has no scene {scene_id}.")
        (look,) = DryRun(plex).look_at([scene])
    return {"scene_id": scene_id, "title": scene.title, **shown_plan(look)}


def map_scene(desk: Desk) -> Answer:
    """Settle which item a scene is, for good, and queue it. Both must exist."""
    arguments = Arguments(desk.args)
    scene_id, rating_key = arguments.need_id("scene_id"), arguments.need_id("rating_key")
    load_packages(desk)
    from plex.item import Field  # noqa: PLC0415 - as above
    from tasks.plex_desk import open_plex_desk  # noqa: PLC0415 - as above

    with open_plex_desk(desk) as plex:
        if scene_id not in plex.stash.scenes([scene_id]):
            raise Refusal(f"Stash has no scene {scene_id}.")
        item = plex.line.client(plex.config).details([rating_key]).get(rating_key)
        if item is None:
            raise Refusal(
                f"Plex has no item {rating_key}. Its number is in the address of its page, after metadata%2F."
            )
        plex.ledger.pin(scene_id, rating_key, plex.line.machine(plex.config))
    _sync(desk, scene_id, "mapped by hand")
    title, path = item.value(Field.TITLE), item.parts[0].path if item.parts else None
    sentence = f"Scene {scene_id} is Plex's item {rating_key} ('{title}') from now on; it is queued."
    return {"sentence": sentence, "scene_id": scene_id, "rating_key": rating_key, "title": title, "plex_path": path}


def unmap_scene(desk: Desk) -> Answer:
    """Let the scene be matched by its files again."""
    scene_id = Arguments(desk.args).need_id("scene_id")
    with open_ledger(desk) as ledger:
        pinned = ledger.pinned([scene_id]).get(scene_id)
        if pinned is None:
            raise Refusal(f"Scene {scene_id} is not mapped by hand.")
        ledger.unpin(scene_id)
    _sync(desk, scene_id, "unmapped by hand")
    sentence = f"Scene {scene_id} is matched by its files again, no longer Plex's item {pinned} by hand; it is queued."
    return {"sentence": sentence, "scene_id": scene_id, "rating_key": pinned}


def path_map_coverage(desk: Desk) -> Answer:
    """Compare all files of Stash with all of Plex's, under the path map in force."""
    load_packages(desk)
    from tasks.coverage import measure  # noqa: PLC0415 - as above
    from tasks.plex_desk import open_plex_desk  # noqa: PLC0415 - as above

    with open_plex_desk(desk) as plex:
        measured = measure(plex)
        is_given = bool(plex.config.path_map)
    warning = f" {measured.warning}." if measured.warning else ""
    return {
        "sentence": f"{measured}.{warning}",
        "source": "path_map" if is_given else "derived",
        "rules": [str(rule) for rule in measured.path_map.rules],
        "found": measured.found,
        "total": measured.total,
        "not_found": [{"path": path, "plex_path": measured.path_map.to_plex(path)} for path in measured.missing],
    }


def test_connection(desk: Desk) -> Answer:
    """Ask both servers with the settings in force, and say of each whether it is well or what to do."""
    load_packages(desk)
    from tasks.server_health import check_servers  # noqa: PLC0415 - as above

    findings = list(check_servers(desk.session(), desk.folder))
    bad = [finding for finding in findings if not finding.ok]
    sentence = f"{bad[0].part}: {bad[0].sentence}" if bad else "Stash and Plex answer, and the token may edit."
    return {"ok": not bad, "sentence": sentence, "findings": [finding._asdict() for finding in findings]}


def undo(desk: Desk) -> Answer:
    """Put back what the last run wrote, or a given run, or all that was written for a scene, or everything."""
    given = {name: value for name, value in desk.args.items() if value is not None}
    return plex_tasks.undo(desk, UndoScope.from_args(given)).as_output()


def _sync(desk: Desk, scene_id: int, reason: str) -> None:
    with desk.writing():
        enqueue(desk.connection, "scene", [scene_id], reason, desk.now(), full=True)
    desk.wake_worker()
