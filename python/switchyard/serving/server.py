# SPDX-License-Identifier: Apache-2.0
"""A model's server: connections, paths, answers, and the end by a signal."""

import asyncio
import collections
import json
import signal
import traceback

from switchyard.serving import json_body, npy
from switchyard.serving.answers import Refusal, busy
from switchyard.serving.metrics import Metrics
from switchyard.serving.requests import (MOST_HEADER, Body, Gone, close,
                                         read_request, write_answer)
from switchyard.serving.runs import Runs

MOST_JSON = 4 << 20  # Bytes of a body as JSON, which takes more when it is read.
_GRACE = 0.3  # Seconds in which connections may send a last request at an end.


class Options(collections.namedtuple("Options", (
        "host", "port", "batch", "delay", "queue", "connections", "body", "held",
        "header_seconds", "idle_seconds", "drain_seconds"), defaults=(
            "127.0.0.1", 8000, 8, 0.002, 128, 256, 64 << 20, 256 << 20, 10.0, 60.0,
            30.0))):
    """Where a server listens, and its bounds: rows of a run and seconds that a
    request waits for others, requests that wait, connections, bytes of a body and
    of all bodies that are held, seconds for a header, between requests, and for
    an end."""

    __slots__ = ()


class Server:
    """Serves a ``runs.Model``. All methods are of one event loop's thread."""

    def __init__(self, model, options):
        self._model, self._options = model, options
        self.counts = Metrics()
        self._runs = Runs(model, self.counts, options.batch, options.delay,
                          options.queue)
        self._held = 0         # Bytes of bodies that are being read or run.
        self._connections = 0
        self._idle = set()     # Writers of connections between two requests.
        self._draining = False
        self._none_open = asyncio.Event()
        self._none_open.set()

    async def start(self):
        """Listens, and returns the port."""
        self._work = asyncio.create_task(self._runs.work())
        self._listener = await asyncio.start_server(
            self._connection, self._options.host, self._options.port,
            limit=MOST_HEADER)
        return self._listener.sockets[0].getsockname()[1]

    async def drain(self):
        """Ends: listens no more, and answers what is sent on connections that
        there are, the last time on each. What is not answered in time is cut
        off; returns whether nothing was."""
        for _ in range(2):
            await asyncio.sleep(0)  # Clients that connected are let in.
        self._listener.close()
        self._draining = True
        self._runs.hurry()
        await asyncio.sleep(_GRACE)
        for writer in list(self._idle):
            writer.close()
        try:
            await asyncio.wait_for(self._none_open.wait(),
                                   self._options.drain_seconds)
        except asyncio.TimeoutError:
            return False
        self._runs.close()
        await self._work
        return True

    async def _connection(self, reader, writer):
        """Serves a client until it or this server ends."""
        self._connections += 1
        self._none_open.clear()
        left = 0
        try:
            if self._connections > self._options.connections:
                refusal = busy("TooManyConnections", "there are "
                               f"{self._options.connections} connections already")
                left = MOST_HEADER
                await self._refuse(writer, refusal)
                return
            keep = True
            while keep:
                keep, left = await self._request(reader, writer)
        except Gone:
            pass
        finally:
            await close(reader, writer, left)
            self._connections -= 1
            if not self._connections:
                self._none_open.set()

    async def _request(self, reader, writer):
        """Answers a request; returns whether others may follow, and how many
        bytes of this one were not read."""
        self._idle.add(writer)
        try:
            request = await read_request(
                reader, _GRACE if self._draining else self._options.idle_seconds,
                self._options.header_seconds)
        except Refusal as refusal:
            await self._refuse(writer, refusal)
            return False, MOST_HEADER
        finally:
            self._idle.discard(writer)
        since = asyncio.get_running_loop().time()
        left = [0]
        try:
            status, kind, content_type, body, extra = await self._answer(
                request, reader, writer, left)
        except Gone:
            self.counts.gone += 1
            raise
        keep = request.keep and not left[0] and not self._draining
        self.counts.seconds.add(asyncio.get_running_loop().time() - since)
        await self._write(writer, status, kind, content_type, body, keep, extra)
        return keep, left[0]

    async def _write(self, writer, status, kind, content_type, body, keep, extra):
        """Sends an answer, and counts it before the client may know of it."""
        self.counts.answers[status, kind] += 1
        self.counts.bytes_out += len(body)
        try:
            await write_answer(writer, status, content_type, body, keep, extra)
        except Gone:
            self.counts.answers[status, kind] -= 1
            self.counts.gone += 1
            raise

    async def _answer(self, request, reader, writer, left):
        """(status, kind of error, content type, body, fields); ``left[0]`` is how
        many bytes of the body were not read."""
        try:
            content_type, body = await self._result(request, reader, writer, left)
            return 200, "", content_type, body, ()
        except Gone:
            raise
        except Refusal as refusal:
            found = refusal
        except Exception as error:  # A fault of this package; the server goes on.
            traceback.print_exc()
            found = Refusal(500, "Fault", f"{type(error).__name__}: {error}")
        return (found.status, found.kind, json_body.CONTENT_TYPE, found.body(),
                _fields_of(found))

    async def _refuse(self, writer, refusal):
        """Sends a refusal, which ends the connection."""
        await self._write(writer, refusal.status, refusal.kind,
                          json_body.CONTENT_TYPE, refusal.body(), False,
                          _fields_of(refusal))

    async def _result(self, request, reader, writer, left):
        """(content type, body) of a request's answer."""
        left[0] = 1  # Until its length is known.
        pages = {"/run": None, "/health": self._health, "/metrics": self._counts_page,
                 "/model": self._facts}
        if request.path not in pages:
            raise Refusal(404, "NotFound", "the path must be one of "
                          f"{', '.join(pages)}, got {request.path[:80]}")
        method = "POST" if request.path == "/run" else "GET"
        if request.method != method:
            raise Refusal(405, "MethodNotAllowed", f"{request.path} takes {method}, "
                          f"got {request.method}")
        if method == "POST":
            return await self._run(request, reader, writer, left)
        left[0] = request.length(0)
        return pages[request.path]()

    def _health(self):
        if self._draining:
            raise busy("Draining", "the server is about to end")
        return json_body.CONTENT_TYPE, b'{"status": "ok"}\n'

    def _counts_page(self):
        text = self.counts.text({
            "waiting_requests": self._runs.waiting,
            "connections": self._connections, "held_bytes": self._held})
        return "text/plain; version=0.0.4", text.encode()

    def _facts(self):
        model = self._model
        facts = {"inputs": [port._asdict() for port in model.inputs],
                 "outputs": [port._asdict() for port in model.outputs],
                 "batch": self._options.batch if model.rows is not None else 1}
        return json_body.CONTENT_TYPE, json.dumps(facts).encode() + b"\n"

    async def _run(self, request, reader, writer, left):
        """The answer of a run."""
        length = left[0] = request.length(self._options.body)
        form, answer_form = _forms_of(request)
        if form is json_body and length > MOST_JSON:
            raise Refusal(413, "BodyTooLarge", f"a body of JSON must have at most "
                          f"{MOST_JSON} bytes, got {length}: send "
                          f"{npy.CONTENT_TYPE}")
        self._runs.check_room()
        if self._held + length > self._options.held:
            raise busy("Busy", f"{self._held} bytes of other requests are held "
                       "already: send this one again")
        if request.fields.get("expect", "").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._held += length
        body = Body(reader, length, self._options.header_seconds)
        try:
            given = await self._given(form, body)
            self.counts.bytes_in += length
            results = await self._runs.result_of(given,
                                                 writer.transport.is_closing)
        finally:
            left[0] = body.left
            self._held -= length
        if answer_form is npy:
            return npy.CONTENT_TYPE, npy.write_arrays(results)
        dtypes = {port.name: port.dtype for port in self._model.outputs}
        return json_body.CONTENT_TYPE, json_body.write_arrays(results, dtypes)

    async def _given(self, form, body):
        inputs, most = self._model.inputs, self._options.body
        if form is npy:
            return await npy.read_arrays(inputs, body, most)
        return json_body.read_arrays(inputs, await body.take(body.left), most)


