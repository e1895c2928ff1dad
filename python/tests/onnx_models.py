# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX models for tests, message by message, without a library."""

import struct

import numpy as np

CODES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6,
          "int64": 7, "string": 8, "bool": 9, "float16": 10, "float64": 11,
          "uint32": 12, "uint64": 13, "bfloat16": 16, "float8_e4m3fn": 17,
          "float8_e4m3fnuz": 18, "float8_e5m2": 19, "float8_e5m2fnuz": 20, "uint4": 21,
          "int4": 22, "float4_e2m1fn": 23, "float8_e8m0fnu": 24, "uint2": 25, "int2": 26}


def _varint(value):
    value &= (1 << 64) - 1
    data = bytearray()
    while value >= 0x80:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def number(field, value):
    return _varint(field << 3) + _varint(value)


def message(field, data):
    data = data.encode() if isinstance(data, str) else data
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def tensor(name, array):
    array = np.asarray(array)
    return b"".join(number(1, extent) for extent in array.shape) + number(
        2, CODES[array.dtype.name]) + message(8, name) + message(
            9, array.tobytes())


def port(name, dtype, shape):
    """A ValueInfoProto; extents are numbers, names, or None."""
    dims = b""
    for extent in shape:
        dim = (b"" if extent is None else message(2, extent) if isinstance(
            extent, str) else number(1, extent))
        dims += message(1, dim)
    described = number(1, CODES[dtype]) + message(2, dims)
    return message(1, name) + message(2, message(1, described))


def attribute(name, value):
    """An AttributeProto of a Python value; bytes are a graph."""
    field = message(1, name)
    if isinstance(value, float):
        return field + _varint(2 << 3 | 5) + struct.pack("<f", value) + number(
            20, 1)
    if isinstance(value, int):
        return field + number(3, value) + number(20, 2)
    if isinstance(value, str):
        return field + message(4, value) + number(20, 3)
    if isinstance(value, np.ndarray):
        return field + message(5, tensor("", value)) + number(20, 4)
    if isinstance(value, bytes):
        return field + message(6, value) + number(20, 5)
    if value and isinstance(value[0], str):
        return field + b"".join(message(9, one) for one in value) + number(20, 8)
    return field + b"".join(number(8, one) for one in value) + number(20, 7)


def node(kind, inputs, outputs, domain="", **attributes):
    return b"".join(
        [message(1, name) for name in inputs]
        + [message(2, name) for name in outputs] + [message(4, kind)]
        + [message(5, attribute(name, value))
           for name, value in attributes.items()] + [message(7, domain)])


def graph(nodes, inputs=(), outputs=(), tensors=()):
    """Inputs are of `port`, outputs names, tensors (name, array)."""
    return b"".join(
        [message(1, each) for each in nodes]
        + [message(5, tensor(*each)) for each in tensors]
        + [message(11, each) for each in inputs]
        + [message(12, message(1, name)) for name in outputs])


def model(whole, opset=17, domains=()):
    """``domains`` are pairs of a name and a version, beside ONNX's own."""
    return number(1, 8) + message(7, whole) + message(
        8, number(2, opset)) + b"".join(
            message(8, message(1, domain) + number(2, version))
            for domain, version in domains)
