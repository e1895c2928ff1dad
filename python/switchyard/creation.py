# SPDX-License-Identifier: Apache-2.0
"""Tensors made of nothing: as NumPy names them, in terms of operators."""

from __future__ import annotations

import numbers

import numpy as np

from switchyard import _core
from switchyard.tensor_methods import as_list

_ops = _core.ops


def zeros(shape, dtype: str | type | np.dtype = "float32") -> _core.Tensor:
    """A tensor of zeros."""
    return _ops.full(shape, 0, dtype)


def ones(shape, dtype: str | type | np.dtype = "float32") -> _core.Tensor:
    """A tensor of ones."""
    return _ops.full(shape, 1, dtype)


def full(shape, value,
         dtype: str | type | np.dtype = "float32") -> _core.Tensor:
    """A tensor of ``value``."""
    return _ops.full(shape, value, dtype)


def eye(rows, columns=None,
        dtype: str | type | np.dtype = "float32") -> _core.Tensor:
    """Ones on the diagonal of [rows, columns], zeros elsewhere."""
    return _ops.cast(_core.tensor(np.eye(rows, columns, dtype=bool)), dtype)


def randn(*shape,
          dtype: str | type | np.dtype = "float32") -> _core.Tensor:
    """Numbers of the standard normal distribution."""
    return _ops.gaussian(as_list(shape), 0.0, 1.0, dtype)


def rand(*shape,
         dtype: str | type | np.dtype = "float32") -> _core.Tensor:
    """Numbers uniform in [0, 1)."""
    return _ops.uniform(as_list(shape), 0.0, 1.0, dtype)


def arange(start, end=None, step=1, dtype=None) -> _core.Tensor:
    """start, start + step, ... below end; from 0 if only one is given.

    int64 if the numbers are integers, else float32, unless ``dtype`` says.
    """
    if end is None:
        start, end = 0, start
    if dtype is None:
        whole = all(isinstance(n, numbers.Integral) for n in (start, end, step))
        dtype = "int64" if whole else "float32"
    return _ops.arange(start, end, step, dtype)
