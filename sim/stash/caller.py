"""On whose behalf something runs."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Caller:
    """The user, how deep in plugin hooks the request already is, and whether the client has hung up."""

    user: str = ""
    visited: Counter[str] = field(default_factory=Counter[str])
    gone: Callable[[], bool] = lambda: False
