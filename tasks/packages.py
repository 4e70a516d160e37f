"""The packages as a task wants them: whoever needs some imports its work after this."""

from runtime.packages import PackageLoader, PackagesMissing
from stash.wire import Refusal
from tasks.desk import Desk


def load_packages(desk: Desk) -> None:
    """Have the packages importable, or refuse with what to do."""
    try:
        PackageLoader(desk.folder).load()
    except PackagesMissing as problem:
        raise Refusal(str(problem)) from problem
