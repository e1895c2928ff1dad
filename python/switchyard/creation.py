# SPDX-License-Identifier: Apache-2.0
"""Tensors made of nothing, of numbers, or at random."""

from __future__ import annotations

import numbers

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, whole
from switchyard.dlpack import from_dlpack
from switchyard.functions.arguments import (STORED, WHOLE, as_list, fitting, name_of,
                                            place_of, tensor_of)

_ops = _core.ops

__all__ = ["arange", "as_tensor", "asarray", "empty", "empty_like", "eye",
           "from_numpy", "full", "full_like", "is_tensor", "linspace", "ones", "ones_like",
           "tril_indices", "triu_indices", "zeros", "zeros_like"]


def _at(x, device):
    return x if device is None else x.to(place_of(device))


def _made(operator, *arguments, device):
    """Returns what the operator makes of nothing, on ``device`` at once: no
    copy of it is on the host, unless the device has no kernel for it."""
    if device is None:
        return operator(*arguments)
    device, before = place_of(device), _core.default_place()
    _core.set_default_place(device)
    try:
        with _core.policy(allow_fallback=True):
            made = operator(*arguments)
    finally:
        _core.set_default_place(before)
    return made.to(device)


def _filled(operator, like, value, dtype):
    """Returns what ``operator`` makes of a number, of a storage type by a cast."""
    name = None if dtype is None else name_of(dtype)
    if name in STORED:
        return _ops.cast(operator(like, value, "float64"), name)
    return operator(like, value, dtype)


def _shape(shape):
    return as_list(shape) if isinstance(shape, tuple) else shape


def _read(shape, more, dtype):
    """The shape and the dtype of zeros(shape, dtype), or zeros(2, 3)."""
    extents = [each for each in more if _whole(each)]
    if len(extents) < len(more):  # The last one is a dtype.
        dtype = more[-1] or dtype
    return [shape, *extents] if extents else _shape(shape), dtype


def _leaf(made, requires_grad):
    if requires_grad:
        made.requires_grad = True
    return made


def _dtype_of(value, dtype):
    """``dtype``, or that which a number has: bool, int64, float32, complex64."""
    if dtype is not None:
        return dtype
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    if isinstance(value, numbers.Integral):
        return "int64"
    if isinstance(value, numbers.Real):
        return "float32"
    if isinstance(value, numbers.Complex):
        return "complex64"
    return getattr(value, "dtype", "float32")


def _whole(number):
    """Whether it is an integer: a number, an extent, or a tensor's element."""
    return isinstance(number, (numbers.Integral, _core.Symbol)) or getattr(
        number, "dtype", None) in WHOLE


def asarray(obj, *, dtype=None, device=None,
            copy: bool | None = None) -> _core.Tensor:
    """A tensor of ``obj``: numbers, lists, an array, a tensor (as it is, unless
    ``dtype``, ``device`` or ``copy`` say otherwise)."""
    if isinstance(obj, _core.Tensor):
        if dtype is not None and str(dtype) != obj.dtype:
            return _at(_ops.cast(obj, dtype), device)
        return _at(_ops.assign(obj) if copy else obj, device)
    if copy is False:
        raise ValueError("asarray: copy must not be False for what is no tensor")
    return _core.tensor(obj, dtype, place=place_of(device))


def as_tensor(data, dtype=None, device=None) -> _core.Tensor:
    """``asarray`` with PyTorch's arguments."""
    return asarray(data, dtype=dtype, device=device)


def from_numpy(array: np.ndarray) -> _core.Tensor:
    """A tensor over the array's own memory."""
    if not isinstance(array, np.ndarray):
        raise TypeError("from_numpy: array must be NumPy's, got "
                        f"{type(array).__name__}")
    return from_dlpack(array)


def is_tensor(thing) -> bool:
    """Whether it is a tensor, or a value of a graph that is traced."""
    return isinstance(thing, (_core.Tensor, _core.Value))


def tril_indices(row: int, col: int, offset: int = 0, *, dtype="int64",
                 device=None) -> _core.Tensor:
    """The rows and columns, [2, count], on and below the diagonal ``offset``."""
    return _triangle("tril_indices", np.tril_indices, row, col, offset, dtype,
                     device)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype="int64",
                 device=None) -> _core.Tensor:
    """The rows and columns, [2, count], on and above the diagonal ``offset``."""
    return _triangle("triu_indices", np.triu_indices, row, col, offset, dtype,
                     device)


def _triangle(name, indices, row, col, offset, dtype, device):
    rows = whole(name, "row", row, FROM_0)
    columns = whole(name, "col", col, FROM_0)
    diagonal = max(-rows - 1, min(whole(name, "offset", offset), columns + 1))
    if rows * columns >= 2**40:
        raise MemoryError(f"{name}: row and col must be of a matrix that fits into "
                          f"memory, got {rows} and {columns}")
    return _core.tensor(np.array(indices(rows, diagonal, columns)), dtype or "int64",
                        place=place_of(device))


def full(shape, fill_value, dtype=None, *, device=None,
         requires_grad: bool = False) -> _core.Tensor:
    """A tensor of ``fill_value``, by default of the dtype that it has:
    bool, int64, float32 or complex64."""
    dtype = _dtype_of(fill_value, dtype)
    fitting("full", "fill_value", fill_value, dtype)
    made = _made(_filled, _ops.full, _shape(shape), fill_value, dtype, device=device)
    return _leaf(made, requires_grad)


