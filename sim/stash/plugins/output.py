"""What Stash makes of a plugin's stdout and exit code."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PluginOutput:
    output: Any = None
    error: str | None = None


def read_output(stdout: bytes, exit_code: int) -> PluginOutput:
    """One JSON object with `error` or `output`; any other text is the output itself, other keys are lost."""
    result = _parse(stdout.decode("utf-8", "replace"))
    if exit_code != 0 and result.error is None:
        return PluginOutput(result.output, _exit_error(exit_code))
    return result


def _parse(text: str) -> PluginOutput:
    try:
        document = json.loads(text)
    except ValueError:
        return PluginOutput(text)
    if document is None:
        return PluginOutput()
    if not isinstance(document, dict):
        return PluginOutput(text)
    # Go's json matches keys without regard to case.
    keys: dict[str, Any] = {str(key).lower(): value for key, value in document.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    error = keys.get("error")
    if error is not None and not isinstance(error, str):
        return PluginOutput(text)
    return PluginOutput(keys.get("output"), error)


def _exit_error(exit_code: int) -> str:
    return "signal: killed" if exit_code == -9 else f"exit status {exit_code}"
