# SPDX-License-Identifier: Apache-2.0
"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import FROM_0, NUMBER, POSITIVE, listed, real, refuse, whole
from switchyard.functions.arguments import (NARROW, WIDE_UNSIGNED, axis_in, floating, is_empty,
                                             may_be, tensor_of, to_shape, with_extent)
from switchyard.functions.lengths import in_range
from switchyard.functions.precision import in_float32
from switchyard.functions.promotion import beside, cast
from switchyard.functions.repeats import reads_views

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["addbmm", "addmv", "addr", "baddbmm", "cdist", "cross", "dist",
           "einsum", "inner", "outer", "renorm", "tensordot", "vdot", "vecdot"]


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
def cross(x: T, y, *, axis: int = -1, dim: int | None = None) -> T:
    """The vector products along ``axis``, of extent 3, with broadcasting."""
    x, y = tensor_of(x), tensor_of(y)
    axis = axis if dim is None else dim
    for each in (x, y):
        at = axis_in("cross", axis, len(each.shape))
        if each.shape[at] != 3:
            raise ValueError("cross: axis must have extent 3, got "
                             f"{each.shape[at]}")
    known = all(isinstance(extent, int) for extent in (*x.shape, *y.shape))
    if not known or tuple(x.shape) != tuple(y.shape):
        zeros = _ops.add(_ops.zeros_like(x), _ops.zeros_like(y))
        x, y = (_ops.expand_as(cast(each, zeros.dtype), zeros) for each in (x, y))
    return _ops.cross(x, y, axis_in("cross", axis, len(x.shape)))


@reads_views
@in_float32
def vecdot(x: T, y, *, axis: int = -1, dim: int | None = None) -> T:
    """The sums of products along ``axis``, of complex x conjugated. ``dim``, in
    its place, may count from the front: of the shape that both broadcast to."""
    x, y = tensor_of(x), tensor_of(y)
    axis = whole("vecdot", "axis", axis if dim is None else dim)
    if dim is not None and axis >= 0:
        axis -= max(len(x.shape), len(y.shape))
    if axis >= 0:
        raise ValueError(f"vecdot: axis must be negative, got {axis}")
    for each in (x, y):
        axis_in("vecdot", axis, len(each.shape))
    if not may_be(x.shape[axis], y.shape[axis]):
        raise ValueError("vecdot: x and y must have the same extent along "
                         f"axis, got {x.shape[axis]} and {y.shape[axis]}")
    if not (isinstance(x.shape[axis], int) and isinstance(y.shape[axis], int)):
        y = with_extent(y, axis, x.shape[axis])
    if x.dtype.startswith("complex"):
        x = _ops.conj(x)
    product = _ops.multiply(x, y)
    if product.dtype in NARROW | WIDE_UNSIGNED:  # int64 wraps around to the same bits.
        sums = _ops.sum(_ops.cast(product, "int64"), [axis], "int64")
        return _ops.cast(sums, product.dtype)
    return _ops.sum(product, [axis], product.dtype)


def tensordot(x: T, y, axes=2, *, dims=None) -> T:
    """The products of x and y summed over axes of both.

    ``axes`` (or ``dims``): how many, the last of x and the first of y; or two lists of them.
    """
    x, y = tensor_of(x), tensor_of(y)
    axes = axes if dims is None else dims
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
        if not may_be(x.shape[a], y.shape[b]):
            raise ValueError("tensordot: axes must have equal extents, got "
                             f"{x.shape[a]} and {y.shape[b]}")
        if not (isinstance(x.shape[a], int) and isinstance(y.shape[b], int)):
            y = with_extent(y, b, x.shape[a])
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


def _factor(name, argument, value, dtype):
    """A number that x's dtype has; TypeError or ValueError for others."""
    plain = isinstance(value, complex) and dtype.startswith("complex")
    if not plain:
        real(name, argument, value, NUMBER)
    return value


def weighted(name, x, product, beta, alpha):
    """beta * x + alpha * product, to whose shape x broadcasts; of beta 0 x is not
    read."""
    x = _broadcast(name, tensor_of(x), product)
    beta = _factor(name, "beta", beta, x.dtype)
    alpha = _factor(name, "alpha", alpha, product.dtype)
    product = product if alpha == 1 else _ops.multiply(
        product, cast(alpha, product.dtype))
    if beta == 0:
        return product
    return _ops.add(x if beta == 1 else _ops.multiply(x, cast(beta, x.dtype)),
                    product)


def _broadcast(name, x, product):
    """x, which broadcasts to what it is added to, or ValueError. An extent that is not
    known yet is compared when the program runs."""
    rank = len(product.shape) - len(x.shape)
    if rank < 0 or any(
            isinstance(n, int) and isinstance(m, int) and n not in (1, m)
            for n, m in zip(x.shape, product.shape[rank:])):
        raise ValueError(f"{name}: x must broadcast to the shape of the product, "
                         f"{tuple(product.shape)}, got {tuple(x.shape)}")
    known = all(isinstance(n, int) for n in (*x.shape, *product.shape))
    return x if known else _ops.expand(x, list(product.shape))


