"""Which item a scene is, by hand: choose one, look for one, have its folder scanned, take the choice back."""

from contextlib import closing

from model.targets import TITLES
from model.user_error import UserError
from tasks.answers import Done, FoundItem, FoundItems, Mapped
from tasks.arguments import MapScene, OneScene, SearchItems
from tasks.context import TaskContext
from tasks.servers import open_target, open_targets


def map_scene(context: TaskContext, asked: MapScene) -> Mapped:
    """Pin which item a scene is, and queue it. Both must exist."""
    scene_id, item_id = asked.scene_id, asked.item_id
    with open_target(context, asked.target) as target:
        from model.item import Field  # noqa: PLC0415 - light, and of no use before

        if scene_id not in target.stash.scenes([scene_id]):
            return _not_mapped(scene_id, f"Stash has no scene {scene_id}.")
        item = target.connection.client(target.config).details([item_id]).get(item_id)
        if item is None:
            return _not_mapped(
                scene_id, f"{target.name} has no item {item_id}. The address of its page has its number."
            )
        other = target.ledger.pins.set(scene_id, item_id, target.connection.server_id(target.config))
    _sync(context, [scene_id, *([other] if other else [])], "mapped by hand", (target.target,))
    title, path = item.value(Field.TITLE), item.parts[0].path if item.parts else None
    sentence = f"Scene {scene_id} is {target.name}'s item {item_id} ('{title}') from now on; it is queued."
    if other:
        sentence += f" Scene {other} was mapped to it before, and is matched by its files again."
    return Mapped(ok=True, sentence=sentence, scene_id=scene_id, item_id=item_id, title=title, item_path=path)


def unmap_scene(context: TaskContext, asked: OneScene) -> Mapped:
    """Let the scene be matched by its files again."""
    scene_id, unpinned = asked.scene_id, list[tuple[str, str]]()
    for target in context.targets(asked.target):
        with context.ledger(target) as ledger:
            pinned = ledger.pins.of([scene_id]).get(scene_id)
            if pinned is not None:
                ledger.pins.remove(scene_id)
                unpinned.append((TITLES[target], pinned))
    if not unpinned:
        return _not_mapped(scene_id, f"Scene {scene_id} is not mapped by hand.")
    _sync(context, [scene_id], "unmapped by hand", context.targets(asked.target))
    was = " and ".join(f"{name}'s item {item_id}" for name, item_id in unpinned)
    sentence = f"Scene {scene_id} is matched by its files again, no longer {was} by hand; it is queued."
    return Mapped(ok=True, sentence=sentence, scene_id=scene_id, item_id=unpinned[0][1], title=None, item_path=None)


def search_items(context: TaskContext, asked: SearchItems) -> FoundItems:
    """Look for items by words of their files' paths, in what we know of the server; it is not asked."""
    from ledger.index_store import IndexStore  # noqa: PLC0415 - light, and of no use before

    target = context.one_target(asked.target)
    with context.ledger_errors(target), closing(IndexStore(context.folder.target(target).ledger)) as index:
        found = index.search(asked.query.split(), asked.limit)
        libraries = index.library_titles()
    return FoundItems(
        tuple(
            FoundItem(one.item_id, _name(one.path), one.path, one.size, libraries.get(one.library_key, ""))
            for one in found
        )
    )


def scan_scene(context: TaskContext, asked: OneScene) -> Done:
    """Ask the servers to scan the folder of a scene's files."""
    with open_targets(context, asked.target) as targets:
        from runtime.clock import SystemClock  # noqa: PLC0415 - as above
        from sync.scenes.folder_scans import FolderScans  # noqa: PLC0415 - only now are its packages sure to be there

        scene = targets[0].stash.scenes([asked.scene_id]).get(asked.scene_id)
        if scene is None:
            raise UserError(f"Stash has no scene {asked.scene_id}.")
        scanning: list[str] = []
        for target in targets:
            path_map, libraries = (
                target.connection.path_map(target.config),
                target.connection.index(target.config).libraries(),
            )
            scans, client = FolderScans(SystemClock()), target.connection.client(target.config)
            asked_for = [scans.ask(client, libraries, path_map.to_target(file.path)) for file in scene.files]
            scanning += [target.name] if any(asked_for) else []
    if scanning:
        return Done(
            ok=True, sentence=f"{' and '.join(scanning)} scans the folder; the scene is synced when it is found."
        )
    return Done(ok=False, sentence="Its folder lies in no library that is synced, so there is nothing to scan.")


def _not_mapped(scene_id: int, sentence: str) -> Mapped:
    return Mapped(ok=False, sentence=sentence, scene_id=scene_id, item_id=None, title=None, item_path=None)


def _name(path: str) -> str:
    """Give a file's name without its folder and ending."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return name.rpartition(".")[0] or name


def _sync(context: TaskContext, scene_ids: list[int], reason: str, targets: tuple[str, ...]) -> None:
    context.enqueue("scene", scene_ids, reason, targets, verify=True)
    context.wake_worker()
