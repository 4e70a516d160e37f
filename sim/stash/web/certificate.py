"""A self-signed certificate, as most people's Stash has."""

import datetime as dt
import ssl
from pathlib import Path

ONE_DAY = dt.timedelta(days=1)


def self_signed(folder: Path) -> ssl.SSLContext:
    """Make a key pair that nobody has vouched for. Only tests serve TLS, so only they need `cryptography`."""
    from cryptography import x509  # noqa: PLC0415 - see above
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    key, now = ec.generate_private_key(ec.SECP256R1()), dt.datetime.now(dt.UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "stash")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    certificate = builder.not_valid_before(now - ONE_DAY).not_valid_after(now + ONE_DAY).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    both = folder / "stash.pem"
    both.write_bytes(private + certificate.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    return context
