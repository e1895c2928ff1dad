# SPDX-License-Identifier: Apache-2.0
"""Methods of Tensor and Value that are more than an operator under its name.

A function of ``sy.*`` whose first argument is a tensor is a method: an operator
(``x.relu()``, and in place ``x.relu_()``), or a function of switchyard.functions
(``x.sum(0)``). Here are those that are only methods (``x.view(2, 3)``, ``x.T``),
and what Python itself asks of a number or a sequence. There are no others:
``sy.ops`` has every operator.
"""

import math

import numpy as np

from switchyard import _core, dlpack, functions, index_write, value_methods
from switchyard.functions.arguments import as_list, check_format, tensor_of
from switchyard.functions.data_types import name_of
from switchyard.functions.storage_casts import numbers
from switchyard.made_like import (expand_as, new_empty_strided, new_full,
                                  new_ones, new_zeros, reshape_as, type_as,
                                  view_as)
from switchyard.tensor_size import size_of
from switchyard.tensor_view import view

_ops = _core.ops

# The extension's method, for SelectedRows and dense tensors.
_TO_DENSE = {kind: kind.to_dense for kind in (_core.Tensor, _core.Value)}


def to_dense(x):
    """The dense tensor that a sparse one or SelectedRows stand for; a dense one
    as it is."""
    if x.kind.startswith("sparse"):
        return _ops.sparse_to_dense(x)
    return _TO_DENSE[type(x)](x)


def coalesce(x):
    """A sparse tensor in COO form with the values of each position added up."""
    return _ops.sparse_coalesce(x)


def clone(x, *, memory_format=None):
    """A copy with memory of its own; the gradient flows through."""
    check_format("clone", memory_format)
    return _ops.assign(x)


def requires_grad_(x, value=True):
    """Sets whether gradients of this leaf are recorded; returns it."""
    x.requires_grad = value
    return x


def target_of(targets):
    """(dtype, place) that the arguments of a ``to`` ask for, None where they
    ask for none: names of dtypes, NumPy's and Python's types, places, tensors
    to be like."""
    dtype = place = None
    for each in targets:
        if each is None:
            continue
        if isinstance(each, _core.Tensor):
            dtype, place = each.dtype, each.place
        elif isinstance(each, (type, np.dtype)) or (
                isinstance(each, str) and each in DTYPES):
            dtype = name_of(each)
        else:
            place = _core.place(each)
    return dtype, place


def to(x, *places, dtype=None, device=None, non_blocking=False, copy=False,
       memory_format=None):
    """x of another dtype or on another place: to("float64"), to("gpu:0").

    The tensor itself if nothing changes, unless ``copy``; the gradient flows
    back. Two bools at the end are PyTorch's ``non_blocking``, which any copy
    between devices is, and ``copy``. A ``memory_format`` changes nothing: elements
    lie in one order.
    """
    check_format("to", memory_format)
    flags = [each for each in places if isinstance(each, bool)]
    if flags:
        places = places[:len(places) - len(flags)]
        copy = flags[1] if len(flags) > 1 else copy
    dtype, place = target_of((*places, dtype, device))
    if copy and dtype in (None, x.dtype) and place in (None, x.place):
        return _ops.assign(x)
    if dtype is not None:
        x = functions.astype(x, dtype)
    return x if place is None or place == x.place else _ops.copy(x, place)


def _value_to(x, *places, dtype=None, device=None, memory_format=None):
    """x of another dtype or on another place, as ``to`` of a tensor; a program
    runs on the default place, where nothing changes."""
    check_format("to", memory_format)
    likes = [each.dtype if isinstance(each, _core.Value) else each
             for each in places]
    dtype, place = target_of((*likes, dtype, device))
    if dtype is not None:
        x = functions.astype(x, dtype)
    return x if place in (None, _core.default_place()) else _ops.copy(x, place)


def cpu(x):
    """x on the host."""
    return to(x, "cpu")


def dim(x):
    """The number of axes."""
    return len(x.shape)


