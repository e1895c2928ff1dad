# SPDX-License-Identifier: Apache-2.0
"""Methods of Tensor and Value that are more than an operator under its name.

Every operator whose first argument is a tensor is a method already (the
extension puts it there): ``x.sum(0)``, ``x.softmax(axis=1)``. Here are those
that people write as NumPy has them (``x.reshape(2, 3)``, ``x.T``), and what
Python itself asks of a number or a sequence.
"""

import math

import numpy as np

from switchyard import _core, dlpack, indexing

_ops = _core.ops

# More than a tensor has axes; what is longer is not worth reading.
_MOST_EXTENTS = 64


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
    array = np.atleast_1d(given)
    short = array.ndim == 1 and len(array) <= _MOST_EXTENTS
    return array.tolist() if short else given


# The extension's method, for SelectedRows and dense tensors.
_TO_DENSE = {kind: kind.to_dense for kind in (_core.Tensor, _core.Value)}


def to_dense(x):
    """The dense tensor that a sparse one or SelectedRows stand for; a dense one
    as it is."""
    if x.kind.startswith("sparse"):
        return _ops.sparse_to_dense(x)
    return _TO_DENSE[type(x)](x)


def reshape(x, *shape):
    """x with other extents: x.reshape(2, -1) or x.reshape([2, -1]).

    A 0 keeps the extent of that axis, unless x has no elements.
    """
    extents = as_list(shape)
    known = isinstance(extents, list) and all(
        isinstance(extent, (int, np.integer)) for extent in extents)
    if known and 0 in extents and 0 in x.shape and -1 not in extents:
        return indexing.empty(x, extents)
    return _ops.reshape(x, extents)


def transpose(x, *perm):
    """Axes in the order ``perm``; without it, reversed."""
    order = as_list(perm) if perm and perm[0] is not None else list(
        reversed(range(len(x.shape))))
    return _ops.transpose(x, order)


def flatten(x, start_axis=0, stop_axis=-1):
    """The axes from ``start_axis`` to ``stop_axis`` joined into one."""
    return _ops.flatten(x, start_axis, stop_axis)


def astype(x, dtype):
    """The elements as ``dtype``; the tensor itself if that is its own."""
    name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    return x if name == x.dtype else _ops.cast(x, name)


def expand(x, *shape):
    """x repeated along axes of extent 1, as a view."""
    return _ops.expand(x, as_list(shape))


def tile(x, *repeat_times):
    """x repeated `repeat_times` times along each axis."""
    return _ops.tile(x, as_list(repeat_times))


def clone(x):
    """A copy with memory of its own; the gradient flows through."""
    return _ops.assign(x)


def requires_grad_(x, value=True):
    """Sets whether gradients of this leaf are recorded; returns it."""
    x.requires_grad = value
    return x


def to(x, place):
    """x on ``place`` ("cpu", "gpu:0"); the tensor itself if it lies there.

    The gradient flows back to where x lies.
    """
    place = _core.place(place)
    return x if x.place == place else _ops.copy(x, place)


def _ndim(x):
    """The number of axes."""
    return len(x.shape)


def _size(x):
    """The number of elements."""
    return math.prod(x.shape)


def _nbytes(x):
    """Bytes of the elements of a dense tensor."""
    if x.kind != "dense":
        raise TypeError(f"nbytes: x must be dense, got {x.kind}")
    bytes_each = 2 if x.dtype == "bfloat16" else np.dtype(x.dtype).itemsize
    return x.size * bytes_each


def _T(x):
    """The axes reversed."""
    return transpose(x)


def tolist(x):
    """The elements as nested lists of Python numbers, or texts."""
    if x.kind != "strings":
        return x.numpy().tolist()
    texts = np.empty(len(_core.string_texts(x)), dtype=object)
    texts[:] = _core.string_texts(x)
    return texts.reshape(x.shape).tolist()


def _array(x, dtype=None):
    """For numpy.asarray(x): over the same memory where the dtype allows."""
    return np.asarray(x.numpy(), dtype)


def _bool(x):
    if x.size != 1:
        raise ValueError(f"the truth of a tensor of {x.size} elements is "
                         "ambiguous: use x.any() or x.all()")
    return bool(x.item())


def _number(kind):
    def convert(x):
        if x.size != 1:
            raise TypeError(f"only a tensor of one element is a number, "
                            f"got shape {x.shape}")
        return kind(x.item())
    return convert


def _index(x):
    if x.size != 1 or np.dtype(x.dtype).kind not in "iu":
        raise TypeError("only an integer tensor of one element is an index, "
                        f"got {x.dtype}{list(x.shape)}")
    return int(x.item())


def _iterate(x):
    if not x.shape:
        raise TypeError("a tensor without axes can't be iterated over")
    if not isinstance(x.shape[0], int):
        raise TypeError("the first axis has no known extent to iterate over")
    return (x[i] for i in range(x.shape[0]))


def _contains(x, element):
    return bool(np.any(x.numpy() == np.asarray(element)))


def _format(x, spec):
    return format(x.item(), spec) if spec else repr(x)


def _rebuild(elements, dtype, requires_grad, lod, place="cpu"):
    return _core.tensor(elements, dtype, requires_grad, lod, place)


def _reduce(x):
    """For pickle and copy.deepcopy: the elements, apart from the graph."""
    return _rebuild, (np.array(x.numpy()), x.dtype,
                      x.requires_grad and x.is_leaf, x.lod, x.place)


def _no_truth(value):
    raise TypeError("a graph's value has no truth while it is traced: "
                    "use sy.where or sy.static.cond")


def _no_array(value, dtype=None):
    raise TypeError("a graph's value has no elements while it is traced")


def _divmod(x, y):
    return x // y, x % y


def _rdivmod(x, y):
    return y // x, y % x


def _round(x, digits=None):
    return _ops.round(x, digits or 0)


_BOTH = {
    "reshape": reshape, "transpose": transpose, "flatten": flatten,
    "to_dense": to_dense, "astype": astype, "expand": expand, "tile": tile, "clone": clone,
    "ndim": property(_ndim), "T": property(_T), "__iter__": _iterate,
    "__divmod__": _divmod, "__rdivmod__": _rdivmod, "__round__": _round,
    # NumPy's arrays leave mixed operations to us.
    "__array_priority__": 1000.0,
}

_TENSOR = {
    "to": to, "requires_grad_": requires_grad_, "size": property(_size), "nbytes": property(_nbytes), "tolist": tolist,
    "__array__": _array, "__bool__": _bool, "__float__": _number(float),
    "__int__": _number(int), "__complex__": _number(complex),
    "__index__": _index, "__contains__": _contains, "__format__": _format,
    "__reduce__": _reduce,
    "__dlpack__": dlpack.dlpack, "__dlpack_device__": dlpack.dlpack_device,
}

_VALUE = {"__bool__": _no_truth, "__array__": _no_array}


def install():
    """Puts the methods on the two types; called once, by the package."""
    for name, method in _BOTH.items():
        setattr(_core.Tensor, name, method)
        setattr(_core.Value, name, method)
    for name, method in _TENSOR.items():
        setattr(_core.Tensor, name, method)
    for name, method in _VALUE.items():
        setattr(_core.Value, name, method)
