# SPDX-License-Identifier: Apache-2.0
"""Functions of PyTorch's ``nn.utils``: gradients, parameters, sequences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import flag, listed, real, refuse
from switchyard.functions.arguments import tensor_of
from switchyard.optim.clip import clip_grad_norm_, clip_grad_value_

_ops = _core.ops

__all__ = ["clip_grad_norm_", "clip_grad_value_", "pad_sequence",
           "parameters_to_vector", "vector_to_parameters"]


def __dir__():
    return __all__


def parameters_to_vector(parameters: Iterable) -> _core.Tensor:
    """The elements of all parameters in a row; with their gradients."""
    return _ops.concat([_ops.reshape(p, [-1]) for p in _tensors(
        "parameters_to_vector", parameters)], 0)


def _tensors(name, parameters):
    """The parameters as a list; TypeError unless they are tensors."""
    several = listed(name, "parameters", parameters, 10**7)
    for p in several:
        if not isinstance(p, (_core.Tensor, _core.Value)):
            refuse(name, "parameters", "tensors", p)
    return several


def vector_to_parameters(vec, parameters: Iterable) -> None:
    """Writes the elements of ``vec`` to the parameters, one after another."""
    parameters = _tensors("vector_to_parameters", parameters)
    vec = tensor_of(vec)
    count = sum(math.prod(p.shape) for p in parameters)
    if tuple(vec.shape) != (count,):
        raise ValueError(f"vector_to_parameters: vec must have shape ({count},), "
                         f"got {tuple(vec.shape)}")
    start = 0
    with no_grad():
        for p in parameters:
            end = start + math.prod(p.shape)
            p.copy_(_ops.reshape(vec[start:end], list(p.shape)))
            start = end


def pad_sequence(sequences: Sequence, batch_first: bool = False,
                 padding_value: float = 0.0) -> _core.Tensor:
    """Tensors [time, ...] of several lengths as one, [longest, n, ...], or [n,
    longest, ...] where ``batch_first``; ``padding_value`` after shorter ones."""
    tensors = [tensor_of(x) for x in listed("pad_sequence", "sequences", sequences)]
    real("pad_sequence", "padding_value", padding_value)
    flag("pad_sequence", "batch_first", batch_first)
    if not tensors:
        raise ValueError("pad_sequence: sequences must not be empty")
    for x in tensors:
        if not x.shape:
            raise ValueError("pad_sequence: sequences must have an axis of time, "
                             "got a number")
    longest = max(x.shape[0] for x in tensors)
    padded = [_ops.pad(x, [0, longest - x.shape[0]] + [0, 0] * (len(x.shape) - 1),
                       padding_value) for x in tensors]
    return _ops.stack(padded, 0 if batch_first else 1)
