# SPDX-License-Identifier: Apache-2.0
"""Types and bytes of the values of a program, as far as shapes are known."""

from __future__ import annotations

import math
import re

_TENSOR = re.compile(r"tensor<(\w+)\[([^\]]*)\]")
_BYTES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "float16": 2,
          "bfloat16": 2, "uint16": 2, "int32": 4, "uint32": 4, "float32": 4,
          "int64": 8, "uint64": 8, "float64": 8, "complex64": 8,
          "complex128": 16}


def _bytes(dtype, extents):
    if dtype not in _BYTES or not all(isinstance(extent, int)
                                      for extent in extents):
        return None
    return _BYTES[dtype] * math.prod(extents)


def _bytes_of_type(text):
    found = _TENSOR.match(text)
    if found is None:
        return None
    words = found[2].split(", ") if found[2] else []
    return _bytes(found[1], [int(word) if word.isdigit() else word
                             for word in words])


def sizes_of(parts, call_of) -> tuple[dict[str, int], dict[str, str]]:
    """({value: bytes}, {value: type}) of those that are known: by the value's
    type, or, which the second has alone, by what explain says of a call that
    reads it; ``call_of`` has it by the operation's number."""
    sizes: dict[str, int | None] = {}
    found: dict[str, str] = {}
    for port in parts.ports:
        sizes[port.value] = _bytes_of_type(port.type)
    for operation in parts.operations:
        for value, kind in operation.results:
            sizes[value] = _bytes_of_type(kind)
    moved = {}  # A transform's result: what it is made of.
    for number, operation in enumerate(parts.operations):
        if "transform = true" in operation.attributes and operation.results:
            moved[operation.results[0][0]] = operation.operands[0]
        inputs = [given for given in call_of.get(number, {}).get("inputs", ())
                  if given["dtype"] is not None]
        if len(inputs) != len(operation.operands):
            continue
        for value, given in zip(operation.operands, inputs):
            size = _bytes(given["dtype"], given.get("shape", ["?"]))
            while size is not None and value is not None:
                if sizes.get(value) is None:
                    extents = ", ".join(map(str, given["shape"]))
                    sizes[value] = size
                    found[value] = f"{given['dtype']}[{extents}]"
                value = moved.get(value)
    return {value: size for value, size in sizes.items()
            if size is not None}, found
