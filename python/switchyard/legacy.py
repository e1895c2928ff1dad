# SPDX-License-Identifier: Apache-2.0
"""Operators by their old names and slots, as old programs call them."""

from switchyard import _core


__all__ = ["has", "run"]


def __dir__():
    return __all__


def has(op_type):
    """Whether there is an operator of this old name."""
    return _core.has_legacy(op_type)


def run(op_type, inputs, attrs=None):
    """Runs ``op_type`` on {slot: tensor or list}; returns {slot: ...} alike.

    A slot that the operator declares duplicable comes back as a list, others as
    a tensor; slots of which the operator yields nothing (XShape) are left out.
    ``attrs`` are the old attributes by name; those left out have their old
    defaults; ``op_device``, ``force_cpu`` and ``place_type`` say where the call
    runs and its results lie. NotImplementedError for an operator that is not known, ValueError
    or TypeError for slots and attributes that it does not have. Differentiable.
    """
    return _core.trace_legacy(op_type, inputs, attrs or {})
