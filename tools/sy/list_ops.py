#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Lists operators and their kernels from the facts that ops_gen generates, or tells of one."""
import argparse
import json
import pathlib
import sys

import yaml

from nearest import nearest

BACKENDS = ("reference", "cpu", "onednn", "gpu", "gpudnn", "fluid/cpu")
SHORT = {"float16": "f16", "bfloat16": "bf16", "float32": "f32",
         "float64": "f64", "int8": "i8", "int32": "i32", "int64": "i64",
         "uint8": "u8", "bool": "b"}


def short(dtypes):
    """"f32 f64", or a count where there are many."""
    if len(dtypes) > 3:
        return "%d dtypes" % len(dtypes)
    return " ".join(SHORT.get(dtype, dtype) for dtype in dtypes) or "-"


def rows(ops):
    """(operator, what makes its body, dtypes by backend), one a kernel."""
    for op in ops:
        if not op["kernels"]:
            yield op["name"], "other operators", [[] for _ in BACKENDS]
        for kernel, coverage in op["kernels"].items():
            body = "kernel" if len(op["kernels"]) == 1 else kernel
            yield op["name"], body, [coverage.get(b, []) for b in BACKENDS]


def entry_of(op):
    """The YAML entry of an operator; {} if there is none."""
    path = pathlib.Path("ops_gen/ops", op.get("family", "") + ".yaml")
    entries = yaml.load(path.read_text(), Loader=yaml.CBaseLoader) if path.is_file() else []
    return next((entry for entry in entries
                 if op["name"] in (entry.get("op"), entry.get("backward_op"))), {})


def kernel_lines(op):
    """Yields lines on its kernels: by backend, those of one backend in the entry's order."""
    order = list(entry_of(op).get("kernels", {}))
    place = {kernel: order.index(kernel) if kernel in order else 0 for kernel in op["kernels"]}
    for backend in dict.fromkeys(BACKENDS + tuple(
            backend for coverage in op["kernels"].values() for backend in coverage)):
        for kernel in sorted(op["kernels"], key=place.get):
            dtypes = op["kernels"][kernel].get(backend)
            if dtypes:
                named = "" if len(op["kernels"]) == 1 else f"{kernel}: "
                yield backend, named + " ".join(SHORT.get(dtype, dtype) for dtype in dtypes)


def sample_counts(op):
    """(file, number of valid samples, of invalid ones) of each list of its forward operator."""
    name = op["forward"] or op["name"]
    folder = pathlib.Path("tests/samples")
    sets = yaml.load((folder / "sets.yaml").read_text(), Loader=yaml.CBaseLoader)

    def count(rows):
        return sum(len(sets[row]) if isinstance(row, str) else 1 for row in rows)

    for path in sorted(folder.glob("*.yaml")):
        text = path.read_text()
        if f"- op: {name}\n" not in text:
            continue
        for entry in yaml.load(text, Loader=yaml.CBaseLoader):
            if entry.get("op") == name:
                yield path, count(entry.get("valid", [])), count(entry.get("invalid", []))


def describe(op, by_name):
    """The row of one operator, a fact a line."""
    def line(title, text):
        return f"{title:<13}{text}".rstrip()

    yield op.get("signature", op["name"])
    yield line("entry", f"ops_gen/ops/{op.get('family', '')}.yaml")
    lines = list(kernel_lines(op))
    yield line("kernels", "" if lines else "none: it is made of other operators")
    for backend, text in lines:
        yield f"  {backend:<11}{text}"
    yield line("legacy names", ", ".join(op.get("old_names", [])) or "none")
    gradient = by_name.get(op.get("backward", ""))
    if gradient is None:
        yield line("gradient", "none")
    else:
        backends = dict.fromkeys(backend for backend, _ in kernel_lines(gradient))
        yield line("gradient", "%s (%s)" % (gradient["name"],
                                            ", ".join(backends) or "made of other operators"))
    if op["forward"]:
        yield line("gradient of", op["forward"])
    for path, valid, invalid in sample_counts(op):
        yield line("samples", f"{path}: {valid} valid, {invalid} invalid")
    yield line("tests", f"./sy test --op {op['forward'] or op['name']}")


def main():
    parser = argparse.ArgumentParser(prog="sy ops", description=__doc__)
    parser.add_argument("folder", help=argparse.SUPPRESS)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    every = [op for path in sorted(pathlib.Path(options.folder).glob("*.json"))
             for op in json.loads(path.read_text())]
    ops = [op for op in every if options.word in op["name"]]
    if not ops:
        like = nearest(options.word, [op["name"] for op in every])
        meant = f"; did you mean '{like}'?" if like else ""
        sys.exit(f"ops: no operator's name has '{options.word}' in it{meant}")
    ops.sort(key=lambda op: op["name"])
    exact = next((op for op in ops if op["name"] == options.word), None)
    if exact is not None and not options.json:
        print("\n".join(describe(exact, {op["name"]: op for op in every})))
        others = [op["name"] for op in ops if op is not exact]
        if others:
            print("See also: " + ", ".join(others))
        return
    if options.json:
        print(json.dumps(ops, indent=1))
        return
    line = "%-32s %-18s" + " %-10s" * len(BACKENDS)
    print((line % ("operator", "body", *BACKENDS)).rstrip())
    for name, body, coverage in rows(ops):
        print((line % (name, body, *map(short, coverage))).rstrip())
    print("%d operators, %d of them gradients" % (
        len(ops), sum(bool(op["forward"]) for op in ops)))


main()
