# SPDX-License-Identifier: Apache-2.0
"""python_package: a package folder in bazel-bin that Python can import from.

Bazel keeps Python sources where they are; an extension module is built. This puts links to both
side by side, so that PYTHONPATH=bazel-bin/python finds the whole package. Tests don't need it:
their runfiles hold both (//python/switchyard:library).
"""

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
        "srcs": attr.label_list(allow_files = [".py", ".pyi", ".typed"]),
    },
)
