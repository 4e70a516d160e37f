"""Explain: the whole story of one scene, from its files to what a sync would write, as far as servers can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model.targets import TITLES
from model.user_error import UserError
from tasks.answers import Explanation, SceneFile, TargetExplanation
from tasks.arguments import OneScene
from tasks.context import TaskContext
from tasks.queue.jobs import job_answer, letter_answer
from tasks.scenes.headline import headline
from tasks.scenes.known import Known, read_known
from tasks.servers import load_packages

if TYPE_CHECKING:
    from tasks.scenes.asked import Asked, AskedTarget


class NotAsked:
    """The servers' side of the story where they cannot be asked at all."""

    is_gone = is_edited = is_found = False
    verdict = kept = lost_choice = ""
    match = plan = item_url = None

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        self.would_change: list[str] = []


def explain(context: TaskContext, asked: OneScene) -> Explanation:
    """Tell the story of a scene; refuse only one that neither Stash nor we know."""
    known = [read_known(context, asked.scene_id, target) for target in context.targets(asked.target)]
    answered, problem = _ask(context, asked.scene_id, known)
    if answered is not None and answered.is_gone and not any(one.is_anything for one in known):
        raise UserError(f"Stash has no scene {asked.scene_id}, and none of that number was ever synced.")
    scene = answered.scene if answered else None
    return Explanation(
        scene_id=asked.scene_id,
        title=scene.title if scene else None,
        organized=scene.organized if scene else None,
        files=tuple(SceneFile(file.path, file.size, file.duration) for file in (scene.files if scene else ())),
        targets=tuple(
            _explanation(one, answered.targets[one.target] if answered else NotAsked([problem])) for one in known
        ),
        obstacle=next((one.obstacle for one in known if one.obstacle), None),
    )


def _ask(context: TaskContext, scene_id: int, known: list[Known]) -> tuple[Asked | None, str]:
    try:
        load_packages(context)
    except UserError as problem:
        names = " and ".join(["Stash", *(one.name for one in known)])
        return None, f"{names}: {problem}"
    from tasks.scenes.asked import ask_servers  # noqa: PLC0415 - only now are its packages sure to be there

    names = {one.target: TITLES[one.target] for one in known}
    asked = ask_servers(context, scene_id, names, {one.target: one.record for one in known})
    for one in known:
        asked.targets[one.target].pictures = one.picture_text
    return asked, ""


def _explanation(known: Known, asked: AskedTarget | NotAsked) -> TargetExplanation:
    said, record = headline(known, asked), known.record
    match = asked.match
    return TargetExplanation(
        target=known.target,
        name=known.name,
        state=said.state,
        sentence=said.sentence,
        next_step=said.step.words,
        command=said.step.command.format(scene=known.scene_id) or None,
        item_id=(match.item_id if match else None) or (record.item_id if record else None),
        item_path=(record.path or None) if record else None,
        item_url=asked.item_url,
        match=match,
        plan=asked.plan,
        pinned_to=known.pinned_to,
        is_ignored=known.is_ignored,
        last_sync=known.last_sync,
        pictures=known.pictures,
        queue=tuple(job_answer(seen, known.now) for seen in known.jobs),
        dead_letters=tuple(map(letter_answer, known.letters)),
        not_asked=tuple(asked.problems),
    )
