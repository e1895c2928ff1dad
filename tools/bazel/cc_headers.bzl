# SPDX-License-Identifier: Apache-2.0
"""cc_headers: the headers that a C++ library brings, its dependencies' included, as plain files.

For tests that run the compiler themselves, as negative-compile tests do.
"""

def _cc_headers_impl(ctx):
    headers = depset(transitive = [
        dep[CcInfo].compilation_context.headers
        for dep in ctx.attr.deps
    ])
    return [DefaultInfo(files = headers, runfiles = ctx.runfiles(transitive_files = headers))]

cc_headers = rule(
    implementation = _cc_headers_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)
