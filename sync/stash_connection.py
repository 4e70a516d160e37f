"""The connection to Stash: a client of the newest session, for one thread."""

from stash.client import StashClient
from stash.exceptions import StashUnreachable
from sync_queue.manager import QueueManager
from sync_queue.session import Session, is_same_session


class StashConnection:
    """Keeps a client as long as its session is the newest one that hooks, tasks and renewals have left."""

    def __init__(self, queue: QueueManager) -> None:
        self._queue = queue
        self._client: StashClient | None = None
        self._session: Session | None = None

    def client(self) -> StashClient:
        """Return the client; raise StashUnreachable while nobody has told us where Stash is."""
        session = self._queue.session()
        if session is None:
            raise StashUnreachable(
                "The plugin does not know yet where Stash is. Edit any scene in Stash, or run a task there."
            )
        if self._client is None or not is_same_session(session, self._session):
            self.disconnect()
            self._client, self._session = StashClient(session), session
        return self._client

    def disconnect(self) -> None:
        """Drop the client; the next one starts from what is on disk."""
        if self._client is not None:
            self._client.close()
            self._client = None
