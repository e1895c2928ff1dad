# SPDX-License-Identifier: Apache-2.0
"""Store: texts by name that the processes of a job share while they connect.

A line of JSON a message, over TCP. The first is the job's token; a connection
without it is closed.
"""

from __future__ import annotations

import hmac
import json
import socket
import threading
import time

_LONGEST = 1 << 16  # Bytes of a line.


class Server:
    """Answers in threads of its own, until ``close()``."""

    def __init__(self, host, port, token):
        """OSError if it can't listen there; port 0 is any that is free."""
        self._token = token
        self._values = {}
        self._changed = threading.Condition()
        self._socket = socket.create_server((host, port))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._socket.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,),
                             daemon=True).start()

    def _serve(self, connection):
        with connection, connection.makefile("rwb") as stream:
            try:
                if not hmac.compare_digest(_read(stream).encode(),
                                           self._token.encode()):
                    return
                while True:
                    _write(stream, self._answer(*_read(stream)))
            except (OSError, ValueError, TypeError, AttributeError):
                return  # The client left, or is none of ours.

    def _answer(self, word, key, value):
        with self._changed:
            if word == "set":
                self._values[key] = value
                self._changed.notify_all()
                return True
            self._changed.wait_for(lambda: key in self._values, min(value, 5.0))
            return self._values.get(key)


class Client:
    """A connection to a Server; for one thread at a time."""

    def __init__(self, host, port, token, deadline):
        """Tries to connect until ``time.monotonic()`` is ``deadline``; TimeoutError
        after that."""
        while True:
            try:
                self._socket = socket.create_connection((host, port), 5)
                break
            except OSError as error:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"init: no store at {host}:{port} "
                                       f"({error})") from None
                time.sleep(0.05)
        self._socket.settimeout(10)
        self._stream = self._socket.makefile("rwb")
        self._where = f"{host}:{port}"
        _write(self._stream, token)

    def own_address(self):
        """The address of this machine on the way to the store."""
        return self._socket.getsockname()[0]

    def set(self, key, value):
        self._ask("set", key, value)

    def get(self, key, deadline):
        """The value; None if there is none at the deadline."""
        while True:
            left = deadline - time.monotonic()
            value = self._ask("get", key, max(left, 0.0))
            if value is not None or left <= 0:
                return value

    def close(self):
        self._stream.close()
        self._socket.close()

    def _ask(self, *message):
        try:
            _write(self._stream, message)
            return _read(self._stream)
        except (OSError, ValueError) as error:
            raise ConnectionError(f"init: the store at {self._where} closed the "
                                  "connection: SWITCHYARD_TOKEN must be the "
                                  "job's") from error


def _write(stream, message):
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()


def _read(stream):
    line = stream.readline(_LONGEST)
    if not line.endswith(b"\n"):
        raise ValueError("the line has no end")
    return json.loads(line)
