# SPDX-License-Identifier: Apache-2.0
"""Collective calls: every rank makes the same ones, in the same order.

A sum over ranks is the balanced binary tree over them, of ours: its bits do not
depend on the transport. They take part in no gradient.
"""

from __future__ import annotations

import os
import sys

import numpy as np

from switchyard import _collective, _core
from switchyard.distributed.groups import current

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def caller_line():
    """"train.py:57": the line outside of this package that is running."""
    return line_of(sys._getframe(1))


def line_of(frame):
    """The line outside of this package from which a frame was reached."""
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    if frame is None:
        return ""
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


class Work:
    """A collective call that goes on while the process does something else: what a
    call with ``wait=False`` returns. Calls go on in the order in which they were made,
    on all ranks."""

    def __init__(self, group, ticket, out, like):
        self._group, self._ticket, self._out, self._like = group, ticket, out, like
        self._result = None

    def wait(self) -> _core.Tensor:
        """The result, when it is there. DistributedError as the call raises it."""
        if self._result is None:
            if self._ticket:
                self._group.wait(self._ticket)
            self._result = array_as(self._out, self._like)
        return self._result


def all_reduce(x, reduction: str = "sum", name: str = "", *,
               wait: bool = True) -> _core.Tensor | Work:
    """The "sum", "mean", "min" or "max" of the ranks' ``x``, of one shape and
    dtype, on every rank. ``name`` is for messages. ``wait=False`` returns a ``Work``
    at once. DistributedError if a rank is missing or calls otherwise."""
    return _made("all_reduce", x, name, wait, reduction=reduction)


def reduce_scatter(x, reduction: str = "sum", name: str = "", *,
                   wait: bool = True) -> _core.Tensor | Work:
    """The rank's part of the reduction: of ``x`` [ranks * n, ...] the rows
    [rank * n, (rank + 1) * n). ``wait`` as of ``all_reduce``. ValueError if the rows
    can't be divided."""
    return _made("reduce_scatter", x, name, wait, reduction=reduction)


def all_gather(x, name: str = "", *, wait: bool = True) -> _core.Tensor | Work:
    """The ranks' ``x``, of one shape and dtype, stacked: [ranks, ...]. ``wait`` as of
    ``all_reduce``."""
    return _made("all_gather", x, name, wait)


def broadcast(x, root: int = 0, name: str = "", *,
              wait: bool = True) -> _core.Tensor | Work:
    """The ``x`` of rank ``root``; the others' has its shape and dtype. ``wait`` as of
    ``all_reduce``."""
    return _made("broadcast", x, name, wait, root=root)


def barrier() -> None:
    """Returns when every rank has called it."""
    if _core.is_tracing():
        _program_calls().trace_barrier(caller_line())
        return
    make_barrier(caller_line())


def make_barrier(line):
    current("barrier").barrier(("uint8", 0, "", line))


def _made(call, x, name, wait, reduction="sum", root=0):
    """Makes a call, or in a function that is traced adds it to the program."""
    line = caller_line()
    if _core.is_tracing():
        return _program_calls().trace_call(call, x, name, wait, reduction, root, line)
    return make(call, x, name, wait, reduction, root, line)


def _program_calls():
    from switchyard.distributed import program_calls  # It imports this module.
    return program_calls


def make(call, x, name, wait, reduction, root, line) -> _core.Tensor | Work:
    """The call of this name, made at ``line``."""
    group = current(call)
    own = not wait and call in ("all_reduce", "reduce_scatter")
    source = _memory(call, x, own or call == "broadcast")
    said = [x.dtype, source.size, name, line]
    if call == "all_reduce":
        out = np.empty_like(source)
        ticket = group.all_reduce(tuple(said), reduction, group.size, [source], out,
                                  not wait)
    elif call == "reduce_scatter":
        out = np.empty(part_of(source.shape, group.size), source.dtype)
        ticket = group.reduce_scatter(tuple(said), reduction, group.size, [source],
                                      _begins(out, group), out, not wait)
    elif call == "all_gather":
        out = np.empty((group.size, *source.shape), source.dtype)
        out[group.rank] = source
        said[1] = out.size
        ticket = group.all_gather(tuple(said), _begins(source, group), out, not wait)
    else:
        out = source
        ticket = group.broadcast(tuple(said), root, out, not wait)
    return array_as(out, x) if wait else Work(group, ticket, out, x)


def part_of(shape, size):
    """The shape of a rank's part of a ``reduce_scatter``."""
    if not shape or shape[0] % size:
        raise ValueError("reduce_scatter: x must have rows for each of "
                         f"{size} ranks, got shape {tuple(shape)}")
    return (shape[0] // size, *shape[1:])


def _begins(slice_, group):
    """Where the ranks' slices begin, which are as long as this array."""
    return [slice_.size * each for each in range(group.size + 1)]


def check(call, x):
    """TypeError for what is no tensor or value, or can't be reduced."""
    if not isinstance(x, (_core.Tensor, _core.Value)):
        raise TypeError(f"{call}: x must be a tensor, got {type(x).__name__}")
    if x.dtype in ("complex64", "complex128", "bool") and call in (
            "all_reduce", "reduce_scatter"):
        raise TypeError(f"{call}: x must be floating or an integer, got {x.dtype}")


def _memory(call, x, own):
    """The elements of a tensor as a contiguous array, ``own``: one that nobody else
    writes to."""
    if isinstance(x, _core.Value):
        raise TypeError(f"{call}: x must be a tensor, got a value of a program whose "
                        "trace has ended")
    check(call, x)
    array = np.ascontiguousarray(elements(x)).reshape(x.shape)
    return array.copy() if own else array


def elements(x):
    """A tensor's elements as an array: bfloat16 as uint16, their bits."""
    x = x.detach()
    if x.place != "cpu":
        x = x.to("cpu")
    return bits_of(x) if x.dtype == "bfloat16" else x.numpy()


def bits_of(x):
    """A bfloat16 tensor as an array of uint16: a number's upper half."""
    wide = _core.ops.cast(x, "float32").numpy()
    return (wide.view(np.uint32) >> 16).astype(np.uint16)


def array_as(out, like):
    """The array, as ``elements`` gives them, as a tensor like another one."""
    if like.dtype == "bfloat16":
        wide = (out.astype(np.uint32) << 16).view(np.float32)
        result = _core.ops.cast(_core.tensor(wide), "bfloat16")
    else:
        result = _core.tensor(out)
    return result if like.place == "cpu" else result.to(like.place)
