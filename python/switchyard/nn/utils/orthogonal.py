# SPDX-License-Identifier: Apache-2.0
"""Weights whose rows or columns stay orthogonal while they are trained."""

from __future__ import annotations

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import flag, refuse
from switchyard.functions import geqrf, swapaxes
from switchyard.linalg import householder_product, matrix_exp, qr, solve
from switchyard.nn.module import Buffer, Module

_ops = _core.ops
MAPS = ("matrix_exp", "cayley", "householder")


def _turned(x):
    return swapaxes(x, -1, -2)


def _diagonal(x):
    return _ops.diagonal(x, 0, -2, -1)


def _wide(x):
    return x.shape[-2] < x.shape[-1]


def _orthogonal_of(x):
    """The Q of Gram and Schmidt: the sign of each column is that of x's."""
    q, r = qr(x)[:2]
    return _ops.multiply(q, _ops.unsqueeze(_ops.sign(_diagonal(r)), [-2]))


class Orthogonal(Module):
    """A matrix with orthogonal columns (rows, where it is wider than high) of a
    matrix without bounds; of a batch of them too."""

    def __init__(self, weight, kind, trivialized):
        super().__init__()
        self.kind = kind
        if trivialized:  # The map is around the weight, where it is smooth.
            self.base = Buffer(self._base_of(weight.detach()))
        else:
            self.base = None

    def _base_of(self, weight):
        with no_grad():
            tall = _turned(weight) if _wide(weight) else weight
            rows, columns = tall.shape[-2:]
            if rows > columns:
                others = _ops.gaussian([*tall.shape[:-1], rows - columns], 0.0, 1.0,
                                       tall.dtype)
                tall = _ops.concat([tall, others], -1)
            return _orthogonal_of(tall)

    def forward(self, x):
        """The orthogonal matrix."""
        wide = _wide(x)
        q = self._mapped(_turned(x) if wide else x)
        if self.base is not None:
            q = _ops.matmul(self.base, q)
        return _turned(q) if wide else q

    def _mapped(self, x):
        rows, columns = x.shape[-2:]
        if self.kind == "householder":
            below = _ops.tril(x, -1)
            tau = _ops.divide(2.0, _ops.scale(
                _ops.sum(_ops.square(below), -2), 1.0, 1.0))
            signs = _ops.sign(_ops.detach(_diagonal(x)))
            return _ops.multiply(householder_product(below, tau),
                                 _ops.unsqueeze(signs, [-2]))
        x = _ops.tril(x)
        if rows > columns:
            x = _ops.concat([x, _ops.full([*x.shape[:-1], rows - columns], 0.0,
                                          x.dtype)], -1)
        skew = _ops.subtract(x, _turned(x))
        if self.kind == "matrix_exp":
            q = matrix_exp(skew)
        else:
            one, half = _ops.eye(rows, rows, x.dtype), _ops.scale(skew, 0.5)
            q = solve(_ops.subtract(one, half), _ops.add(one, half))
        return q[..., :columns] if rows > columns else q

    def right_inverse(self, weight):
        """The matrix that gives the weight, made orthogonal."""
        if self.base is not None:
            self.base = self._base_of(weight)
            rows, columns = weight.shape[-2:]
            zeros = _ops.zeros_like(weight)
            return _ops.subtract(zeros, _ops.eye(rows, columns, weight.dtype))
        if self.kind != "householder":
            raise NotImplementedError(
                "orthogonal: assigning needs use_trivialization, or the map "
                "'householder'")
        wide = _wide(weight)
        weight = weight.detach()
        x, _ = geqrf(_turned(weight) if wide else weight)
        found = _diagonal(x)
        signs = _ops.where(_ops.less_than(found, 0.0), _ops.full_like(found, -1.0),
                           _ops.ones_like(found))
        rows, columns = x.shape[-2:]
        x = _ops.add(_ops.subtract(x, _ops.multiply(
            _ops.unsqueeze(found, [-2]), _ops.eye(rows, columns, x.dtype))),
                     _ops.multiply(_ops.unsqueeze(signs, [-2]),
                                   _ops.eye(rows, columns, x.dtype)))
        return _turned(x) if wide else x


def orthogonal_of(weight, orthogonal_map, use_trivialization):
    """The parametrization of a weight, whose arguments are checked."""
    flag("orthogonal", "use_trivialization", use_trivialization)
    if len(weight.shape) < 2:
        raise ValueError("orthogonal: the tensor must have 2 axes or more, got "
                         f"{len(weight.shape)}")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square else "householder"
    if orthogonal_map not in MAPS:
        refuse("orthogonal", "orthogonal_map", ", ".join(map(repr, MAPS)),
               orthogonal_map, ValueError)
    return Orthogonal(weight, orthogonal_map, use_trivialization)