def _fields_of(refusal):
    """Fields of a refusal's header."""
    return {405: ("Allow: GET, POST",), 503: ("Retry-After: 1",)}.get(
        refusal.status, ())


def _forms_of(request):
    """The modules of the request's body and of its answer's."""
    forms = {form.CONTENT_TYPE: form for form in (json_body, npy)}
    word = request.fields.get("content-type", "").partition(";")[0].strip().lower()
    if word not in forms:
        raise Refusal(415, "UnsupportedMediaType",
                      f"Content-Type must be one of {', '.join(forms)}, got "
                      f"'{word[:80]}'")
    accepted = request.fields.get("accept", "*/*").lower()
    for name, form in forms.items():
        if name in accepted:
            return forms[word], form
    if "*/*" not in accepted and "application/*" not in accepted:
        raise Refusal(406, "NotAcceptable", "Accept must name one of "
                      f"{', '.join(forms)}")
    return forms[word], forms[word]


async def _serve(model, options, say):
    server, ends = Server(model, options), asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ends.set)
    try:
        port = await server.start()
    except OSError as error:
        raise ValueError(f"--port: {options.host}:{options.port} can't be listened "
                         f"at: {error.strerror}") from None
    say(port)
    await ends.wait()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.remove_signal_handler(number)  # A second one ends at once.
    return await server.drain()


def serve(model, options, say):
    """Serves until SIGTERM or SIGINT; ``say(port)`` when it listens. Returns
    whether all that was sent was answered."""
    return asyncio.run(_serve(model, options, say))
