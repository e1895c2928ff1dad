# SPDX-License-Identifier: Apache-2.0
"""Connects each two ranks by a socket: the medium of the transport "tcp"."""

from __future__ import annotations

import hmac
import secrets
import socket
import time

from switchyard._collective import DistributedError
from switchyard.distributed import store as stores


_meetings = 0  # How often this process has connected: stores keep what was set.


def connect(rank, size, where, deadline):
    """The sockets of ``rank`` to the others, by rank; None for its own.

    ``where``: (host, port, whether rank 0 serves the store, token).
    ``deadline``: by ``time.monotonic()``; DistributedError names who has not come.
    """
    global _meetings
    _meetings += 1
    host, port, serves, token = where
    server = None
    if serves and rank == 0:
        local = host in ("localhost", "127.0.0.1")
        server = stores.Server("127.0.0.1" if local else "", port, token)
    client = stores.Client(host, port, token, deadline)
    try:
        return _connected(rank, size, client, deadline)
    finally:
        client.close()
        if server is not None:
            server.close()


def _connected(rank, size, client, deadline):
    if rank == 0:
        client.set(f"{_meetings} key", secrets.token_hex(16))
    listener = socket.create_server((client.own_address(), 0), backlog=size)
    sockets = [None] * size
    try:
        client.set(f"{_meetings} at {rank}", list(listener.getsockname()[:2]))
        key = _get(client, "key", rank, 0, deadline).encode()
        for peer in range(rank):
            address = _get(client, f"at {peer}", rank, peer, deadline)
            sockets[peer] = _called(tuple(address), rank, key, deadline)
        for peer in range(rank + 1, size):
            _get(client, f"at {peer}", rank, peer, deadline)
        _accept(listener, rank, sockets, key, deadline)
        # The store's server is rank 0's: it stays until all are connected.
        client.set(f"{_meetings} done {rank}", True)
        if rank == 0:
            for peer in range(size):
                _get(client, f"done {peer}", rank, peer, deadline)
        return sockets
    except BaseException:
        for each in sockets:
            if each is not None:
                each.close()
        raise
    finally:
        listener.close()


def _get(client, key, rank, peer, deadline):
    value = client.get(f"{_meetings} {key}", deadline)
    if value is None:
        raise DistributedError(f"init: rank {rank} waited for rank {peer}, which "
                               "did not come before the deadline")
    return value


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