def numel(x):
    """The number of elements."""
    return math.prod(x.shape)


def _cast_to(dtype):
    def cast(x, memory_format=None):
        check_format(dtype, memory_format)
        return functions.astype(x, dtype)
    cast.__doc__ = f"The elements as {dtype}."
    return cast


def is_floating_point(x):
    """Whether the dtype is floating."""
    return functions.isdtype(x.dtype, "real floating")


def contiguous(x, memory_format=None):
    """x itself if its elements have no gaps between them, else a copy."""
    check_format("contiguous", memory_format)
    if isinstance(x, _core.Value):
        return _ops.reshape(x, list(x.shape))  # A view of x where that has no gaps.
    return x if x.kind == "dense" and _core.memory_of(x)[3] else _ops.contiguous(x)


def t(x):
    """A matrix with its axes exchanged; a list or a number as it is."""
    if len(x.shape) > 2:
        raise ValueError(f"t: x must have at most two axes, got {len(x.shape)}: "
                         "swapaxes() names two of more")
    return functions.transpose(x) if len(x.shape) == 2 else x


def detach(x):
    """x, through which no gradient flows."""
    return _ops.detach(x)


def to_device(x, device, /, *, stream=None):
    """x on ``device``, as the Array API standard has it."""
    if stream is not None:
        raise ValueError("to_device: stream must be None (`with` a sy.Stream the "
                         f"copy is made by it), got {stream!r}")
    return to(x, device=device)


def _namespace(x, /, *, api_version=None):
    """The module with the functions of the Array API standard."""
    from switchyard import array_info
    return array_info.namespace(api_version)


def _data(x):
    """x's memory apart from the graph; assigning writes into it."""
    return x.detach()


def _set_data(x, value):
    x._copy_elements(value if isinstance(value, _core.Tensor)
                     else _core.tensor(value, x.dtype))


def _mT(x):
    """The last two axes exchanged."""
    return functions.matrix_transpose(x)


def _mH(x):
    """The last two axes exchanged, conjugated."""
    return functions.conj(functions.matrix_transpose(x))


def _H(x):
    """A matrix with its axes exchanged, conjugated; a number conjugated."""
    if len(x.shape) not in (0, 2):
        raise ValueError(f"H: x must be a matrix or a scalar, got {len(x.shape)} "
                         "axes: mH is of batches of matrices")
    return _mH(x) if x.shape else functions.conj(x)


def _ndim(x):
    """The number of axes."""
    return len(x.shape)


def _device(x):
    """Where the memory lies, as ``place`` says."""
    return x.place


def _nbytes(x):
    """Bytes of the elements of a dense tensor."""
    if x.kind != "dense":
        raise TypeError(f"nbytes: x must be dense, got {x.kind}")
    bytes_each = 2 if x.dtype == "bfloat16" else np.dtype(x.dtype).itemsize
    return x.size * bytes_each


def _T(x):
    """The axes reversed."""
    return functions.transpose(x)


def tolist(x):
    """The elements as nested lists of Python numbers, or texts."""
    if x.kind != "strings":
        return numbers(x).tolist()
    texts = np.empty(len(_core.string_texts(x)), dtype=object)
    texts[:] = _core.string_texts(x)
    return texts.reshape(x.shape).tolist()


def _array(x, dtype=None, copy=None):
    """For numpy.asarray(x): over the same memory where the dtype allows, unless
    ``copy``; an error if it must be and can't."""
    array = x.numpy()
    if copy:
        return np.array(array, dtype)
    result = np.asarray(array, dtype)
    shared = x.dtype != "bfloat16" and x.place == "cpu"
    if copy is False and not (shared and result is array):
        raise ValueError(f"numpy.array: copy must not be False to have "
                         f"{x.dtype} on {x.place} as {result.dtype}")
    return result


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


def _rebuild(elements, dtype, requires_grad, lod, place="cpu", parameter=False):
    made = _core.tensor(elements, dtype, requires_grad, lod, place)
    if parameter:
        _core.mark_parameter(made)
    return made


