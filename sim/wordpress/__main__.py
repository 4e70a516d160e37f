"""`python -m sim.wordpress [CODE ...]`: the simulated site as a process. Without codes it knows every one."""

import sys
import threading

from sim.wordpress.server import SimWordPress


def main(codes: list[str]) -> None:
    with SimWordPress() as site:
        site.knows_all = not codes
        for code in codes:
            site.add(code)
        sys.stdout.write(f"{site.base_url} {site.token}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1:])
