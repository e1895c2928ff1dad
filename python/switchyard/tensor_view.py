# SPDX-License-Identifier: Apache-2.0
"""Tensor.view: other extents, or another dtype, of the same memory."""

import numpy as np

from switchyard import _core, functions
from switchyard.functions.arguments import as_list

_ops = _core.ops


def view(x, *shape):
    """x with other extents, in its memory: an error where its strides allow no
    such view, as in PyTorch. ``view(dtype)``: its bytes as elements of a dtype,
    of which the last axis has more or fewer where they are of another width."""
    given = as_list(shape)
    if len(given) == 1 and isinstance(given[0], (str, type, np.dtype)):
        return _as_dtype(x, given[0])
    if _is_row_major(x):
        return functions.reshape(x, *shape)
    try:
        result = _ops.view_shape(x, given)
    except ValueError as error:
        raise ValueError(_of_view(error)) from None
    if _core.is_never_a_view(result, x):
        raise ValueError(f"view: x must be of strides that allow a view of shape "
                         f"{list(result.shape)}, got {list(x.shape)} with gaps or "
                         "in another order: use reshape()")
    return result


def _as_dtype(x, dtype):
    try:
        return _ops.view_dtype(x, dtype)
    except (TypeError, ValueError) as error:
        message = str(error).replace("view_dtype:", "view:", 1)
        raise type(error)(message) from None


def _is_row_major(x):
    """Whether the elements are known to be in row-major order without gaps, or
    of a kind that has no strides."""
    if isinstance(x, _core.Value):
        return x.kind != "dense" or _core.is_row_major(x)
    return type(x) is not _core.Tensor or x.kind != "dense" or (
        _core.memory_of(x)[3])


def _of_view(error):
    """The message of an error of the operator, for the method."""
    text = str(error).replace("view_shape:", "view:", 1)
    return f"{text}: use reshape()" if "of strides" in text else text
