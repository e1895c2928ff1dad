#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Lists operators and their kernels from the facts that ops_gen generates."""
import argparse
import json
import pathlib
import sys

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
