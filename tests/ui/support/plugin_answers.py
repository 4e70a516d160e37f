"""Answers of the plugin as docs/operations.md has them: a small library on Plex and Jellyfin, Emby not set up."""

from datetime import UTC, datetime, timedelta
from typing import Any

NOW = datetime.now(UTC)
TITLES = ["Blue Harbour", "A Walk in May", "Northern Lights", "The Long Table", "Paper Boats", "Half Past Four"]


def title_of(scene_id: int) -> str:
    return TITLES[(scene_id - 1) % len(TITLES)]


def ago(**distance: float) -> str:
    return (NOW - timedelta(**distance)).isoformat()


def queue(due: int = 0, later: int = 0, claimed: int = 0, dead: int = 0) -> dict[str, int]:
    return {"due": due, "later": later, "claimed": claimed, "dead": dead}


def scenes_by_state(**counts: int) -> dict[str, int]:
    names = ("synced", "waiting", "ambiguous", "refused", "skipped", "failed", "undone", "ignored")
    return {name: counts.get(name, 0) for name in names}


def target(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "target": name.lower(),
        "name": name,
        "is_on": True,
        "url": "http://192.168.1.10:32400",
        "sentence": f"9,812 scenes in {name}.",
        "outage": None,
        "pictures": None,
        "circuit": {"state": "closed", "strikes": 0},
        "recovery": None,
        "queue": queue(due=120, later=3, claimed=2),
        "scenes": scenes_by_state(synced=9812, waiting=14, ambiguous=6, failed=2, refused=1, skipped=40),
        "speed_per_minute": 312.0,
        "seconds_left": 24.0,
        "history": [
            {"at": ago(hours=24 - hour), "done": (hour * 37) % 90 + 8, "failed": 4 if hour % 9 == 0 else 0}
            for hour in range(24)
        ],
        "coverage": {"found": 9812, "total": 9940, "rules": 3, "at": ago(hours=3)},
        "last_run": {"run_id": 12, "kind": "worker", "began_at": ago(minutes=4)},
        **changes,
    }


def off(name: str) -> dict[str, Any]:
    return target(
        name,
        is_on=False,
        url=None,
        sentence=f"{name} is not set up.",
        queue=queue(),
        scenes=scenes_by_state(),
        speed_per_minute=None,
        seconds_left=None,
        history=[],
        coverage=None,
        last_run=None,
    )


def status(**changes: Any) -> dict[str, Any]:
    return {
        "headline": "Syncing: 122 to do.",
        "sentence": "120 jobs due, 3 later, 2 being worked on, 2 given up; a worker is running.",
        "is_set_up": True,
        "is_enabled": True,
        "intake_is_on": True,
        "worker": {
            "alive": True,
            "version": "0.1.0",
            "pid": 4711,
            "started_at": ago(hours=30),
            "obstacle": None,
            "is_installing": False,
            "is_outdated": False,
        },
        "queue": queue(due=120, later=3, claimed=2, dead=2),
        "targets": [
            target("Plex"),
            target("Jellyfin", queue=queue(), scenes=scenes_by_state(synced=9860), url="http://192.168.1.10:8096"),
        ],
        "needs_you": [
            need("ambiguous", 6, "6 scenes could each be several items in Plex: choose by hand."),
            need("failed", 2, "2 scenes could not be written to Plex: mend the cause and try again."),
            need(
                "waiting",
                14,
                "14 scenes are not found in Plex: not scanned yet, or the path map is wrong.",
            ),
        ],
        "sweep": {"is_running": False, "progress": None, "last_at": ago(minutes=40), "next_at": ago(minutes=-20)},
        "stash": {"url": "http://stash:9999", "seen_at": ago(seconds=20)},
        **changes,
    }


def need(kind: str, count: int, sentence: str, view: str = "problems") -> dict[str, Any]:
    state = kind if view == "problems" else None
    return {"target": "plex", "kind": kind, "count": count, "sentence": sentence, "view": view, "state": state}


