# SPDX-License-Identifier: Apache-2.0
"""Reads and writes program descriptions of PaddlePaddle: protobuf's wire format, by field numbers.

    program = read(bytes)      # Message, of which block(program, 0) and the like take parts
    data = write(blocks)       # of Block, Op and Variable

Needs the standard library alone; static_graph/foreign/paddle_desc/program_desc.proto has the numbers.
"""
import struct
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

FLOAT32, INT64 = 5, 3
_DENSE_TENSOR = 7
_INT, _FLOAT, _TEXT, _INTS, _FLOATS, _TEXTS, _BOOL, _BLOCK, _LONG, _LONGS = 0, 1, 2, 3, 4, 5, 6, 8, 9, 11


class Variable(NamedTuple):
    """``dims``: None for one that is no dense tensor."""

    name: str
    dims: Optional[Tuple[int, ...]]
    dtype: int = FLOAT32
    persistable: bool = False
    lod_level: int = 0


class Op(NamedTuple):
    """Slots with the names of their variables; attributes by name."""

    type: str
    inputs: Dict[str, List[str]]
    outputs: Dict[str, List[str]]
    attrs: Dict[str, Union[bool, int, float, str, list]] = {}


class Block(NamedTuple):
    variables: List[Variable]
    ops: List[Op]


def _varint(number):
    number &= (1 << 64) - 1
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    data.append(number)
    return bytes(data)


def _number(field, value):
    return _varint(field << 3) + _varint(value)


def _bytes(field, value):
    value = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _float(field, value):
    return _varint(field << 3 | 5) + struct.pack("<f", value)


def _attribute(name, value):
    if isinstance(value, bool):
        body = _number(2, _BOOL) + _number(10, value)
    elif isinstance(value, int):
        body = _number(2, _INT) + _number(3, value)
    elif isinstance(value, float):
        body = _number(2, _FLOAT) + _float(4, value)
    elif isinstance(value, str):
        body = _number(2, _TEXT) + _bytes(5, value)
    elif value and all(isinstance(item, str) for item in value):
        body = _number(2, _TEXTS) + b"".join(_bytes(8, item) for item in value)
    elif any(isinstance(item, float) for item in value):
        body = _number(2, _FLOATS) + b"".join(_float(7, item) for item in value)
    else:
        body = _number(2, _INTS) + b"".join(_number(6, item) for item in value)
    return _bytes(1, name) + body


def _slots(field, slots):
    return b"".join(_bytes(field, _bytes(1, slot) + b"".join(_bytes(2, name) for name in names))
                    for slot, names in slots.items())


def tensor_description(dtype, dims):
    return _number(1, dtype) + b"".join(_number(2, extent) for extent in dims)


def _variable(variable):
    kind = _number(1, _DENSE_TENSOR)
    if variable.dims is not None:
        dense = _bytes(1, tensor_description(variable.dtype, variable.dims))
        kind += _bytes(3, dense + _number(2, variable.lod_level))
    return _bytes(1, variable.name) + _bytes(2, kind) + _number(3, variable.persistable)


def _operator(op):
    attrs = b"".join(_bytes(4, _attribute(name, value)) for name, value in op.attrs.items())
    return _slots(1, op.inputs) + _slots(2, op.outputs) + _bytes(3, op.type) + attrs


def write(blocks, versions=None):
    """The bytes of a program. ``versions``: of operator types, by name."""
    data = b""
    for i, block in enumerate(blocks):
        body = _number(1, i) + _number(2, i - 1 if i == 0 else 0)
        body += b"".join(_bytes(3, _variable(variable)) for variable in block.variables)
        body += b"".join(_bytes(4, _operator(op)) for op in block.ops)
        data += _bytes(1, body)
    if versions is not None:
        pairs = b"".join(_bytes(1, _bytes(1, name) + _bytes(2, _number(1, version)))
                         for name, version in versions.items())
        data += _bytes(5, pairs)
    return data


def _read_varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7


def fields_of(data):
    """The fields of a message in order: number -> values, integers or bytes."""
    fields = {}
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _read_varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if kind == 2:
                size, at = _read_varint(data, at)
            if size is None or at + size > len(data):
                raise ValueError(f"byte {at}: not a program description")
            value = data[at:at + size]
            at += size
        fields.setdefault(key >> 3, []).append(value)
    return fields


def _signed(number):
    return number - (1 << 64) if number >> 63 else number


def _read_variable(data):
    fields = fields_of(data)
    kind = fields_of(fields.get(2, [b""])[0])
    dims, dtype, lod_level = None, FLOAT32, 0
    if 3 in kind:
        dense = fields_of(kind[3][0])
        tensor = fields_of(dense.get(1, [b""])[0])
        dims = tuple(_signed(extent) for extent in tensor.get(2, []))
        dtype = tensor.get(1, [FLOAT32])[0]
        lod_level = dense.get(2, [0])[0]
    return Variable(fields[1][0].decode(), dims, dtype, bool(fields.get(3, [0])[0]), lod_level)


def _read_slots(slots):
    named = {}
    for slot in slots:
        fields = fields_of(slot)
        named[fields[1][0].decode()] = [name.decode() for name in fields.get(2, [])]
    return named


def _read_operator(data):
    fields = fields_of(data)
    return Op(fields[3][0].decode(), _read_slots(fields.get(1, [])), _read_slots(fields.get(2, [])))


def read(data):
    """The blocks of a program; of its operators the slots, not the attributes."""
    blocks = []
    for block in fields_of(data).get(1, []):
        fields = fields_of(block)
        blocks.append(Block([_read_variable(one) for one in fields.get(3, [])],
                            [_read_operator(one) for one in fields.get(4, [])]))
    return blocks
