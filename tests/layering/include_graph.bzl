# SPDX-License-Identifier: Apache-2.0
"""include_graph_test: checks every #include of some targets and all that they depend on;
source_files: their sources, for tests that read them.

They read what the compiler reads, generated files too.
"""

load("//tools/bazel:sources.bzl", "SourcesInfo", "sources")

def _ours(targets):
    """The files of this workspace."""
    files = depset(transitive = [t[SourcesInfo].files for t in targets])
    return depset([f for f in files.to_list() if not f.short_path.startswith("../")])

def _include_graph_test_impl(ctx):
    files = _ours(ctx.attr.targets)
    listing = ctx.actions.declare_file(ctx.label.name + ".files")
    ctx.actions.write(listing, "\n".join([f.short_path for f in files.to_list()]) + "\n")
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "exec /usr/bin/python3 %s %s %s\n" % (
        ctx.file._checker.short_path,
        ctx.file.layers.short_path,
        listing.short_path,
    ), is_executable = True)
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles(
        files = [listing, ctx.file.layers, ctx.file._checker],
        transitive_files = files,
    ))]

include_graph_test = rule(
    implementation = _include_graph_test_impl,
    attrs = {
        "layers": attr.label(allow_single_file = True, mandatory = True),
        "targets": attr.label_list(aspects = [sources], mandatory = True),
        "_checker": attr.label(allow_single_file = True, default = "check_includes.py"),
    },
    test = True,
)

def _source_list_test_impl(ctx):
    files = _ours(ctx.attr.targets)
    listing = ctx.actions.declare_file(ctx.label.name + ".files")
    ctx.actions.write(listing, "\n".join([f.short_path for f in files.to_list()]) + "\n")
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "exec /usr/bin/python3 %s %s\n" % (
        ctx.file.checker.short_path,
        listing.short_path,
    ), is_executable = True)
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles(
        files = [listing, ctx.file.checker],
        transitive_files = files,
    ))]

source_list_test = rule(
    doc = "Runs `checker` with a list of all sources that targets are compiled of.",
    implementation = _source_list_test_impl,
    attrs = {
        "checker": attr.label(allow_single_file = True, mandatory = True),
        "targets": attr.label_list(aspects = [sources], mandatory = True),
    },
    test = True,
)

def _source_files_impl(ctx):
    files = _ours(ctx.attr.targets)
    chosen = [
        f
        for f in files.to_list()
        if f.is_source and [1 for folder in ctx.attr.folders if f.short_path.startswith(folder + "/")]
    ]
    return [DefaultInfo(runfiles = ctx.runfiles(files = chosen))]

source_files = rule(
    doc = "Sources below some folders that targets are compiled of, as runfiles; none is generated.",
    implementation = _source_files_impl,
    attrs = {
        "folders": attr.string_list(mandatory = True),
        "targets": attr.label_list(aspects = [sources], mandatory = True),
    },
)
