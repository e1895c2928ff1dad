# SPDX-License-Identifier: Apache-2.0
"""The data of a page about a program: its text, why each call has its kernel,
how long a run took."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.static.program_text import port_text
from switchyard.viewing.program_parts import parts_of
from switchyard.viewing.scopes import Group, groups_of
from switchyard.viewing.value_sizes import sizes_of

_LONGEST = 600  # Characters of an operation's attributes.


def data_of(program, feeds, profile: bool, title: str,
            stages: list[tuple[str, str]] | None) -> dict[str, Any]:
    """The page's data, which JSON can hold."""
    parts = parts_of(program.text("kernel"))
    hidden = _done_once(parts)
    notes: list[str] = []
    calls = _calls(program, parts, feeds, notes)
    numbers = _numbers_of_calls(parts)
    call_of = dict(zip(numbers, calls)) if len(numbers) == len(calls) else {}
    if calls and not call_of:
        notes.append("The calls that explain tells of are not those of the "
                     "lowered program, so no kernels are shown.")
    root = groups_of(parts, hidden)
    groups, home = _flat(root)
    sizes, types = sizes_of(parts, call_of)
    operations = [
        {"name": operation.name,
         "results": [[value, types.get(value, kind), sizes.get(value)]
                     for value, kind in operation.results],
         "operands": operation.operands,
         "captured": operation.captured,
         "attributes": _shortened(operation.attributes),
         "group": home[number], "hidden": number in hidden,
         "transform": _is_transform(operation),
         "call": call_of.get(number)}
        for number, operation in enumerate(parts.operations)]
    return {
        "title": title, "summary": repr(program),
        "inputs": [port_text(port) for port in program.inputs],
        "outputs": [port_text(port) for port in program.outputs],
        "relaxed": dict(program.relaxed),
        "operations": operations,
        # Inputs and states; the bytes of results stand with them.
        "sizes": {port.value: sizes[port.value] for port in parts.ports
                  if port.value in sizes},
        "blocks": [{"owner": block.owner, "title": block.title,
                    "arguments": block.arguments} for block in parts.blocks],
        "ports": [{**port._asdict(), "type": types.get(port.value, port.type)}
                  for port in parts.ports],
        "groups": groups,
        "stages": _stages(program, stages),
        "profile": _profile(program, feeds, call_of) if profile else None,
        "memory": _memory(program, feeds, call_of),
        "notes": notes}


def _is_transform(operation):
    return "transform = true" in operation.attributes


def _numbers_of_calls(parts):
    """The operations that explain tells of: calls of kernels."""
    return [number for number, operation in enumerate(parts.operations)
            if operation.name.startswith("kernel.") and
            not _is_transform(operation)]


def _done_once(parts):
    """Constants, and what follows from them and from states that no run writes:
    the numbers of operations that are not done again in each run."""
    written = {port.name: port.value for port in parts.ports
               if port.role == "update"}
    fixed = {port.value for port in parts.ports if port.role == "state" and
             written.get(port.name, port.value) == port.value}
    once = set()
    for number, operation in enumerate(parts.operations):
        same = all(value in fixed for value in operation.operands)
        if operation.block == 0 and same and not operation.captured and (
                operation.name == "builtin.constant" or operation.operands):
            once.add(number)
            fixed.update(value for value, _ in operation.results)
        elif operation.name == "builtin.constant":
            once.add(number)
    return once


def _calls(program, parts, feeds, notes):
    """The objects of explain, one a call: for the feeds' extents, unless that
    has a call more than once."""
    count = len(_numbers_of_calls(parts))
    if feeds:
        calls = json.loads(program.explain(feeds, json=True))
        if len(calls) == count:
            return calls
        notes.append("Loops are entered more than once with these inputs, so "
                     "kernels are those that are known without them.")
    return json.loads(program.explain(json=True))


def _shortened(text):
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."


def _flat(root: Group):
    """([{title, parent, owner, members}], {operation: its group}); a member is
    an operation's number, or -1 less the number of a group."""
    groups: list[dict[str, Any]] = []
    home = {}

    def add(group, parent):
        index = len(groups)
        row: dict[str, Any] = {"title": group.title, "parent": parent,
                               "owner": group.owner, "members": []}
        groups.append(row)
        if group.owner >= 0:
            home[group.owner] = parent
        for member in group.members:
            if isinstance(member, Group):
                row["members"].append(-1 - add(member, index))
            else:
                home[member] = index
                row["members"].append(member)
        return index

    add(root, -1)
    return groups, home


def _stages(program, stages):
    """[{name, text}], or {name, same} with the number of an equal stage."""
    if stages is None:
        stages = [("operators", program.text()),
                  ("lowered", program.text("kernel"))]
    seen: dict[str, int] = {}
    rows = []
    times: dict[str, int] = {}
    for name, text in stages:
        times[name] = times.get(name, 0) + 1
        if times[name] > 1:
            name = f"{name} ({times[name]})"
        if text in seen:
            rows.append({"name": name, "same": seen[text]})
        else:
            seen[text] = len(rows)
            rows.append({"name": name, "text": text})
    return rows


@contextlib.contextmanager
def _state_kept(program):
    """Gives the states that runs write, and the generator, back what they
    held."""
    drawn = _core.rng_state()
    before = {name: program.state[name].numpy().copy()
              for name in program._compiled.written_states}
    try:
        yield
    finally:
        with no_grad():
            for name, array in before.items():
                program.state[name].copy_(_core.tensor(array))
        _core.set_rng_state(*drawn)


class _Which:
    """Tells the operation of a run's step, -1 if it has none: steps that are
    alike are those of like operations, in turn."""

    def __init__(self, call_of):
        self._numbers: dict[tuple[str, str], list[int]] = {}
        self._turns: dict[tuple[str, str, str], int] = {}
        for number, call in call_of.items():
            self._numbers.setdefault(
                (call["op"], call["location"] or ""), []).append(number)

    def __call__(self, operator, location, argument):
        known = self._numbers.get((operator, location))
        if not known:
            return -1
        turn = self._turns.get((operator, location, argument), 0)
        self._turns[operator, location, argument] = turn + 1
        return known[turn % len(known)]


def _memory(program, feeds, call_of):
    """Places, blocks and steps of the memory that a run plans."""
    planned = program._compiled.memory(feeds)
    if planned is None:
        return {"places": [], "steps": [], "operations": [], "why":
                "Memory is planned once the extents of all inputs are known: "
                "give inputs (--input, or view(feeds)). Where extents follow "
                "from elements it is planned part by part while it runs."}
    places, blocks, steps = planned
    which = _Which(call_of)
    return {"places": [{"place": place, "bytes": size,
                        "blocks": [block[1:] for block in blocks
                                   if block[0] == place]}
                       for place, size in places if size],
            "steps": [f"{name} for {call}" if call else name
                      for name, call, _ in steps],
            "operations": [which(call or name, location, name if call else "")
                           for name, call, location in steps]}


def _profile(program, feeds, call_of):
    """Steps of a warm run: [operation, name, kernel, begin, end, own time,
    place, argument, fallback], times in nanoseconds."""
    with _state_kept(program):
        program.run(feeds or {}, tensors=True)
        profile = program.profile(feeds or {})
    which = _Which(call_of)
    steps = [[which(step.call or step.op, step.location, step.argument), step.op,
              step.kernel, step.begin, step.end, own, step.place, step.argument,
              step.fallback] for step, own in profile.own_times()]
    return {"steps": steps, "rows": [list(row) for row in profile.rows()]}
