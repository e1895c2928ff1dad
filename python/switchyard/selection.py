# SPDX-License-Identifier: Apache-2.0
"""sy.explain: which kernel would run for these inputs, and why."""

from __future__ import annotations

import re

from switchyard import _core

_SPEC = re.compile(r"^([a-z]+_[a-z]+ )?[a-z]+\d*\[[\d,? ]*\]")


def explain(op, place: str = "cpu", policy=None, json: bool = False,
            **arguments) -> str:
    """Every candidate in order, the first demand that it fails, the winner.

    An operator that is made of others is explained by their calls.

    ``op``: its name or its function. ``arguments``: the operator's own. Inputs are tensors (dtype, shape, strides
    and place count), arrays, values of a program, or text such as
    "float32[8, 1000]" ("?": an extent that is not known; "strided" or
    "strides [1, 8]" may follow); a list of them for a list; attributes are
    values. ``policy``: a ``sy.policy(...)`` or its text; this thread's unless it
    is given. Returns what ``./sy explain`` prints; ValueError for a call that
    the operator does not take.

        print(sy.explain("softmax", x="float32[8, 1000]", axis=1))
    """
    name = op if isinstance(op, str) else op.__name__
    words = [name, "--place", place]
    if policy:
        words += ["--policy", str(policy)]
    if json:
        words.append("--json")
    for argument, value in arguments.items():
        if value is None:  # An input that is absent.
            continue
        specs = [_spec(item) for item in (
            value if isinstance(value, (list, tuple)) else [value])]
        if specs and None not in specs:
            for spec in specs:
                words += ["--input", f"{argument}={spec}"]
        else:
            words += ["--attr", f"{argument}={_attribute(value)}"]
    return _core.explain(words)


def _spec(value):
    """A tensor as text; None for what is no tensor."""
    if isinstance(value, str):
        return value if _SPEC.match(value) else None
    if isinstance(value, _core.Tensor):
        return _core.tensor_words(value)
    if not hasattr(value, "shape") or not hasattr(value, "dtype"):
        return None
    extents = ("?" if extent is None else str(extent) for extent in value.shape)
    return f"{value.dtype}[{', '.join(extents)}]"


def _attribute(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_attribute, value)) + "]"
    return str(value)
