"""Frozen records for those who have no time for `dataclasses`, whose import costs most of a bare interpreter's start.

To a type checker `dataclass` is the one of the standard library; when the program runs, it is a small one that imports
nothing and compiles nothing. It knows frozen classes with plain defaults, and no inheritance.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - said twice, it is exported
else:

    def dataclass(*, frozen: bool, slots: bool) -> object:
        assert frozen
        assert slots  # what a type checker holds people to; at run time there are none
        return _prepared

    def _prepared(cls: type) -> type:
        names = tuple(vars(cls).get("__annotations__") or cls.__annotations__)

        def __init__(self: object, *values: object, **named: object) -> None:  # noqa: N807 - it is set below
            given = dict(zip(names, values, strict=False), **named)
            if len(values) > len(names) or not given.keys() <= set(names):
                raise TypeError(f"{cls.__name__} takes {', '.join(names)}")
            for name in names:
                if name not in given and name not in vars(cls):
                    raise TypeError(f"{cls.__name__} lacks {name}")
            vars(self).update(given)

        cls.__init__ = __init__
        cls.__setattr__ = cls.__delattr__ = _refuse
        cls.__eq__ = _is_equal
        cls.__hash__ = lambda self: hash(_values(self))
        cls.__repr__ = lambda self: f"{cls.__name__}({', '.join(map(repr, _values(self)))})"
        cls.__record_fields__ = names
        return cls

    def _refuse(self: object, name: str, *_value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name}")

    def _is_equal(self: object, other: object) -> bool:
        return type(self) is type(other) and _values(self) == _values(other)

    def _values(one: object) -> tuple[object, ...]:
        return tuple(getattr(one, name) for name in one.__record_fields__)


def field_names(record: object) -> tuple[str, ...]:
    """Name the fields of a record or of its class; none for what is no record."""
    return getattr(record, "__record_fields__", ())
