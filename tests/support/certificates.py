"""A certificate that nobody has signed but itself, made on the spot."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest


def self_signed(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """Return a server's context with a certificate for 127.0.0.1 made in `folder`, and the certificate's file."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the openssl command to make a certificate")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    kind = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=judge -addext subjectAltName=IP:127.0.0.1"
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([openssl, *kind.split(), *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context, certificate
