"""Who the server is, who may come in, and whether it is up."""

from dataclasses import dataclass, field
from enum import Enum, auto

from sim.mediabrowser.flavours import Flavour
from sim.mediabrowser.world.records import User


class Phase(Enum):
    RUNNING = auto()
    STARTING = auto()
    """It starts, or moves its data into a newer database; that can take hours."""
    STOPPING = auto()


@dataclass(slots=True)
class Identity:
    """`flavour` changes when the server is upgraded; whoever needs it asks here each time."""

    flavour: Flavour
    server_id: str
    name: str
    api_keys: set[str]
    users: list[User] = field(default_factory=list[User])
    phase: Phase = Phase.RUNNING
    phase_ends_at: float | None = None

    def phase_at(self, now: float) -> Phase:
        if self.phase_ends_at is not None and now >= self.phase_ends_at:
            self.phase, self.phase_ends_at = Phase.RUNNING, None
        return self.phase

    def user_with_token(self, token: str) -> User | None:
        return next((user for user in self.users if user.token == token), None)

    def user(self, user_id: str) -> User | None:
        wanted = user_id.replace("-", "").lower()
        return next((user for user in self.users if user.id == wanted), None)
