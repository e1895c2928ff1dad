# SPDX-License-Identifier: Apache-2.0
"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import listed, refuse, whole
from switchyard.functions.arguments import axis_in, tensor_of, to_shape
from switchyard.functions.precision import in_float32

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["cross", "einsum", "outer", "tensordot", "vecdot"]


def einsum(equation: str, *operands) -> _core.Tensor:
    """The sum of products that ``equation`` says: einsum("ij,jk->ik", x, y)."""
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        (operands,) = operands
    return _ops.einsum(list(operands), equation)


def outer(x: T, y) -> T:
    """The products of each element of the list x with each of the list y."""
    x, y = tensor_of(x), tensor_of(y)
    if len(x.shape) != 1 or len(y.shape) != 1:
        raise ValueError("outer: x and y must have one axis each, got "
                         f"{len(x.shape)} and {len(y.shape)}")
    return _ops.multiply(_ops.unsqueeze(x, [1]), _ops.unsqueeze(y, [0]))


@in_float32
def cross(x: T, y, *, axis: int = -1) -> T:
    """The vector products along ``axis``, of extent 3, with broadcasting."""
    x, y = tensor_of(x), tensor_of(y)
    for each in (x, y):
        at = axis_in("cross", axis, len(each.shape))
        if each.shape[at] != 3:
            raise ValueError("cross: axis must have extent 3, got "
                             f"{each.shape[at]}")
    if tuple(x.shape) != tuple(y.shape):
        zeros = _ops.add(_ops.zeros_like(x), _ops.zeros_like(y))
        x, y = _ops.add(x, zeros), _ops.add(y, zeros)
    return _ops.cross(x, y, axis_in("cross", axis, len(x.shape)))


@in_float32
def vecdot(x: T, y, *, axis: int = -1) -> T:
    """The sums of products along ``axis``, of complex x conjugated."""
    x, y = tensor_of(x), tensor_of(y)
    axis = whole("vecdot", "axis", axis)
    if axis >= 0:
        raise ValueError(f"vecdot: axis must be negative, got {axis}")
    for each in (x, y):
        axis_in("vecdot", axis, len(each.shape))
    if x.shape[axis] != y.shape[axis]:
        raise ValueError("vecdot: x and y must have the same extent along "
                         f"axis, got {x.shape[axis]} and {y.shape[axis]}")
    if x.dtype.startswith("complex"):
        x = _ops.conj(x)
    product = _ops.multiply(x, y)
    return _ops.sum(product, [axis], product.dtype)


def tensordot(x: T, y, *, axes=2) -> T:
    """The products of x and y summed over axes of both.

    ``axes``: how many, the last of x and the first of y; or two lists of them.
    """
    x, y = tensor_of(x), tensor_of(y)
    if isinstance(axes, int):
        if not 0 <= axes <= min(len(x.shape), len(y.shape)):
            raise ValueError("tensordot: axes must be from 0 to the ranks of x "
                             f"and y, got {axes}")
        of_x = list(range(len(x.shape) - axes, len(x.shape)))
        of_y = list(range(axes))
    else:
        both = listed("tensordot", "axes", axes, 2)
        if len(both) != 2:
            refuse("tensordot", "axes", "a number or two lists", axes, ValueError)
        of_x, of_y = ([axis_in("tensordot", a, len(each.shape)) for a in (
            [named] if isinstance(named, int) else listed(
                "tensordot", "axes", named))] for each, named in zip((x, y), both))
        if len(of_x) != len(of_y):
            raise ValueError("tensordot: axes must be as many of x as of y, got "
                             f"{len(of_x)} and {len(of_y)}")
    for a, b in zip(of_x, of_y):
        if x.shape[a] != y.shape[b]:
            raise ValueError("tensordot: axes must have equal extents, got "
                             f"{x.shape[a]} and {y.shape[b]}")
    rest_x = [i for i in range(len(x.shape)) if i not in of_x]
    rest_y = [i for i in range(len(y.shape)) if i not in of_y]
    extents = [x.shape[i] for i in rest_x] + [y.shape[i] for i in rest_y]
    inner = math.prod(x.shape[i] for i in of_x)
    rows = math.prod(x.shape[i] for i in rest_x)
    columns = math.prod(y.shape[i] for i in rest_y)
    left = to_shape(_ordered(x, rest_x + of_x), [rows, inner])
    right = to_shape(_ordered(y, of_y + rest_y), [inner, columns])
    return to_shape(_ops.matmul(left, right), extents)


def _ordered(x, order):
    return x if order == sorted(order) else _ops.transpose(x, order)
