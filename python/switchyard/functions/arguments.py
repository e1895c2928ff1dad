# SPDX-License-Identifier: Apache-2.0
"""Arguments of functions: tensors made of arrays, axes, numbers of elements."""

import math

import numpy as np

from switchyard import _core, indexing
from switchyard.checks import listed, public_call, refuse, shown, whole

_ops = _core.ops
_KINDS = (_core.Tensor, _core.Value)

# More than a tensor has axes; what is longer is not worth reading.
_MOST_EXTENTS = 64

HALVES = frozenset(("float16", "bfloat16"))
NARROW = frozenset(("int8", "int16", "uint8"))
UNSIGNED = frozenset(("uint8", "uint16", "uint32", "uint64"))
WIDE_UNSIGNED = UNSIGNED - {"uint8"}
WHOLE = UNSIGNED | {"bool", "int8", "int16", "int32", "int64"}
STORED = frozenset((
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "float8_e8m0fnu", "float4_e2m1fn", "int4", "uint4", "int2", "uint2"))

_LIMITS = {
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (2, 4, 8, 16, 32, 64)},
    **{f"int{bits}": (-2**(bits - 1), 2**(bits - 1) - 1) for bits in (2, 4, 8, 16, 32, 64)}}


def name_of(dtype) -> str:
    """The name of a dtype that is a name, a NumPy dtype or a Python type."""
    if isinstance(dtype, str):
        return dtype
    if dtype is float:
        return "float32"
    try:
        return np.dtype(dtype).name
    except TypeError:
        name, argument = public_call(dtype)
        refuse(name, argument, "a dtype: a name, NumPy's or a type", dtype)


def fitting(name, argument, value, dtype):
    """A number that becomes elements of ``dtype``; ValueError where that is an
    integer's and does not hold it. What is after a point is cut off."""
    limits = _LIMITS.get(dtype if isinstance(dtype, str) else name_of(dtype))
    if limits is not None and isinstance(value, (int, float, np.generic)) and not (
            limits[0] - 1 < value < limits[1] + 1):
        raise ValueError(f"{name}: {argument} must be a number that {dtype} holds, "
                         f"got {shown(value)}")
    return value


def tensor_of(x):
    """x itself if it is a tensor or a graph's value, else a tensor of it."""
    return x if type(x) in _KINDS else _made(x)


def _made(x):
    try:
        return _core.tensor(x)
    except (TypeError, ValueError) as error:
        name, argument = public_call(x)
        text = str(error).replace("tensor: data", f"{name}: {argument}", 1)
        raise type(error)(text) from None


def place_of(device):
    """The place that ``device`` names, or None."""
    try:
        return None if device is None else _core.place(device)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("place", "device", 1)) from None


_FORMATS = ("contiguous_format", "preserve_format", "channels_last",
            "channels_last_3d")


def check_format(name, memory_format):
    """ValueError for what names no format of memory; elements lie in one order
    here, whichever it is."""
    if memory_format is not None and memory_format not in _FORMATS:
        raise ValueError(f"{name}: memory_format must be None or one of {_FORMATS}, "
                         f"got {shown(memory_format)}")


def floating(x):
    """x, as float32 if it is of integers or bool."""
    x = tensor_of(x)
    return _ops.cast(x, "float32") if x.dtype in WHOLE else x


def comparable(name, x, argument="x"):
    """x as a tensor; TypeError for complex numbers, which have no order."""
    x = tensor_of(x)
    if x.dtype.startswith("complex"):
        raise TypeError(f"{name}: {argument} must be real, got {x.dtype}")
    return x


def widened(x):
    """x, as float32 if it is of a 16-bit dtype: for what squares or sums."""
    return _ops.cast(x, "float32") if x.dtype in HALVES else x


def narrowed(result, dtype):
    """A result of ``widened`` numbers in the dtype that they had; as it is in an
    ``autocast``, where such functions give float32."""
    if result.dtype == dtype or dtype not in HALVES or (
            _core.autocast_dtype() is not None):
        return result
    return _ops.cast(result, dtype)


def as_list(numbers):
    """(2, 3), ([2, 3],) and (array([2, 3]),) alike as [2, 3].

    An array that no list of extents can be stays as it is: an expanded one may
    have more elements than fit into memory. The operator refuses it unread.
    """
    if len(numbers) != 1:
        return list(numbers)
    (given,) = numbers
    if isinstance(given, (list, tuple)):
        return list(given)
    if isinstance(given, (int, _core.Symbol)):
        return [given]
    if isinstance(given, _core.Value):
        return given
    if isinstance(given, range):
        return list(given) if len(given) <= _MOST_EXTENTS else given
    array = np.atleast_1d(given)
    short = array.ndim == 1 and len(array) <= _MOST_EXTENTS
    return array.tolist() if short else given


def numbers_in(name, argument, given):
    """A number or a list of at most 64 as a list of integers."""
    if isinstance(given, int):
        return [given]
    return [whole(name, argument, each)
            for each in listed(name, argument, given, _MOST_EXTENTS)]


def read(axis):
    """``axis``, or each axis of a list; those in tensors as numbers."""
    if isinstance(axis, (list, tuple)):
        return [read(each) for each in axis]
    return axis.tolist() if isinstance(axis, _core.Tensor) else axis


