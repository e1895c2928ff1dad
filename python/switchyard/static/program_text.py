# SPDX-License-Identifier: Apache-2.0
"""Facts on operations, read from a program's text."""

from __future__ import annotations

import contextlib
import re

_SHOWN = 6  # Inputs and outputs of a summary.
_OPERATION = re.compile(
    r"^ +(?:(?P<results>%[^=\n]*) = )?(?P<name>[a-z_]\w*\.\w+)"
    r"\((?P<operands>[^)\n]*)\)", re.MULTILINE)
_VALUE = re.compile(r"%[^\s,():]+")
_ENTRY = re.compile(r"(%[^\s,():]+): (feed|state) (\"(?:[^\"\\]|\\.)*\")")
_WRITTEN = re.compile(r"(\"(?:[^\"\\]|\\.)*\") = (%[^\s,()]+)")


def calls_of(text: str) -> list[str]:
    """The name of each operation, in blocks too: "op.relu"."""
    return [found["name"] for found in _OPERATION.finditer(text)
            if not found["name"].startswith("builtin.")]


def _ports(ports):
    texts = [port_text(port) for port in ports[:_SHOWN]]
    if len(ports) > _SHOWN:
        texts.append(f"{len(ports) - _SHOWN} more")
    return ", ".join(texts)


def port_text(port) -> str:
    """"x: float32[?, 2]"."""
    shape = ", ".join("?" if extent < 0 else str(extent)
                      for extent in port.shape)
    lod = (f", {port.lod_levels} level(s) of sequences" if port.lod_levels
           else "")
    kind = "" if port.kind == "dense" else port.kind + " "
    return f"{port.name}: {kind}{port.dtype}[{shape}]{lod}"


def summary(program) -> str:
    """A line: inputs, outputs, the number of operators, bytes of the state."""
    size = 0
    for name in program.state.keys():
        # A state that a failed run was to write has no bytes to count.
        with contextlib.suppress(RuntimeError):
            size += program.state[name].nbytes
    return (f"Program({_ports(program.inputs)}) -> ({_ports(program.outputs)}), "
            f"{len(calls_of(program.text()))} operators, {size:,} bytes of state")


def steps_of(lowered: str) -> tuple[list[str], list[str]]:
    """The kernels that each run calls, copies and reorders between them aside,
    and those that run once.

    The second are those whose operands follow from constants and from states
    that the program does not write; the executor keeps what they compute
    (static_graph/executor/packed_values.h). ``lowered``: the text of the
    dialect "kernel".
    """
    fixed = _fixed_states(lowered)
    each, once, depth = [], [], 0
    for line in lowered.splitlines():
        depth -= line.lstrip().startswith("}")
        opens = line.endswith("region {")
        found = _OPERATION.match(line)
        if found is not None:
            name = found["name"]
            same = depth == 0 and not opens and all(
                value in fixed for value in _VALUE.findall(found["operands"]))
            if same:
                fixed.update(_VALUE.findall(found["results"] or ""))
            if name.startswith("kernel.") or opens:
                # A run leaves out a copy of what is contiguous already.
                if same or "transform = true" not in line:
                    (once if same else each).append(name)
        depth += opens
    return each, once


def _fixed_states(text):
    """The states that the program does not write."""
    entry = text[:text.find("):\n")]
    names = {name: value for value, role, name in _ENTRY.findall(entry)
             if role == "state"}
    _, _, last = text.rpartition("builtin.return(")
    _, _, written = last.partition(") state(")
    for name, value in _WRITTEN.findall(written):
        if names.get(name) != value:
            names.pop(name, None)
    return set(names.values())
