# SPDX-License-Identifier: Apache-2.0
"""The values of a file of torch.save beside plain ones: the names that its list
of opcodes calls, each a function here, and the tensors that they make."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.dlpack import from_dlpack

# The class of a storage: the dtype of its elements.
_STORAGES = {
    "BoolStorage": "bool", "ByteStorage": "uint8", "CharStorage": "int8",
    "ShortStorage": "int16", "IntStorage": "int32", "LongStorage": "int64",
    "HalfStorage": "float16", "BFloat16Storage": "bfloat16",
    "FloatStorage": "float32", "DoubleStorage": "float64",
    "ComplexFloatStorage": "complex64", "ComplexDoubleStorage": "complex128"}
_DTYPES = {
    "bool": "bool", "uint8": "uint8", "int8": "int8", "int16": "int16",
    "int32": "int32", "int64": "int64", "float16": "float16",
    "bfloat16": "bfloat16", "float32": "float32", "float64": "float64",
    "complex64": "complex64", "complex128": "complex128"}
_MOST_AXES = 8


def size_of(dtype):
    """Bytes of an element."""
    return 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize


class StorageClass:
    """torch.FloatStorage: its dtype."""

    def __init__(self, dtype):
        self.dtype = dtype


class Storage:
    """Elements in a part of the file. Tensors of one storage share them."""

    def __init__(self, data, dtype, count):
        if count * size_of(dtype) > len(data):
            raise ValueError(f"has a storage of {count} {dtype}, whose part has "
                             f"{len(data)} bytes")
        kind = "uint16" if dtype == "bfloat16" else dtype
        # A byte that is neither 0 nor 1 would be no bool.
        if dtype == "bool" and np.frombuffer(data, "uint8").max(initial=0) > 1:
            raise ValueError("has a bool that is neither 0 nor 1")
        self.dtype, self.count = dtype, count
        self.array = np.frombuffer(data, kind, count) if count else np.empty(
            0, kind)


class Tensor:
    """A tensor of the file: how it lies in its storage."""

    def __init__(self, storage, offset, shape, strides):
        if not isinstance(storage, Storage):
            raise ValueError("has a tensor without a storage")
        numbers = (offset, *_tuple(shape), *_tuple(strides))
        if len(shape) != len(strides) or len(shape) > _MOST_AXES:
            raise ValueError(f"has a tensor of {len(shape)} extents and "
                             f"{len(strides)} strides; at most {_MOST_AXES} "
                             "axes are read")
        if not all(_is_count(number) for number in numbers):
            raise ValueError("has a tensor whose extents, strides or offset "
                             "are no counts")
        last = offset + sum((extent - 1) * stride
                            for extent, stride in zip(shape, strides))
        if 0 not in shape and last >= storage.count:
            raise ValueError(
                f"has a tensor of shape {list(shape)} that reaches element "
                f"{last} of a storage of {storage.count}")
        if math.prod(max(extent, 1) for extent in shape) >= 2**58:
            raise ValueError(f"has a tensor of shape {list(shape)}, which has "
                             "too many elements")
        self.storage, self.offset = storage, offset
        self.shape, self.strides = tuple(shape), tuple(strides)

    def made(self):
        """It as a tensor here, over the memory of its storage."""
        array, dtype = self.storage.array, self.storage.dtype
        if 0 in self.shape:
            return _core.tensor(np.zeros(self.shape, array.dtype if
                                         dtype != "bfloat16" else "float32"),
                                dtype)
        strides = [stride * array.itemsize for stride in self.strides]
        view = np.lib.stride_tricks.as_strided(array[self.offset:], self.shape,
                                               strides)
        if dtype == "bfloat16":
            return _bfloat16(view, self.storage.count)
        if dtype == "bool":  # NumPy does not lend them.
            return from_dlpack(view.view("uint8")).to("bool")
        return from_dlpack(view)


def _bfloat16(view, most):
    """Returns the tensor, made through float32: NumPy lacks the dtype."""
    if view.size > most:
        raise ValueError(f"has an expanded bfloat16 tensor of shape "
                         f"{list(view.shape)}: clone() it before it is saved")
    made = _core.ops.full(list(view.shape), 0, "bfloat16")
    flat, rows = _core.ops.reshape(made, [-1]), view.reshape(-1)
    step = 1 << 20  # Elements at a time: float32 takes twice the file's bytes.
    for begin in range(0, rows.size, step):
        wide = rows[begin:begin + step].astype(np.uint32) << np.uint32(16)
        part = _core.tensor(wide.view(np.float32), "bfloat16")
        flat[begin:begin + part.shape[0]] = part
    return made


def _tuple(value):
    if not isinstance(value, (tuple, list)):
        raise ValueError(f"has a tensor whose shape is {type(value).__name__}")
    return value


def _is_count(number):
    return (isinstance(number, int) and not isinstance(number, bool)
            and 0 <= number < 2**63)


def _tensor(storage, offset, shape, strides, *_):
    """torch._utils._rebuild_tensor_v2; the rest are flags and hooks."""
    return Tensor(storage, offset, shape, strides)


def _parameter(tensor, *_):
    """torch._utils._rebuild_parameter."""
    if not isinstance(tensor, Tensor):
        raise ValueError("has a parameter that is no tensor")
    return tensor


def _ordered(*pairs):
    """collections.OrderedDict, of nothing or of pairs."""
    return dict(*pairs)


def _shape(extents=()):
    """torch.Size."""
    return tuple(_tuple(extents))


def _device(*words):
    """torch.device: its text."""
    return ":".join(map(str, words))


def _set(items=()):
    """A set of plain values."""
    if not all(isinstance(item, (str, int, float, bytes)) for item in items):
        raise ValueError("has a set of what is not plain")
    return set(items)


def _encoded(text, *_):
    """_codecs.encode: how protocol 2 writes bytes."""
    return text.encode("latin-1") if isinstance(text, str) else text


# {name in the file: what it is here}.
CALLED = {
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_tensor": _tensor,
    "torch._utils._rebuild_parameter": _parameter,
    "torch.Size": _shape,
    "torch.device": _device,
    "collections.OrderedDict": _ordered,
    "_codecs.encode": _encoded,
    "__builtin__.set": _set, "builtins.set": _set,
}
CONSTANTS = {
    **{f"torch.{name}": StorageClass(dtype)
       for name, dtype in _STORAGES.items()},
    **{f"torch.storage.{name}": StorageClass(dtype)
       for name, dtype in _STORAGES.items()},
    **{f"torch.{name}": dtype for name, dtype in _DTYPES.items()},
}
