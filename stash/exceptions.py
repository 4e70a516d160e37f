"""What can go wrong with Stash.

StashError
├── StashUnreachable    nothing answered: refused, reset, timed out
├── StashUnauthorized   401 or 403: the cookie is dead or the key is wrong
├── StashRefused        an answer with GraphQL errors: a query it does not know, a locked database
├── FileTooLarge        a file beyond the bounds that were given
└── StashUnintelligible an answer that is no GraphQL at all: a proxy's page, a redirect, cut JSON
"""


class StashError(Exception):
    """Something went wrong with Stash; the text is a sentence for a person and carries no secret."""


class StashUnreachable(StashError):
    """Nothing answered."""


class StashUnauthorized(StashError):
    """Stash does not accept our cookie or key."""


class StashRefused(StashError):
    """Stash answered with GraphQL errors."""


class FileTooLarge(StashError):
    """A file is larger than it may be; the rest of it was not read."""


class StashUnintelligible(StashError):
    """Something answered that does not speak GraphQL."""
