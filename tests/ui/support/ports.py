"""Ports that people know: where one is free, a picture shows it."""

import socket


def usual_port(number: int) -> int:
    """This port if nobody has it, else 0: any."""
    with socket.socket() as tried:
        try:
            tried.bind(("127.0.0.1", number))
        except OSError:
            return 0
    return number
