"""A self-signed certificate, as most people's Stash has."""

import shutil
import ssl
import subprocess
from pathlib import Path


def self_signed(folder: Path) -> ssl.SSLContext:
    """Makes the key pair with the openssl program; raises FileNotFoundError without it."""
    program = shutil.which("openssl")
    if program is None:
        raise FileNotFoundError("the openssl program is needed for TLS")
    key, certificate = folder / "stash.key", folder / "stash.crt"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    command = [program, "req", "-x509", *kind, "-days", "3650", "-subj", "/CN=stash", *files]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - a fixed command
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