def zeros(shape, *more, dtype="float32", device=None,
          requires_grad: bool = False) -> _core.Tensor:
    """A tensor of zeros: zeros((2, 3)), zeros((2, 3), "int64") or zeros(2, 3)."""
    extents, dtype = _read(shape, more, dtype or "float32")
    return full(extents, 0, dtype, device=device, requires_grad=requires_grad)


def ones(shape, *more, dtype="float32", device=None,
         requires_grad: bool = False) -> _core.Tensor:
    """A tensor of ones: ones((2, 3)), ones((2, 3), "int64") or ones(2, 3)."""
    extents, dtype = _read(shape, more, dtype or "float32")
    return full(extents, 1, dtype, device=device, requires_grad=requires_grad)


def empty(shape, *more, dtype="float32", device=None,
          requires_grad: bool = False) -> _core.Tensor:
    """A tensor for elements that are written later; until then zeros."""
    return zeros(shape, *more, dtype=dtype, device=device,
                 requires_grad=requires_grad)


def _like(x, value, dtype, device, requires_grad):
    x = tensor_of(x)
    if device is None or isinstance(x, _core.Value):
        filled = _filled(_ops.full_like, x, value, dtype or x.dtype)
        return _leaf(_at(filled, device), requires_grad)
    return _leaf(_made(_filled, _ops.full, list(x.shape), value, dtype or x.dtype,
                       device=device), requires_grad)


def full_like(x, fill_value, *, dtype=None, device=None,
              requires_grad: bool = False) -> _core.Tensor:
    """A tensor of ``fill_value``, of x's shape and, by default, dtype."""
    x = tensor_of(x)
    fitting("full_like", "fill_value", fill_value, dtype or x.dtype)
    return _like(x, fill_value, dtype, device, requires_grad)


def zeros_like(x, *, dtype=None, device=None,
               requires_grad: bool = False) -> _core.Tensor:
    """A tensor of zeros, of x's shape and, by default, dtype."""
    return _like(x, 0, dtype, device, requires_grad)


def ones_like(x, *, dtype=None, device=None,
               requires_grad: bool = False) -> _core.Tensor:
    """A tensor of ones, of x's shape and, by default, dtype."""
    return _like(x, 1, dtype, device, requires_grad)


def empty_like(x, *, dtype=None, device=None,
               requires_grad: bool = False) -> _core.Tensor:
    """A tensor for elements that are written later, of x's shape."""
    return zeros_like(x, dtype=dtype, device=device,
                      requires_grad=requires_grad)


def eye(n_rows, n_cols=None, dtype="float32", *, k: int = 0,
        device=None, requires_grad: bool = False) -> _core.Tensor:
    """Ones on the diagonal ``k`` of [n_rows, n_cols], zeros elsewhere."""
    rows = whole("eye", "n_rows", n_rows, FROM_0)
    columns = rows if n_cols is None else whole("eye", "n_cols", n_cols, FROM_0)
    shift = max(-rows, min(whole("eye", "k", k), columns))
    if rows * columns >= 2**40:
        raise MemoryError(f"eye: n_rows and n_cols must be of a matrix that fits "
                          f"into memory, got {rows} and {columns}")
    made = _core.tensor(np.eye(rows, columns, shift), dtype or "float32",
                        place=place_of(device))
    return _leaf(made, requires_grad)


def arange(start, stop=None, step=1, dtype=None, *, device=None,
           requires_grad: bool = False, end=None) -> _core.Tensor:
    """start, start + step, ... below stop; from 0 if only one is given.

    int64 if the numbers are integers, else float32, unless ``dtype`` says.
    """
    stop = stop if end is None else end
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        dtype = "int64" if all(map(_whole, (start, stop, step))) else "float32"
    made = _made(_ops.arange, start, stop, step, dtype, device=device)
    return _leaf(made, requires_grad)


def linspace(start, stop, num: int | None = None, dtype="float32", *,
             device=None, endpoint: bool = True,
             steps: int | None = None,
             requires_grad: bool = False) -> _core.Tensor:
    """``num`` (or ``steps``) numbers evenly apart from ``start`` to ``stop``, which
    is the last one unless ``endpoint`` is False. Integers are those towards 0."""
    if num is not None and steps is not None:
        raise TypeError("linspace: num and steps are one argument, got both")
    num = steps if num is None else num
    if num is None:
        raise TypeError("linspace: num must be given")
    if type(num) is not int or num < 0:
        num = whole("linspace", "num", num, FROM_0)
    dtype = dtype or "float32"
    if num == 0:
        return zeros([0], dtype, device=device)
    if not endpoint:
        stop = stop - (stop - start) / num
    if part_of(dtype):
        made = _complex_linspace(start, stop, num, part_of(dtype), device)
    else:
        made = _made(_ops.linspace, start, stop, num, dtype, device=device)
    return _leaf(made, requires_grad)


def part_of(dtype):
    """The dtype of the parts of complex numbers; None for a dtype of others."""
    return {"complex64": "float32", "complex128": "float64"}.get(str(dtype))


def _complex_linspace(start, stop, num, part, device):
    ends = [each.item() if isinstance(each, _core.Tensor) else each
            for each in (start, stop)]
    return _ops.complex(*(_made(_ops.linspace, *sides, num, part, device=device)
                          for sides in ([each.real for each in ends],
                                        [each.imag for each in ends])))
