# SPDX-License-Identifier: Apache-2.0
"""sources: an aspect that hands over the sources and headers of a target and of all that it depends
on, generated ones too."""

SourcesInfo = provider(fields = ["files"])

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
                if f.extension in extensions
            ]
    return [SourcesInfo(files = depset(own, transitive = [
        dep[SourcesInfo].files
        for name in ["deps", "srcs", "parts"]
        if hasattr(ctx.rule.attr, name)
        for dep in getattr(ctx.rule.attr, name)
        if SourcesInfo in dep
    ]))]

sources = aspect(
    implementation = _sources_impl,
    attr_aspects = ["deps", "srcs", "parts"],
)
