"""What a task has to say: a sentence for a person, and the same in numbers for a program."""

from typing import NamedTuple


class Report(NamedTuple):
    sentence: str
    data: dict[str, object]

    def as_output(self) -> dict[str, object]:
        return {"sentence": self.sentence, **self.data}
