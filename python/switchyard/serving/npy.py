# SPDX-License-Identifier: Apache-2.0
"""Bodies of .npy arrays, one after the other in the order of the model's inputs,
as ``np.save`` writes them to one file. No pickles, and nothing is allocated that
the body does not bring: a header's claims are checked before its elements are
read."""

import io
import math
import re

import numpy as np

from switchyard.serving.answers import Refusal, wrong_input
from switchyard.serving.arrays import Given, check_dtype, check_extents

CONTENT_TYPE = "application/x-npy"
MOST_HEADER = 4096  # Bytes of an array's header.
_MAGIC = b"\x93NUMPY"
_PAIR = re.compile(r"\s*(?:'descr':\s*'(?P<descr>[<>=|]?[biufc?]\d{0,2})'|"
                   r"'fortran_order':\s*(?P<order>True|False)|"
                   r"'shape':\s*\((?P<shape>[\d\s,]*)\))\s*(?:,|(?=\}))")


def _facts_of(text):
    """(dtype, Fortran's order, shape) of a header's text; None if it is of
    anything else. Nothing is evaluated."""
    text, found, at = text.strip(), {}, 1
    while (pair := _PAIR.match(text, at)):
        if pair.lastgroup in found:
            return None
        found[pair.lastgroup] = pair[pair.lastgroup]
        at = pair.end()
    if text[:1] != "{" or text[at:].strip() != "}" or len(found) != 3:
        return None
    *extents, last = [word.strip() for word in found["shape"].split(",")]
    if last:
        extents.append(last)
    if not all(re.fullmatch(r"\d{1,18}", word, re.ASCII) for word in extents) \
            or (last and len(extents) == 1):  # (5) is no tuple.
        return None
    try:
        return (np.dtype(found["descr"]), found["order"] == "True",
                tuple(map(int, extents)))
    except TypeError:
        return None


async def _header_of(port, body):
    """(dtype, Fortran's order, shape) that the next array claims."""
    start = await body.take(8)
    if start[:6] != _MAGIC or start[6] not in (1, 2, 3):
        raise wrong_input(f"{port.name} must be an array as np.save writes it, "
                          f"got a body that begins with {start[:6]!r}", port.name)
    wide = start[6] > 1
    digits = await body.take(4 if wide else 2)
    length = int.from_bytes(digits, "little")
    if length > MOST_HEADER:
        raise wrong_input(f"{port.name}: a header must have at most {MOST_HEADER} "
                          f"bytes, got {length}", port.name)
    found = _facts_of((await body.take(length)).decode("latin-1"))
    if found is None:
        raise wrong_input(f"{port.name}: the array's header must be of a dtype of "
                          "numbers, fortran_order and a shape", port.name)
    return found


def _array_of(data, dtype, fortran, shape):
    """The array of those bytes, in the machine's order."""
    if dtype == bool:  # Any byte may have come.
        flat = np.frombuffer(data, np.uint8) != 0
    else:
        flat = np.frombuffer(data, dtype)
    array = flat.reshape(shape, order="F" if fortran else "C")
    # ascontiguousarray makes an axis of none.
    return np.ascontiguousarray(array, dtype.newbyteorder("=")).reshape(shape)


async def read_arrays(ports, body, most):
    """{name: Given}. ``body`` has ``take(count)`` and ``left``, the bytes that
    are still to come by the length that the request claims; extents may be of
    ``most`` bytes."""
    given = {}
    for port in ports:
        if not body.left:
            raise wrong_input(f"{port.name} must be given, got a body of "
                              f"{len(given)} arrays", port.name)
        if port.lod_levels:
            raise Refusal(415, "UnsupportedMediaType",
                          f"{port.name} is of sequences, whose lengths .npy can't "
                          "say: send application/json", port.name)
        dtype, fortran, shape = await _header_of(port, body)
        check_dtype(port, dtype)
        check_extents(port, shape, most)
        size = math.prod(shape) * dtype.itemsize
        if size > body.left:
            raise wrong_input(f"{port.name}: the header claims {size} bytes of "
                              f"elements, and the body has {body.left} left",
                              port.name)
        given[port.name] = Given(_array_of(await body.take(size), dtype, fortran,
                                           shape))
    if body.left:
        raise wrong_input(f"the body must end after {len(given)} arrays, got "
                          f"{body.left} bytes more")
    return given


def write_arrays(results):
    """The body of the results, in order. Sequences of rows are not said."""
    file = io.BytesIO()
    for array, _ in results.values():
        np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)
    return file.getvalue()
