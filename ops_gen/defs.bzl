# SPDX-License-Identifier: Apache-2.0
"""The macros that make a layer's targets from the YAML files: one call in the layer's BUILD file.

Each generates per (layer, family): editing an operator runs one generation a layer, and compiles
only the files that came out different.
"""

load("//ops_gen:families.bzl", "FAMILIES")
load("@sy_ops//:ops.bzl", "OPS")
load("//tools/bazel:cc.bzl", "sy_cc_library")

def _generate_impl(ctx):
    mode = "--aggregate=" if ctx.attr.names else "--layer="
    if ctx.attr.names:
        src = ctx.actions.declare_file(ctx.label.name + ".names")
        ctx.actions.write(src, "\n".join(ctx.attr.names) + "\n")
    else:
        src = ctx.file.src
    ctx.actions.run(
        executable = ctx.executable._tool,
        inputs = [src],
        outputs = ctx.outputs.outs,
        arguments = [mode + ctx.attr.layer, "--out=" + ctx.outputs.outs[0].dirname, src.path],
        mnemonic = "OpsGen",
        progress_message = "Generating %s" % ctx.label,
    )
    outs = ctx.outputs.outs
    return [DefaultInfo(files = depset(outs), runfiles = ctx.runfiles(files = outs))]

# In the target configuration: the generator is not built twice.
ops_gen = rule(
    implementation = _generate_impl,
    doc = "Runs ops_gen for one layer over one family file, or over a list of names.",
    attrs = {
        "layer": attr.string(mandatory = True),
        "names": attr.string_list(),
        "outs": attr.output_list(mandatory = True),
        "src": attr.label(allow_single_file = [".yaml"]),
        "_tool": attr.label(default = "//ops_gen", executable = True, cfg = "target"),
    },
)

def _write_lines_impl(ctx):
    ctx.actions.write(ctx.outputs.out, "\n".join(ctx.attr.lines) + "\n")
    return [DefaultInfo(files = depset([ctx.outputs.out]), runfiles = ctx.runfiles(files = [ctx.outputs.out]))]

write_lines = rule(
    implementation = _write_lines_impl,
    attrs = {
        "lines": attr.string_list(),
        "out": attr.output(mandatory = True),
    },
)

def operator_lines(name, out):
    """A file of the operators' names."""
    write_lines(
        name = name,
        lines = sorted(OPS.keys()),
        out = out,
    )

def kernel_lines(name, out):
    """A file of the kernels that the build knows: "operator family kernel backend dtype,dtype"."""
    write_lines(
        name = name,
        lines = [
            " ".join([op.name, op.family, func, backend, ",".join(dtypes)])
            for op in OPS.values()
            for func, backend, dtypes in op.kernels
        ],
        out = out,
    )

def entry_lines(name, out):
    """A file of what else the build knows of each operator, for a comparison with the parser."""
    write_lines(
        name = name,
        lines = [
            "|".join([
                op.name,
                op.family,
                op.forward,
                op.backward,
                op.functor,
                op.header,
                op.invoke,
                op.composite,
                ",".join(op.uses),
                ",".join(op.traits),
                "inplace" if op.inplace else "",
                "fluid" if op.legacy else "",
            ])
            for op in OPS.values()
        ],
        out = out,
    )

def _per_family(layer, outputs):
    """One ops_gen target a family; `outputs(op)` lists an operator's files."""
    for family in FAMILIES:
        outs = [
            out
            for op in OPS.values()
            if op.family == family
            for out in outputs(op)
        ]
        if outs:
            ops_gen(
                name = "%s_%s" % (family, layer),
                layer = layer,
                outs = outs,
                src = "//ops_gen/ops:%s.yaml" % family,
            )

def _pair(stem):
    return [stem + ".gen.h", stem + ".gen.cc"]

def _signature_files(op):
    return _pair(op.name) + (_pair(op.forward + "_gradient") if op.forward else [])

