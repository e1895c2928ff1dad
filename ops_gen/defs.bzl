# SPDX-License-Identifier: Apache-2.0
"""The layers that are generated from the YAML files: a table of them, and the loop that makes one's targets.

A layer is generated per family: editing an operator runs one generation a layer, and compiles only
the files that came out different. Kernels are in kernels.bzl, texts for people in tables.bzl.
"""

load("@sy_ops//:ops.bzl", "OPS")
load("//ops_gen:archives.bzl", "AUTOGRAD_OPS", "archive_shards")
load("//ops_gen:rules.bzl", "ops_gen", "per_family")
load("//ops_gen:shards.bzl", "link_shards", "linked_shard", "op_headers", "sharded")
load("//tools/bazel:cc.bzl", "sy_cc_library", "sy_cc_objects")
load("//tools/bazel:write_lines.bzl", "write_lines")

def _unit(name, header_deps, deps = [], files = None):
    """One header of an operator in a layer, and the target that brings it.

    Args:
      name: of the target :<name>, and of :<name>_headers.
      header_deps: what the header includes.
      deps: what the target brings besides the header and its object.
      files: the generated files; <name>.gen.h and <name>.gen.cc if None. A header alone has no
        target but :<name>_headers.
    """
    return struct(
        name = name,
        header_deps = header_deps,
        deps = deps,
        files = files or [name + ".gen.h", name + ".gen.cc"],
        is_header = files != None,
    )

def _signature_units(op):
    gradient = [_unit(
        op.forward + "_grad_map",
        header_deps = ["//phi/core:grad_info"],
        deps = [":" + op.forward, ":" + op.name],
    )] if op.forward else []
    args = [_unit(
        op.name + "_args",
        files = [op.name + ".args.gen.h"],
        header_deps = ["//phi/core:kernel_thunk"],
    )] if op.args else []
    return [_unit(op.name, header_deps = [
        "//phi/core:kernel_thunk",
        "//phi/core:kernel_context",
        "//phi/core:op_info",
    ])] + gradient + args

def _signature_deps(op):
    headers = [op.name] + ([op.forward + "_grad_map", op.forward] if op.forward else [])
    return [":%s_headers" % name for name in headers] + ["//phi/core:infer_meta_context"] + (
        ["//phi/infermeta/" + op.header.replace("/", ":")] if op.header else []
    ) + (["//phi/infermeta:gradient"] if op.forward else [])

def _is_legacy(op):
    return "paddle" in op.vocabularies or (op.forward and "paddle" in OPS[op.forward].vocabularies)

def _has_onnx(op):
    return "onnx" in op.vocabularies

def _form_deps(op):
    return [
        ":%s_headers" % op.name,
        "//phi/core/signatures:" + op.name,
    ]

def _mixed_deps(op):
    """The headers that an operator's source reads, and the body that it runs."""
    return [
        ":%s_headers" % name
        for name in [op.name, op.backward]
        if name
    ] + (["//phi/composite/bodies:" + op.name] if _has_body(op) else []) + [
        "//phi/core/signatures:" + op.name,
    ] + (["//phi/core/signatures:%s_grad_map" % op.name] if op.backward else [])

def _has_body(op):
    return op.composite or op.invoke

def _body_deps(op):
    return [
        ":%s_headers" % op.name,
        "//phi/composite:" + op.composite if op.composite else "//phi/composite/calls:" + op.invoke,
    ]

def _eager_deps(op):
    return _mixed_deps(op) + [
        ":autograd_ops_headers",
        ":flat_run",
        "//eager/call:run",
        "//framework/base:op_error",
        "//phi/core:kernel_table",
    ]

def _every_op(_op):
    return True

def _layer(folder, deps, header_deps = [], **kwargs):
    """A layer.

    Args:
      folder: of the BUILD file, as #include sees it.
      deps: deps(op) lists what an operator's source needs.
      header_deps: what each header includes.
      **kwargs: fields that differ from the defaults here.
    """
    fields = {
        "folder": folder,
        "deps": deps,
        "header_deps": header_deps,
        # units(op) lists what an operator has in the layer. None: one unit of its name.
        "units": None,
        # Whether the layer has the operator.
        "has": _every_op,
        # Whether operators call each other, in circles too (archives.bzl). If not, a shard is a library.
        "circles": False,
        # In such a layer: the objects that every operator refers to, and the operators that they call.
        "common_objects": [],
        "common_ops": [],
        # The precompiled header that sources include first (tools/bazel/cc.bzl).
        "precompiled": "standard",
        # The target that links all operators: its name (None: there is none), other sources and
        # dependencies.
        "every": "every_operator",
        "every_srcs": [],
        "every_deps": header_deps,
        # The visibility of the operators' targets. None: the package's.
        "visibility": None,
    }
    fields.update(kwargs)
    return struct(**fields)

_PUBLIC = ["//visibility:public"]

