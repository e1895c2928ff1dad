# SPDX-License-Identifier: Apache-2.0
"""A server in a thread, models and clients, for the tests of a server."""
import asyncio
import contextlib
import http.client
import io
import json
import re
import socket
import threading

import numpy as np
import switchyard as sy
from switchyard.serving.rows import rows_of
from switchyard.serving.runs import Model
from switchyard.serving.server import Options, Server

NPY, JSON = "application/x-npy", "application/json"


def dense_program():
    """Images, whose items share runs."""
    sy.seed(3)
    model = sy.nn.Sequential(
        sy.nn.Conv2d(2, 4, 3, padding=1), sy.nn.ReLU(), sy.nn.AdaptiveAvgPool2d(2),
        sy.nn.Flatten(), sy.nn.Linear(16, 5), sy.nn.Softmax())
    model.eval()
    return sy.static.trace(model, sy.static.InputSpec([None, 2, 6, 6], name="x"))


def table_program():
    """Indices, of which some are wrong, and a text's length that may be any."""
    sy.seed(4)
    layers = sy.nn.Embedding(10, 4), sy.nn.Linear(4, 3)
    return sy.static.trace(
        lambda ids, more: (layers[1](layers[0](ids)) + more, more * 2),
        sy.static.InputSpec([None, None], "int64", name="ids"),
        sy.static.InputSpec([None, 1, 1], name="more"))


class Gated(Model):
    """Runs only while its gate is open."""

    def __init__(self, program, rows=None):
        super().__init__(program, rows)
        self.gate = threading.Event()

    def run(self, given):
        self.gate.wait()
        return super().run(given)


class Running:
    """A server in a thread of its own."""

    def __init__(self, model, **options):
        self.options = Options(port=0, **options)
        self._loop, self._started = asyncio.new_event_loop(), threading.Event()
        self._model, self._ends = model, asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._started.wait()

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self):
        self.server = Server(self._model, self.options)
        self.port = await self.server.start()
        self._started.set()
        await self._ends.wait()
        self.all_answered = await self.server.drain()

    def begin_to_end(self):
        """Asks for an end, and returns."""
        self._loop.call_soon_threadsafe(self._ends.set)

    def end(self):
        """Drains, once; whether all was answered."""
        if self._thread.is_alive():
            self.begin_to_end()
        self._thread.join(60)
        return not self._thread.is_alive() and self.all_answered


@contextlib.contextmanager
def serving(program, shared=True, model=Model, **options):
    """A server of a program, ended at the end."""
    running = Running(model(program, rows_of(program) if shared else None), **options)
    try:
        yield running
    finally:
        if isinstance(running._model, Gated):
            running._model.gate.set()
        ended = running.end()
    assert ended, "some requests were not answered"


class Client:
    """A connection that stays open."""

    def __init__(self, port):
        self._port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def close(self):
        self._connection.close()

    def call(self, method, path, body=None, **fields):
        """(status, body)"""
        self._connection.request(method, path, body, {
            name.replace("_", "-"): value for name, value in fields.items()})
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def post(self, body, content_type, accept="*/*"):
        return self.call("POST", "/run", body, Content_Type=content_type, Accept=accept)

    def run_npy(self, *arrays):
        """The results of arrays; an error's answer as (status, error)."""
        status, body = self.post(npy_of(*arrays), NPY)
        return arrays_of(body) if status == 200 else (status, json.loads(body)["error"])

    def run_json(self, **inputs):
        status, body = self.post(json.dumps({"inputs": inputs}).encode(), JSON)
        if status != 200:
            return status, json.loads(body)["error"]
        return [np.array(one["values"], one["dtype"]).reshape(one["shape"])
                for one in json.loads(body)["outputs"].values()]


def npy_of(*arrays):
    """The body of arrays."""
    file = io.BytesIO()
    for array in arrays:
        np.save(file, array)
    return file.getvalue()


def arrays_of(body):
    """The arrays of a body."""
    file, arrays = io.BytesIO(body), []
    while file.tell() < len(body):
        arrays.append(np.load(file))
    return arrays


def counts_of(port):
    """{name: number} of the page of counts."""
    client = Client(port)
    _, page = client.call("GET", "/metrics")
    client.close()
    return {name: float(number) for name, number in re.findall(
        r"(?m)^(switchyard_\S+) (\S+)$", page.decode())}


def raw(port, sent, end=False):
    """(status, error) of bytes as they are; ``end`` says that no more come."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(sent)
        if end:
            client.shutdown(socket.SHUT_WR)
        return answer_on(client)


def answer_on(client):
    """(status, error or None) of what comes on a socket until it is whole."""
    file = client.makefile("rb")
    first = file.readline()
    if not first:
        return None
    length = 0
    while (line := file.readline().strip()):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    body = file.read(length)
    status = int(first.split()[1])
    return status, json.loads(body)["error"] if status >= 400 else None
