# SPDX-License-Identifier: Apache-2.0
"""Parametrizations of weights: their direction and length apart, their largest
singular value 1, their rows or columns orthogonal."""

from __future__ import annotations

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import FROM_1, POSITIVE, real, refuse, whole
from switchyard.functions import moveaxis
from switchyard.functions.arguments import axis_in
from switchyard.functions.lengths import length
from switchyard.nn.conv_nd import _ConvTranspose
from switchyard.nn.linear import Linear
from switchyard.nn.module import Buffer, Module
from switchyard.nn.utils.orthogonal import orthogonal_of
from switchyard.nn.utils.parametrize import register_parametrization

_ops = _core.ops

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def __dir__():
    return __all__


def _weight(name, module, tensor_name):
    if not isinstance(module, Module):
        refuse(name, "module", "a Module", module)
    if not isinstance(tensor_name, str):
        refuse(name, "name", "text", tensor_name)
    weight = getattr(module, tensor_name, None)
    if not isinstance(weight, _core.Tensor):
        raise ValueError(f"{name}: name must be a parameter of "
                         f"{type(module).__name__}, got {tensor_name!r}")
    return weight


def _own_axis(module, dim):
    """PyTorch's axis of a weight as our layers store it: Linear's is [inputs,
    outputs] here."""
    return 1 - dim if isinstance(module, Linear) and dim in (0, 1) else dim


class _WeightNorm(Module):
    def __init__(self, axis):
        super().__init__()
        self.axis = axis

    def _lengths(self, weight):
        axes = [i for i in range(len(weight.shape)) if i != self.axis]
        return length(weight, axes) if axes else _ops.abs(weight)

    def forward(self, scale, direction):
        """The weight of lengths ``scale`` along ``direction``."""
        return _ops.multiply(direction, _ops.divide(scale, self._lengths(direction)))

    def right_inverse(self, weight):
        """The lengths, and the weight as their direction."""
        return self._lengths(weight), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Has ``module.name`` be g v / |v|: the lengths g along the axis ``dim``, that of
    the outputs, and the direction v are trained, as
    ``module.parametrizations.weight.original0`` and ``original1`` (Salimans and
    Kingma, 2016). ``dim=None``: one length of the whole weight."""
    weight = _weight("weight_norm", module, name)
    axis = -1 if dim is None else axis_in(
        "weight_norm", _own_axis(module, dim), len(weight.shape))
    return register_parametrization(module, name, _WeightNorm(axis))


class _SpectralNorm(Module):
    def __init__(self, weight, axis, iterations, epsilon):
        super().__init__()
        self.axis, self.iterations, self.epsilon = axis, iterations, epsilon
        rows = self._matrix(weight.detach())
        with no_grad():
            u, v = (self._unit(_ops.gaussian([n], 0.0, 1.0, weight.dtype))
                    for n in rows.shape)
            u, v = self._steps(rows, u, v, 15)
        self._u, self._v = Buffer(u), Buffer(v)

    def _matrix(self, weight):
        return _ops.reshape(moveaxis(weight, self.axis, 0), [
            weight.shape[self.axis], -1])

    def _unit(self, x):
        return _ops.divide(x, _ops.maximum(length(x, [0]), self.epsilon))

    def _steps(self, rows, u, v, count):
        for _ in range(count):
            u = self._unit(_product(rows, v))
            v = self._unit(_product(_ops.transpose(rows, [1, 0]), u))
        return u, v

    def forward(self, weight):
        """The weight divided by its largest singular value."""
        rows = self._matrix(weight)
        u, v = self._u, self._v
        if self.training:
            with no_grad():
                u, v = self._steps(_ops.detach(rows), u, v, self.iterations)
            self._u, self._v = u, v
        return _ops.divide(weight, _ops.sum(_ops.multiply(u, _product(rows, v))))

    def right_inverse(self, weight):
        """The weight itself."""
        return weight


def _product(matrix, vector):
    return _ops.squeeze(_ops.matmul(matrix, _ops.unsqueeze(vector, [1])), [1])


def spectral_norm(module: Module, name: str = "weight", n_power_iterations: int = 1,
                  epsilon: float = 1e-12, dim: int | None = None) -> Module:
    """Has ``module.name`` be the weight divided by its largest singular value, which
    ``n_power_iterations`` steps of the power method follow at each reading in
    training (Miyato and others, 2018). ``dim``: the axis of its outputs."""
    weight = _weight("spectral_norm", module, name)
    whole("spectral_norm", "n_power_iterations", n_power_iterations, FROM_1)
    real("spectral_norm", "epsilon", epsilon, POSITIVE)
    if dim is None:
        dim = 1 if isinstance(module, _ConvTranspose) else 0
    axis = axis_in("spectral_norm", _own_axis(module, dim), len(weight.shape))
    return register_parametrization(
        module, name, _SpectralNorm(weight, axis, n_power_iterations, epsilon))


def orthogonal(module: Module, name: str = "weight", orthogonal_map: str | None = None,
               *, use_trivialization: bool = True) -> Module:
    """Has ``module.name`` [..., rows, columns] be a matrix with orthogonal columns, or
    rows where it is wider than high: the matrix exponential or Cayley's transform of
    a skew matrix ("matrix_exp", "cayley"), or reflections ("householder"). By
    default the first of square matrices, else the last. Where ``use_trivialization``,
    the weight, made orthogonal, is where training begins."""
    weight = _weight("orthogonal", module, name)
    return register_parametrization(module, name, orthogonal_of(
        weight, orthogonal_map, use_trivialization))
