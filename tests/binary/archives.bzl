# SPDX-License-Identifier: Apache-2.0
"""kernel_archives: the archives of all kernels under some targets, as files for a test to read."""

_FOLDERS = ["phi/kernels", "phi/legacy/kernels"]

def _is_kernel(label):
    return any([label.package == folder or label.package.startswith(folder + "/") for folder in _FOLDERS])

def _kernel_archives_impl(ctx):
    archives = []
    for dep in ctx.attr.deps:
        for linker_input in dep[CcInfo].linking_context.linker_inputs.to_list():
            if not _is_kernel(linker_input.owner):
                continue
            for library in linker_input.libraries:
                archive = library.pic_static_library or library.static_library
                if archive:
                    archives.append(archive)
    files = depset(archives)
    return [DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files))]

kernel_archives = rule(
    implementation = _kernel_archives_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)
