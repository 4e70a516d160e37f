"""One GraphQL request, as resolvers see it."""

from dataclasses import dataclass

from sim.stash.caller import Caller
from sim.stash.errors import ResolverError
from sim.stash.jobs import JobQueue
from sim.stash.library.library import Library
from sim.stash.plugins.hook_event import HookEvent
from sim.stash.plugins.installed import PluginHost
from sim.stash.settings import Settings


@dataclass
class Backend:
    settings: Settings
    library: Library
    plugins: PluginHost
    jobs: JobQueue


@dataclass(frozen=True)
class Call:
    backend: Backend
    base_url: str
    caller: Caller

    @property
    def library(self) -> Library:
        return self.backend.library

    def fire(self, event: HookEvent) -> None:
        """Run the hooks inside the request; the library's lock must not be held."""
        self.backend.plugins.run_hooks(self.caller, event)


def number(text: str) -> int:
    """An id as Stash parses it."""
    try:
        return int(text)
    except ValueError:
        raise ResolverError(f'converting id: strconv.Atoi: parsing "{text}": invalid syntax') from None


def numbers(texts: list[str] | None) -> tuple[int, ...]:
    return tuple(number(text) for text in texts or ())
