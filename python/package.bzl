# SPDX-License-Identifier: Apache-2.0
"""python_package: a package folder in bazel-bin that Python can import from.

Bazel keeps Python sources where they are; an extension module is built. This puts links to both
side by side, so that PYTHONPATH=bazel-bin/python finds the whole package. Tests don't need it:
their runfiles hold both (//python/switchyard:library).
"""

def _python_package_impl(ctx):
    links = []
    for src in ctx.files.srcs:
        link = ctx.actions.declare_file(src.basename)
        ctx.actions.symlink(output = link, target_file = src)
        links.append(link)
    files = links + ctx.files.extensions
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files = files))]

python_package = rule(
    implementation = _python_package_impl,
    attrs = {
        "extensions": attr.label_list(doc = "Extension modules of the same Bazel package."),
        "srcs": attr.label_list(allow_files = [".py"]),
    },
)
