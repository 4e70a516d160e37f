"""The error for people: what was asked cannot be done, and the text says why and what to do."""


class UserError(Exception):
    """What was asked cannot be done; the text is a sentence for the person who asked."""
