# SPDX-License-Identifier: Apache-2.0
"""LU factors of matrices of any shape, with their gradients."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.complex_matrices import adjoint
from switchyard.function import Function
from switchyard.functions.arguments import is_empty, to_shape
from switchyard.functions.shaping import matrix_transpose

_ops = _core.ops


def permutation_of(pivots, size):
    """The matrices P of pivots, with P L U the matrix that has these factors."""
    swaps = np.asarray(pivots.numpy())
    flat = swaps.reshape(math.prod(swaps.shape[:-1]), swaps.shape[-1])
    made = np.zeros((len(flat), size, size), np.float32)
    for one, row in zip(made, flat):
        order = np.arange(size)
        for i, j in enumerate(row):
            order[[i, j - 1]] = order[[j - 1, i]]
        one[order, np.arange(size)] = 1
    return made.reshape(*swaps.shape[:-1], size, size)


def unpacked(packed):
    """(L, U) of matrices that hold both."""
    rows, columns = packed.shape[-2:]
    least = min(rows, columns)
    lower = _ops.tril(packed[..., :least], -1)
    identity = _ops.eye(rows, least, packed.dtype)
    return _ops.add(lower, identity), _ops.triu(packed[..., :least, :])


def factors(x):
    """(LU, pivots, info) of matrices. The operator has the gradient of square ones;
    that of others is found by the rows in their order."""
    if x.shape[-1] == x.shape[-2] or not (
            type(x) is _core.Tensor and x.requires_grad):
        packed, pivots, info = _ops.lu(x)
        return packed, pivots, to_shape(info, list(x.shape[:-2]))
    packed, pivots, info = _ops.lu(x.detach())
    info = to_shape(info, list(x.shape[:-2]))
    if is_empty(x):
        return _ops.add(packed, _ops.scale(x, 0.0)), pivots, info
    swaps = _core.tensor(permutation_of(pivots, x.shape[-2]), x.dtype)
    return _packed(_ops.matmul(matrix_transpose(swaps), x), packed), pivots, info


def _packed(x, found):
    """The factors of x, whose rows are in order; ``found`` are their values."""
    from switchyard.linear_systems import solve_triangular
    least = min(x.shape[-2:])
    square = _Square.apply(x[..., :least, :least], found[..., :least, :least])
    lower, upper = unpacked(square)
    if x.shape[-2] > least:
        rest = solve_triangular(upper, x[..., least:, :], upper=True, left=False)
        return _ops.concat([square, rest], -2)
    if x.shape[-1] > least:
        rest = solve_triangular(lower, x[..., least:], upper=False, unitriangular=True)
        return _ops.concat([square, rest], -1)
    return square


class _Square(Function):
    """The factors of square matrices whose rows are in order."""

    @staticmethod
    def forward(ctx, x, found):
        del x
        found = _ops.assign(found)
        ctx.save_for_backward(found)
        return found

    @staticmethod
    def backward(ctx, grad):
        from switchyard.linear_systems import solve_triangular
        (found,) = ctx.saved_tensors
        lower, upper = unpacked(found)
        inner = _ops.add(
            _ops.tril(_ops.matmul(adjoint(lower), _ops.tril(grad, -1)), -1),
            _ops.triu(_ops.matmul(_ops.triu(grad), adjoint(upper))))
        left = solve_triangular(adjoint(lower), inner, upper=True, unitriangular=True)
        return solve_triangular(adjoint(upper), left, upper=False, left=False), None
