#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints ops.bzl of the repository @sy_ops: what the build must know of each operator by name.

    list_entries.py DTYPE_SETS FAMILY.yaml ...

Bazel needs the names of targets and of generated files before it runs anything. This reads those
facts alone and judges nothing but names: an entry whose other parts are wrong is left to the parser
of ops_gen, whose errors name the line.
"""
import pathlib
import re
import sys

import yaml


def read_dtype_sets(path):
    """{name: [dtypes]} of ops_gen/schema/dtype_sets.def."""
    return {name: dtypes.split() for name, dtypes in
            re.findall(r'^SY_DTYPE_SET\((\w+), "(.*)"\)', path.read_text(), re.MULTILINE)}


def mapping(value):
    return value if isinstance(value, dict) else {}


def names(value):
    return [str(item) for item in value] if isinstance(value, list) else []


def word(value):
    """The first identifier of a text: "relu" of "relu (Tensor x) -> Tensor(out)"."""
    found = re.match(r"\s*(\w+)", value) if isinstance(value, str) else None
    return found.group(1) if found else ""


def kernels(entry, sets):
    """[(function, backend, [dtypes])] of `kernels:`, which may have a level of functions."""
    rows = []
    func = word(mapping(entry.get("kernel")).get("func", ""))
    for key, value in mapping(entry.get("kernels")).items():
        for backends, dtypes in (value if isinstance(value, dict) else {key: value}).items():
            dtypes = sets.get(dtypes, []) if isinstance(dtypes, str) else names(dtypes)
            for backend in str(backends).split(", "):
                rows.append((key if isinstance(value, dict) else func, backend, dtypes))
    return rows


def header_path(header):
    """"<folder>/<header>"; one name stands for both."""
    return header if "/" in header else f"{header}/{header}"


def kinds_functions(entry):
    """The kernel functions that take or yield tensors that are not dense, of an entry with a header for them."""
    kernel = mapping(entry.get("kernel"))
    if not kernel.get("kinds_header"):
        return []
    return [function for function, kinds in re.findall(r"(\w+) \{([^}]*)\}", kernel.get("func", ""))
            if set(re.findall(r"\w+", kinds)) != {"dense"}]


def describe(entry, previous, family, sets):
    infer_meta = mapping(entry.get("infer_meta"))
    composite = mapping(entry.get("composite"))
    kernel = mapping(entry.get("kernel"))
    return {
        "name": word(entry.get("op") or entry.get("backward_op")),
        "family": family,
        # A gradient's entry is right below its forward operator's.
        "forward": word(previous.get("op") or previous.get("backward_op"))
                   if "backward_op" in entry else "",
        "backward": word(entry.get("backward")),
        "functor": word(entry.get("functor")),
        "header": word(infer_meta.get("header")) or family if infer_meta else "",
        "invoke": word(entry.get("invoke")),
        "composite": word(composite.get("header")) or family if composite else "",
        "uses": names(composite.get("uses")),
        "traits": names(entry.get("traits")),
        "inplace": "inplace" in entry,
        "legacy": "fluid" in entry,
        "kernel_header": header_path(kernel.get("header") or family),
        "kinds_header": header_path(kernel["kinds_header"]) if kernel.get("kinds_header") else "",
        "kinds_functions": kinds_functions(entry),
        "kernels": kernels(entry, sets),
    }


def fail(family, name, sentence):
    sys.exit(f"ops_gen/ops/{family}.yaml: {name or 'an entry'}: {sentence}")


def check(ops):
    """Checks the families together: names and kernel functions are one operator's, and the operators
    that bodies call exist."""
    known = {}
    for op in ops:
        name = op["name"]
        if not name:
            fail(op["family"], name, "expected 'op:' or 'backward_op:'")
        if name in known:
            fail(op["family"], name, f"expected each operator once, got it in {known[name]}.yaml too")
        known[name] = op["family"]
    for op in ops:
        for used in op["uses"] + [op["invoke"]] * bool(op["invoke"]):
            if used not in known:
                fail(op["family"], op["name"], f"expected an operator, got '{used}'")
    owners = {}
    for op in ops:
        for function in sorted({function for function, _, _ in op["kernels"]}):
            owner = owners.setdefault(function, op["name"])
            # A kernel's symbol has the function's name: a table would take either for both.
            if owner != op["name"]:
                fail(op["family"], op["name"], f"expected kernel functions of its own, got '{function}', "
                                               f"which is that of {owner}")


def main():
    sets = read_dtype_sets(pathlib.Path(sys.argv[1]))
    ops = []
    for path in map(pathlib.Path, sys.argv[2:]):
        try:
            # Texts as they are written: "1.0" and "true" are not for this script to convert.
            entries = yaml.load(path.read_text(), Loader=yaml.CBaseLoader)
        except yaml.YAMLError as error:
            sys.exit(f"ops_gen/ops/{path.name}: {error}")
        entries = [mapping(entry) for entry in entries or []]
        ops += [describe(entry, previous, path.stem, sets)
                for previous, entry in zip([{}] + entries, entries)]
    check(ops)
    print('"""The operators of ops_gen/ops, by name."""\n\nOPS = {')
    for op in ops:
        fields = ", ".join(f"{key} = {value!r}" for key, value in op.items())
        print(f'    "{op["name"]}": struct({fields}),')
    print("}")


main()
