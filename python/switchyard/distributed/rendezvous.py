# SPDX-License-Identifier: Apache-2.0
"""How ranks find each other: the media of the transports "tcp", a socket between each
two, and "gloo"."""

from __future__ import annotations

import hmac
import secrets
import socket
import time

from switchyard._collective import DistributedError
from switchyard.distributed import store as stores


_meetings = 0  # How often this process has connected: stores keep what was set.


class Meeting:
    """The ranks of a job while they connect: what one sets, the others get.

    ``where``: (host, port, whether rank 0 serves the store, token).
    ``deadline``: by ``time.monotonic()``; DistributedError names who has not come.
    """

    def __init__(self, rank, size, where, deadline):
        global _meetings
        _meetings += 1
        self.rank, self.size, self.deadline = rank, size, deadline
        self._number = _meetings
        host, port, serves, token = where
        self._server = None
        if serves and rank == 0:
            local = host in ("localhost", "127.0.0.1")
            self._server = stores.Server("127.0.0.1" if local else "", port, token)
        self._client = stores.Client(host, port, token, deadline)
        self.host = self._client.own_address()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, where):
        self._client.close()
        if self._server is not None:
            self._server.close()

    def set(self, key, value):
        self._client.set(f"{self._number} {key}", value)

    def get(self, key, peer):
        """The value that ``peer`` has set."""
        value = self._client.get(f"{self._number} {key}", self.deadline)
        if value is None:
            raise DistributedError(f"init: rank {self.rank} waited for rank {peer}, "
                                   "which did not come before the deadline")
        return value

    def end(self):
        """Returns when no rank needs the store any more, which is rank 0's."""
        self.set(f"done {self.rank}", True)
        if self.rank == 0:
            for peer in range(self.size):
                self.get(f"done {peer}", peer)

    def exchange(self, own):
        """The words (bytes) of every rank on where it listens, by rank. Each says as
        much for each other one."""
        part = len(own) // self.size
        for peer in range(self.size):
            if peer != self.rank:
                self.set(f"from {self.rank} to {peer}",
                         own[peer * part:(peer + 1) * part].hex())
        all_ranks = [own] * self.size
        for peer in range(self.size):
            if peer != self.rank:
                said = bytes.fromhex(self.get(f"from {peer} to {self.rank}", peer))
                all_ranks[peer] = said * self.size
        self.end()
        return all_ranks


def connect(rank, size, where, deadline):
    """The sockets of ``rank`` to the others, by rank; None for its own. Arguments as
    Meeting's."""
    with Meeting(rank, size, where, deadline) as meeting:
        return _connected(meeting)


def _connected(meeting):
    rank, size, deadline = meeting.rank, meeting.size, meeting.deadline
    if rank == 0:
        meeting.set("key", secrets.token_hex(16))
    listener = socket.create_server((meeting.host, 0), backlog=size)
    sockets = [None] * size
    try:
        meeting.set(f"at {rank}", list(listener.getsockname()[:2]))
        key = meeting.get("key", 0).encode()
        for peer in range(rank):
            address = meeting.get(f"at {peer}", peer)
            sockets[peer] = _called(tuple(address), rank, key, deadline)
        for peer in range(rank + 1, size):
            meeting.get(f"at {peer}", peer)
        _accept(listener, rank, sockets, key, deadline)
        meeting.end()
        return sockets
    except BaseException:
        for each in sockets:
            if each is not None:
                each.close()
        raise
    finally:
        listener.close()


def _called(address, rank, key, deadline):
    """A socket to the rank that listens at ``address``."""
    connection = socket.create_connection(address, max(deadline - time.monotonic(),
                                                       0.1))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(key + rank.to_bytes(4, "little"))
    return connection


def _accept(listener, rank, sockets, key, deadline):
    """Takes the connections of all later ranks; strangers' are closed."""
    while any(each is None for each in sockets[rank + 1:]):
        listener.settimeout(max(deadline - time.monotonic(), 0.001))
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            missing = sockets.index(None, rank + 1)
            raise DistributedError(
                f"init: rank {rank} waited for rank {missing}, which did not "
                "connect before the deadline") from None
        connection.settimeout(5)
        try:
            words = connection.recv(len(key) + 4, socket.MSG_WAITALL)
        except OSError:
            words = b""
        peer = int.from_bytes(words[len(key):], "little")
        if not hmac.compare_digest(words[:len(key)], key) or not (
                rank < peer < len(sockets) and sockets[peer] is None):
            connection.close()
            continue
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sockets[peer] = connection
