"""A root: a folder that files are taken from or brought to, and whether it is really there."""

import contextlib
import os
from dataclasses import dataclass

from intake.naming.shown import quoted


@dataclass(frozen=True, slots=True)
class Root:
    """A folder. Its anchor, the name of a file or folder in it, tells that its drive is mounted."""

    path: str
    anchor: str = ""

    def trouble(self) -> str:
        """Say why nothing may be concluded from what is not in it; empty if all is well."""
        if not os.path.isdir(self.path):
            return f"The folder {quoted(self.path)} is not there. Is its drive mounted?"
        if self.anchor and not os.path.lexists(os.path.join(self.path, self.anchor)):
            return (
                f"The folder {quoted(self.path)} lacks its anchor {quoted(self.anchor)}: is its drive mounted? "
                "Mount it, or name another anchor in the settings."
            )
        return ""

    def may_be_unmounted(self) -> bool:
        """Tell whether nothing lies in it and no anchor says that this is right: then what is missing may come back."""
        if self.anchor:
            return False
        with contextlib.suppress(OSError), os.scandir(self.path) as entries:
            return next(entries, None) is None
        return True

    def contains(self, path: str) -> bool:
        """Tell whether a path, links followed, is this folder or lies in it."""
        if path == self.path:
            return True
        real, real_root = os.path.realpath(path), os.path.realpath(self.path)
        return real == real_root or real.startswith(real_root.rstrip(os.sep) + os.sep)


def empty_sentence(root: Root) -> str:
    """Say what an empty folder may mean."""
    return (
        f"The watched folder {quoted(root.path)} is empty. If it should not be, its drive may not be mounted; "
        "an anchor in the settings tells one from the other."
    )
