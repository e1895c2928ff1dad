# SPDX-License-Identifier: Apache-2.0
"""sy.explain: which kernel would run for these inputs, and why."""

from __future__ import annotations

from switchyard import _core


def explain(op, place: str | None = None, policy=None, json: bool = False,
            **arguments) -> str:
    """Every candidate in order, the first demand that it fails, the winner.

    An operator that is made of others is explained by their calls.

    ``op``: its name or its function; an in-place variant (``relu_``) and a
    backward operator (``softmax_grad``) have names, too. ``arguments``: the
    operator's own. Inputs are what the call takes: tensors (dtype, shape,
    strides and place count), numbers, arrays, values of a program; or text such
    as "float32[8, 1000]" ("?": an extent that is not known, "s0": one that
    equals each other "s0"; "strided" or "strides [1, 8]" may follow); a list of
    them for a list. Attributes are what the call takes, tensors included;
    elements that values of a program supply are unknown, as "?" is.
    ``place``: where a call without tensors runs, the thread's default place
    unless it is given. ``policy``: a ``sy.policy(...)`` or its text; this
    thread's unless it is given. Returns what ``./sy explain`` prints; raises
    what a call that the operator does not take would raise, and an in-place
    call that may not write.

        print(sy.explain("softmax", x="float32[8, 1000]", axis=1))
    """
    name = op if isinstance(op, str) else op.__name__
    return _core.explain(name, arguments, place,
                         str(policy) if policy else None, json)
