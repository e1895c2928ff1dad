# SPDX-License-Identifier: Apache-2.0
"""Eigenvalues of matrices that are not symmetric, with their gradients. They are
found by NumPy (LAPACK), so programs don't have them."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.complex_matrices import adjoint
from switchyard.function import Function

_ops = _core.ops


def on_host(name, function, x):
    """The results of NumPy's ``function`` as tensors where x lies; they are not
    recorded. NotImplementedError in a program."""
    if type(x) is not _core.Tensor:
        raise NotImplementedError(f"{name}: x must be a tensor, got a graph's value: "
                                  "programs do not have it")
    if len(x.shape) < 2:
        raise ValueError(f"{name}: x must have two axes at least, got {len(x.shape)}")
    try:
        found = function(np.asarray(x.detach().numpy()))
    except np.linalg.LinAlgError as error:
        raise ValueError(f"{name}: x must be matrices that have one: {error}") from None
    made = [_core.tensor(np.asarray(each, order="C")) for each in found]
    return made if str(x.place) == "cpu" else [each.to(x.place) for each in made]


def _diagonal(x):
    return _ops.diagonal(x, 0, -2, -1)


def _on_diagonal(x):
    """Matrices with these diagonals."""
    return _ops.multiply(_ops.unsqueeze(x, [-1]), _ops.eye(x.shape[-1], -1, x.dtype))


def _as(x, dtype):
    return x if x.dtype == dtype else _ops.cast(x, dtype)


class _Eig(Function):
    """(eigenvalues, eigenvectors) of square matrices; complex ones."""

    @staticmethod
    def forward(ctx, x):
        wide = "complex128" if x.dtype in ("float64", "complex128") else "complex64"
        values, vectors = on_host(
            "eig", lambda a: [each.astype(wide) for each in np.linalg.eig(a)], x)
        ctx.save_for_backward(values, vectors)
        ctx.is_real = not x.dtype.startswith("complex")
        return values, vectors

    @staticmethod
    def backward(ctx, values_grad, vectors_grad):
        values, vectors = ctx.saved_tensors
        across = adjoint(vectors)
        along = _ops.matmul(across, vectors_grad)
        length = _as(_ops.real(_diagonal(along)), along.dtype)
        inner = _ops.subtract(along, _ops.multiply(
            _ops.matmul(across, vectors), _ops.unsqueeze(length, [-2])))
        gaps = _ops.conj(_ops.subtract(_ops.unsqueeze(values, [-2]),
                                       _ops.unsqueeze(values, [-1])))
        eye = _ops.eye(values.shape[-1], -1, values.dtype)
        inner = _ops.divide(_ops.subtract(inner, _on_diagonal(_diagonal(inner))),
                            _ops.add(gaps, eye))
        inner = _ops.add(inner, _on_diagonal(values_grad))
        from switchyard.linalg import solve
        found = solve(across, _ops.matmul(inner, across))
        return _ops.real(found) if ctx.is_real else found


def eig(x):
    """(eigenvalues, eigenvectors), complex ones."""
    if type(x) is _core.Tensor and (len(x.shape) < 2 or x.shape[-1] != x.shape[-2]):
        raise ValueError("eig: x must be a stack of square matrices, got shape "
                         f"{tuple(x.shape)}")
    return _Eig.apply(x)
