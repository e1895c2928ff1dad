# SPDX-License-Identifier: Apache-2.0
"""Functions that make one number of many: sums, means, extremes, norms."""

from __future__ import annotations

import collections
import functools
import math

from switchyard import _core
from switchyard.checks import NUMBER, flag, real
from switchyard.functions.arguments import (
    NARROW, WHOLE, WIDE_UNSIGNED, axes_in, axis_in, comparable, floating, is_empty,
    joined, kept, narrowed, reduced, tensor_of, widened)
from switchyard.functions.lengths import in_range, length
from switchyard.functions.repeats import reads_views
from switchyard.functions.scans import by_parts, complex_prod

_ops = _core.ops
_KINDS = (_core.Tensor, _core.Value)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["all", "amax", "amin", "any", "argmax", "argmin", "count_nonzero",
           "logsumexp", "max", "mean", "min", "norm", "prod", "std", "sum", "var"]


@reads_views
def _of_cast(operator, x, dtype, axis, keepdims):
    return operator(_ops.cast(x, dtype), axis, keepdim=keepdims)


def sum(x: T, axis=None, keepdims: bool = False, *, dtype=None, dim=None,
        keepdim=None) -> T:
    """The sum over ``axis``, by default over all elements.

    Of ``dtype``, to which the elements are cast first; by default that of x,
    or int64 for integers and bool; uint64 for uint16, uint32 and uint64.
    """
    x, axis, keepdims = reduced(x, axis, keepdims, dim, keepdim)
    if x.dtype in WIDE_UNSIGNED:  # int64 wraps around to the same bits.
        total = _ops.cast(_of_cast(_ops.sum, x, "int64", axis, keepdims), "uint64")
        return total if dtype is None else _ops.cast(total, dtype)
    if dtype is None and x.dtype in NARROW:
        dtype = "int64"
    return _ops.sum(x, axis, dtype, keepdims)


def prod(x: T, axis=None, keepdims: bool = False, *, dtype=None, dim=None,
         keepdim=None) -> T:
    """The product over ``axis``; dtypes as those of ``sum``."""
    x, axis, keepdims = reduced(x, axis, keepdims, dim, keepdim)
    if dtype is None and x.dtype in WHOLE:
        dtype = "uint64" if x.dtype in WIDE_UNSIGNED else "int64"
    if dtype is not None:
        return _of_cast(_prod, x, dtype, axis, keepdims)
    return _prod(x, axis, keepdims)


def _prod(x, axis, keepdim):
    if x.dtype.startswith("complex"):
        return complex_prod(x, axis, keepdim)
    return _ops.prod(x, axis, keepdim)


def mean(x: T, axis=None, keepdims: bool = False, *, dtype=None, dim=None,
         keepdim=None) -> T:
    """The mean over ``axis``; NaN of no elements.

    Of ``dtype``, by default that of x, or float32 for integers and bool.
    """
    x, axis, keepdims = reduced(x, axis, keepdims, dim, keepdim)
    if x.dtype in WHOLE:
        exact = _of_cast(_ops.mean, x, "float64", axis, keepdims)
        return _ops.cast(exact, dtype or "float32")
    if dtype is not None:
        return _of_cast(_ops.mean, x, dtype, axis, keepdims)
    return _ops.mean(x, axis, keepdims)


def _or_of_two(operator):
    """Makes a function that folds one tensor that of two, ``operator``, where the
    second positional argument is a tensor, as PyTorch's is."""
    def made(fold):
        @functools.wraps(fold)
        def call(*args, **kwargs):
            if len(args) == 2 and type(args[1]) in _KINDS:
                return operator(*args, **kwargs)
            return fold(*args, **kwargs)
        return call
    return made


@_or_of_two(_ops.maximum)
def max(x: T, axis=None, keepdims: bool = False, *, dim=None, keepdim=None,
        other=None):
    """The largest element over ``axis``; NaN if there is one. With ``dim`` in its
    place the named tuple (values, indices), as in PyTorch. max(x, y), or
    ``other=y``, is ``maximum`` of two tensors; one that has axes is ``axis=``."""
    if dim is not None:
        return _pair(_Max, _ops.argmax, x, dim, keepdims, keepdim)
    if other is not None:
        return _ops.maximum(x, other)
    return _ops.max(*reduced(x, axis, keepdims, dim, keepdim))


@_or_of_two(_ops.minimum)
def min(x: T, axis=None, keepdims: bool = False, *, dim=None, keepdim=None,
        other=None):
    """The smallest element over ``axis``; NaN if there is one. With ``dim`` in its
    place the named tuple (values, indices), as in PyTorch. min(x, y), or
    ``other=y``, is ``minimum`` of two tensors; one that has axes is ``axis=``."""
    if dim is not None:
        return _pair(_Min, _ops.argmin, x, dim, keepdims, keepdim)
    if other is not None:
        return _ops.minimum(x, other)
    return _ops.min(*reduced(x, axis, keepdims, dim, keepdim))


_Max = collections.namedtuple("max", "values indices")
_Min = collections.namedtuple("min", "values indices")