_LAYERS = {
    "signatures": _layer(
        "phi/core/signatures",
        _signature_deps,
        units = _signature_units,
        precompiled = "kernel",
        every_deps = ["//phi/core:op_info"],
        visibility = _PUBLIC,
    ),
    "legacy": _layer(
        "phi/legacy/forms",
        _form_deps,
        header_deps = [":legacy_form"],
        has = _is_legacy,
        precompiled = "kernel",
        every = "tables",
        every_srcs = ["every_operator.cc"],
        every_deps = [":legacy_form", "//framework/base:hash_map", "//phi/core:op_table"],
    ),
    "onnx": _layer(
        "phi/onnx",
        _form_deps,
        header_deps = [":onnx_form"],
        has = _has_onnx,
        precompiled = "kernel",
        every = "tables",
        every_srcs = ["every_operator.cc"],
        every_deps = [":onnx_form", "//framework/base:hash_map"],
    ),
    "bodies": _layer(
        "phi/composite/bodies",
        _body_deps,
        header_deps = ["//phi/composite:ops"],
        has = _has_body,
        precompiled = "kernel",
        every = None,
    ),
    "eager": _layer(
        "eager/ops",
        _eager_deps,
        header_deps = [
            "//eager/call:eager_op",
            "//eager/call:run",
            "//eager/tensor",
            "//phi/core:arg_buffer",
        ],
        precompiled = "eager",
        circles = True,
        common_objects = [":autograd_ops"],
        common_ops = AUTOGRAD_OPS,
        visibility = _PUBLIC,
    ),
    "dialect": _layer(
        "static_graph/dialect",
        _mixed_deps,
        header_deps = [
            ":dialect_op",
            ":build_op",
            ":op_view",
            "//phi/core:arg_buffer",
        ],
        precompiled = "dialect",
        circles = True,
        visibility = _PUBLIC,
    ),
}

def _sharded(rule, name, layer, files):
    return sharded(rule, name, layer.folder, files, layer.deps, precompiled = layer.precompiled)

def _linked(name, layer, files):
    """{operator: the target that links its object and brings no headers}, of the sharded operators."""
    if not layer.circles:
        return link_shards(_sharded(sy_cc_library, name, layer, files))
    shards = _sharded(sy_cc_objects, name, layer, files)
    return archive_shards(shards, layer.common_ops, layer.common_objects)

def _units(layer, op):
    return layer.units(op) if layer.units else [_unit(op.name, layer.header_deps)]

def _every_target(name, layer, ops, linked):
    """The target that links all operators of a layer."""
    ops_gen(
        name = "all_" + name,
        layer = name,
        names = sorted(ops),
        outs = ["every_operator.gen.cc"],
    )
    sy_cc_library(
        name = layer.every,
        srcs = layer.every_srcs + ["every_operator.gen.cc"],
        hdrs = ["every_operator.h"],
        visibility = layer.visibility if layer.circles else None,
        deps = layer.every_deps + sorted({target: None for target in linked.values()}),
    )

def generated_layer(name):
    """A layer's targets, in its BUILD file: :<op> and :<op>_headers, and the one of every operator.

    Args:
      name: of the layer, a key of the table.
    """
    layer = _LAYERS[name]
    units = {op.name: _units(layer, op) for op in OPS.values() if layer.has(op)}
    files = {op: [file for unit in units[op] for file in unit.files] for op in units}
    per_family(name, files)
    linked = _linked(name, layer, files)
    for op in units:
        for unit in units[op]:
            headers = op_headers(unit.name, unit.files[:1], unit.header_deps)
            if not unit.is_header:
                sy_cc_library(
                    name = unit.name,
                    visibility = layer.visibility if unit.name == op else None,
                    deps = unit.deps + [linked[op], headers],
                )
    if layer.every:
        _every_target(name, layer, units.keys(), linked)

def generated_api():
    """//phi/api:<op>, in its BUILD file: a header that holds the function, of which nothing is compiled."""
    ops = [op for op in OPS.values() if op.kernels or op.invoke]
    per_family("api", {op.name: [op.name + ".gen.h"] for op in ops})
    for op in ops:
        sy_cc_library(
            name = op.name,
            hdrs = [op.name + ".gen.h"],
            visibility = _PUBLIC,
            deps = [":" + op.invoke] if op.invoke else [
                ":flat_call",
                "//framework/base:status",
                "//framework/tensor:dense_tensor",
                "//framework/types:attribute",
                "//phi/core:kernel_table",
                "//phi/core/signatures:" + op.name,
                "//phi/dispatch:call",
            ],
        )

def generated_calls():
    """//phi/composite/calls:<op>, in its BUILD file: the function by which bodies call an operator.

    //phi/composite/calls:of_<header> are those that the bodies in a header of phi/composite need.
    """
    per_family("calls", {op: [op + ".gen.h"] for op in OPS})
    for op in OPS:
        sy_cc_library(
            name = op,
            hdrs = [op + ".gen.h"],
            deps = [
                "//phi/composite:ops",
                "//phi/core/signatures:" + linked_shard("signatures", op),
            ],
        )

    for header in sorted({op.composite: None for op in OPS.values() if op.composite}):
        called = [used for op in OPS.values() if op.composite == header for used in op.uses]
        called = sorted({op: None for op in called})
        guard = "SWITCHYARD_PHI_COMPOSITE_CALLS_OF_%s_H_" % header.upper()
        write_lines(
            name = "of_%s_lines" % header,
            out = "of_%s.h" % header,
            lines = [
                "// SPDX-License-Identifier: Apache-2.0",
                "// The `uses:` of the entries whose bodies are in phi/composite/%s.h." % header,
                "#ifndef " + guard,
                "#define " + guard,
                "",
            ] + ['#include "phi/composite/calls/%s.gen.h"' % op for op in called] + [
                "",
                "#endif  // " + guard,
            ],
        )
        sy_cc_library(
            name = "of_" + header,
            hdrs = ["of_%s.h" % header],
            deps = [":" + op for op in called],
        )
