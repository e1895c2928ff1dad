#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints ops.bzl of the repository @sy_ops: what the build must know of each operator by name.

    list_entries.py ROOT FAMILY.yaml ...

Bazel needs the names of targets and of generated files before it runs anything. This reads those
facts alone, of the workspace in ROOT, and refuses an entry in which they are wrong, as the parser of
ops_gen does (entry_checks.py). All other mistakes are left to that.
"""
import pathlib
import re
import sys

import entry_words
import yaml
from entry_checks import Checks, Mistake, header_path


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


def kinds_functions(entry):
    """The kernel functions that take or yield tensors that are not dense, of an entry with a header for them."""
    kernel = mapping(entry.get("kernel"))
    if not kernel.get("kinds_header"):
        return []
    return [function for function, kinds in re.findall(r"(\w+) \{([^}]*)\}", kernel.get("func", ""))
            if set(re.findall(r"\w+", kinds)) != {"dense"}]


def infer_meta_header(entry, previous, family):
    """"folder/file" of the InferMeta function: of a gradient by rule that of the forward operator."""
    call = entry.get("infer_meta")
    call = mapping(previous.get("infer_meta") if call == "gradient" else call)
    return header_path(call.get("header") or family) if call else ""


def takes_args(entry):
    """Whether the operator's kernels take the generated struct of their arguments
    (ops_gen/emit/kernel_args.h)."""
    kernel = mapping(entry.get("kernel"))
    if not kernel or "functor" in entry or all("/" in backend for _, backend, _ in kernels(entry, {})):
        return False
    # A type and a name, at the beginning or after a comma: none is in the text of a default.
    arguments = re.findall(r"(?:^\(|, )[\w\[\]]+ \w+", str(entry.get("args", "")))
    outputs = re.findall(r"Tensor(?:\[\])?\(\w+\)", str(entry.get("output", "")))
    return len(kernel.get("param", arguments)) + len(outputs) > 8


def describe(entry, previous, family, sets, vocabularies):
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
        "header": infer_meta_header(entry, previous, family),
        "invoke": word(entry.get("invoke")),
        "composite": word(composite.get("header")) or family if composite else "",
        "uses": names(composite.get("uses")),
        "traits": names(entry.get("traits")),
        "inplace": "inplace" in entry,
        "vocabularies": [key for key in vocabularies if key in entry],
        "kernel_header": header_path(kernel.get("header") or family, "functor" in entry),
        "kinds_header": header_path(kernel["kinds_header"]) if kernel.get("kinds_header") else "",
        "kinds_functions": kinds_functions(entry),
        "kernels": kernels(entry, sets),
        "args": takes_args(entry),
    }


def check_old_types(entries):
    """A type of old programs is one operator's, or another form would never be found. The type of a
    gradient may be an entry's form in the same family, which is that gradient then."""
    owners = {}
    for entry in entries.values():
        for place, kind in entry.old_types():
            owner, first = owners.setdefault(kind, (entry.name, place))
            form_of_gradient = place.file == first.file and (
                place.path.endswith("grad.type") != first.path.endswith("grad.type"))
            if owner != entry.name and not form_of_gradient:
                place.error("an old type of its own", f"'{kind}', which is that of {owner}")


def check(ops, entries):
    """Checks the families together: names and kernel functions are one operator's, and the operators
    that bodies call exist. `entries` are the maps of entry_checks by name."""
    families = {op["name"]: op["family"] for op in ops}
    for op in ops:
        entry = entries[op["name"]]
        if op["invoke"] and op["invoke"] not in families:
            entry.at("invoke").error("an operator", entry_words.guessed(op["invoke"], families))
        for used in op["uses"]:
            if used not in families:
                entry.below("composite").read().at("uses").error(
                    "an operator", entry_words.guessed(used, families))
    check_old_types(entries)
    owners = {}
    for op in ops:
        for function in sorted({function for function, _, _ in op["kernels"]}):
            owner = owners.setdefault(function, op["name"])
            # A kernel's symbol has the function's name: a table would take either for both.
            if owner != op["name"]:
                entries[op["name"]].at("kernel").error(
                    "kernel functions of its own", f"'{function}', which is that of {owner}")


def read(checks, sets, paths):
    """The facts of all entries of the families, checked."""
    ops, entries = [], {}
    vocabularies = sorted(checks.keys["vocabularies"])
    for path in paths:
        text = path.read_text()
        for name, entry in checks.family(f"ops_gen/ops/{path.name}", text).items():
            if name in entries:
                entry.error("each operator once", f"it in {entries[name].file} too")
            entries[name] = entry
        # Texts as they are written: "1.0" and "true" are not for this script to convert.
        loaded = yaml.load(text, Loader=yaml.CBaseLoader)
        ops += [describe(entry, previous, path.stem, sets, vocabularies)
                for previous, entry in zip([{}] + loaded, loaded)]
    check(ops, entries)
    return ops


def main():
    root = pathlib.Path(sys.argv[1])
    checks = Checks(root, entry_words.read_keys(root), entry_words.read_backends(root))
    try:
        ops = read(checks, entry_words.read_dtype_sets(root), map(pathlib.Path, sys.argv[2:]))
    except Mistake as mistake:
        sys.exit(str(mistake))
    print('"""The operators of ops_gen/ops, by name."""\n\nOPS = {')
    for op in ops:
        fields = ", ".join(f"{key} = {value!r}" for key, value in op.items())
        print(f'    "{op["name"]}": struct({fields}),')
    print("}")


main()