SENTENCES = {
    "ambiguous": ("3 items in Plex have this file name, and none has its size.", "Choose the right one."),
    "waiting": (
        "Not in Plex yet: nothing in Plex is called {file} (Stash has /data/clips/{file}).",
        "Plex may not have scanned the folder yet.",
    ),
    "failed": ("Plex answered 500 five times in a row.", "Try again, or look at Plex's log."),
    "refused": ("Plex refused the date: 2024-13-40 is none.", "Correct the date in Stash."),
    "undone": ("You put back what was written.", None),
    "skipped": ("Not organized, and only organized scenes are synced.", None),
    "ignored": ("You said to leave this one out.", None),
}


def row(scene_id: int, state: str, **changes: Any) -> dict[str, Any]:
    sentence, step = SENTENCES[state]
    return {
        "scene_id": scene_id,
        "target": "plex",
        "title": title_of(scene_id),
        "state": state,
        "sentence": sentence.format(file=f"clip-{scene_id:04}.mp4"),
        "next_step": step,
        "item_id": None,
        "item_path": None,
        "recorded_at": ago(minutes=scene_id),
        "synced_at": None,
        "is_queued": state == "waiting",
        "pinned_to": None,
        **changes,
    }


class SceneStates:
    """Scenes in states, listed in pages as the plugin lists them."""

    def __init__(self, **counts: int) -> None:
        self.rows = [row(number, state) for state, count in counts.items() for number in range(1, count + 1)]

    def listed(self, args: dict[str, Any]) -> dict[str, Any]:
        fitting = [one for one in self.rows if one["state"] == args.get("state", one["state"])]
        if args.get("target", "plex") != "plex":
            fitting = []
        begin, size = int(args.get("after", 0)), int(args.get("limit", 50))
        end = begin + size
        return {
            "scenes": fitting[begin:end],
            "next": str(end) if end < len(fitting) else None,
            "total": len(fitting),
        }

    def move(self, scene_ids: list[int], state: str) -> None:
        for one in self.rows:
            if one["scene_id"] in scene_ids:
                one.update(row(one["scene_id"], state))

    def take(self, scene_ids: list[int]) -> None:
        self.rows = [one for one in self.rows if one["scene_id"] not in scene_ids]


CHANGES = [
    {"field": "title", "old": "clip-0001", "new": "Blue Harbour", "why": "Stash has another title."},
    {"field": "summary", "old": "", "new": "Two friends take the last ferry home.", "why": "Nothing was there."},
    {
        "field": "tags",
        "old": ["Outdoor", "Old"],
        "new": ["Outdoor", "Ferry", "Evening"],
        "why": "Stash has other tags.",
    },
]
KEPT = [
    {"field": "studio", "old": "My own words", "new": "Harbour Films", "why": "Somebody changed it in Plex by hand."}
]

CANDIDATES = [
    {
        "item_id": str(700 + number),
        "path": f"/media/films/{folder}/clip-0001.mp4",
        "size": 734_003_200 + number,
        "title": f"Candidate {number}",
        "is_taken": number == 3,
        "why": "Same file name.",
    }
    for number, folder in enumerate(("old", "new", "copies"), 1)
]


def explained(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "target": name.lower(),
        "name": name,
        "state": "synced",
        "sentence": f"In sync with {name}.",
        "next_step": None,
        "command": None,
        "item_id": "701",
        "item_path": "/media/films/old/clip-0001.mp4",
        "item_url": f"http://192.168.1.10:32400/web/{name.lower()}/701",
        "match": {
            "item_id": "701",
            "confidence": "HIGH",
            "score": 1.0,
            "rule": "mapped path",
            "note": "",
            "source": "server",
            "candidates": CANDIDATES,
            "also": [],
            "other_parts": [],
        },
        "plan": {
            "verdict": "would change",
            "sentence": "A sync would change: title, summary, tags.",
            "item_id": "701",
            "changes": CHANGES,
            "kept": KEPT,
        },
        "pinned_to": None,
        "is_ignored": False,
        "last_sync": {
            "at": ago(days=2),
            "item_id": "701",
            "items": ["701"],
            "item_path": "/media/films/old/clip-0001.mp4",
        },
        "pictures": [
            {"place": "poster", "state": "shown", "sentence": "Plex was given Stash's cover.", "at": ago(days=2)}
        ],
        "queue": [],
        "dead_letters": [],
        "not_asked": [],
        **changes,
    }


