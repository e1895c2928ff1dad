# SPDX-License-Identifier: Apache-2.0
"""Functions of PyTorch's ``nn.utils``: gradients, parameters, sequences."""

from __future__ import annotations

from collections.abc import Iterable
import math

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import listed, refuse
from switchyard.functions.arguments import tensor_of
from switchyard.nn.utils import parametrizations, parametrize, rnn
from switchyard.nn.utils.parametrizations import spectral_norm, weight_norm
from switchyard.nn.utils.rnn import pad_sequence
from switchyard.optim.clip import clip_grad_norm_, clip_grad_value_

_ops = _core.ops

__all__ = ["clip_grad_norm_", "clip_grad_value_", "pad_sequence",
           "parameters_to_vector", "parametrizations", "parametrize", "rnn",
           "spectral_norm", "vector_to_parameters", "weight_norm"]


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
