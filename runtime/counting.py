"""A number with its noun, as a person writes it."""


def counted(number: int, noun: str) -> str:
    """Write 1 job, 2 jobs, 1,000 entries: the noun's last word takes the plural."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith("ry") else f"{number:,} {noun}s"
