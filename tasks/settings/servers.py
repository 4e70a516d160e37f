"""What the servers have: their libraries, and how much of Stash's files the path map finds there."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from model.targets import TITLES
from tasks.answers import Libraries, LibraryRow, MapRule, NotFound, PathMapAnswer
from tasks.arguments import OfTarget
from tasks.context import TaskContext
from tasks.servers import open_stash, open_target, usable_config
from tasks.status.target_state import COVERAGE
from tasks.wording import ended

if TYPE_CHECKING:
    from matching.derivation import MeasuredMap
    from model.server import Library
    from sync.context import TargetContext


def libraries(context: TaskContext, asked: OfTarget) -> Libraries:
    """List the libraries with videos, and which of them the settings let be synced."""
    target = context.one_target(asked.target)
    with open_stash(context) as stash:
        from matching.libraries import choose_libraries  # noqa: PLC0415 - only now are its packages sure to be there
        from model.errors import LibraryNotFound, TargetError  # noqa: PLC0415 - as above
        from stash.exceptions import StashError  # noqa: PLC0415 - as above

        try:
            config = usable_config(context, stash.client())
            with context.opening().open_server(context.folder, config, target) as server:
                found = server.libraries()
        except (StashError, TargetError) as problem:
            return Libraries(ok=False, sentence=ended(str(problem)), libraries=())
    try:
        chosen: list[Library] = choose_libraries(getattr(config, f"{target}_library"), found, TITLES[target])
        sentence = f"To be synced: {', '.join(repr(one.title) for one in chosen)}."
    except LibraryNotFound as problem:
        chosen, sentence = [], ended(str(problem))
    keys = {one.key for one in chosen}
    rows = [
        LibraryRow(target, one.key, one.title, str(one.type), one.locations, one.key in keys)
        for one in found
        if one.holds_videos
    ]
    return Libraries(ok=bool(chosen), sentence=sentence, libraries=tuple(rows))


def path_map(context: TaskContext, asked: OfTarget) -> PathMapAnswer:
    """Compare all files of Stash with all of the server's, under the path map in force, and propose a better one."""
    with open_target(context, asked.target) as target:
        from sync.connection import given_path_map  # noqa: PLC0415 - only now are its packages sure to be there

        measured, derived, found_by = measure(target)
        is_given = given_path_map(target.config, target.target) is not None
        keep_coverage(target, measured, context.now())
    source = "setting" if is_given else "derived" if measured.path_map.rules else "none"
    is_better = is_given and derived is not None and derived.found > measured.found
    warning = f" {measured.warning}." if measured.warning else ""
    return PathMapAnswer(
        source=source,
        rules=tuple(MapRule(rule.stash, rule.target, found_by[rule.stash]) for rule in measured.path_map.rules),
        found=measured.found,
        total=measured.total,
        not_found=tuple(NotFound(path, measured.path_map.to_target(path)) for path in measured.missing),
        proposal=str(derived.path_map) if is_better and derived else None,
        sentence=f"{measured}.{warning}",
    )


def measure(target: TargetContext) -> tuple[MeasuredMap, MeasuredMap | None, Counter[str]]:
    """Measure the map in force; beside a person's own also the one that would be derived; and what each rule finds."""
    from matching.derivation import derive_path_map, measure_path_map  # noqa: PLC0415 - as above
    from model.paths import normalise  # noqa: PLC0415 - as above
    from sync.connection import given_path_map, map_of, stash_files  # noqa: PLC0415 - as above

    files, parts = list(stash_files(target.stash)), list(target.connection.index(target.config).sized_paths())
    of = map_of(target.target)
    derived = derive_path_map(files, parts, of)
    given = given_path_map(target.config, target.target)
    measured = derived if given is None else measure_path_map(given, files, parts, of)
    there, found_by = {normalise(part.path) for part in parts}, Counter[str]()
    for file in files:
        rule = measured.path_map.rule_for(normalise(file.path))
        if rule is not None and measured.path_map.to_target(file.path) in there:
            found_by[rule.stash] += 1
    return measured, None if given is None else derived, found_by


def keep_coverage(target: TargetContext, measured: MeasuredMap, now: float) -> None:
    """Leave the numbers where a status finds them."""
    rules = len(measured.path_map.rules)
    target.ledger.values.set(
        COVERAGE, json.dumps({"found": measured.found, "total": measured.total, "rules": rules, "at": now})
    )