def _pair(kind, operator, x, dim, keepdims, keepdim):
    """(values, indices) of what ``operator`` finds along one axis; the gradient
    goes to the element at the index."""
    x = comparable(kind.__name__, x)
    keepdims = keepdims if keepdim is None else keepdim
    if not x.shape:
        axis_in(kind.__name__, dim, 1)
        return kind(_ops.assign(x), _ops.full([], 0, "int64"))
    axis = axis_in(kind.__name__, dim, len(x.shape))
    index = operator(x, axis, True)
    values = _ops.take_along_axis(x, index, axis)
    if keepdims:
        return kind(values, index)
    return kind(_ops.squeeze(values, [axis]), _ops.squeeze(index, [axis]))


def amax(x: T, axis=None, keepdims: bool = False, *, dim=None,
         keepdim=None) -> T:
    """The largest element over ``axis``; several share the gradient evenly."""
    return _ops.amax(*reduced(x, axis, keepdims, dim, keepdim))


def amin(x: T, axis=None, keepdims: bool = False, *, dim=None,
         keepdim=None) -> T:
    """The smallest element over ``axis``; several share the gradient evenly."""
    return _ops.amin(*reduced(x, axis, keepdims, dim, keepdim))


def all(x: T, axis=None, keepdims: bool = False, *, dim=None,
        keepdim=None) -> T:
    """Whether every element over ``axis`` is true, that is not 0."""
    return _ops.all(*reduced(x, axis, keepdims, dim, keepdim))


def any(x: T, axis=None, keepdims: bool = False, *, dim=None,
        keepdim=None) -> T:
    """Whether an element over ``axis`` is true, that is not 0."""
    return _ops.any(*reduced(x, axis, keepdims, dim, keepdim))


@reads_views
def count_nonzero(x: T, axis=None, keepdims: bool = False, *, dim=None,
                  keepdim=None) -> T:
    """The number of elements over ``axis`` that are not 0, int64."""
    x, axis, keepdims = reduced(x, axis, keepdims, dim, keepdim)
    hits = x if x.dtype == "bool" else _ops.not_equal(x, 0)
    return _ops.sum(hits, axis, keepdim=keepdims)  # Of bools: int64.


def _extreme(operator, x, axis, keepdims):
    if axis is not None:
        return operator(x, axis, keepdims)
    place = operator(x, flatten=True)
    return _ops.reshape(place, [1] * len(x.shape)) if keepdims else (
        _ops.reshape(place, []))


def argmax(x: T, axis=None, keepdims: bool = False, *, dim=None,
           keepdim=None) -> T:
    """The index (int64) of the first largest element along ``axis``.

    By default of all elements in a row.
    """
    return _extreme(_ops.argmax, *reduced(x, axis, keepdims, dim, keepdim))


def argmin(x: T, axis=None, keepdims: bool = False, *, dim=None,
           keepdim=None) -> T:
    """The index (int64) of the first smallest element along ``axis``.

    By default of all elements in a row.
    """
    return _extreme(_ops.argmin, *reduced(x, axis, keepdims, dim, keepdim))


@reads_views
def logsumexp(x: T, axis=None, keepdims: bool = False, *, dim=None,
              keepdim=None) -> T:
    """log(sum(exp(x))) over ``axis``, without overflow in between."""
    x, axis, keepdims = reduced(x, axis, keepdims, dim, keepdim)
    if x.dtype.startswith("complex"):
        return _complex_logsumexp(x, axis, keepdims)
    return _ops.logsumexp(floating(x), axis, keepdims)


def _complex_logsumexp(x, axis, keepdims):
    """That of complex numbers: without the largest real part, if it is finite."""
    size = _ops.real(x.detach())
    if is_empty(x):
        return _ops.log(_ops.sum(_ops.exp(x), axis, None, keepdims))
    most = _ops.max(size, axis, True)
    most = _ops.where(_ops.isfinite(most), most, _ops.zeros_like(most))
    most = _ops.complex(most, _ops.zeros_like(most))
    found = _ops.add(_ops.log(_ops.sum(_ops.exp(_ops.subtract(x, most)), axis, None,
                                       True)), most)
    return _dropped(found, "logsumexp", axis, keepdims)


def _told_apart(axis, unbiased):
    """(axis, unbiased): a bool in the place of the axis is PyTorch's ``unbiased``."""
    return (None, axis) if isinstance(axis, bool) and unbiased is None else (
        axis, unbiased)


def _correction(name, correction, unbiased):
    """The number of elements that do not count: of None 1, PyTorch's default."""
    if unbiased is not None:
        flag(name, "unbiased", unbiased)
        return 1.0 if unbiased else 0.0
    return 1.0 if correction is None else real(name, "correction", correction)


