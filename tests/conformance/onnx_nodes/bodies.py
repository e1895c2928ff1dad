# SPDX-License-Identifier: Apache-2.0
"""Compares our form of an operator with the body that ONNX's schema gives it,
imported as a function of the model.

    PYTHONPATH=PACKAGE VENV/bin/python tests/conformance/onnx_nodes/bodies.py
        [--count 30] [--update] [NAME...]

VENV has onnx and onnxruntime. --update writes bodies.txt.
"""

import argparse
import collections
import pathlib
import zlib

import draws
import onnx
import oracles
from agreement import agree
from compare import FACTS
from onnx import defs, helper
from table import TABLE

HERE = pathlib.Path(__file__).resolve().parent
DOMAIN = "body"
KINDS = ("agree", "differ", "refused")
TIMES = 4  # A body rounds after each operator, halves too.


def _body(schema, model, opset):
    """The function for the model's node; None where the schema has none for
    it."""
    node = model.graph.node[0]
    if schema.has_context_dependent_function:
        types = {one.name: one.type for one in model.graph.input}
        for one in model.graph.initializer:
            types[one.name] = helper.make_tensor_type_proto(
                one.data_type, one.dims)
        given = [types[name].SerializeToString() if name else b""
                 for name in node.input]
        data = schema.get_context_dependent_function_with_opset_version(
            opset, node.SerializeToString(), given)
        return onnx.FunctionProto.FromString(data) if data else None
    return schema.function_body if schema.has_function else None


def with_body(schema, data, opset):
    """The model whose node calls the body; None where there is no body."""
    model = onnx.load_from_string(data)
    body = _body(schema, model, opset)
    if body is None:
        return None
    function = onnx.FunctionProto()
    function.CopyFrom(body)
    function.domain, function.name = DOMAIN, schema.name
    del function.attribute[:], function.attribute_proto[:]
    for name, attribute in schema.attributes.items():
        if attribute.default_value.name:
            function.attribute_proto.append(attribute.default_value)
        else:
            function.attribute.append(name)
    newest = [one.version for one in function.opset_import if not one.domain]
    if newest:
        model.opset_import[0].version = max(
            newest[0], model.opset_import[0].version)
    model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    model.graph.node[0].domain = DOMAIN
    model.functions.append(function)
    return model.SerializeToString()


def _kind(schema, case, name, version):
    """That of a case, and what differs or is refused."""
    try:
        model, feeds, outputs = oracles.make(name, version, case)
    except (TypeError, ValueError):
        return None, ""
    called = with_body(schema, model, version)
    if called is None:
        return None, ""
    own = oracles.by_switchyard(model, feeds, outputs)
    body = oracles.by_switchyard(called, feeds, outputs)
    if isinstance(own, str):
        return None, ""  # compare.py counts it.
    if isinstance(body, str):
        return "refused", body
    return ("agree" if agree(own[0], body[0], TIMES) else "differ"), ""


def lines_of(names, count):
    for name, versions in sorted(draws.read_facts(FACTS).items()):
        if name not in TABLE or (names and name not in names):
            continue
        if name == "Bernoulli":
            continue  # Its body draws 1 as often as its text says 0.
        for version, letters, known in versions:
            if version < oracles.OLDEST:
                continue
            schema = defs.get_schema(name, version)
            if not (schema.has_function
                    or schema.has_context_dependent_function):
                continue
            counts, first = collections.Counter(), {}
            for i in range(count):
                seed = zlib.crc32(f"{name} {version} {i}".encode())
                case = TABLE[name](draws.Draws(version, letters, known, seed))
                kind, detail = _kind(schema, case, name, version)
                if kind is not None:
                    counts[kind] += 1
                    first.setdefault(kind, f"{i} {case.attributes} {detail}")
            yield name, version, counts, first


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    lines, sums, operators = [], collections.Counter(), set()
    for name, version, counts, first in lines_of(options.names, options.count):
        for kind in ("differ", "refused"):
            if kind in first:
                print(f"  {kind}: {first[kind]}")
        lines.append(" ".join([name, str(version)] + [
            f"{kind} {counts[kind]}" for kind in KINDS if counts[kind]]))
        print(lines[-1], flush=True)
        sums.update(counts)
        if counts["agree"]:
            operators.add(name)
    if options.update:
        head = ["# Written by bodies.py --update: a line for each operator and "
                "version whose schema has a body.",
                "# " + ", ".join(f"{kind} {sums[kind]}" for kind in KINDS)
                + f" of {sum(sums.values())}; {len(operators)} operators"]
        (HERE / "bodies.txt").write_text("\n".join(head + lines) + "\n",
                                         encoding="utf-8")


if __name__ == "__main__":
    main()
