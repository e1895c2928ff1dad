# SPDX-License-Identifier: Apache-2.0
"""ops_gen: the rule that runs the generator; and files of what the build knows.

What a layer makes of them is in defs.bzl and kernels.bzl.
"""

load("@sy_ops//:ops.bzl", "OPS")
load("//ops_gen:families.bzl", "FAMILIES")
load("//tools/bazel:write_lines.bzl", "write_lines")

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

def per_family(layer, files, **kwargs):
    """One ops_gen target a family. `files` is {operator: its files}, which operators may share."""
    for family in FAMILIES:
        outs = {
            file: None
            for name in files
            if OPS[name].family == family
            for file in files[name]
        }.keys()
        if outs:
            ops_gen(
                name = "%s_%s" % (family, layer),
                layer = layer,
                outs = outs,
                src = "//ops_gen/ops:%s.yaml" % family,
                **kwargs
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
                op.kernel_header if op.kernels else "",
                op.kinds_header,
                op.invoke,
                op.composite,
                ",".join(op.uses),
                ",".join(op.traits),
                "inplace" if op.inplace else "",
                ",".join(op.vocabularies),
                "args" if op.args else "",
            ])
            for op in OPS.values()
        ],
        out = out,
    )

def _enumerator(dtype):
    for plain, written in [("bfloat", "BFloat"), ("uint", "UInt")]:
        if dtype.startswith(plain):
            return "DataType::k" + written + dtype[len(plain):]
    return "DataType::k" + dtype.capitalize()

def composites_source(name, out):
    """The C++ file `out` with the record of each operator that has a composite.

    Parts whose results are views are left out (phi/core/composites/composite_def.h).
    """
    lines = []
    for op in sorted(OPS.keys()):
        uses = OPS[op].uses or ([OPS[op].invoke] if OPS[op].invoke else [])
        if not OPS[op].composite and not OPS[op].invoke:
            continue
        parts = [part for part in uses if "view" not in OPS[part].traits]
        dtypes = {dtype: True for _, _, taken in OPS[op].kernels for dtype in taken}.keys()
        lines.append('    {"%s", "%s", DataTypeSet(%s), %s},' % (
            op,
            " ".join(parts),
            ", ".join([_enumerator(dtype) for dtype in dtypes]),
            "false" if dtypes else "true",
        ))
    write_lines(
        name = name,
        out = out,
        lines = [
            "// SPDX-License-Identifier: Apache-2.0",
            "// Generated from ops_gen/ops. DO NOT EDIT.",
            '#include "phi/core/composites/composite_def.h"',
            "",
            "namespace switchyard::phi {",
            "namespace {",
            "",
            "constexpr CompositeDef kComposites[] = {",
        ] + lines + [
            "};",
            "",
            "}  // namespace",
            "",
            "absl::Span<const CompositeDef> AllComposites() { return kComposites; }",
            "",
            "}  // namespace switchyard::phi",
        ],
    )
