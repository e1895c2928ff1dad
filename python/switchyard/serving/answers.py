# SPDX-License-Identifier: Apache-2.0
"""Refusals: the typed answers of a server, a status and an error as JSON."""

import json
import re

REASONS = {
    100: "Continue", 200: "OK", 400: "Bad Request", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout",
    411: "Length Required", 413: "Content Too Large",
    415: "Unsupported Media Type", 417: "Expectation Failed",
    422: "Unprocessable Content", 431: "Request Header Fields Too Large",
    500: "Internal Server Error", 501: "Not Implemented",
    503: "Service Unavailable", 505: "HTTP Version Not Supported",
}

# Where the operator is in the model's source.
_PLACE = re.compile(r" \(at [^()]*\)$")
# "embedding: x must be in [0, 10), got 10": the operator and its argument.
_SENTENCE = re.compile(r"(?:(?P<operator>[a-z_]\w*): )?(?:feed )?"
                       r"(?:(?P<argument>[\w.]+)(?= must ))?")


class Refusal(Exception):
    """An answer that is no result: its status, the type and the sentence of its
    error, and the argument or the operator that it is about."""

    def __init__(self, status, kind, message, argument=None, operator=None):
        super().__init__(message)
        self.status, self.kind = status, kind
        self.argument, self.operator = argument, operator

    def body(self):
        """The answer's body."""
        error = {"type": self.kind, "message": str(self)}
        if self.operator is not None:
            error["operator"] = self.operator
        if self.argument is not None:
            error["argument"] = self.argument
        return json.dumps({"error": error}).encode() + b"\n"


def wrong_input(message, argument=None):
    """The refusal of an input that the model does not take."""
    return Refusal(400, "InvalidInput", message, argument)


def busy(kind, message):
    """The refusal of a request that may be sent again."""
    return Refusal(503, kind, message)


def refusal_of(error, program_name):
    """Returns the answer to a run's error, whose cause may be the client's input.

    The place in the model's source is not the client's to know.
    """
    if isinstance(error, Refusal):
        return error
    if isinstance(error, MemoryError):
        return busy("OutOfMemory", "run: no memory for this request")
    if isinstance(error, NotImplementedError):
        status, kind = 501, "NotImplemented"
    elif isinstance(error, (ValueError, TypeError, IndexError,
                            FloatingPointError)):
        status, kind = 422, "RunFailed"
    else:
        status, kind = 500, "RunFailed"
    text = _PLACE.sub("", str(error).split("\n")[0])
    text = text.removeprefix(f"{program_name}: ") or type(error).__name__
    found = _SENTENCE.match(text)
    return Refusal(status, kind, text, found["argument"], found["operator"])
