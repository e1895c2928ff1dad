# SPDX-License-Identifier: Apache-2.0
"""The tensors in files of ONNX's backend tests, as arrays of NumPy: a message
TensorProto, or the elements of a SequenceProto, each in a file."""

import numpy as np

# TensorProto.data_type, those that arrays of NumPy have.
_DTYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16",
           6: "int32", 7: "int64", 9: "bool", 10: "float16", 11: "float64",
           12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128"}
BFLOAT16 = 16
STRING = 8
# The fields of TensorProto that hold elements, and the dtype that they have.
_LISTS = {4: "<f4", 5: "varint", 7: "varint", 10: "<f8", 11: "varint"}
_DIMS, _DTYPE, _TEXTS, _NAME, _RAW = 1, 2, 6, 8, 9
# SequenceProto: its tensors. OptionalProto: its tensor, or its sequence.
_SEQUENCE_TENSORS = 3
_OPTIONAL_TENSOR, _OPTIONAL_SEQUENCE = 3, 5


class NoArray(Exception):
    """A file holds no array of a dtype of NumPy's."""


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """(number, value) of each field of a message: an int, or bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
        elif kind == 2:
            size, at = _varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = 8 if kind == 1 else 4
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def _signed(value):
    return value - (1 << 64) if value >> 63 else value


def _varints(value):
    if isinstance(value, int):
        return [_signed(value)]
    numbers, at = [], 0
    while at < len(value):
        number, at = _varint(value, at)
        numbers.append(_signed(number))
    return numbers


def widened(halves):
    """bfloat16, which NumPy lacks, as float32."""
    return (halves.astype(np.uint32) << 16).view(np.float32)


def _elements(code, raw, lists, texts):
    if code == STRING:
        return np.array(texts, dtype=object)
    if code == BFLOAT16:
        halves = (np.frombuffer(raw, "<u2") if raw is not None
                  else np.array(lists.get(5, []), np.uint16))
        return widened(halves)
    if code not in _DTYPES:
        raise NoArray(f"element type {code}")
    dtype = np.dtype(_DTYPES[code])
    if raw is not None:
        return np.frombuffer(raw, dtype.newbyteorder("<")).astype(dtype)
    numbers = next(iter(lists.values()), [])
    if dtype == np.float16:
        return np.array(numbers, np.uint16).view(np.float16)
    if dtype.kind == "c":
        return np.array(numbers, dtype.type(0).real.dtype).view(dtype)
    if dtype == np.uint64:
        return np.array([n & (1 << 64) - 1 for n in numbers], dtype)
    return np.array(numbers).astype(dtype)


def tensor(data):
    """(name, array) of a TensorProto. NoArray for another dtype."""
    dims, lists, texts, code, name, raw = [], {}, [], 0, "", None
    for number, value in fields(data):
        if number == _DIMS:
            dims += _varints(value)
        elif number == _DTYPE:
            code = value
        elif number == _NAME:
            name = value.decode()
        elif number == _RAW:
            raw = value
        elif number == _TEXTS:
            texts.append(value.decode())
        elif number in _LISTS:
            kind = _LISTS[number]
            numbers = (_varints(value) if kind == "varint" else
                       np.frombuffer(value, kind).tolist())
            lists.setdefault(number, []).extend(numbers)
    return name, _elements(code, raw, lists, texts).reshape(dims)


def sequence(data):
    """The arrays of a SequenceProto of tensors."""
    return [tensor(value)[1] for number, value in fields(data)
            if number == _SEQUENCE_TENSORS]


def optional(data):
    """The array that an OptionalProto holds, or the arrays of its sequence."""
    for number, value in fields(data):
        if number == _OPTIONAL_TENSOR:
            return tensor(value)[1]
        if number == _OPTIONAL_SEQUENCE:
            return sequence(value)
    raise NoArray("an optional that holds nothing")


def node_types(model):
    """The types of the operators of a model's graph."""
    graph = next(value for number, value in fields(model) if number == 7)
    return {dict(fields(value)).get(4, b"").decode()
            for number, value in fields(graph) if number == 1}


def value_infos(model):
    """(the names of a model's inputs without initializers, its outputs; each
    with the kind of its type: the number of TypeProto's field; and with the
    element type of a tensor, else 0)."""
    graph = next(value for number, value in fields(model) if number == 7)
    held = {dict(fields(value)).get(8, b"").decode()
            for number, value in fields(graph) if number == 5}
    ports = {11: [], 12: []}
    for number, value in fields(graph):
        if number in ports:
            info = dict(fields(value))
            name = info.get(1, b"").decode()
            kind, content = next(fields(info.get(2, b"")), (0, b""))
            code = dict(fields(content)).get(1, 0) if kind == 1 else 0
            ports[number].append((name, kind, code))
    return [port for port in ports[11] if port[0] not in held], ports[12]
