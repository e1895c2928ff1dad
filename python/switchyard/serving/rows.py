# SPDX-License-Identifier: Apache-2.0
"""Whether requests may share a run: axis 0 of what a model is given is a batch
whose items never meet.

A value either does not depend on the inputs, or has a row of axis 0 for each
item. A call may read rows where its operator's entry names that input as a batch
(the key ``batch:``; elementwise operators by their trait), where its kernel is
one of ours on the CPU, which a test holds to that, and where its attributes keep
axis 0 apart. ``reshape``, ``concat`` and what changes layouts compute nothing;
they need only keep the rows. Anything else, and the requests run one by one.
"""

from __future__ import annotations

import json
import math
import re

from switchyard.serving.axis_rules import keeps_rows, numbers_of
from switchyard.static.program_text import port_text

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_OPERATION = re.compile(
    r"^ +(?:(?P<results>%[^=\n]*) = )?(?P<name>[a-z_]\w*\.\w+)"
    r"\((?P<operands>[^)\n]*)\)(?P<rest>.*)$", re.MULTILINE)
_VALUE = re.compile(r"%[^\s,():]+")
_ENTRY = re.compile(rf"(%[^\s,():]+): (feed|state) {_QUOTED}")
_ATTRIBUTE = re.compile(
    rf"(\w+) = ((?:{_QUOTED}|\[(?:[^\]\"]|{_QUOTED})*\]|[^,}}\"\[])*)(, |\}})")
_TENSOR = re.compile(r"tensor<\w+\[([^\]]*)\]([^>]*)>")
# They move elements, or lay them out; their results' axis 0 is checked.
_MOVERS = ("reshape", "concat", "reorder", "contiguous", "copy")


class NoRows(Exception):
    """Why requests can't share a run: a sentence."""


class Call:
    """An operation of the lowered program."""

    def __init__(self, found):
        self.name = found["name"].partition(".")[2]
        self.dialect = found["name"].partition(".")[0]
        self.operands = _VALUE.findall(found["operands"])
        self.results = _VALUE.findall(found["results"] or "")
        rest, self.attributes = found["rest"], {}
        at = rest.find("{") + 1
        while at and (attribute := _ATTRIBUTE.match(rest, at)):
            self.attributes[attribute[1]] = attribute[2]
            at = attribute.end()
            if attribute[3] == "}":
                break
        types = _TENSOR.findall(rest[at:])
        self.shapes = [[e.strip() for e in extents.split(",")] if extents else []
                       for extents, _ in types]
        self.sequences = any("lod" in more for _, more in types)

    def inputs(self, count):
        """The operands of each of the operator's ``count`` inputs, and those that
        supply attributes."""
        counts = numbers_of(self.attributes.get("operand_segments", ""))
        if counts is None:
            counts = [1] * len(self.operands)
        lists, at = [], 0
        for size in counts:
            lists.append(self.operands[at:at + size])
            at += size
        return lists[:count], [name for more in lists[count:] for name in more]


def _open_inputs(program):
    """NoRows if an input has no axis 0 that may be of any extent."""
    for port in program.inputs:
        if port.kind != "dense" or port.lod_levels:
            raise NoRows(f"{port_text(port)} is of sequences")
        if not port.shape or port.shape[0] >= 0:
            raise NoRows(f"{port_text(port)} has no open first axis")
    if not program.inputs:
        raise NoRows("the model has no inputs")


def foreign_kernels(explained):
    """Operators of which a kernel may run that is not one of ours on the CPU, or
    whose parts a run chooses."""
    names = set()
    for call in explained:
        if call["composed"]:
            names.add(call["op"])
        for kernel in call["candidates"]:
            if kernel["outcome"] in ("refused", "not asked"):
                continue
            if kernel["origin"] != "phi" or kernel["place"] != "cpu":
                names.add(call["op"])
    return names


def _known(shape):
    """The elements of an item, or None."""
    return (math.prod(map(int, shape[1:]))
            if all(extent.isdigit() for extent in shape[1:]) else None)


