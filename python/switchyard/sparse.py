# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors: COO, with coordinates of each value, and CSR, a matrix by rows.

The gradient of a sparse tensor has its pattern. ``x.to_dense()`` gives the
dense tensor that one stands for; ``x + y`` adds two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from switchyard import _core
from switchyard.checks import listed
from switchyard.functions.arguments import tensor_of

_ops = _core.ops

__all__ = ["coalesce", "matmul", "mm", "multiply", "relu", "sparse_coo_tensor",
           "sparse_csr_tensor", "sum", "to_dense", "to_sparse_coo",
           "to_sparse_csr", "transpose", "values"]


def __dir__():
    return __all__


def _extents(indices, given):
    """One more than the largest index of each axis, then the values' axes."""
    if isinstance(indices, _core.Value):
        raise TypeError("sparse_coo_tensor: shape must be given while tracing, "
                        "got None")
    numbers = np.asarray(indices.numpy() if isinstance(indices, _core.Tensor)
                         else indices)
    if numbers.ndim != 2 or numbers.shape[1] == 0:
        raise ValueError("sparse_coo_tensor: shape must be given for indices "
                         f"of shape {list(numbers.shape)}, got None")
    return [*(numbers.max(axis=1) + 1).tolist(), *tuple(given.shape)[1:]]


def _as_values(x):
    return tensor_of(x)


def sparse_coo_tensor(indices, values,
                      shape: Sequence[int] | None = None) -> _core.Tensor:
    """The tensor whose value i is at ``indices[:, i]`` of its first axes.

    Values of one position add up. Without ``shape`` it is as small as the
    indices allow.
    """
    values = _as_values(values)
    if shape is None:
        shape = _extents(indices, values)
    return _ops.sparse_coo_tensor(values, indices, listed(
        "sparse_coo_tensor", "shape", shape, 64))


def sparse_csr_tensor(crows, cols, values,
                      shape: Sequence[int]) -> _core.Tensor:
    """The matrix whose row r has the values ``crows[r]`` to ``crows[r + 1]``,
    in the columns that ``cols`` says."""
    return _ops.sparse_csr_tensor(_as_values(values), crows, cols, listed(
        "sparse_csr_tensor", "shape", shape, 64))


def to_dense(x) -> _core.Tensor:
    """The dense tensor that x stands for."""
    return _ops.sparse_to_dense(x)


def to_sparse_coo(x, sparse_dim: int | None = None) -> _core.Tensor:
    """The elements of x that are not 0 with coordinates on ``sparse_dim`` axes,
    all of them unless said otherwise."""
    x = tensor_of(x)
    return _ops.to_sparse_coo(x, len(x.shape) if sparse_dim is None
                              else sparse_dim)


def to_sparse_csr(x) -> _core.Tensor:
    """The elements of a matrix that are not 0, by rows."""
    return _ops.to_sparse_csr(x)


def coalesce(x) -> _core.Tensor:
    """A COO tensor in row-major order, one value a position."""
    return _ops.sparse_coalesce(x)


def values(x) -> _core.Tensor:
    """A copy of the values in their order, with a gradient."""
    return _ops.sparse_values(x)


def matmul(x, y) -> _core.Tensor:
    """The dense product of a sparse matrix and a dense one."""
    return _ops.sparse_matmul(x, y)


def mm(x, y) -> _core.Tensor:
    """``matmul``, by PyTorch's name."""
    return matmul(x, y)


def multiply(x, y) -> _core.Tensor:
    """x * y, element by element.

    Of two sparse tensors of one kind and shape: the positions that both have,
    in row-major order, each once. y may be dense, of x's shape or of one
    element, or a number: the product has the pattern of x then.
    """
    if isinstance(y, (int, float, np.number)):
        y = np.asarray(y, x.dtype)
    return _ops.sparse_multiply(x, y)


def relu(x) -> _core.Tensor:
    """max(value, 0) of each value; a value that becomes 0 stays one.

    Values of one position of a COO tensor are added first.
    """
    if getattr(x, "kind", "") == "sparse_coo":  # The operator refuses others.
        x = _ops.sparse_coalesce(x)
    return _ops.sparse_relu(x)


def sum(x, axis: int | Sequence[int] | None = None,  # pylint: disable=redefined-builtin
        keepdim: bool = False) -> _core.Tensor:
    """The sum of all elements or over one axis, sparse as x is.

    The sum of all is of shape [1]; with ``keepdim`` of 1 along each axis. Of a
    CSR matrix there are the sums of its rows (axis 1 or -1), a matrix
    [rows, 1], and that of all elements, [1, 1].
    """
    if axis is None:
        axis = []
    elif isinstance(axis, (int, np.integer)):
        axis = [axis]
    return _ops.sparse_sum(x, listed("sum", "axis", axis, 64), keepdim)


def transpose(x, perm: Sequence[int]) -> _core.Tensor:
    """x with axis ``perm[i]`` as its axis i.

    The values of a COO tensor stay in their order and its dense axes in their
    place; a CSR matrix is sorted by its new rows.
    """
    return _ops.sparse_transpose(x, listed("transpose", "perm", perm, 64))
