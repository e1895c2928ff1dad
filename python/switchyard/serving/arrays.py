# SPDX-License-Identifier: Apache-2.0
"""The inputs and results of a model as arrays: which it takes, of which extents."""

import collections
import math

import numpy as np

from switchyard import _core
from switchyard.serving.answers import wrong_input
from switchyard.static.program_text import port_text

# {a port's dtype that NumPy lacks: that of its elements here}.
_CARRIED = {"bfloat16": np.float32}


class Given(collections.namedtuple("Given", ("array", "lod"), defaults=(None,))):
    """An input of a request: an array of the port's carrier dtype, and the
    lengths of its sequences at each level, or None."""

    __slots__ = ()


def carrier_of(port):
    """The dtype of an input's arrays; ValueError for a port that can't be sent."""
    try:
        if port.kind == "dense":
            return np.dtype(_CARRIED.get(port.dtype, port.dtype))
    except TypeError:
        pass
    raise ValueError(f"serve: {port_text(port)} is no dense tensor of numbers, "
                     "and only those can be served")


def check_dtype(port, dtype):
    """Refuses an array of another dtype; byte orders are one dtype."""
    expected = carrier_of(port)
    if dtype.newbyteorder("=") != expected:
        raise wrong_input(f"{port.name} must be {expected}, got {dtype}",
                          port.name)


def check_extents(port, shape, most):
    """Refuses a shape that the port does not take, or whose extents, one of which
    may be 0, would be of more than ``most`` bytes."""
    fits = len(shape) == len(port.shape) and all(
        have == known or known < 0 <= have for have, known in zip(shape, port.shape))
    if not fits:
        raise wrong_input(f"{port.name} must be {port_text(port)[len(port.name) + 2:]}"
                          f", got {list(shape)}", port.name)
    items = math.prod(max(extent, 1) for extent in shape)
    if items > most // carrier_of(port).itemsize:
        raise wrong_input(f"{port.name} must be of at most {most} bytes, got "
                          f"{list(shape)}", port.name)


def feed_of(port, given):
    """Returns an array for a run, or a tensor where no array says it all."""
    array = given.array
    if port.dtype in _CARRIED:
        return _core.tensor(array).astype(port.dtype)
    return array if given.lod is None else _core.tensor(array, lod=given.lod)


def check_names(names, ports):
    """Refuses inputs that the model lacks, and a request that lacks some."""
    expected = [port.name for port in ports]
    for name in names:
        if name not in expected:
            raise wrong_input("inputs must be of the names "
                              f"{', '.join(expected) or '(none)'}, got '{name}'", name)
    for name in expected:
        if name not in names:
            raise wrong_input(f"{name} must be given, got {', '.join(names) or 'none'}",
                              name)
