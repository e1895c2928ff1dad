# SPDX-License-Identifier: Apache-2.0
"""keeping: a program whose results are what its next run is fed with."""

from __future__ import annotations

from collections.abc import Mapping

from switchyard import _core
from switchyard.checks import refuse
from switchyard.functions.arguments import tensor_of
from switchyard.static.program import Program
from switchyard.static.rewriting import Rewriting


def keeping(program: Program, results, start) -> Program:
    """As ``Program.keeping``."""
    for name, given in (("results", results), ("start", start)):
        if not isinstance(given, Mapping):
            refuse("keeping", name, "a dictionary", given)
    feeds = {port.name: port for port in program.inputs}
    outputs = {port.name: port for port in program.outputs}
    if not results or set(results.values()) != set(start) or len(start) != len(results):
        raise ValueError("keeping: results must have each feed of start once, got "
                         f"{sorted(results.values())} for {sorted(start)}")
    kept = {}
    for result, feed in results.items():
        for name, ports, what in ((feed, feeds, "feed"), (result, outputs, "result")):
            if name not in ports:
                raise ValueError(f"keeping: {name!r} must be a {what} of the program, got "
                                 f"none of {', '.join(ports)}")
        kept[feed] = _started(feeds[feed], start[feed])
        _fits("result", outputs[result], tuple(kept[feed].shape), kept[feed].dtype)
    rewriting = Rewriting(program, "keeping", relaxed=program.relaxed, held=lambda tensor: tensor,
                          kept=kept)
    rewriting.rules.update((index, lambda inputs: inputs[0])
                           for index in _paddings(program._compiled, results))
    return rewriting.finish(kept=results)


def _started(port, given):
    """A tensor of one's own that a feed may be."""
    tensor = tensor_of(given).detach().clone()
    _fits("start", port, tuple(tensor.shape), tensor.dtype)
    return tensor


def _fits(what, port, shape, dtype):
    if port.kind != "dense" or port.dtype != dtype:
        raise TypeError(f"keeping: {what} {port.name!r} must be dense of {port.dtype}, got "
                        f"{dtype}")
    if len(port.shape) != len(shape) or any(
            own not in (-1, extent) for own, extent in zip(port.shape, shape)):
        raise ValueError(f"keeping: {what} {port.name!r} must have the shape "
                         f"{list(port.shape)}, got {list(shape)}")


def _paddings(compiled, results):
    """The calls that pad a feed by as much as a run lacks before the result is written
    into it, as GroupQueryAttention does: there is room, since the shape stays."""
    arguments = [name for name, *_ in _core.program_arguments(compiled)]
    calls = _core.program_calls(compiled)
    producers = {number: call for call in calls for number in call[4].values()}
    found = []
    for index, operator, inputs, *_ in calls:
        if operator != "put_along_axis":
            continue
        pad = producers.get(inputs["arr"])
        if pad is None or pad[1] != "pad" or pad[2]["x"] >= len(arguments):
            continue
        if arguments[pad[2]["x"]] in results.values() and _is_room(
                pad[3]["paddings"], producers):
            found.append(pad[0])
    return found


def _is_room(amounts, producers):
    """Whether computed amounts are put together of constants and what a maximum bounds
    from below: they take nothing away."""
    if not isinstance(amounts, tuple) or len(amounts) != 1 or amounts[0] not in producers:
        return False
    _, operator, inputs, *_ = producers[amounts[0]]
    return operator == "concat" and all(
        producers[part][1] == "maximum" for part in inputs["x"] if part in producers)
