# SPDX-License-Identifier: Apache-2.0
"""write_lines: a file of lines that the build knows."""

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
