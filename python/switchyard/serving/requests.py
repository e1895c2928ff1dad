# SPDX-License-Identifier: Apache-2.0
"""HTTP/1.1 requests over asyncio's streams, read within bounds: a header of at
most 16 KiB by a deadline, and a body of the length that it claims, of which
nothing is read before its bounds are checked."""

import asyncio
import re

from switchyard.serving.answers import REASONS, Refusal

MOST_HEADER = 16 << 10
MOST_FIELDS = 100
SLOWEST = 1 << 20  # Bytes a second that a body or an answer may take at least.
_REQUEST = re.compile(r"([A-Z]{1,16}) (\S{1,2048}) HTTP/(\d)\.(\d)")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~\w-]{1,64}):[ \t]*([^\x00\r\n]*?)[ \t]*",
                    re.ASCII)


class Gone(Exception):
    """The client went away, or said nothing."""


class Request:
    """The method, the path, the query as it is, and the fields by lower name."""

    def __init__(self, text):
        first, *lines = text.split("\r\n")
        found = _REQUEST.fullmatch(first)
        if found is None:
            raise _malformed("the request line must be METHOD PATH HTTP/1.1")
        if found[3] != "1":
            raise Refusal(505, "HttpVersion", "the version must be HTTP/1.1")
        self.method, self.fields = found[1], {}
        self.path = found[2].partition("?")[0]
        if len(lines) > MOST_FIELDS:
            raise Refusal(431, "HeaderTooLarge",
                          f"a header must have at most {MOST_FIELDS} fields, got "
                          f"{len(lines)}")
        for line in lines:
            self._add(line)
        keeps = self.fields.get("connection", "").lower()
        self.keep = "close" not in keeps and (found[4] != "0"
                                              or "keep-alive" in keeps)

    def _add(self, line):
        field = _FIELD.fullmatch(line)
        if field is None:
            raise _malformed("a header's field must be NAME: VALUE")
        name = field[1].lower()
        if name in self.fields and name in ("content-length", "content-type",
                                            "transfer-encoding", "host"):
            raise _malformed(f"the header's field {name} must be there once")
        self.fields[name] = field[2]

    def length(self, most):
        """The bytes of the body, as claimed; refuses what is over ``most``."""
        if "transfer-encoding" in self.fields:
            raise Refusal(411, "LengthRequired",
                          "a body must come with Content-Length, not in chunks")
        word = self.fields.get("content-length")
        if word is None:
            if self.method == "POST":
                raise Refusal(411, "LengthRequired",
                              "a body must come with Content-Length")
            return 0
        if not re.fullmatch(r"[0-9]{1,18}", word):
            raise _malformed("Content-Length must be a number, got "
                             f"'{word[:40]}'")
        if int(word) > most:
            raise Refusal(413, "BodyTooLarge",
                          f"the body must have at most {most} bytes, got {word}")
        return int(word)


def _malformed(message):
    return Refusal(400, "MalformedRequest", message)


async def read_request(reader, idle, seconds):
    """The next request. Gone if the client ends or says nothing for ``idle``
    seconds; a Refusal if its header is no request, or is not whole ``seconds``
    after its first byte."""
    try:
        first = await asyncio.wait_for(reader.read(1), idle)
    except (asyncio.TimeoutError, ConnectionError):
        raise Gone from None
    if not first:
        raise Gone
    try:
        rest = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), seconds)
    except asyncio.TimeoutError:
        raise Refusal(408, "HeaderTimeout", "the header must be whole in "
                      f"{seconds:g} seconds") from None
    except (asyncio.IncompleteReadError, ConnectionError):
        raise Gone from None
    except asyncio.LimitOverrunError:
        raise Refusal(431, "HeaderTooLarge", "a header must have at most "
                      f"{MOST_HEADER} bytes") from None
    # A client may end the body before with an empty line.
    return Request((first + rest[:-4]).decode("latin-1").lstrip("\r\n"))


class Body:
    """The bytes of a body that are to come; ``left`` counts them."""

    def __init__(self, reader, length, seconds):
        self._reader, self.left = reader, length
        self._until = (asyncio.get_running_loop().time() + seconds
                       + length / SLOWEST)

    async def take(self, count):
        """The next ``count`` bytes."""
        if count > self.left:
            raise Refusal(400, "InvalidBody",
                          f"the body ends after {self.left} bytes where {count} "
                          "are expected")
        now = asyncio.get_running_loop().time()
        try:
            return await asyncio.wait_for(self._read(count), self._until - now)
        except asyncio.TimeoutError:
            raise Refusal(408, "BodyTimeout", "the body came too slowly, with "
                          f"{self.left} bytes missing") from None
        except ConnectionError:
            raise Gone from None

    async def _read(self, count):
        pieces = bytearray()
        while len(pieces) < count:
            piece = await self._reader.read(min(count - len(pieces), 1 << 16))
            if not piece:
                raise Gone
            self.left -= len(piece)
            pieces += piece
        return bytes(pieces)


async def write_answer(writer, status, content_type, body, keep, extra=()):
    """Sends an answer; Gone if the client does not take it."""
    lines = [f"HTTP/1.1 {status} {REASONS[status]}",
             f"Content-Type: {content_type}", f"Content-Length: {len(body)}",
             f"Connection: {'keep-alive' if keep else 'close'}", *extra]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
    try:
        await asyncio.wait_for(writer.drain(), 30 + len(body) / SLOWEST)
    except (asyncio.TimeoutError, ConnectionError):
        writer.transport.abort()
        raise Gone from None


async def close(reader, writer, left=0):
    """Ends a connection. What the client still sends is read for a second, or
    it would see a reset in place of the answer."""
    try:
        if left and not writer.transport.is_closing():
            writer.write_eof()
            await asyncio.wait_for(_discard(reader, min(left, 1 << 22)), 1)
    except (OSError, RuntimeError, asyncio.TimeoutError):
        pass
    writer.close()
    try:
        await asyncio.wait_for(writer.wait_closed(), 30)  # Answers in buffers.
    except (OSError, asyncio.TimeoutError):
        writer.transport.abort()


async def _discard(reader, count):
    while count > 0 and (piece := await reader.read(1 << 16)):
        count -= len(piece)