def explanation(args: dict[str, Any]) -> dict[str, Any]:
    targets = [
        explained("Plex"),
        explained("Jellyfin", plan={"verdict": "right", "sentence": "", "item_id": "9", "changes": [], "kept": []}),
    ]
    if "target" in args:
        targets = [one for one in targets if one["target"] == args["target"]]
    return {
        "scene_id": args["scene_id"],
        "title": "Blue Harbour",
        "organized": True,
        "files": [{"path": "/data/clips/clip-0001.mp4", "size": 734_003_200, "duration": 1800.0}],
        "targets": targets,
        "obstacle": None,
    }


def task_row(mode: str, **changes: Any) -> dict[str, Any]:
    """How a run of a task went; well and over, if nothing else is said."""
    began_at = ago(minutes=1)
    return {
        "mode": mode,
        "began_at": began_at,
        "ended_at": began_at,
        "sentence": "Done.",
        "ok": True,
        "progress": None,
        **changes,
    }


def preview(count: int = 10) -> dict[str, Any]:
    return {
        "ran_at": ago(minutes=1),
        "is_running": False,
        "last_run": task_row("preview"),
        "counts": {"would_change": count, "right": 9800, "unmatched": 14, "ambiguous": 6, "refused": 0, "skipped": 40},
        "scenes": [
            {
                "scene_id": number,
                "title": title_of(number),
                "target": "plex",
                "verdict": "would change",
                "sentence": "A sync would change: title, summary, tags.",
                "changes": [{**CHANGES[0], "old": f"clip-{number:04}", "new": title_of(number)}, *CHANGES[1:]],
                "kept": KEPT if number == 1 else [],
            }
            for number in range(1, count + 1)
        ],
        "next": None,
    }


def run(run_id: int, **changes: Any) -> dict[str, Any]:
    return {
        "target": "plex",
        "run_id": run_id,
        "kind": "worker",
        "began_at": ago(hours=20 - run_id),
        "ended_at": ago(hours=20 - run_id),
        "written": 3,
        "undone": 0,
        "scenes": 1,
        **changes,
    }


def entry(number: int, change: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "target": "plex",
        "run_id": 12,
        "scene_id": 1,
        "item_id": "701",
        "field": change["field"],
        "old": change["old"],
        "new": change["new"],
        "at": ago(hours=8),
        "undone_at": None,
        "old_locked": False,
        **changes,
    }


def journal(args: dict[str, Any]) -> dict[str, Any]:
    if "run_id" in args or "scene_id" in args:
        return {"entries": [entry(number, change) for number, change in enumerate(CHANGES, 1)], "next": None}
    return {"runs": [run(12), run(11, kind="pictures", written=240, scenes=80), run(10, undone=3)], "next": None}


def undo_plan(args: dict[str, Any]) -> dict[str, Any]:
    items = [
        {"target": "plex", "scene_id": 1, "item_id": "701", "field": one["field"], "from": one["new"], "to": one["old"]}
        for one in CHANGES
    ]
    sentence = "3 values of 1 scene would be put back."
    return {"sentence": sentence, "values": 3, "scenes": 1, "items": items, "later_edits": 1}


UNDONE = {
    "sentence": "3 values put back.", "scenes": 1, "put_back": 3, "kept": 0, "overtaken": 0, "impossible": 0, "gone": 0, "failed": 0,
}  # fmt: skip


