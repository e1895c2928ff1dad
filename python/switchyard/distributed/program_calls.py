# SPDX-License-Identifier: Apache-2.0
"""Collective calls as operations of a program.

A call is ``collective_call(x, turn) -> out, turn``; with ``wait=False`` it is
``collective_begin(x, turn) -> ticket, turn``, and its ``wait()`` is
``collective_end(x, ticket, turn) -> out, turn``. The turn counts the calls. It is a
state that the program reads and writes, so each call has the next one's turn as its
result: no pass can leave a call out, run it while the program is loaded, make one of
two that look alike, or move it before another.
"""

from __future__ import annotations

import hashlib
import itertools
import re

import numpy as np

from switchyard import _collective, _core
from switchyard.autograd import no_grad
from switchyard.custom import custom_op
from switchyard.distributed import calls
from switchyard.distributed.groups import current, gathered, group_or_none
from switchyard.static.program import TURN
from switchyard.static.traced_gradients import current_block
from switchyard.tensor_spec import TensorSpec

_turn = _core.tensor(np.zeros(1, np.int64))  # Of this process's traces.
_numbers = itertools.count()
_begun = (None, {})  # The group, and by ticket the Works that programs have begun.


def _outs(x, turn, call, ranks):
    """The specs of a call's result and of the next turn."""
    shape = x.shape
    if call == "all_gather":
        shape = (ranks, *shape)
    elif call == "reduce_scatter" and shape and not isinstance(shape[0], int):
        shape = (None, *shape[1:])
    elif call == "reduce_scatter":
        shape = calls.part_of(shape, ranks)
    return TensorSpec(shape, x.dtype), TensorSpec(turn.shape, turn.dtype)


def _make(x, wait, call, dtype, reduction, root, ranks, name, line):
    """Makes the call as eager code does; RuntimeError in a group of another size than
    that for which the program was made."""
    size = current(call).size
    if size != ranks:
        raise RuntimeError(f"{call}: the program was traced by one of {ranks} processes, "
                           f"and this is one of {size} (at {line})")
    if call == "barrier":
        return calls.make_barrier(line)
    return calls.make(call, x, name, wait, reduction, root, line)


@custom_op(outputs=("out", "next"), takes="tensors")
def collective_call(x, turn, *, call: str, dtype: str, reduction: str, root: int,
                    ranks: int, name: str, line: str):
    """A collective call of sy.distributed in a program."""
    out = _make(x, True, call, dtype, reduction, root, ranks, name, line)
    return turn if out is None else out, turn + 1


@collective_call.infer
def _(x, turn, *, call, dtype, reduction, root, ranks, name, line):
    return _outs(x, turn, call, ranks)


@custom_op(outputs=("ticket", "next"), takes="tensors")
def collective_begin(x, turn, *, call: str, dtype: str, reduction: str, root: int,
                     ranks: int, name: str, line: str):
    """The begin of a collective call that goes on beside the program."""
    global _begun
    work = _make(x, False, call, dtype, reduction, root, ranks, name, line)
    if _begun[0] is not current(call):  # Those of a group that has ended end with it.
        _begun = current(call), {}
    number = next(_numbers)
    _begun[1][number] = work
    return np.full(1, number), turn + 1


@collective_begin.infer
def _(x, turn, *, call, dtype, reduction, root, ranks, name, line):
    _outs(x, turn, call, ranks)
    return TensorSpec(turn.shape, turn.dtype), TensorSpec(turn.shape, turn.dtype)


@custom_op(outputs=("out", "next"), takes="tensors")
def collective_end(x, ticket, turn, *, call: str, ranks: int):
    """The result of a call that collective_begin has begun."""
    return _begun[1].pop(ticket.item()).wait(), turn + 1


@collective_end.infer
def _(x, ticket, turn, *, call, ranks):
    return _outs(x, turn, call, ranks)


class _TracedWork(calls.Work):
    """The Work of a call that a program makes: its ``wait()`` is an operation."""

    def __init__(self, x, ticket, call, ranks):
        self._operands, self._call, self._ranks = (x, ticket), call, ranks
        self._result = None

    def wait(self):
        if self._result is None:
            self._result = _take_turn(collective_end, *self._operands,
                                      call=self._call, ranks=self._ranks)
        return self._result


def trace_call(call, x, name, wait, reduction, root, line):
    """Adds a call to the program that is traced; its result as a value, or the Work.
    TypeError and ValueError as the call raises them, NotImplementedError inside of a
    branch or a loop."""
    ranks = current(call).size
    calls.check(call, x)
    _check_options(call, x.dtype, reduction, root, ranks)
    said = {"call": call, "dtype": x.dtype, "reduction": reduction, "root": root,
            "ranks": ranks, "name": name, "line": line}
    if wait:
        return _take_turn(collective_call, x, **said)
    ticket = _take_turn(collective_begin, x, **said)
    return _TracedWork(x, ticket, call, ranks)


