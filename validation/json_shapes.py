"""The shapes of raw JSON: a value as an object, a list or a text, or nothing if it is something else."""


def as_object(value: object) -> dict[str, object] | None:
    return value if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType] - JSON's keys are text


def as_list(value: object) -> list[object] | None:
    return value if isinstance(value, list) else None  # pyright: ignore[reportUnknownVariableType] - each is an object


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""
