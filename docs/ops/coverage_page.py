# SPDX-License-Identifier: Apache-2.0
"""The page coverage.md: which kernels operators have, by backend and dtype, forward and backward.

    coverage_page.py FACTS PAGE   writes it
"""
import json
import pathlib
import sys

SHORT = {"bool": "b", "uint8": "u8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
         "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
         "complex64": "c64", "complex128": "c128", "string": "s",
         "uint16": "u16", "uint32": "u32", "uint64": "u64",
         "float8_e4m3fn": "e4m3fn", "float8_e4m3fnuz": "e4m3fnuz", "float8_e5m2": "e5m2",
         "float8_e5m2fnuz": "e5m2fnuz", "float8_e8m0fnu": "e8m0", "float4_e2m1fn": "e2m1",
         "int4": "i4", "uint4": "u4", "int2": "i2", "uint2": "u2"}
# Backends that compute on the host.
HOST = ("reference", "cpu", "onednn", "fluid/cpu", "fluid/onednn")

HEADER = """<!-- Generated: ./sy docs -->
# Kernels by operator, backend and dtype

What `kernels:` promises in `ops_gen/ops`, and the build holds it to, with file and line: the parser
refuses a dtype that an operator has and its gradient lacks on that device;
`//tests/binary:kernel_symbols_test` a kernel that is promised and missing (at link it is an
undefined symbol), or registered without a promise; `//tests/binary:equal_candidates_test` one that
another of its rank leaves no call. Selection considers backends by rank, the highest first: gpudnn,
gpu, onednn, cpu (`reference` is an oracle for tests). The rows of one operator and backend are in
the order in which it considers their kernels, and in a backend functional kernels come before
legacy ones, which are those of `fluid/`.

Backward: `=` stands for the same dtypes, `made of others` for a gradient that is composed of
operators, `cpu` (or another backend) for one whose kernels are of that backend alone, `-` for none.
Dtypes: b bool, u8 uint8, i8 int8, i16 int16, i32 int32, i64 int64, f16 float16, bf16 bfloat16,
f32 float32, f64 float64, c64 complex64, c128 complex128, s string, u16 uint16, u32 uint32,
u64 uint64, and what is only stored: e4m3fn float8_e4m3fn and so on, i4 int4, u4 uint4, i2 int2, u2 uint2.
"""


def dtypes_text(dtypes):
    return " ".join(name for dtype, name in SHORT.items() if dtype in dtypes)


def same_device(a, b):
    return (a in HOST) == (b in HOST)


def backward_text(op, backend, dtypes, ops):
    """How the gradient of a kernel of these dtypes is covered."""
    gradient = ops.get(op["backward"])
    if gradient is None:
        return "-"
    if not gradient["kernels"]:
        return "made of others"
    own, elsewhere = set(), []
    for _, other, theirs in gradient["kernels"]:
        if other == backend:
            own |= set(theirs)
        elif same_device(other, backend) and other != "reference" and other not in elsewhere:
            elsewhere.append(other)
    if not own:
        if elsewhere:
            return ", ".join(elsewhere)
        return "made of others" if gradient["composed"] else "-"
    shared = [dtype for dtype in dtypes if dtype in own]
    return "=" if set(shared) == set(dtypes) else dtypes_text(shared) or "-"


def rows(ops, every=None):
    """A row for each kernel of `ops`, whose gradients are among `every` (or them)."""
    by_name = {op["name"]: op for op in every or ops}
    for op in ops:
        for func, backend, dtypes in sorted(
                op["kernels"], key=lambda kernel: kernel[1]):  # Stable: ranks stay in order.
            name = "" if func == op["name"] else func
            yield "| %s | %s | %s | %s | %s |" % (
                op["name"], backend, name, dtypes_text(dtypes),
                backward_text(op, backend, dtypes, by_name))


def page(ops):
    lines = [HEADER]
    families = dict.fromkeys(op["family"] for op in ops)
    composed = [op["name"] for op in ops if not op["kernels"]]
    kernels = sum(len(dtypes) for op in ops for _, _, dtypes in op["kernels"])
    lines.append("%d entries have %d kernels; %d are made of others."
                 % (len(ops), kernels, len(composed)))
    for family in families:
        members = [op for op in ops if op["family"] == family]
        table = list(rows(members, ops))
        if not table:
            continue
        lines += ["\n## %s\n" % family, "| operator | backend | kernel | forward | backward |",
                  "|---|---|---|---|---|"] + table
    return "\n".join(lines) + "\n"


def main():
    facts, path = sys.argv[1:]
    pathlib.Path(path).write_text(page(json.loads(pathlib.Path(facts).read_text())))


if __name__ == "__main__":
    main()
