# SPDX-License-Identifier: Apache-2.0
"""The macros that make a layer's targets from the YAML files: one call in the layer's BUILD file.

Each generates per (layer, family): editing an operator runs one generation a layer, and compiles
only the files that came out different. Kernels are in kernels.bzl.
"""

load("@sy_ops//:ops.bzl", "OPS")
load("//ops_gen:rules.bzl", "ops_gen", "per_family")
load("//ops_gen:shards.bzl", "link_shards", "op_headers", "sharded")
load("//tools/bazel:cc.bzl", "sy_cc_library", "sy_cc_objects")
load("//tools/bazel:cc_archive.bzl", "cc_archive")

def _pair(stem):
    return [stem + ".gen.h", stem + ".gen.cc"]

def _signature_stems(op):
    return [op.name] + ([op.forward + "_grad_map"] if op.forward else [])

def _signature_deps(op):
    return [":" + stem + "_headers" for stem in _signature_stems(op)] + (
        [":%s_headers" % op.forward] if op.forward else []
    ) + ["//phi/core:infer_meta_context"] + (
        ["//phi/infermeta:" + op.header] if op.header else []
    )

def op_signatures():
    """//phi/core/signatures:<op>, :<op>_call_headers, :<op>_grad_map and :every_operator."""
    files = {
        op.name: [file for stem in _signature_stems(op) for file in _pair(stem)] + [op.name + ".call.gen.h"]
        for op in OPS.values()
    }
    per_family("signatures", files)
    linked = link_shards(sharded(sy_cc_library, "signatures", "phi/core/signatures", files, _signature_deps))
    for op in OPS.values():
        op_headers(op.name + "_call", [op.name + ".call.gen.h"], [
            "//framework/types:attr_arg",
            "//phi/core:arg_buffer",
        ])
        sy_cc_library(
            name = op.name,
            visibility = ["//visibility:public"],
            deps = [
                linked[op.name],
                op_headers(op.name, [op.name + ".gen.h"], [
                    "//phi/core:kernel_thunk",
                    "//phi/core:kernel_context",
                    "//phi/core:op_info",
                ]),
            ],
        )
        if op.forward:
            gradient = op.forward + "_grad_map"
            sy_cc_library(
                name = gradient,
                deps = [
                    ":" + op.forward,
                    ":" + op.name,
                    linked[op.name],
                    op_headers(gradient, [gradient + ".gen.h"], ["//phi/core:grad_info"]),
                ],
            )
    ops_gen(
        name = "all_signatures",
        layer = "signatures",
        names = sorted(OPS.keys()),
        outs = ["every_operator.gen.cc"],
    )
    sy_cc_library(
        name = "every_operator",
        srcs = ["every_operator.gen.cc"],
        hdrs = ["every_operator.h"],
        deps = ["//phi/core:op_info"] + sorted({target: None for target in linked.values()}),
    )

def _is_legacy(op):
    return op.legacy or (op.forward and OPS[op.forward].legacy)

def _legacy_deps(op):
    return [
        ":%s_headers" % op.name,
        "//phi/core/signatures:" + op.name,
    ]

def legacy_tables():
    """//phi/legacy:<op> of the operators with `fluid:` and of their gradients, and :tables."""
    files = {op.name: _pair(op.name) for op in OPS.values() if _is_legacy(op)}
    per_family("legacy", files)
    linked = link_shards(sharded(sy_cc_library, "legacy", "phi/legacy", files, _legacy_deps))
    for name in files:
        sy_cc_library(
            name = name,
            deps = [
                linked[name],
                op_headers(name, [name + ".gen.h"], [":legacy_form"]),
            ],
        )
    ops_gen(
        name = "all_legacy",
        layer = "legacy",
        names = sorted(files),
        outs = ["every_operator.gen.cc"],
    )
    sy_cc_library(
        name = "tables",
        srcs = [
            "every_operator.cc",
            "every_operator.gen.cc",
        ],
        hdrs = ["every_operator.h"],
        deps = [":legacy_form", "//framework/base:hash_map", "//phi/core:op_table"] + sorted({target: None for target in linked.values()}),
    )

_API_HEADER_DEPS = [
    "//framework/base:status",
    "//framework/tensor:dense_tensor",
    "//framework/types:attribute",
    "//phi/core:kernel_table",
]

