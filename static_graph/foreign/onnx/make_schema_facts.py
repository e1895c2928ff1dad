#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes schema_facts.txt: what ONNX's own package says of each version of each operator, a line each.

    python3 make_schema_facts.py > schema_facts.txt      # in an environment with onnx

The facts are ONNX's (https://github.com/onnx/onnx, Apache 2.0): names, numbers and types, and none of its text.
A line: domain|operator|version|inputs|outputs|attributes. Inputs and outputs are "name:dtypes" with "?" after an
optional one and "*" after one that repeats; attributes are "name:type", with "!" after one that must be given. Dtypes
are letters of DTYPES, in order; "-" stands for what is no tensor.
"""
import sys

import onnx
from onnx import defs

DTYPES = {
    "float": "f", "double": "d", "float16": "h", "bfloat16": "b", "int8": "1", "int16": "2", "int32": "4",
    "int64": "8", "uint8": "u", "uint16": "v", "uint32": "w", "uint64": "x", "bool": "t", "string": "s",
    "complex64": "c", "complex128": "z",
}
ATTRIBUTES = {
    "FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "FLOATS": "F", "INTS": "I", "STRINGS": "S",
    "SPARSE_TENSOR": "p", "TYPE_PROTO": "y",
}
NEWEST = {"": 28, "ai.onnx.ml": 5, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1}


def letters(types):
    """The dtypes of tensors, a letter each."""
    names = {name[7:-1] for name in types if name.startswith("tensor(")}
    known = "".join(letter for name, letter in DTYPES.items() if name in names)
    # Float8, float4 and integers below a byte are storage: one letter for all.
    small = "q" if any(name not in DTYPES for name in names) else ""
    return known + small + ("-" if len(names) < len(types) else "")


def ports(formal, kinds):
    mark = {kinds.Optional: "?", kinds.Variadic: "*", kinds.Single: ""}
    return " ".join(f"{port.name}:{letters(port.types)}{mark[port.option]}" for port in formal)


def line(schema):
    attributes = " ".join(
        f"{attr.name}:{ATTRIBUTES[attr.type.name]}{'!' if attr.required else ''}"
        for attr in sorted(schema.attributes.values(), key=lambda attr: attr.name))
    kinds = defs.OpSchema.FormalParameterOption
    return "|".join((schema.domain, schema.name, str(schema.since_version), ports(schema.inputs, kinds),
                     ports(schema.outputs, kinds), attributes))


def main():
    schemas = [schema for schema in defs.get_all_schemas_with_history()
               if schema.since_version <= NEWEST.get(schema.domain, 0)]
    schemas.sort(key=lambda schema: (schema.domain, schema.name, schema.since_version))
    print(f"# Made by make_schema_facts.py of onnx {onnx.__version__} (Apache 2.0): facts alone. Do not edit.")
    for schema in schemas:
        print(line(schema))


if __name__ == "__main__":
    sys.exit(main())
