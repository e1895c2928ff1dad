# SPDX-License-Identifier: Apache-2.0
"""Generates what people read: docstrings, stubs, the reference pages, the public C++ header."""

load("@sy_ops//:ops.bzl", "OPS")
load("//ops_gen:rules.bzl", "ops_gen")
load("//ops_gen:families.bzl", "FAMILIES")
load("//tools/bazel:cc.bzl", "sy_cc_library")

def python_ops(name, deps):
    """The library `name` with the table of all generated operators, <family>.pyi stubs and <family>_places.txt."""
    for family in FAMILIES:
        ops_gen(
            name = family + "_python",
            layer = "python",
            outs = [family + "_docs.gen.cc", family + ".pyi", family + "_places.txt"],
            src = "//ops_gen/ops:%s.yaml" % family,
        )
    ops_gen(
        name = name + "_names",
        layer = "python",
        names = sorted([op.name for op in OPS.values() if not op.forward]),
        outs = ["python_ops.gen.cc"],
    )
    sy_cc_library(
        name = name,
        srcs = ["python_ops.gen.cc"] + [family + "_docs.gen.cc" for family in FAMILIES],
        hdrs = ["python_ops.h"],
        deps = deps,
    )

def op_pages():
    """<family>.gen.md and .json: what docs/ops checks in and ./sy ops lists."""
    for family in FAMILIES:
        ops_gen(
            name = family + "_pages",
            layer = "op_pages",
            outs = ["generated/%s.md" % family, "generated/%s.json" % family],
            src = "//ops_gen/ops:%s.yaml" % family,
        )

def public_header(name, deps):
    """The library `name` with switchyard/ops.h, which includes the headers of all forward operators.

    Args:
      name: of the library, in the package of the eager operators.
      deps: what links the operators.
    """
    forward = [op for op in OPS.values() if not op.forward]
    ops_gen(
        name = "public_header",
        layer = "public_header",
        names = sorted([op.name for op in forward] + [
            "%s_ %s" % (op.name, op.name)
            for op in forward
            if op.inplace and not op.name.endswith("_")
        ]),
        outs = ["switchyard/ops.h"],
    )
    sy_cc_library(
        name = name,
        hdrs = ["switchyard/ops.h"],
        includes = ["."],
        visibility = ["//visibility:public"],
        deps = deps + [":%s_headers" % op.name for op in forward],
    )
