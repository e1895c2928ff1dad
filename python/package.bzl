# SPDX-License-Identifier: Apache-2.0
"""python_extension, the module in C++, and python_package, a folder in bazel-bin to import from.

Bazel keeps Python sources where they are; the module is built. python_package puts links to both
side by side, so that PYTHONPATH=bazel-bin/python finds the whole package. Tests don't need it:
their runfiles hold both (//python/switchyard:library).
"""

load("//tools/bazel:copts.bzl", "SY_LINKOPTS")

def python_extension(
        name,
        deps,
        linkopts = [],
        exports = "//python:exports.lds",
        module = "//python/bindings:module",
        **kwargs):
    """The extension module: the bindings and, since only binaries link kernels, the kernels of `deps`.

    Args:
      name: _core.so.
      deps: libraries of kernels, and others.
      linkopts: further ones.
      exports: the linker script that names the functions that the module shows. All others are
        called directly, are dropped where nothing refers to them, and cost no look-up when Python
        loads the module.
      module: the bindings.
      **kwargs: as cc_binary's; srcs has the kernel table.
    """
    native.cc_binary(
        name = name,
        copts = ["-fvisibility=hidden"],
        linkopts = SY_LINKOPTS + ["-Wl,--version-script=$(location %s)" % exports] + linkopts,
        linkshared = True,
        tags = ["nosan"],
        deps = deps + [exports, module],
        **kwargs
    )

def _path_in_package(file):
    """The path below the folder of the package that the file is in, subfolders kept."""
    return file.short_path[len(file.owner.package) + 1:]

def _python_package_impl(ctx):
    links = []
    for src in ctx.files.srcs:
        if not src.is_source and src.owner.package == ctx.label.package:
            links.append(src)  # Generated right here.
            continue
        link = ctx.actions.declare_file(_path_in_package(src))
        ctx.actions.symlink(output = link, target_file = src)
        links.append(link)
    files = links + ctx.files.extensions
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files = files))]

python_package = rule(
    implementation = _python_package_impl,
    attrs = {
        "extensions": attr.label_list(doc = "Extension modules of the same Bazel package."),
        "srcs": attr.label_list(
            allow_files = True,
            doc = "Sources, their data, and extensions of other Bazel packages.",
        ),
    },
)
