# SPDX-License-Identifier: Apache-2.0
"""Tracing: ordinary Python code run once with values in place of tensors.

Every operator then adds to a graph by the same generated signature that the
eager call has. There is no hook in eager mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from switchyard import _core
from switchyard.checks import listed, refuse, whole
from switchyard.functions.data_types import known_dtype
from switchyard.nn.module import Module
from switchyard.static.captured import Captures
from switchyard.static.program import RNG, Program
from switchyard.static.traced_gradients import Tracing


class InputSpec:
    """Describes a feed: its extents, dtype and, optionally, name.

    An extent is a number, None (any), or a name, which stands for the same
    extent wherever it is written: ``InputSpec(["batch", 4])``. ``kind`` is
    "dense", "selected_rows", "sparse_coo", "sparse_csr" or "tensor_array", the
    first extent of which is its length, any; of the dtype "string" it is "strings".
    """

    def __init__(self, shape: Sequence[int | str | None],
                 dtype: str = "float32",
                 name: str | None = None, kind: str = "dense"):
        self.shape = tuple(listed("InputSpec", "shape", shape, 64))
        for extent in self.shape:
            if extent is not None and not isinstance(extent, (str, _core.Symbol)):
                whole("InputSpec", "shape", extent)
        if dtype == "string" and kind == "dense":
            kind = "strings"
        self.dtype = dtype if dtype == "string" else known_dtype(
            "InputSpec", "dtype", dtype, stored=True)
        self.name, self.kind = name, kind

    def __repr__(self):
        kind = "" if self.kind == "dense" else f", {self.kind!r}"
        return f"InputSpec({self.shape}, {self.dtype!r}, {self.name!r}{kind})"


def _refuse_texts(name, example):
    """Raises for an example of texts that is no tensor."""
    if isinstance(example, _core.Tensor):
        return
    if isinstance(example, np.ndarray):
        texts = example.dtype.kind in "USO"
    else:
        texts = isinstance(example, (str, bytes)) or (
            isinstance(example, (list, tuple)) and any(
                isinstance(each, (str, bytes)) for each in example))
    if texts:
        raise TypeError(f"feed: {name} must be a tensor or numbers, got texts: "
                        "sy.strings.tensor makes a tensor of them")


def add_feed(builder, name, example):
    """A feed as the InputSpec says, or as an example, its first axis any."""
    if isinstance(example, InputSpec):
        return builder.feed(example.name or name, list(example.shape),
                            example.dtype, example.kind)
    _refuse_texts(name, example)
    if not hasattr(example, "dtype"):
        try:
            example = _core.tensor(example)
        except (TypeError, ValueError) as error:
            raise type(error)(str(error).replace(
                "tensor: data", f"feed: {name}", 1)) from None
    shape = list(example.shape)
    kind = example.kind if isinstance(example, _core.Tensor) else "dense"
    if kind == "tensor_array":
        if shape == [0]:
            raise ValueError(f"trace: {name} must be an array with an element "
                             "or an element_shape, got an empty one")
        shape = [extent if isinstance(extent, int) and extent >= 0 else None
                 for extent in shape]
    elif shape and kind in ("dense", "strings"):
        shape[0] = None
    return builder.feed(name, shape, str(example.dtype), kind)


def add_module_states(captures, module, prefix=""):
    """Makes all parameters and buffers states, as ``prefix`` and name."""
    for name, slot in module.named_slots():
        if prefix + name == RNG:
            raise ValueError(f"{type(module).__name__}.{name} must have another"
                             " name in a program, where random operators draw "
                             f"from the state '{RNG}'")
        captures.state(prefix + name, slot.tensor)


def trace(function: Module | Callable[..., Any], *examples: Any,
          names: Sequence[str] | None = None,
          relaxed: str | Mapping[str, str] | None = None,
          policy=None, detect_anomaly: bool = False) -> Program:
    """Traces ``function(*examples)`` into a Program.

    ``function``: a Module or a function of values. ``examples``: arrays or
    tensors whose first axis may later have any extent, or ``InputSpec``s;
    tensor arrays, whose length may be any, sparse tensors and SelectedRows,
    whose number of values may be any.
    Feeds are called ``x0``, ``x1`` ... unless ``names`` says otherwise; results
    ``out``, or ``out0``, ``out1`` ... of a tuple, or by the keys of a dict; those
    of a tuple or a dict inside of it ``out1_0``, ``out1_1``. A tuple of examples
    is a tuple for the function, too; its feeds are ``x1_0``, ``x1_1``.

    ``policy``: which kernels may be chosen, a ``sy.policy(...)`` or its text
    ("backend=cpu"); this thread's, as it is now, unless given. The program
    keeps it.

    Python's own control flow is carried out while tracing: a branch on a value
    raises TypeError (``cond`` and ``while_loop`` take values), and a module's
    phase (``train`` or ``eval``) is that of the tracing. Buffers that the
    module writes (a BatchNorm in training) are the program's state.

    What ``no_grad`` encloses, and ``x.detach()``, gets no gradient, as in eager.
    Random numbers are drawn in each run, with the bits of eager code. Other
    tensors that were there before are states, read by reference: what they hold
    in each run. Tensors that the function makes, and arrays and numbers of
    Python, are constants: what they are while it is traced.

    Values may be written in place, ``x.relu_()``, outside of what ``cond`` and
    ``while_loop`` pass on: later uses of ``x`` and of its views read what was
    written, as in eager. A feed is a value: the caller's tensor stays.

    The program's results have the bits of the eager call, unless ``relaxed``
    lets them differ: "fusion=relaxed" and other choices of ``load``.
    ``detect_anomaly``: that of the program.
    """
    if not callable(function):
        refuse("trace", "function", "a function or a Module", function)
    builder, state = _core.GraphBuilder("traced"), _core.State()
    names = _feed_names(names, len(examples))
    inputs = [_fed(builder, n, e) for n, e in zip(names, examples)]
    captures = Captures(builder, state)
    if isinstance(function, Module):
        add_module_states(captures, function)
    with Tracing(builder, captures):
        outputs = function(*inputs)
        captures.finish()
        for name, value in _named(outputs).items():
            builder.fetch(name, builder.value(value))
    compiled = builder.finish(relaxed=relaxed, policy=policy)
    captures.check("trace", compiled.written_states)
    compiled.detect_anomaly = bool(detect_anomaly)
    return Program(compiled, state)


def _feed_names(names, count):
    """The names as a list, or x0, x1 ...; an error unless they are ``count`` texts,
    each another."""
    if names is None:
        return [f"x{i}" for i in range(count)]
    names = listed("trace", "names", names)
    for name in names:
        if not isinstance(name, str):
            refuse("trace", "names", "texts", name)
    if len(set(names)) != count or len(names) != count:
        refuse("trace", "names", f"{count} texts, each another", names, ValueError)
    return names


def _fed(builder, name, example):
    """The feed of an example, or the feeds of a tuple of them."""
    if isinstance(example, tuple) and any(
            isinstance(part, (InputSpec, tuple)) or hasattr(part, "dtype")
            for part in example):
        return tuple(_fed(builder, f"{name}_{i}", part)
                     for i, part in enumerate(example))
    return add_feed(builder, name, example)


def _named(outputs):
    """{name: value} of what a function returned."""
    if isinstance(outputs, dict):
        return _flat(outputs.items())
    if isinstance(outputs, (tuple, list)):
        return _flat((f"out{i}", output) for i, output in enumerate(outputs))
    return {"out": outputs}


def _flat(named, depth=0):
    if depth > 64:
        raise ValueError("trace: results must not contain themselves")
    values = {}
    for name, value in named:
        if isinstance(value, dict):
            values.update(_flat([(f"{name}_{key}", part)
                                 for key, part in value.items()], depth + 1))
        elif isinstance(value, (tuple, list)):
            values.update(_flat([(f"{name}_{i}", part)
                                 for i, part in enumerate(value)], depth + 1))
        else:
            values[name] = value
    return values