DESCRIPTIONS = {
    "url": "Where your server is, for example http://192.168.1.10:32400.",
    "token": "What lets us in. It goes to Stash and is never shown again.",
    "api_key": "What lets us in. It goes to Stash and is never shown again.",
    "library": "Libraries, separated by commas. Empty: all with videos.",
    "map": "Where the server sees Stash's folders. Empty: found out by itself.",
    "path_map": "Where the server sees Stash's folders. Empty: found out by itself.",
    "enabled": "Off: edits are queued, and nothing is written.",
    "only_organized": "Sync only scenes marked as organized.",
    "tags_as": "What the tags of a scene become.",
    "max_tags": "At most so many tags of a scene are written. A whole number from 1 to 500.",
    "read_timeout": "Seconds to wait for an answer. A number from 1 to 600.",
}


def setting(key: str, title: str, kind: str = "text", **changes: Any) -> dict[str, Any]:
    default = {"boolean": True, "number": 5, "text": "", "path_map": "", "secret": None, "choice": "genres"}[kind]
    return {
        "key": key,
        "title": title,
        "description": DESCRIPTIONS.get(key.partition("_")[2] or key, DESCRIPTIONS.get(key, "")),
        "type": kind,
        "default": default,
        "allowed": None,
        "value": default,
        "is_set": False,
        "source": "default",
        "problem": None,
        "needs_restart": False,
        **changes,
    }


def settings_schema(*, is_set_up: bool = True) -> dict[str, Any]:
    def server(name: str, secret: str, address: str | None) -> dict[str, Any]:
        key = name.lower()
        path_map = "path_map" if key == "plex" else f"{key}_path_map"
        return {
            "id": key,
            "title": name,
            "settings": [
                setting(f"{key}_url", f"{name} address", value=address or "", is_set=bool(address), source="stash" if address else "default"),
                setting(f"{key}_{secret}", f"{name} {secret.replace('_', ' ')}", "secret", value=None, is_set=bool(address)),
                setting(f"{key}_library", f"{name} libraries"),
                setting(path_map, "Path map", "path_map"),
            ],
        }  # fmt: skip

    plex = "http://192.168.1.10:32400" if is_set_up else None
    jellyfin = "http://192.168.1.10:8096" if is_set_up else None
    general = {
        "id": "general",
        "title": "General",
        "settings": [
            setting("enabled", "Enabled", "boolean"),
            setting("only_organized", "Only organized", "boolean", default=False, value=False),
            setting("tags_as", "Tags as", "choice", allowed=["genres", "tags", "both"]),
            setting("max_tags", "Max tags", "number", default=100, value=100, allowed={"min": 1, "max": 500}),
            setting("read_timeout", "Read timeout", "number", default=30, value=45, allowed={"min": 1, "max": 600}, source="file", is_set=True),
        ],
    }  # fmt: skip
    groups = [
        server("Plex", "token", plex), server("Emby", "api_key", None), server("Jellyfin", "api_key", jellyfin), general,
    ]  # fmt: skip
    return {"groups": groups, "problems": [], "warnings": []}


PATH_MAP = {
    "source": "derived",
    "rules": [
        {"from": "/data/clips", "to": "/media/films", "found": 9000},
        {"from": "/data/more", "to": "/media/more", "found": 812},
    ],
    "found": 9812,
    "total": 9940,
    "not_found": [{"path": "/data/elsewhere/a.mp4", "item_path": ""}, {"path": "/data/clips/b.mp4", "item_path": "/media/films/b.mp4"}],
    "proposal": "/data/clips=>/media/films; /data/more=>/media/more",
    "sentence": "9,812 of 9,940 files found, 2 rules.",
}  # fmt: skip