@reads_views
def var(x: T, axis=None, correction: float = 0.0, keepdims: bool = False, *,
        dim=None, keepdim=None, unbiased: bool | None = None) -> T:
    """The variance over ``axis``: the mean square distance from the mean.

    ``correction``: what is taken off the number of elements that is divided by;
    0 as in NumPy (PyTorch's default is 1, which ``unbiased`` says here).
    """
    axis, unbiased = _told_apart(axis, unbiased)
    x, axis, keepdims = reduced(x, axis, keepdims, dim, keepdim)
    correction = _correction("var", correction, unbiased)
    x = floating(x)
    if x.dtype.startswith("complex"):
        return _ops.add(*[var(part, axis, correction, keepdims)
                          for part in (_ops.real(x), _ops.imag(x))])
    wide = widened(x)
    distance = _ops.square(_ops.subtract(wide, _ops.mean(wide, axis, True)))
    return narrowed(_mean_but("var", distance, wide, axis, correction, keepdims),
                    x.dtype)


def _mean_but(name, terms, x, axis, correction, keepdims):
    """The mean of terms, of x's shape, over ``axis``, as if there were
    ``correction`` less of them."""
    if correction == 0:
        return _ops.mean(terms, axis, keepdims)
    count = math.prod(x.shape[i] for i in axes_in(name, axis, len(x.shape)))
    total = _ops.sum(terms, axis, None, keepdims)
    if not isinstance(count, int):
        count = _ops.cast(count + 0, x.dtype)
        return _ops.divide(total, _ops.maximum(count - correction, 0.0))
    left = float(count) - correction
    return _ops.divide(total, left if left > 0.0 else 0.0)


@reads_views
def std(x: T, axis=None, correction: float = 0.0, keepdims: bool = False, *,
        dim=None, keepdim=None, unbiased: bool | None = None) -> T:
    """The standard deviation over ``axis``: the square root of ``var``.

    Where it is 0, so is its gradient.
    """
    axis, unbiased = _told_apart(axis, unbiased)
    x, axis, keepdims = reduced(x, axis, keepdims, dim, keepdim)
    correction = _correction("std", correction, unbiased)
    x = floating(x)
    if x.dtype.startswith("complex"):
        return _ops.sqrt(var(x, axis, correction, keepdims))
    wide = widened(x)
    distance = _ops.subtract(wide, _ops.mean(wide, axis, True))

    def root(v):
        variance = _mean_but("std", _ops.square(v), v, axis, correction, True)
        flat = _ops.equal(variance, 0)
        some = _ops.where(flat, _ops.ones_like(variance), variance)
        return _ops.where(flat, _ops.zeros_like(variance), _ops.sqrt(some))
    return narrowed(_dropped(in_range(root, distance, axis), "std", axis,
                             keepdims), x.dtype)


def _dropped(kept, name, axis, keepdims):
    """A result without the axes ``axis``, which it has with extents of 1, unless
    they stay."""
    axes = axes_in(name, axis, len(kept.shape))
    return kept if keepdims or not axes else _ops.squeeze(kept, axes)


@reads_views
def norm(x: T, ord=None, axis=None, keepdims: bool = False, *, p=None,
         dim=None, keepdim=None) -> T:
    """The norm of the elements over ``axis``, as of one vector.

    ``ord`` (``p`` as PyTorch calls it): the power that is summed, 2 by default
    and for "fro"; inf is the largest, -inf the smallest absolute value, 0 the
    number of elements that are not 0. Norms of matrices: ``sy.linalg``.
    """
    x, axis, keepdims = reduced(x, axis, keepdims, dim, keepdim)
    order = ord if p is None else p
    if order == "nuc":
        from switchyard import linalg
        rank = len(x.shape)
        return linalg.matrix_norm(x, "nuc", list(range(rank)) if axis is None else axis,
                                  keepdims)
    if order is not None and order != "fro":
        order = real("norm", "ord" if p is None else "p", order, NUMBER)
    return _vector_norm(x, axis, keepdims,
                        2 if order is None or order == "fro" else order)


def _with_no_gradient(found, x):
    """``found``, whose gradient with respect to x is 0 where x has one."""
    if not getattr(x, "requires_grad", False):
        return found
    zeros = _ops.sum(_ops.where(_ops.full_like(x, False, "bool"), x,
                                _ops.zeros_like(x)))
    return _ops.add(found, zeros)


def _vector_norm(x, axis, keepdims, order):
    """The norm of order ``order`` over ``axis``."""
    x = floating(x)
    if x.dtype.startswith("complex"):
        x = _ops.abs(x)
    if order == math.inf:
        return _ops.max(_ops.abs(x), axis, keepdims)
    if order == -math.inf:
        return _ops.min(_ops.abs(x), axis, keepdims)
    if order == 0:
        count = _ops.sum(_ops.not_equal(x, 0), axis, None, keepdims)
        return _with_no_gradient(_ops.cast(count, x.dtype), x)
    if order == 1:
        return _ops.sum(_ops.abs(x), axis, None, keepdims)
    if order == 2:
        axes = axes_in("norm", axis, len(x.shape))
        return narrowed(_dropped(length(widened(x), axes), "norm", axis, keepdims),
                        x.dtype)
    x, axes = joined("norm", x, axis)
    if not x.shape:
        return _ops.abs(x)
    if is_empty(x):
        return kept(_ops.sum(x, [-1]), x, axes, keepdims)
    lengths = _ops.squeeze(length(widened(x), [-1], order), [-1])
    return kept(narrowed(lengths, x.dtype), x, axes, keepdims)
