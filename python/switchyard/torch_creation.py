# SPDX-License-Identifier: Apache-2.0
"""Functions of PyTorch that make tensors and that NumPy has otherwise."""

from __future__ import annotations

import math

from switchyard import _core, creation
from switchyard.checks import FROM_0, NUMBER, real, whole
from switchyard.functions.arguments import (WHOLE, fitting, name_of,
                                            numbers_in, place_of, tensor_of)

_ops = _core.ops

__all__ = ["empty_permuted", "empty_strided", "logspace", "nonzero_static",
           "randint_like", "scalar_tensor", "unravel_index"]


def _leaf(made, device, requires_grad):
    made = made if device is None else made.to(place_of(device))
    if requires_grad:
        made.requires_grad = True
    return made


def empty_permuted(size, physical_layout, *, dtype="float32", device=None,
                   requires_grad: bool = False) -> _core.Tensor:
    """``empty``: elements lie in one order here, whatever ``physical_layout``
    says, which must be the axes in some order."""
    size = numbers_in("empty_permuted", "size", size)
    physical_layout = numbers_in("empty_permuted", "physical_layout",
                                 physical_layout)
    if sorted(physical_layout) != list(range(len(size))):
        raise ValueError("empty_permuted: physical_layout must be the axes of size "
                         f"in some order, got {tuple(physical_layout)}")
    return creation.empty(size, dtype=dtype or "float32", device=device,
                          requires_grad=requires_grad)


def empty_strided(size, stride, *, dtype="float32", device=None,
                  requires_grad: bool = False) -> _core.Tensor:
    """``empty``: elements lie in one order here, whatever ``stride`` says, which
    must have a step from 0 for each axis."""
    size = numbers_in("empty_strided", "size", size)
    strides = [whole("empty_strided", "stride", each, FROM_0)
               for each in numbers_in("empty_strided", "stride", stride)]
    if len(strides) != len(size):
        raise ValueError("empty_strided: stride must be of as many axes as size, got "
                         f"{len(strides)}")
    return creation.empty(size, dtype=dtype or "float32", device=device,
                          requires_grad=requires_grad)


def logspace(start, end, steps: int, base: float = 10.0, dtype="float32", *,
             device=None, requires_grad: bool = False) -> _core.Tensor:
    """The powers of ``base`` of ``steps`` exponents evenly apart from ``start`` to
    ``end``."""
    steps = whole("logspace", "steps", steps, FROM_0)
    dtype = name_of(dtype or "float32")
    start = real("logspace", "start", start, NUMBER)
    end = real("logspace", "end", end, NUMBER)
    # More digits than the result has.
    wide = "complex128" if dtype.startswith("complex") else "float64"
    exponents = _ops.cast(_ops.linspace(start, end, steps, "float64"), wide) if (
        steps) else _ops.full([0], 0, wide)
    made = _ops.elementwise_pow(_ops.full_like(exponents, base), exponents)
    return _leaf(_ops.cast(made, dtype), device, requires_grad)


def nonzero_static(x, *, size: int, fill_value: int = -1):
    """The first ``size`` rows of ``argwhere``; rows of ``fill_value`` follow where
    there are less."""
    x, size = tensor_of(x), whole("nonzero_static", "size", size, FROM_0)
    fill_value = whole("nonzero_static", "fill_value", fill_value)
    found = _ops.nonzero(_ops.not_equal(x, 0) if x.dtype.startswith("complex")
                         else x)[:size]
    missing = size - found.shape[0]
    if missing <= 0:
        return found
    rest = _ops.full([missing, len(x.shape)], fill_value, "int64")
    return _ops.concat([found, rest], 0)


def randint_like(x, low=0, high=None, *, dtype=None, device=None,
                 requires_grad: bool = False):
    """Integers from ``low`` up to ``high``, which is not included, in x's shape and
    dtype; randint_like(x, high) begins at 0."""
    x = tensor_of(x)
    low, high = (0, low) if high is None else (low, high)
    drawn = _ops.randint(low, high, list(x.shape), "int64")
    return _leaf(_ops.cast(drawn, dtype or x.dtype), device, requires_grad)


def scalar_tensor(s, *, dtype="float32", device=None,
                  requires_grad: bool = False) -> _core.Tensor:
    """A tensor without axes, of a number."""
    dtype = dtype or "float32"
    fitting("scalar_tensor", "s", s, dtype)
    return _leaf(_ops.full([], s, dtype), device, requires_grad)


def unravel_index(indices, shape) -> tuple:
    """Where indices into a row lie in a tensor of ``shape``: for each axis the
    indices along it. A program does not see whether they are in the range."""
    indices = tensor_of(indices)
    if indices.dtype not in WHOLE or indices.dtype == "bool":
        raise TypeError("unravel_index: indices must be integers, got "
                        f"{indices.dtype}")
    extents = numbers_in("unravel_index", "shape", shape)
    found, rest = [], indices
    if any(extent < 0 for extent in extents):
        raise ValueError(f"unravel_index: shape must be from 0, got {extents}")
    if type(indices) is _core.Tensor and indices.size:
        count = math.prod(extents)
        for end in (_ops.min(indices).item(), _ops.max(indices).item()):
            if not 0 <= end < count:
                raise IndexError(f"unravel_index: indices must be in [0, {count}), got "
                                 f"{end}")
    for extent in reversed(extents):
        found.append(_ops.remainder(rest, extent))
        rest = _ops.floor_divide(rest, extent)
    return tuple(reversed(found))
