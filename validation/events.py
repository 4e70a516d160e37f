"""A hook's event: raw to typed. Standard library only: the hook waits for every import made here."""

from validation.json_shapes import as_list, as_object

SUBJECTS = {"Scene": "scene", "Performer": "performer", "Studio": "studio", "Tag": "tag", "Group": "group"}
ACTIONS = ("Create.Post", "Update.Post", "Merge.Post", "Destroy.Post")
MAX_ID = 2**63 - 1


class BadEvent(Exception):
    """The event cannot be used; the text is a sentence for a person."""


class Event:
    """Something happened to these objects of one kind.

    `fields` names what was sent, which is more than what changed; it is empty where Stash does not say.
    """

    __slots__ = ("fields", "ids", "subject", "trigger")

    def __init__(self, trigger: str, subject: str, ids: list[int], fields: frozenset[str]) -> None:
        self.trigger = trigger
        self.subject = subject
        self.ids = ids
        self.fields = fields


def parse_event(context: object) -> Event | None:
    """Return the event, or None for a trigger that is not ours; raise BadEvent for what Stash would never send."""
    known = as_object(context)
    if known is None:
        raise BadEvent("What Stash reports is not an object; nothing was queued.")
    trigger = known.get("type")
    if not isinstance(trigger, str):
        raise BadEvent("What Stash reports names no type of event; nothing was queued.")
    subject = _subject_of(trigger)
    if subject is None:
        return None
    own_id = parse_id(known.get("id"))
    if own_id is None:
        shown = repr(known.get("id"))[:60]
        raise BadEvent(f"{trigger} came without a usable id (got {shown}); nothing was queued.")
    return Event(trigger, subject, _ids_of(own_id, known.get("input")), _fields_of(known.get("inputFields")))


def parse_id(value: object) -> int | None:
    """Read an id as Stash writes it, number or digits; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:  # noqa: PLR2004 - 2**63 has 19
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_ID:
        return value
    return None


def _subject_of(trigger: str) -> str | None:
    name, _, event = trigger.partition(".")
    return SUBJECTS.get(name) if event in ACTIONS else None


def _ids_of(own_id: int, sent: object) -> list[int]:
    """Return the ids this hook speaks for.

    All hooks of a bulk edit carry all its ids, but only the first must speak for them: it is the one that is sure to
    run, for a closed browser tab kills the rest. If each spoke for all, a thousand scenes would be queued a million
    times.
    """
    listed = _listed_ids(sent)
    ids = [one for one in map(parse_id, listed) if one is not None]
    if not ids or ids[0] != own_id:
        return [own_id]
    return list(dict.fromkeys(ids))


def _listed_ids(sent: object) -> list[object]:
    """Return what a bulk edit (an object with ids) or scenesUpdate (a list of objects with an id each) names."""
    if bulk := as_object(sent):
        return as_list(bulk.get("ids")) or []
    return [one.get("id") for one in map(as_object, as_list(sent) or []) if one]


def _fields_of(sent: object) -> frozenset[str]:
    return frozenset(one for one in as_list(sent) or [] if isinstance(one, str))
