# SPDX-License-Identifier: Apache-2.0
"""Gradients of values while a program is traced: what sy.grad is there."""

from __future__ import annotations

import threading

from switchyard import _core

_ops = _core.ops
_blocks = threading.local()


class Tracing(_core.TracingBlock):
    """The TracingBlock of ``builder`` and ``captures``, which ``traced_grad`` of
    this thread asks for gradients inside."""

    def __init__(self, builder, captures):
        super().__init__(builder, captures)
        self._pair = builder, captures

    def __enter__(self):
        super().__enter__()
        self._outer = getattr(_blocks, "pair", None)
        _blocks.pair = self._pair

    def __exit__(self, *error):
        _blocks.pair = self._outer
        super().__exit__(*error)


def current_block(name):
    """The builder and the captures of the innermost block of this thread; RuntimeError
    outside of one."""
    pair = getattr(_blocks, "pair", None)
    if pair is None:
        raise RuntimeError(f"{name}: values can be used while their program is traced, "
                           "which has ended")
    return pair


def traced_grad(outputs, inputs, grad_outputs, create_graph, allow_unused):
    """``sy.grad`` where an output or an input is a value: its gradients as values,
    through which no gradient flows unless ``create_graph``."""
    builder, captures = current_block("grad")
    wanted = [x if isinstance(x, _core.Value) else captures.value_of(x)
              for x in inputs]
    starts = [None] * len(outputs) if grad_outputs is None else grad_outputs
    if len(starts) != len(outputs):
        raise ValueError(f"grad: grad_outputs must have one for each of {len(outputs)} "
                         f"outputs, got {len(starts)}")
    total = None
    for output, start in zip(outputs, starts):
        part = _weighted(output, start)
        total = part if total is None else _ops.add(total, part)
    if not isinstance(total, _core.Value):
        found = [None] * len(wanted)
    else:
        found = builder.gradients(total, wanted)
    if not allow_unused and any(each is None for each in found):
        raise ValueError(f"grad: inputs[{found.index(None)}] is not used by the "
                         "outputs (allow_unused=True returns None for it)")
    if create_graph:
        return found
    return [None if each is None else _ops.detach(each) for each in found]


def _weighted(output, start):
    """A value of one element whose gradient for the output is ``start``."""
    if start is None:
        extents = [extent for extent in output.shape
                   if not isinstance(extent, int) or extent != 1]
        if extents:
            raise ValueError("grad: outputs must have one element each where "
                             "grad_outputs is None, got one of shape "
                             f"{tuple(output.shape)}")
        return _ops.reshape(output, [])
    if tuple(start.shape) != tuple(output.shape):
        raise ValueError("grad: grad_outputs must have the outputs' shapes, got "
                         f"{tuple(start.shape)} for {tuple(output.shape)}")
    return _ops.sum(_ops.multiply(output, start), list(range(len(output.shape))))
