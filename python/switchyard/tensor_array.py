# SPDX-License-Identifier: Apache-2.0
"""Tensor arrays: lists of tensors that operators make, for loops of programs.

An array is a value: ``array_write`` returns another one, which shares the other
elements. All elements are of one dtype and number of axes. The same functions
take tensors and, while tracing, values of a program.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from switchyard import _core

_ops = _core.ops

__all__ = ["array_length", "array_pop", "array_read", "array_to_tensor",
           "array_write", "create_array"]


def _position(i):
    """A Python number as the operators take it."""
    if isinstance(i, (_core.Tensor, _core.Value)):
        return i
    return np.array([i], np.int64) if isinstance(i, int) else i


def _common_shape(elements):
    """The extents that all elements have, -1 where they differ or a program
    does not know them."""
    shapes = [tuple(element.shape) for element in elements]
    ranks = {len(shape) for shape in shapes}
    if len(ranks) != 1:
        raise ValueError("create_array: initialized_list must be of tensors of "
                         f"one number of axes, got {sorted(ranks)}")
    return [extents[0] if isinstance(extents[0], int)
            and all(extent == extents[0] for extent in extents) else -1
            for extents in zip(*shapes)]


def create_array(dtype: str | type | np.dtype = "float32",
                 initialized_list: Sequence | None = None,
                 element_shape: Sequence[int] | None = None) -> _core.Tensor:
    """An array of the elements of ``initialized_list``, or an empty one.

    ``element_shape`` says which extents all elements have, with -1 where they
    may differ. Without it those of ``initialized_list`` count, or the first
    element that is written decides; an array that a traced loop fills from
    nothing needs it.
    """
    elements = list(initialized_list or ())
    elements = [element if isinstance(element, (_core.Tensor, _core.Value))
                else _core.tensor(element, dtype=dtype) for element in elements]
    if elements and element_shape is None:
        element_shape = _common_shape(elements)
    array = _ops.create_array(dtype, list(element_shape or ()))
    for i, element in enumerate(elements):
        array = array_write(element, i, array)
    return array


def array_write(x, i, array=None) -> _core.Tensor:
    """The array with a copy of x at position i, or a new one of x alone.

    Positions before i that the array did not have are empty: reading one is an
    error.
    """
    return _ops.array_write(x, _position(i), array)


def array_read(array, i) -> _core.Tensor:
    """A copy of the element at position i."""
    return _ops.array_read(array, _position(i))


def array_length(array) -> _core.Tensor:
    """The number of positions, an int64 of one element."""
    return _ops.array_length(array)


def array_to_tensor(array, axis: int = 0, use_stack: bool = False):
    """The elements joined along ``axis``, or stacked along a new one, and the
    extent that each has there, int32."""
    return _ops.array_to_tensor(array, axis, use_stack)


def array_pop(array, index: int = -1):
    """The array without the element at ``index``, and that element."""
    return _ops.array_pop(array, index)
