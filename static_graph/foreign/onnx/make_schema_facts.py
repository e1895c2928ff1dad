#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes schema_facts.txt: what ONNX's own package says of each version of each operator, a line each.

    python3 make_schema_facts.py > schema_facts.txt      # in an environment with onnx and onnxruntime

The facts are ONNX's (https://github.com/onnx/onnx, Apache 2.0), and ONNX Runtime's of operators of its own
(https://github.com/microsoft/onnxruntime, MIT): names, numbers and types, and none of their text.
A line: domain|operator|version|inputs|outputs|attributes. Inputs and outputs are "name:dtypes" with "?" after an
optional one and "*" after one that repeats; attributes are "name:type", with "!" after one that must be given. Dtypes
are letters of DTYPES, in order; "-" stands for what is no tensor.
"""
import sys

import onnx
import onnxruntime
from onnx import defs
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

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
# ONNX Runtime's operators that its tools write into models, and EPContext, which is refused by name. One of them is in
# the domain of ONNX.
SIMPLIFIED = ("", "SimplifiedLayerNormalization")
MICROSOFT = set("""
    Attention BiasGelu DequantizeLinear DynamicQuantizeLSTM DynamicQuantizeMatMul EmbedLayerNormalization EPContext
    FastGelu FusedConv FusedGemm FusedMatMul Gelu GroupQueryAttention MatMulIntegerToFloat MatMulNBits
    MultiHeadAttention QAttention QGemm QLinearAdd QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool
    QLinearLeakyRelu QLinearMul QLinearReduceMean QLinearSigmoid QLinearSoftmax QLinearWhere QuantizeLinear QuickGelu
    RotaryEmbedding SkipLayerNormalization SkipSimplifiedLayerNormalization""".split())


def letters(types):
    """The dtypes of tensors, a letter each."""
    names = {name[7:-1] for name in types if name.startswith("tensor(")}
    known = "".join(letter for name, letter in DTYPES.items() if name in names)
    # Float8, float4 and integers below a byte are storage: one letter for all.
    small = "q" if any(name not in DTYPES for name in names) else ""
    return known + small + ("-" if len(names) < len(types) else "")


def ports(formal):
    mark = {"Optional": "?", "Variadic": "*", "Single": ""}
    return " ".join(f"{port.name}:{letters(port.types)}{mark[port.option.name]}" for port in formal)


def line(schema):
    attributes = " ".join(
        f"{attr.name}:{ATTRIBUTES[attr.type.name]}{'!' if attr.required else ''}"
        for attr in sorted(schema.attributes.values(), key=lambda attr: attr.name))
    return "|".join((schema.domain, schema.name, str(schema.since_version), ports(schema.inputs),
                     ports(schema.outputs), attributes))


def main():
    schemas = [schema for schema in defs.get_all_schemas_with_history()
               if schema.since_version <= NEWEST.get(schema.domain, 0)]
    schemas += [schema for schema in get_all_operator_schema()
                if (schema.domain == "com.microsoft" and schema.name in MICROSOFT)
                or (schema.domain, schema.name) == SIMPLIFIED]
    schemas.sort(key=lambda schema: (schema.domain, schema.name, schema.since_version))
    print(f"# Made by make_schema_facts.py of onnx {onnx.__version__} (Apache 2.0) and onnxruntime "
          f"{onnxruntime.__version__} (MIT): facts alone. Do not edit.")
    for schema in schemas:
        print(line(schema))


if __name__ == "__main__":
    sys.exit(main())
