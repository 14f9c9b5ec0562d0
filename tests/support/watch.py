"""Watch for what must not happen: a file that is opened, a port that is called, a file that appears."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import threading
from pathlib import Path
from typing import Self

_IN_ACCESS, _IN_MODIFY, _IN_OPEN, _IN_CREATE = 0x1, 0x2, 0x20, 0x100
_EVENT = struct.Struct("iIII")


class OpenedFiles:
    """A context manager that notes every file below a folder that anybody opens, reads or makes (Linux)."""

    def __init__(self, folder: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.inotify_init1(os.O_NONBLOCK)
        assert self._descriptor >= 0, "inotify is not available"
        mask = _IN_ACCESS | _IN_MODIFY | _IN_OPEN | _IN_CREATE
        assert self._libc.inotify_add_watch(self._descriptor, bytes(folder), mask) >= 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def names(self) -> set[str]:
        """Return the names of the files that were touched since the last call."""
        try:
            data = os.read(self._descriptor, 65536)
        except BlockingIOError:
            return set()
        names, at = set(), 0
        while at < len(data):
            _, _, _, length = _EVENT.unpack_from(data, at)
            at += _EVENT.size
            names.add(data[at : at + length].rstrip(b"\0").decode())
            at += length
        return names


class Listener:
    """A context manager: a port on loopback that counts who calls it."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.calls = 0
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.calls += 1
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
