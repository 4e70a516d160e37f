"""What every sentence for a person is made of: a number with its noun, and a path that can be told from the words."""

OPEN, CLOSE = "\u201c", "\u201d"


def counted(number: int, noun: str) -> str:
    """Write 1 job, 2 jobs, 1,000 entries: the noun's last word takes the plural."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith("ry") else f"{number:,} {noun}s"


def quoted_path(path: str) -> str:
    """Write a path, or a file's name, into a sentence: between marks that tell where it ends."""
    return f"{OPEN}{path.replace(CLOSE, chr(34))}{CLOSE}"
