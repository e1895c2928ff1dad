# SPDX-License-Identifier: Apache-2.0
"""sy_ops: the repository @sy_ops, whose ops.bzl says which operators the YAML files hold.

It is written anew whenever a family file changes; unless a name, a kernel or another fact that
targets follow from has changed, it comes out the same and nothing else happens.
"""

load("//ops_gen:families.bzl", "FAMILIES")

def _sy_ops_impl(rctx):
    script = rctx.path(Label("//ops_gen:list_entries.py"))
    files = [Label("//ops_gen/schema:dtype_sets.def")] + [
        Label("//ops_gen/ops:%s.yaml" % family)
        for family in FAMILIES
    ]
    result = rctx.execute(["/usr/bin/python3", script] + [rctx.path(file) for file in files])
    if result.return_code:
        fail(result.stderr)
    rctx.file("ops.bzl", result.stdout, executable = False)
    rctx.file("BUILD.bazel", "", executable = False)

sy_ops = repository_rule(
    implementation = _sy_ops_impl,
    doc = "The operators' names and kernels, for macros.",
)
