"""Saving settings: each is checked, they are merged with what Stash has now, and written by Stash's own mutation.

Never a secret: Stash logs the arguments of operations. The page gives those to Stash itself.
"""

from collections.abc import Mapping

from model.sentences import counted
from model.user_error import UserError
from tasks.answers import SettingProblem, SettingsSaved
from tasks.arguments import SaveSettings
from tasks.context import TaskContext
from tasks.servers import open_stash
from tasks.settings.schema import problems_of

SECRET = "is a secret: Stash logs what operations are asked with. Set it on the page, which gives it to Stash itself."  # noqa: S105 - a sentence
NOT_SET = "is not set."


def save_settings(context: TaskContext, asked: SaveSettings) -> SettingsSaved:
    """Save all of them, or, if anything is wrong with one, none."""
    with open_stash(context) as stash:
        from stash.exceptions import StashError  # noqa: PLC0415 - only now are its packages sure to be there
        from sync.settings import keep_targets, settings_in_force  # noqa: PLC0415 - as above

        if refused := _refused(asked.values):
            return _not_saved(refused)
        try:
            client = stash.client()
            fresh = client.plugin_state().settings
            merged = {key: value for key, value in {**fresh, **asked.values}.items() if value is not None}
            if problems := _problems(context, asked.values, merged):
                return _not_saved(problems)
            client.change_settings({key: _on_page(key, value) for key, value in asked.values.items()})
        except StashError as problem:
            raise UserError(f"Nothing was saved: {problem}") from problem
        keep_targets(context.folder, settings_in_force(merged, context.folder).config)
    context.wake_worker()
    return SettingsSaved(ok=True, problems=(), saved=tuple(asked.values), sentence=f"{_counted(asked.values)} saved.")


def _refused(values: Mapping[str, object]) -> list[SettingProblem]:
    """Say which of the keys cannot be saved here at all. What was given for a secret is not repeated."""
    from validation.config import KEYS, SECRETS  # noqa: PLC0415 - as above

    strangers = [SettingProblem(None, f"{key!r:.60} is no setting.") for key in values if key not in KEYS]
    return [*strangers, *(SettingProblem(key, f"{key} {SECRET}") for key in values if key in SECRETS)]


def _problems(context: TaskContext, values: Mapping[str, object], merged: Mapping[str, object]) -> list[SettingProblem]:
    """Say what is wrong with the values that are to be saved; what was wrong with others before is not their fault."""
    from matching.path_map import PathMapError, parse_path_map  # noqa: PLC0415 - as above
    from sync.settings import settings_in_force  # noqa: PLC0415 - as above

    settings = settings_in_force(merged, context.folder)
    found = problems_of([*settings.problems, *settings.warnings])
    wrong = [one for one in found if one.key in values and not one.sentence.endswith(NOT_SET)]
    for key, value in values.items():
        if key.endswith("path_map") and isinstance(value, str):
            try:
                parse_path_map(value)
            except PathMapError as error:
                wrong.append(SettingProblem(key, f"{str(error).rstrip('.')}."))
    return wrong


def _on_page(key: str, value: object) -> object:
    """Give a value as Stash's settings page stores it: what may be a fraction is text there."""
    from validation.config import FRACTIONS  # noqa: PLC0415 - as above

    return f"{value:g}" if key in FRACTIONS and isinstance(value, int | float) else value


def _not_saved(problems: list[SettingProblem]) -> SettingsSaved:
    return SettingsSaved(
        ok=False, problems=tuple(problems), saved=(), sentence=f"Nothing was saved: {problems[0].sentence}"
    )


def _counted(values: Mapping[str, object]) -> str:
    return counted(len(values), "setting")
