"""The simulated Emby or Jellyfin as a program: prints where it listens as a line of JSON, serves until interrupted."""

import argparse
import json
import signal
import sys
import threading

from sim.mediabrowser.flavours import FLAVOURS
from sim.mediabrowser.quirks import Quirks
from sim.mediabrowser.server import SimMediaBrowser


def main() -> None:
    parser = argparse.ArgumentParser(prog="sim.mediabrowser", description=__doc__)
    parser.add_argument("--flavour", choices=sorted(FLAVOURS), default="jellyfin-10.11")
    parser.add_argument("--version", help="what the server says of itself, for instance 10.11.2")
    parser.add_argument("--items", type=int, default=1000, help="videos in the library 'Scenes'")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--base-url", default="", help="for instance /jellyfin")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds every request waits")
    arguments = parser.parse_args()
    quirks = Quirks(base_url=arguments.base_url, latency_seconds=arguments.latency)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: ended.set())
    flavour, version = arguments.flavour, arguments.version
    with SimMediaBrowser(flavour, arguments.items, version=version, port=arguments.port, quirks=quirks) as server:
        where = {"url": server.url, "apiKey": server.api_key, "serverId": server.server_id}
        sys.stdout.write(json.dumps(where) + "\n")
        sys.stdout.flush()
        ended.wait()


if __name__ == "__main__":
    main()
