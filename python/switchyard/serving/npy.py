# SPDX-License-Identifier: Apache-2.0
"""Bodies of .npy arrays, one after the other in the order of the model's inputs,
as ``np.save`` writes them to one file. No pickles, and nothing is allocated that
the body does not bring: a header's claims are checked before its elements are
read."""

import io
import math

import numpy as np

from switchyard.serving.answers import Refusal, wrong_input
from switchyard.serving.arrays import Given, check_dtype, check_extents

CONTENT_TYPE = "application/x-npy"
MOST_HEADER = 4096  # Bytes of an array's header.
_MAGIC = b"\x93NUMPY"


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
    header = io.BytesIO(digits + await body.take(length))
    read = (np.lib.format.read_array_header_2_0 if wide
            else np.lib.format.read_array_header_1_0)
    try:
        shape, fortran, dtype = read(header, max_header_size=MOST_HEADER)
    except Exception as error:  # NumPy's reader raises what it meets.
        said = str(error).split("\n")[0]
        raise wrong_input(f"{port.name}: the array's header can't be read: {said}",
                          port.name) from None
    if dtype.hasobject or dtype.names is not None or dtype.subdtype is not None:
        raise wrong_input(f"{port.name} must be an array of numbers, got elements "
                          f"of {dtype}", port.name)
    return dtype, fortran, shape


async def read_arrays(ports, body):
    """{name: Given}. ``body`` has ``take(count)`` and ``left``, the bytes that
    are still to come by the length that the request claims."""
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
        check_extents(port, shape)
        size = math.prod(shape) * dtype.itemsize
        if size > body.left:
            raise wrong_input(f"{port.name}: the header claims {size} bytes of "
                              f"elements, and the body has {body.left} left",
                              port.name)
        flat = np.frombuffer(await body.take(size), dtype)
        array = flat.reshape(shape, order="F" if fortran else "C")
        given[port.name] = Given(np.ascontiguousarray(
            array, dtype.newbyteorder("=")).reshape(shape))
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