def op_signatures():
    """//phi/core/signatures:<op>, :<op>_gradient and :every_operator."""
    _per_family("signatures", _signature_files)
    for op in OPS.values():
        sy_cc_library(
            name = op.name,
            srcs = [op.name + ".gen.cc"],
            hdrs = [op.name + ".gen.h"],
            deps = [
                "//phi/core:infer_meta_context",
                "//phi/core:invoke",
                "//phi/core:kernel_context",
                "//phi/core:op_info",
            ] + (["//phi/infermeta:" + op.header] if op.header else []),
        )
        if op.forward:
            sy_cc_library(
                name = op.forward + "_gradient",
                srcs = [op.forward + "_gradient.gen.cc"],
                hdrs = [op.forward + "_gradient.gen.h"],
                deps = [
                    ":" + op.forward,
                    ":" + op.name,
                    "//phi/core:grad_info",
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
        deps = ["//phi/core:op_info"] + [":" + name for name in sorted(OPS.keys())],
    )

def _is_legacy(op):
    return op.legacy or (op.forward and OPS[op.forward].legacy)

def _legacy_files(op):
    return _pair(op.name) if _is_legacy(op) else []

def legacy_tables():
    """//phi/legacy:<op> of the operators with `fluid:` and of their gradients, and :tables."""
    _per_family("legacy", _legacy_files)
    names = sorted([op.name for op in OPS.values() if _is_legacy(op)])
    for name in names:
        sy_cc_library(
            name = name,
            srcs = [name + ".gen.cc"],
            hdrs = [name + ".gen.h"],
            deps = [
                ":legacy_form",
                "//phi/core/signatures:" + name,
            ],
        )
    ops_gen(
        name = "all_legacy",
        layer = "legacy",
        names = names,
        outs = ["every_operator.gen.cc"],
    )
    sy_cc_library(
        name = "tables",
        srcs = [
            "every_operator.cc",
            "every_operator.gen.cc",
        ],
        hdrs = ["every_operator.h"],
        deps = [":legacy_form"] + [":" + name for name in names],
    )

def _snake(camel):
    """"ReluGrad" as "relu_grad"."""
    snake = "".join(["_" + c.lower() if c.isupper() else c for c in camel.elems()])
    return snake.lstrip("_")

def _functor_files(op, backend):
    rows = [row for row in op.kernels if row[1] == backend]
    return [op.name + ".gen.cc"] if op.functor and rows else []

def _functor_cpu_files(op):
    return _functor_files(op, "cpu")

def _functor_reference_files(op):
    return _functor_files(op, "reference")

def functor_kernels():
    """//phi/kernels/cpu:<op> of the operators with `functor:`."""
    _per_family("functor_cpu", _functor_cpu_files)
    for op in OPS.values():
        if _functor_cpu_files(op):
            sy_cc_library(
                name = op.name,
                srcs = _functor_cpu_files(op),
                deps = [
                    ":elementwise",
                    "//phi/core:register_kernel",
                    "//phi/core/signatures:" + op.name,
                    "//phi/kernels/functors:" + _snake(op.functor),
                ],
            )

def functor_references():
    """//phi/kernels/reference:<op> of the operators with `functor:`."""
    _per_family("functor_reference", _functor_reference_files)
    for op in OPS.values():
        if _functor_reference_files(op):
            sy_cc_library(
                name = op.name,
                srcs = _functor_reference_files(op),
                visibility = ["//visibility:public"],
                deps = [
                    ":formulas",
                    "//framework/device/cpu:cpu_context",
                    "//phi/core:register_kernel",
                    "//phi/core/signatures:" + op.name,
                ],
            )

def _api_files(op):
    return _pair(op.name) if op.kernels or op.invoke else []

def op_apis():
    """//phi/api:<op> of the operators that have kernels or invoke one that has."""
    _per_family("api", _api_files)
    for op in OPS.values():
        if _api_files(op):
            sy_cc_library(
                name = op.name,
                srcs = [op.name + ".gen.cc"],
                hdrs = [op.name + ".gen.h"],
                visibility = ["//visibility:public"],
                deps = [
                    ":flat_call",
                    "//framework/base:status",
                    "//framework/tensor:dense_tensor",
                    "//framework/types:attribute",
                    "//phi/core:op_row",
                    "//phi/core/signatures:" + op.name,
                    "//phi/dispatch:call",
                ] + ([":" + op.invoke] if op.invoke else []),
            )

def _mixed(op):
    """The generated files of an operator with a mixin for composites."""
    return _pair(op.name) + [op.name + ".call.gen.h"]

def _archive(layer, srcs, hdrs, deps):
    """One archive of all operators of a layer, :operators, and a target for each on top of it."""
    _per_family(layer, _mixed)
    sy_cc_library(
        name = "operators",
        srcs = [op.name + ".gen.cc" for op in OPS.values()] + srcs,
        hdrs = [op.name + suffix for op in OPS.values() for suffix in [".gen.h", ".call.gen.h"]] + hdrs,
        deps = deps + [
            "//phi/composite:" + body
            for body in sorted({_snake(op.composite): None for op in OPS.values() if op.composite})
        ] + ["//phi/core/signatures:" + name for name in OPS.keys()] + [
            "//phi/core/signatures:%s_gradient" % op.forward
            for op in OPS.values()
            if op.forward
        ],
    )
    for name in OPS.keys():
        sy_cc_library(
            name = name,
            hdrs = [name + ".gen.h"],
            deps = [":operators"],
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
        deps = [":operators"],
    )

def eager_ops():
    """//eager/ops:<op>, :every_operator, and :ops, the public header switchyard/ops.h."""
    _archive(
        "eager",
        srcs = [
            "autograd_ops.cc",
            "flat_run.cc",
        ],
        hdrs = [
            "autograd_ops.h",
            "flat_run.h",
        ],
        deps = [
            "//eager:eager_op",
            "//eager:run",
            "//eager:tensor",
            "//framework/base:op_error",
            "//phi/api:flat_inputs",
            "//phi/api:flat_results",
        ] + ["//phi/api:" + op.name for op in OPS.values() if op.kernels],
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
        deps = [":operators"],
    )

def dialect_ops():
    """//static_graph/dialect:<op> and :all."""
    _archive(
        "dialect",
        srcs = [],
        hdrs = [],
        deps = [
            ":dialect_op",
            ":flat_values",
            ":ir_ops",
            ":op_view",
        ],
    )
