"""`python -m sim.stash`: run a simulated Stash until it is told to stop."""

import argparse
import json
import signal
import sys
import threading
from pathlib import Path

from sim.stash.simulator import SimStash


def main() -> None:
    options = _options()
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stopped.set())
    with SimStash(
        options.scenes, port=options.port, config_dir=options.config_dir, seed=options.seed, tls=options.tls
    ) as stash:
        if options.user:
            stash.set_credentials(options.user)
            stash.generate_api_key()
        if options.plugin:
            stash.install_plugin(options.plugin)
        sys.stdout.write(json.dumps(_about(stash)) + "\n")
        sys.stdout.flush()
        stopped.wait()


def _about(stash: SimStash) -> dict[str, str]:
    settings = stash.settings
    return {"url": stash.url, "config_dir": str(settings.config_dir), "api_key": settings.api_key}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="sim.stash", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 lets the system choose")
    parser.add_argument("--scenes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--config-dir", type=Path, help="the folder of config.yml; a temporary one by default")
    parser.add_argument("--tls", action="store_true", help="serve https with a self-signed certificate")
    parser.add_argument("--user", default="", help="require a login, and print an API key")
    parser.add_argument("--plugin", type=Path, help="a plugin folder with a Stash2Plex.yml to install")
    return parser.parse_args()


if __name__ == "__main__":
    main()