def _reduce(x):
    """For pickle and copy.deepcopy: the elements, apart from the graph."""
    return _rebuild, (np.array(x.numpy()), x.dtype,
                      x.requires_grad and x.is_leaf, x.lod, x.place,
                      _core.is_parameter(x))


def _divmod(x, y):
    return x // y, x % y


def _rdivmod(x, y):
    return y // x, y % x


def _round(x, digits=None):
    return _ops.round(x, digits or 0)


DTYPES = frozenset((
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16",
    "float32", "float64", "complex64", "complex128", "strings"))

# The names of dtypes as methods.
_CASTS = {"float": "float32", "double": "float64", "half": "float16",
          "bfloat16": "bfloat16", "long": "int64", "int": "int32", "bool": "bool",
          "short": "int16", "char": "int8", "byte": "uint8",
          "cfloat": "complex64", "cdouble": "complex128"}


def _shifted(name, function, swapped=False):
    """A shift as Python's operator: NotImplemented for what is no number."""
    def shift(x, y):
        if not isinstance(y, (int, np.ndarray, np.generic, _core.Tensor,
                              _core.Value)):
            return NotImplemented
        y = _core.tensor(y, x.dtype) if swapped and isinstance(y, int) else y
        return function(y, x) if swapped else function(x, y)
    shift.__name__ = name
    return shift


_left, _right = functions.bitwise_left_shift, functions.bitwise_right_shift

_BOTH = {
    "to_dense": to_dense, "clone": clone, "view": view, "dim": dim,
    "numel": numel, "new_zeros": new_zeros, "new_ones": new_ones,
    "new_full": new_full, "is_floating_point": is_floating_point,
    "view_as": view_as, "reshape_as": reshape_as, "expand_as": expand_as,
    "type_as": type_as, "contiguous": contiguous, "t": t,
    "__lshift__": _shifted("__lshift__", _left),
    "__rlshift__": _shifted("__rlshift__", _left, True),
    "__rshift__": _shifted("__rshift__", _right),
    "__rrshift__": _shifted("__rrshift__", _right, True),
    "ndim": property(_ndim), "size": property(size_of),
    "new_empty": new_zeros, "new_empty_strided": new_empty_strided,
    "T": property(_T), "mT": property(_mT), "H": property(_H),
    "mH": property(_mH),
    "__iter__": _iterate,
    "__divmod__": _divmod, "__rdivmod__": _rdivmod, "__round__": _round,
    # NumPy's arrays leave mixed operations to us.
    "__array_priority__": 1000.0,
}

_TENSOR = {
    "to": to, "cpu": cpu, "requires_grad_": requires_grad_,
    "to_device": to_device, "device": property(_device),
    "__array_namespace__": _namespace, "copy_": index_write.copy_,
    "data": property(_data, _set_data),
    "nbytes": property(_nbytes), "tolist": tolist,
    "__array__": _array, "__bool__": _bool, "__float__": _number(float),
    "__int__": _number(int), "__complex__": _number(complex),
    "__index__": _index, "__contains__": _contains, "__format__": _format,
    "__reduce__": _reduce, "coalesce": coalesce,
    "__dlpack__": dlpack.dlpack, "__dlpack_device__": dlpack.dlpack_device,
}

_VALUE = {**value_methods.METHODS, "to": _value_to, "detach": detach}


def _set(kind, methods):
    for name, method in methods.items():
        setattr(kind, name, method)


def install():
    """Puts the methods on the two types; called once, by the package."""
    operators = {name: _core.method_of(operator)
                 for name, operator in functions.operator_methods().items()}
    casts = {name: _cast_to(dtype) for name, dtype in _CASTS.items()}
    shared = {**operators, **functions.methods(), **casts, **_BOTH}
    for kind, own in ((_core.Tensor, _TENSOR), (_core.Value, _VALUE)):
        _set(kind, {**shared, **own})