LIBRARIES = {
    "ok": True,
    "sentence": "2 libraries with videos.",
    "libraries": [
        {"target": "plex", "key": "1", "title": "Films", "type": "movie", "locations": ["/media/films"], "is_chosen": False},
        {"target": "plex", "key": "4", "title": "Clips", "type": "movie", "locations": ["/media/clips"], "is_chosen": False},
    ],
}  # fmt: skip

TEST_GOOD = {
    "ok": True,
    "sentence": "Everything works.",
    "findings": [
        {"target": "plex", "part": "address", "ok": True, "sentence": "Plex answers."},
        {"target": "plex", "part": "token", "ok": True, "sentence": "The token is accepted."},
    ],
}
TEST_BAD = {
    "ok": False,
    "sentence": "1 of 2 needs you.",
    "findings": [
        {"target": "plex", "part": "address", "ok": True, "sentence": "Plex answers."},
        {
            "target": "plex",
            "part": "token",
            "ok": False,
            "sentence": "Plex refuses the token. Get a new one and save it.",
        },
    ],
}

INTAKE = {
    "is_on": True,
    "sentence": "3 files, 1 needs you.",
    "counts": {"completed": 1, "processing": 1, "error": 1},
    "rows": [
        {"id": 1, "name": "ABC-123.mp4", "status": "completed", "step": "pictured", "code": "ABC-123", "sentence": "In the library.", "at": ago(hours=2)},
        {"id": 2, "name": "unknown.mp4", "status": "error", "step": "named", "code": None, "sentence": "No source knows this name.", "at": ago(hours=1)},
        {"id": 3, "name": "DEF-456.mp4", "status": "processing", "step": "planned", "code": "DEF-456", "sentence": "Being moved.", "at": ago(minutes=1)},
    ],
}  # fmt: skip

TASKS = {
    "tasks": [
        {"mode": "all", "began_at": ago(minutes=3), "ended_at": None, "sentence": None, "ok": True, "progress": 0.4},
        {"mode": "health_check", "began_at": ago(hours=1), "ended_at": ago(hours=1), "sentence": "All is well.", "ok": True, "progress": None},
    ]
}  # fmt: skip


def said(sentence: str, **more: Any) -> dict[str, Any]:
    return {"sentence": sentence, **more}


def answers(scenes: SceneStates | None = None) -> dict[str, Any]:
    """An answer for every operation that the page knows."""
    known = scenes or SceneStates(ambiguous=6, failed=2, refused=1, waiting=14, skipped=40)
    return {
        "status": status(),
        "scenes": known.listed,
        "explain": explanation,
        "preview_scene": {"scene_id": 1, "title": "Blue Harbour", "targets": []},
        "sync_scenes": lambda args: said(f"{len(args['ids'])} scenes queued.", queued=len(args["ids"])),
        "retry": said("2 jobs are tried again.", revived=2),
        "discard": said("2 jobs forgotten.", discarded=2),
        "ignore_scene": said("Left out from now on."),
        "scan_scene": said("Plex scans the folder.", ok=True),
        "map_scene": said("Scene 1 is item 702 from now on.", ok=True),
        "unmap_scene": said("Your choice is forgotten.", ok=True),
        "search_items": {"items": [{"item_id": "812", "title": "Harbour, uncut", "path": "/media/films/harbour.mp4", "size": 5, "library": "Films"}]},
        "test_connection": TEST_GOOD,
        "libraries": LIBRARIES,
        "path_map": PATH_MAP,
        "settings_schema": settings_schema(),
        "save_settings": lambda args: said("Saved.", ok=True, problems=[], saved=list(args["values"])),
        "journal": journal,
        "undo_plan": undo_plan,
        "undo": UNDONE,
        "preview_result": preview(),
        "last_task": TASKS,
        "intake": INTAKE,
        "intake_retry": said("Tried again.", ok=True),
        "intake_undo": said("Moved back.", ok=True),
        "intake_set_code": said("The code is set.", ok=True),
    }  # fmt: skip
