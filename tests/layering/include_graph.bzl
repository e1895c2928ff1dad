# SPDX-License-Identifier: Apache-2.0
"""include_graph_test: checks every #include of some targets and all that they depend on;
source_files: their sources, for tests that read them.

An aspect walks the dependencies and hands over their sources and headers, generated ones too, so
the test reads what the compiler reads.
"""

IncludeGraphInfo = provider(fields = ["files"])

def _sources_impl(target, ctx):
    own = []
    # Textual headers count if they are sources that a shard includes; precompiled headers do not.
    for name, extensions in [
        ("srcs", ["h", "cc", "cu", "cuh"]),
        ("hdrs", ["h", "cuh"]),
        ("textual_hdrs", ["cc"]),
    ]:
        if hasattr(ctx.rule.files, name):
            own += [
                f
                for f in getattr(ctx.rule.files, name)
                if f.extension in extensions and not f.short_path.startswith("../")
            ]
    return [IncludeGraphInfo(files = depset(own, transitive = [
        dep[IncludeGraphInfo].files
        for name in ["deps", "srcs", "parts"]
        if hasattr(ctx.rule.attr, name)
        for dep in getattr(ctx.rule.attr, name)
        if IncludeGraphInfo in dep
    ]))]

_sources = aspect(
    implementation = _sources_impl,
    attr_aspects = ["deps", "srcs", "parts"],
)

def _include_graph_test_impl(ctx):
    files = depset(transitive = [t[IncludeGraphInfo].files for t in ctx.attr.targets])
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
        "targets": attr.label_list(aspects = [_sources], mandatory = True),
        "_checker": attr.label(allow_single_file = True, default = "check_includes.py"),
    },
    test = True,
)

def _source_list_test_impl(ctx):
    files = depset(transitive = [t[IncludeGraphInfo].files for t in ctx.attr.targets])
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
        "targets": attr.label_list(aspects = [_sources], mandatory = True),
    },
    test = True,
)

def _source_files_impl(ctx):
    files = depset(transitive = [t[IncludeGraphInfo].files for t in ctx.attr.targets])
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
        "targets": attr.label_list(aspects = [_sources], mandatory = True),
    },
)