def _product(name, sides, axes):
    """The product of two operands, {argument: tensor}, that have as many axes."""
    for (argument, x), wanted in zip(sides.items(), axes):
        if len(x.shape) != wanted:
            raise ValueError(f"{name}: {argument} must have {wanted} axes, got "
                             f"{len(x.shape)}")
    (first, x), (second, y) = sides.items()
    for axis, other in [(-1, -min(axes[1], 2))] + [(0, 0)] * (axes[0] == 3):
        n, m = x.shape[axis], y.shape[other]
        if isinstance(n, int) and isinstance(m, int) and n != m:
            raise ValueError(f"{name}: {second} must have {n} "
                             f"{'matrices' if axis == 0 else 'rows'} as {first} has "
                             f"{'matrices' if axis == 0 else 'columns'}, got {m}")
    if axes[0] == 3 and not (isinstance(x.shape[0], int) and isinstance(y.shape[0], int)):
        y = with_extent(y, 0, x.shape[0])
    return _ops.matmul(x, y)


@in_float32
def addmv(x: T, mat, vec, *, beta=1, alpha=1) -> T:
    """beta * x + alpha * (mat @ vec)."""
    product = _product("addmv", {"mat": tensor_of(mat), "vec": tensor_of(vec)}, (2, 1))
    return weighted("addmv", x, product, beta, alpha)


@in_float32
def addr(x: T, vec1, vec2, *, beta=1, alpha=1) -> T:
    """beta * x + alpha * outer(vec1, vec2)."""
    return weighted("addr", x, outer(vec1, vec2), beta, alpha)


@in_float32
def baddbmm(x: T, batch1, batch2, *, beta=1, alpha=1) -> T:
    """beta * x + alpha * (batch1 @ batch2), of batches of matrices."""
    products = _product("baddbmm", {"batch1": tensor_of(batch1),
                                    "batch2": tensor_of(batch2)}, (3, 3))
    return weighted("baddbmm", x, products, beta, alpha)


@in_float32
def addbmm(x: T, batch1, batch2, *, beta=1, alpha=1) -> T:
    """beta * x + alpha * the sum of the products of a batch of matrices."""
    products = _product("addbmm", {"batch1": tensor_of(batch1),
                                   "batch2": tensor_of(batch2)}, (3, 3))
    return weighted("addbmm", x, _ops.sum(products, [0], products.dtype), beta, alpha)


def inner(x: T, y) -> T:
    """The sums of products along the last axes of both; of scalars the product."""
    x, y = beside(x, y)
    if not x.shape or not y.shape:
        return _ops.multiply(x, y)
    return tensordot(x, y, ([-1], [-1]))


def vdot(x: T, y) -> T:
    """The sum of products of two lists, of complex x conjugated."""
    x, y = tensor_of(x), tensor_of(y)
    if len(x.shape) != 1 or len(y.shape) != 1:
        raise ValueError("vdot: x and y must have one axis each, got "
                         f"{len(x.shape)} and {len(y.shape)}")
    return vecdot(x, y)


def renorm(x: T, p: float, dim: int, maxnorm: float) -> T:
    """x with each slice along ``dim`` scaled down to the norm of order p
    ``maxnorm``, where its own is larger."""
    x = tensor_of(x)
    axis = axis_in("renorm", dim, len(x.shape))
    p, most = real("renorm", "p", p, POSITIVE), real("renorm", "maxnorm", maxnorm,
                                                      FROM_0)
    from switchyard.functions.reductions import norm
    axes = tuple(i for i in range(len(x.shape)) if i != axis)
    size = norm(x, p, axes, True) if axes else _ops.abs(x)
    far = _ops.greater_than(size, most)
    scale = _ops.divide(_ops.full_like(size, most), _ops.add(size, 1e-7))
    return _ops.multiply(x, _ops.where(far, scale, _ops.ones_like(scale)))


@reads_views
@in_float32
def dist(x: T, y, p: float = 2.0) -> T:
    """The norm of order p of all elements of x - y, which broadcast: the number of
    those that are not 0 for 0, the largest or least magnitude for inf and -inf."""
    p = real("dist", "p", p, NUMBER)
    off = _ops.subtract(*map(floating, beside(x, y)))
    off = _ops.abs(off) if off.dtype.startswith("complex") else off

    def root(v):
        return _ops.p_norm(v, p, 0, epsilon=0.0, keepdim=True)
    off = _ops.reshape(off, [-1])
    summed = 0 < p < math.inf and p != 1  # Not so far that a sum is out of the range.
    return _ops.reshape(in_range(root, off, [0], p) if summed else root(off), [])


def cdist(x: T, y, p: float = 2.0, compute_mode: str | None = None) -> T:
    """The distances, norms of order p, of each row of x to each row of y."""
    from switchyard.functions.reductions import norm
    del compute_mode
    p = real("cdist", "p", p, FROM_0)
    x, y = tensor_of(x), tensor_of(y)
    if len(x.shape) < 2 or len(y.shape) < 2 or not may_be(
            x.shape[-1], y.shape[-1]):
        raise ValueError("cdist: x and y must be matrices of one number of columns, "
                         f"got shapes {tuple(x.shape)} and {tuple(y.shape)}")
    if not (isinstance(x.shape[-1], int) and isinstance(y.shape[-1], int)):
        y = with_extent(y, -1, x.shape[-1])
    gaps = _ops.subtract(_ops.unsqueeze(x, [-2]), _ops.unsqueeze(y, [-3]))
    if is_empty(gaps):
        return _ops.sum(gaps, [-1])
    return norm(gaps, p, -1)