def is_supplied(axis):
    """Whether values of a graph supply an axis, or several in a list."""
    several = axis if isinstance(axis, list) else [axis]
    return any(isinstance(each, (_core.Value, _core.Symbol))
               for each in several)


def axis_in(name, axis, rank):
    """``axis`` counted from the front; IndexError if there is none such."""
    if type(axis) is not int:
        axis = whole(name, "axis", axis)
    if not -rank <= axis < rank:
        raise IndexError(f"{name}: axis must be in [{-rank}, {rank}), "
                         f"got {axis}")
    return axis + rank if axis < 0 else axis


def axes_in(name, axis, rank):
    """The axes that ``axis`` (None, a number, several) names, from the front."""
    if axis is None:
        return list(range(rank))
    several = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = [axis_in(name, each, rank) for each in several]
    if len(set(axes)) != len(axes):
        raise ValueError(f"{name}: axis must name an axis once, got {axis}")
    return axes


def no_axis(name, axis):
    """None for the axes 0 and -1, which a tensor without axes is given in PyTorch;
    IndexError for others."""
    for each in axis if isinstance(axis, (tuple, list)) else (axis,):
        axis_in(name, each, 1)
    return None


def reduced(x, axis, keepdims, dim, keepdim):
    """x as a tensor, its axes and whether they stay, of either pair of names."""
    x = tensor_of(x)
    if dim is not None:
        axis = dim
    if keepdim is not None:
        keepdims = keepdim
    if axis is not None and not x.shape:
        axis = no_axis("axis", axis)
    # Over no axes: over one of extent 1 that is put in.
    if isinstance(axis, tuple) and not axis:
        return _ops.unsqueeze(x, [0]), 0, False
    return x, axis, keepdims


def joined(name, x, axis):
    """x with the axes ``axis`` as one, the last; the axes that it is made of."""
    rank = len(x.shape)
    axes = axes_in(name, axis, rank)
    rest = [i for i in range(rank) if i not in axes]
    if len(axes) == 1 and not rest:
        return x, axes
    if rest + axes != list(range(rank)):
        x = _ops.transpose(x, rest + axes)
    if len(axes) != 1:
        x = to_shape(x, list(x.shape[:len(rest)]) + [
            math.prod(x.shape[len(rest):])])
    return x, axes


def weighed_part(x, weight):
    """x with 0 where ``weight``, which broadcasts, is 0: what has no share is not
    read, and 0 times NaN would be NaN."""
    return _ops.where(_ops.not_equal(weight, 0.0), x, _ops.zeros_like(x))


def check_list(argument, given, count):
    """ValueError, by the public function's name, unless ``given`` has one axis, of
    ``count`` elements where both are known."""
    shape = given.shape
    if len(shape) != 1 or isinstance(shape[0], int) and isinstance(count, int) and (
            shape[0] != count):
        raise ValueError(f"{public_call(given)[0]}: {argument} must have shape "
                         f"({count},), got {tuple(shape)}")


def common_shape(name, argument, *shapes):
    """The extents that all of the shapes broadcast to; ValueError where there are none.

    Of open extents that may differ it is the one that is not 1 when the program runs."""
    try:
        if all(isinstance(extent, int) for shape in shapes for extent in shape):
            return list(np.broadcast_shapes(*map(tuple, shapes)))
        padded = [(1,) * (max(map(len, shapes)) - len(shape)) + tuple(shape)
                  for shape in shapes]
        return [_common_extent(extents) for extents in zip(*padded)]
    except ValueError:
        shown_shapes = " and ".join(str(tuple(shape)) for shape in shapes)
        raise ValueError(f"{name}: {argument} must be of shapes that broadcast, got "
                         f"{shown_shapes}") from None


def _common_extent(extents):
    known = np.broadcast_shapes(*[(e,) for e in extents if isinstance(e, int)])
    if known not in ((), (1,)):
        return known[0]
    first, *more = [e for e in extents if not isinstance(e, int)] or (1,)
    for other in more:
        if str(other) != str(first) or str(other) == "?":  # The name says which it is.
            first = _ops.where(_ops.equal(first + 0, 1), other + 0, first + 0)
    return first


def is_empty(x):
    """Whether x is known to have no elements."""
    return any(isinstance(extent, int) and extent == 0 for extent in x.shape)


def with_extent(x, axis, extent):
    """x, whose extent along an axis is ``extent``: of open ones the run compares them."""
    extents = list(x.shape)
    extents[axis] = extent
    return _ops.reshape(x, extents)


def may_be(extent, other):
    """Whether two extents can be one, as far as it is known before the run."""
    return not (isinstance(extent, int) and isinstance(other, int)) or extent == other


def to_shape(x, extents):
    """x with the extents, of which a 0 is an extent of 0."""
    if any(isinstance(extent, int) and extent == 0 for extent in extents):
        return indexing.empty(x, extents)
    return _ops.reshape(x, extents)


def kept(reduced, x, axes, keepdims):
    """A result of ``joined`` with its axes at extent 1 where ``keepdims``."""
    if not keepdims:
        return reduced
    return _ops.unsqueeze(reduced, sorted(axes)) if axes else reduced
