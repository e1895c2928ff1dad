# SPDX-License-Identifier: Apache-2.0
"""export_onnx: a program, a Module or a function as an ONNX model."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence

from switchyard.checks import refuse, whole
from switchyard.nn.module import Module
from switchyard.static.loading import load
from switchyard.static.program import Program
from switchyard.static.tracing import InputSpec, trace

OPSETS = range(17, 29)


def export_onnx(model, path: str | os.PathLike, opset: int = 20,
                inputs: Sequence | None = None,
                names: Sequence[str] | None = None,
                axes: Mapping[str, Mapping[int, str]] | None = None,
                external_data: bool | None = None,
                metadata: Mapping[str, str] | None = None,
                doc: str = "") -> None:
    """Writes a model to ``path`` as ONNX of an opset from 17 to 28.

    ``model``: a Program (of ``trace`` or ``load``, PaddlePaddle's too), or a
    Module or a function, which is traced with ``inputs``, its examples or
    ``InputSpec``s, called ``names``, as ``trace`` has them; a Module in its test
    phase. A training program is written without its training.

    Inputs and outputs are called as the program's feeds and fetches. ``axes`` names
    open extents: ``{"x": {0: "batch"}}``, of outputs too; names in an
    ``InputSpec`` are those of the model. ``external_data``: whether weights of
    1 KiB or more go to a file beside the model, called ``path`` and ".data";
    unless given, where the model would be larger than 2 GiB. ``metadata`` are
    texts by name, ``doc`` is one about the whole model.

    An operator that ONNX lacks is written by those that it is made of.
    NotImplementedError lists all calls that can't be written, with their places.
    ValueError for another opset; TypeError for inputs or results that are not
    dense tensors. No file is written then.
    """
    whole("export_onnx", "opset", opset)
    if opset not in OPSETS:
        raise ValueError(f"export_onnx: opset must be in [17, 28], got {opset}")
    named = _axes_of(axes)
    if isinstance(model, Program):
        if inputs is not None:
            raise TypeError("export_onnx: inputs are examples for a Module or a "
                            "function; a Program has its own")
        program = unfused(model)
    elif callable(model):
        if inputs is None:
            raise TypeError("export_onnx: inputs must be given for a Module or a "
                            "function: examples, or InputSpecs")
        program = traced_in_test_phase(model, inputs, names)
        named = {**_names_in(inputs, program.feeds), **named}
    else:
        refuse("export_onnx", "model", "a Program, a Module or a function", model)
    program._compiled.export_onnx(os.fspath(path), program.state, opset, named,
                                  dict(metadata or {}), doc, external_data)


def _axes_of(axes):
    """{(name, axis): name of the extent}."""
    named = {}
    for name, extents in (axes or {}).items():
        if not isinstance(extents, Mapping):
            refuse("export_onnx", "axes", "a dictionary of dictionaries", extents)
        named.update({(name, axis): extent for axis, extent in extents.items()})
    return named


def _names_in(inputs, feeds):
    """The names of extents that InputSpecs say."""
    if len(inputs) != len(feeds):  # There are tuples among them.
        return {}
    return {(feed, axis): extent for feed, spec in zip(feeds, inputs)
            if isinstance(spec, InputSpec)
            for axis, extent in enumerate(spec.shape) if isinstance(extent, str)}


def traced_in_test_phase(model, inputs, names):
    """The program of a Module, in its test phase, or of a function."""
    with test_phase(model):
        return trace(model, *inputs, names=names)


@contextlib.contextmanager
def test_phase(model):
    """Has a Module in its test phase for a while; a function stays as it is."""
    if not isinstance(model, Module):
        yield
        return
    phases = [(part, part.training) for part in model.modules()]
    try:
        model.eval()
        yield
    finally:
        for part, training in phases:
            object.__setattr__(part, "training", training)


def unfused(program):
    """The program with its operators as they were saved: what passes make of
    several is for the kernels here."""
    if program._files is None or "relaxed" not in program.relaxed.values():
        return program
    files = program._files
    try:
        whole_program = load(files["path"], weights=files["weights"], exact=True)
    except (OSError, ValueError):  # The files are there no more.
        return program
    for name in program.state.keys():
        if name in whole_program.state:
            whole_program.state[name] = program.state[name]
    return whole_program