def _api_deps(op):
    return [
        ":%s_headers" % op.name,
        ":flat_call",
        "//phi/core/signatures:" + op.name,
        "//phi/dispatch:call",
    ]

def op_apis():
    """//phi/api:<op> of the operators that have kernels or invoke one that has."""
    files = {op.name: _pair(op.name) for op in OPS.values() if op.kernels or op.invoke}
    per_family("api", files)

    # A call of another operator has a file of its own: in shards, they would need each other in circles.
    called = {name: files[name] for name in files if not OPS[name].invoke}
    linked = link_shards(sharded(sy_cc_library, "api", "phi/api", called, _api_deps))
    for name in files:
        headers = op_headers(name, [name + ".gen.h"], _API_HEADER_DEPS)
        invoked = OPS[name].invoke
        sy_cc_library(
            name = name,
            srcs = [name + ".gen.cc"] if invoked else [],
            visibility = ["//visibility:public"],
            deps = _api_deps(OPS[name]) + [":" + invoked] if invoked else [headers, linked[name]],
        )

def _mixed_deps(op):
    """The headers that an operator's source reads: its gradient's, and those of what its body calls."""
    return [
        ":%s_headers" % name
        for name in [op.name, op.backward]
        if name
    ] + [
        "//phi/core/signatures:%s_call_headers" % name
        for name in [op.invoke] + op.uses
        if name
    ] + (["//phi/composite:" + op.composite] if op.composite else []) + [
        "//phi/core/signatures:" + op.name,
    ] + (["//phi/core/signatures:%s_grad_map" % op.name] if op.backward else [])

def _archive(layer, folder, header_deps, deps, parts, visibility = None):
    """:<op> for each operator of a layer, and :every_operator, over one archive, :operators.

    Operators refer to each other in circles (a gradient is made of operators that have gradients),
    so their objects are one archive; a linker takes of it only what it is asked for.

    Args:
      layer: the generator's.
      folder: of the BUILD file, as #include sees it.
      header_deps: what the generated headers include.
      deps: deps(op) lists what the sources need besides.
      parts: other libraries that are part of the archive.
      visibility: of the operators' targets.
    """
    files = {name: _pair(name) for name in OPS}
    per_family(layer, files)
    for name in OPS:
        op_headers(name, [name + ".gen.h"], header_deps)
    shards = sharded(sy_cc_objects, layer, folder, files, deps)
    cc_archive(
        name = "operators",
        parts = sorted({target: None for target in shards.values()}) + parts,
    )
    for name in OPS:
        sy_cc_library(
            name = name,
            visibility = visibility,
            deps = [
                ":operators",
                ":%s_headers" % name,
            ],
        )
    ops_gen(
        name = "all_" + layer,
        layer = layer,
        names = sorted(OPS.keys()),
        outs = ["every_operator.gen.cc"],
    )
    sy_cc_library(
        name = "every_operator",
        srcs = ["every_operator.gen.cc"],
        hdrs = ["every_operator.h"],
        visibility = visibility,
        deps = [":operators"] + header_deps,
    )

def _eager_deps(op):
    return _mixed_deps(op) + [
        ":autograd_ops_headers",
        ":flat_run",
        "//eager/call:run",
        "//framework/base:op_error",
        "//phi/core:kernel_table",
    ]

def eager_ops():
    """//eager/ops:<op>, :every_operator, and :ops, the public header switchyard/ops.h."""
    _archive(
        "eager",
        "eager/ops",
        header_deps = [
            "//eager/call:eager_op",
            "//eager/call:run",
            "//eager/tensor",
            "//phi/core:arg_buffer",
        ],
        deps = _eager_deps,
        parts = [":autograd_ops"],
        visibility = ["//visibility:public"],
    )
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
        name = "ops",
        hdrs = ["switchyard/ops.h"],
        includes = ["."],
        visibility = ["//visibility:public"],
        deps = [":operators"] + [":%s_headers" % op.name for op in forward],
    )

def dialect_ops():
    """//static_graph/dialect:<op> and :every_operator."""
    _archive(
        "dialect",
        "static_graph/dialect",
        header_deps = [
            ":dialect_op",
            ":composite_ops",
            ":op_view",
            "//phi/core:arg_buffer",
        ],
        deps = _mixed_deps,
        parts = [],
        visibility = ["//visibility:public"],
    )
