# SPDX-License-Identifier: Apache-2.0
"""kernel_digests: the table of the digests of kernels' sources, phi/core/digests/kernel_digests.h."""

load("//tools/bazel:sources.bzl", "SourcesInfo", "sources")

_FOLDERS = ["phi/kernels/", "phi/legacy/kernels/"]

def _is_kernel(file, packages):
    """Whether kernels are written in the file: below our folders, or in a package of `own` libraries."""
    path = file.short_path
    if path.startswith("../"):
        path = path.split("/", 2)[2]
    return any([path.startswith(folder) for folder in _FOLDERS + packages])

def _kernel_digests_impl(ctx):
    packages = [target.label.package + "/" for target in ctx.attr.own]
    files = depset(transitive = [target[SourcesInfo].files for target in ctx.attr.kernels]).to_list()
    chosen = [file for file in files if _is_kernel(file, packages)]
    listing = ctx.actions.declare_file(ctx.label.name + ".files")
    ctx.actions.write(listing, "\n".join([file.path for file in chosen]) + "\n")
    ctx.actions.run(
        executable = "/usr/bin/python3",
        inputs = chosen + [listing, ctx.file._tool],
        outputs = [ctx.outputs.out],
        arguments = [ctx.file._tool.path, listing.path, ctx.outputs.out.path],
        mnemonic = "KernelDigests",
        progress_message = "Digesting the kernels of %s" % ctx.label,
    )

kernel_digests = rule(
    implementation = _kernel_digests_impl,
    attrs = {
        "kernels": attr.label_list(aspects = [sources], mandatory = True),
        "out": attr.output(mandatory = True),
        "own": attr.label_list(),
        "_tool": attr.label(allow_single_file = True, default = "kernel_digests.py"),
    },
)