def _moves_rows(call, rows, shapes):
    """Whether a call that computes nothing keeps the rows of its operands."""
    before, after = shapes[call.operands[0]], call.shapes[0]
    if not before or not after:
        return False
    if call.name == "reshape":
        if (numbers_of(call.attributes.get("shape", "")) or [1])[0] == 0:
            return True
        if before[0] == after[0] != "?":
            return True
        return (not after[0].isdigit() and _known(before) is not None
                and _known(before) == _known(after))
    if call.name == "concat":
        axis = numbers_of(call.attributes.get("axis", ""))
        return (axis is not None and axis[0] % len(before) != 0
                and all(name in rows for name in call.operands))
    return True


def _check_call(call, rows, shapes, facts):
    """NoRows if the items of a call that reads rows may meet in it."""
    if call.sequences:
        raise NoRows(f"{call.name} makes sequences")
    if call.name in _MOVERS:
        if not _moves_rows(call, rows, shapes):
            raise NoRows(f"{call.name} does not keep the first axis")
        return
    if call.name not in facts:
        raise NoRows(f"the entry of {call.name} names no batch")
    count, places = facts[call.name]
    inputs, supplied = call.inputs(count)
    if supplied:
        raise NoRows(f"{call.name} reads its attributes from tensors")
    reading = [name for place in places if place < len(inputs)
               for name in inputs[place] if name in rows]
    if len(reading) != sum(name in rows for name in call.operands):
        raise NoRows(f"the entry of {call.name} names no batch of all of the "
                     "inputs that depend on the request")
    ranks = {len(shapes[name]) for name in reading}
    if len(places) > 1 and ranks != {len(call.shapes[0])}:
        raise NoRows(f"{call.name} broadcasts the first axis")
    if not keeps_rows(call.name, call.attributes, min(ranks), call.shapes):
        raise NoRows(f"{call.name} reads along the first axis")


def _check_lost(values, lost):
    for value in values:
        if value in lost:
            raise NoRows(f"{lost[value]} does not keep the first axis")


def _check_graph(program, text, facts):
    """NoRows if items may meet; returns the names of the results with rows."""
    if "region {" in text:
        raise NoRows("the model has loops or branches")
    rows = {name for name, role in _ENTRY.findall(text) if role == "feed"}
    shapes = {name: [str(e) if e >= 0 else "?" for e in port.shape]
              for name, port in zip(_feeds_in_order(text, program.feeds),
                                    program.inputs)}
    foreign, fetched = foreign_kernels(json.loads(program.explain(json=True))), []
    lost = {}  # {a value that depends on the inputs and has no rows: its operator}
    for found in _OPERATION.finditer(text):
        if found["name"] == "builtin.return":
            fetched = _VALUE.findall(found["operands"])
            continue
        call = Call(found)
        shapes.update(zip(call.results, call.shapes))
        _check_lost(call.operands, lost)
        if not rows.intersection(call.operands):
            continue
        if call.dialect != "kernel" or call.name in foreign:
            raise NoRows(f"{call.name} does not run by a kernel of ours on the CPU")
        _check_call(call, rows, shapes, facts)
        for name, shape in zip(call.results, call.shapes):
            if not shape or shape[0].isdigit():
                lost[name] = call.name
            else:
                rows.add(name)
    _check_lost(fetched, lost)
    return [name for name, value in zip(program.fetches, fetched)
            if value in rows]


def _feeds_in_order(text, feeds):
    """The values of the feeds, in the order of the names."""
    values = {json.loads(quoted): value for value, quoted in re.findall(
        rf"(%[^\s,():]+): feed ({_QUOTED})", text)}
    return [values[name] for name in feeds]


def rows_of(program) -> list[str]:
    """The results of which each request gets the rows of its items; the others
    depend on no input. NoRows says why requests can't share a run."""
    from switchyard.native.batch_facts import INPUTS
    from switchyard.static.program import RNG
    if RNG in program.state:
        raise NoRows("the model draws random numbers")
    _open_inputs(program)
    return _check_graph(program, program.text("kernel"), INPUTS)
