"""The simulated Plex as a program: prints where it listens as one line of JSON, then serves until interrupted."""

import argparse
import json
import signal
import sys
import threading

from sim.plex.quirks import Quirks
from sim.plex.server import SimPlex


def main() -> None:
    parser = argparse.ArgumentParser(prog="sim.plex", description=__doc__)
    parser.add_argument("--items", type=int, default=1000, help="videos in the library 'Scenes'")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--tag-mode", choices=("add", "replace"), default="add")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds every request waits")
    arguments = parser.parse_args()
    quirks = Quirks(latency_seconds=arguments.latency)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: ended.set())
    with SimPlex(arguments.items, port=arguments.port, tag_mode=arguments.tag_mode, quirks=quirks) as plex:
        where = {"url": plex.url, "token": plex.token, "machineIdentifier": plex.server_id}
        sys.stdout.write(json.dumps(where) + "\n")
        sys.stdout.flush()
        ended.wait()


if __name__ == "__main__":
    main()
