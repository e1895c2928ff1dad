# SPDX-License-Identifier: Apache-2.0
"""joined_source: sources that are compiled as one, since headers cost them more than their own text."""

load("//tools/bazel:write_lines.bzl", "write_lines")

def joined_source(name, out, folder, sources, what):
    """:<name> makes a source that includes others, which its library has among its textual_hdrs.

    Args:
      name: of the target.
      out: the file.
      folder: of the sources, as #include sees it.
      sources: their names.
      what: says in the file what they are.
    """
    write_lines(
        name = name,
        lines = ["// Generated: " + what] +
                ['#include "%s/%s"' % (folder, source) for source in sources],
        out = out,
    )