def _check_options(call, dtype, reduction, root, ranks):
    """As the calls do when they are made."""
    if reduction not in ("sum", "mean", "min", "max"):
        raise ValueError("reduction must be 'sum', 'mean', 'min' or 'max', got "
                         f"'{reduction}'")
    if reduction == "mean" and "int" in dtype:
        raise TypeError(f"dtype must be floating for a mean, got {dtype}")
    if not 0 <= root < ranks:
        raise IndexError(f"{call}: root must be in [0, {ranks}), got {root}")


def trace_barrier(line):
    """Adds a barrier to the program that is traced."""
    ranks = current("barrier").size
    _take_turn(collective_call, _turn, call="barrier", dtype="int64",
               reduction="", root=0, ranks=ranks, name="", line=line)


def _take_turn(operator, *operands, call, **attributes):
    """The first result of an operation that has the next turn."""
    builder, captures = current_block(call)
    if builder.in_region:
        raise NotImplementedError(
            f"{call}: a program makes collective calls outside of its branches, loops "
            "and recomputed parts, where ranks could make others")
    captures.state(TURN, _turn)
    with no_grad():
        out, after = operator(*operands, captures.value_of(_turn), call=call,
                              **attributes)
        captures.become(call, _turn, after)
    return out


_OPERATION = re.compile(r"= op\.collective_(call|begin|end)\([^)]*\) \{(.*)\} : ")
_ATTRIBUTE = re.compile(r'(\w+) = ("(?:[^"\\]|\\.)*"|[^,]+)')
_agreed = (None, set())  # The group, and the orders that all its ranks have.


def _order_of(program):
    """The collective operations of a program, each as (what all ranks' must be, that in
    words and where it is written)."""
    order = []
    for kind, text in _OPERATION.findall(program.text()):
        said = {name: value.strip('"') for name, value in _ATTRIBUTE.findall(text)}
        words = said["call"]
        if "reduction" in said:
            words += f"({said['reduction']})" if "reduce" in words else ""
            words += f" '{said['name']}'" if said["name"] else ""
            words += f" {said['dtype']}"
            words += f" from rank {said['root'].split()[0]}" if "broad" in words else ""
        if kind == "end":
            words += ".wait"
        order.append((f"{kind} {words}", f"{words} ({said['line']})" if "line" in said
                      else words))
    return order


def check_order(program) -> None:
    """DistributedError unless all ranks of the group, if there is one, have programs
    that make the same collective calls in the same order. A rank whose program has an
    order on which all agreed before asks none."""
    global _agreed
    order = _order_of(program)
    begun = sum(each.startswith("begin") for each, _ in order)
    ended = sum(each.startswith("end") for each, _ in order)
    if begun != ended:
        raise ValueError(f"a program must wait for the {begun} calls that it makes with "
                         f"wait=False, got {ended} calls of wait()")
    group = group_or_none()
    if group is None or group.size == 1:
        return
    if _agreed[0] is not group:
        _agreed = group, set()
    digest = hashlib.sha256("\n".join(each for each, _ in order).encode()).digest()
    if digest in _agreed[1]:
        return
    said = calls.caller_line()
    every = gathered(group, np.frombuffer(digest, np.uint8), "uint8",
                     "a program's order of calls", said)
    other = next((rank for rank, row in enumerate(every)
                  if row.tobytes() != every[0].tobytes()), None)
    if other is not None:
        raise _difference(group, [words for _, words in order], other, said)
    _agreed[1].add(digest)


def _difference(group, words, other, line):
    """The error of two programs, those of ranks 0 and ``other``."""
    own = "\n".join(words).encode()
    sizes = gathered(group, np.array([len(own)]), "int64", "a program's calls", line)
    padded = np.frombuffer(own.ljust(int(sizes.max())), np.uint8)
    texts = [row.tobytes().rstrip().decode().split("\n") for row in gathered(
        group, padded, "uint8", "a program's calls", line)]
    number = next(i for i, pair in enumerate(itertools.zip_longest(
        texts[0], texts[other])) if pair[0] != pair[1])
    there = [text[number] if number < len(text) and text[number] else "none"
             for text in (texts[0], texts[other])]
    return _collective.DistributedError(
        "ranks have programs of different collective calls: as call "
        f"{number} of the program, rank 0 makes {there[0]} and rank {other} {there[1]}")
