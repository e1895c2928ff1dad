# SPDX-License-Identifier: Apache-2.0
"""Module.summary: the layers of a model, what they return, what they hold."""

from __future__ import annotations

from switchyard import _core
from switchyard.autograd import no_grad


def summary(model, *inputs) -> str:
    """The text that ``Module.summary`` returns."""
    shapes = _shapes(model, inputs) if inputs else {}
    rows, seen = [], set()
    for name, module in model.named_modules():
        own = _count(module, seen)
        depth = name.count(".") + 1 if name else 0
        label = "  " * depth + (f"{name.rpartition('.')[2]}: " if name else "")
        rows.append((f"{label}{type(module).__name__}",
                     shapes.get(id(module), ""), f"{own:,}" if own else ""))
    titles = ("layer", "result", "parameters")
    if not inputs:
        rows, titles = [(row[0], row[2]) for row in rows], titles[::2]
    return "\n".join([*_table(titles, rows), "", *_totals(model)])


def _count(module, seen):
    """How many elements its own parameters have, those not ``seen`` before."""
    total = 0
    for slot in module._parameters.values():
        if id(slot.tensor) not in seen:
            seen.add(id(slot.tensor))
            total += slot.tensor.size
    return total


def _shapes(model, inputs):
    """{id(module): what it returned, as text}, of one run without gradients.

    The run is in evaluation, so that it changes no state, and draws nothing.
    """
    shapes, handles = {}, []
    phases = [(module, module.training) for module in model.modules()]
    try:
        for module in dict.fromkeys(model.modules()):
            handles.append(module.register_forward_hook(
                lambda module, _, result: shapes.__setitem__(
                    id(module), _text(result))))
        model.eval()
        with no_grad():
            model(*inputs)
    finally:
        for handle in handles:
            handle.remove()
        for module, training in phases:
            object.__setattr__(module, "training", training)
    return shapes


def _text(result):
    if isinstance(result, _core.Tensor):
        return str(list(result.shape))
    if isinstance(result, (tuple, list)):
        return ", ".join(_text(part) for part in result)
    if isinstance(result, dict):
        return ", ".join(f"{key}: {_text(part)}" for key, part in result.items())
    return type(result).__name__


def _table(titles, rows):
    """Lines with a column as wide as its widest text; the last one to the right."""
    widths = [max(len(row[i]) for row in (titles, *rows))
              for i in range(len(titles))]
    for row in (titles, *rows):
        cells = [text.ljust(width) for text, width in zip(row[:-1], widths)]
        yield "  ".join([*cells, row[-1].rjust(widths[-1])]).rstrip()


def _totals(model):
    trained = sum(p.size for p in model.parameters() if p.requires_grad)
    frozen = sum(p.size for p in model.parameters()) - trained
    state = [*model.parameters(), *model.buffers()]
    size = sum(tensor.nbytes for tensor in state)
    buffers = sum(buffer.size for buffer in model.buffers())
    parts = [f"{trained:,} parameters"]
    parts += [f"{frozen:,} frozen"] if frozen else []
    parts += [f"{buffers:,} in buffers"] if buffers else []
    return [", ".join(parts) + f"; {size:,} bytes"]
