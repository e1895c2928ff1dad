# SPDX-License-Identifier: Apache-2.0
"""sy_ops: the repository @sy_ops, whose ops.bzl says which operators the YAML files hold.

It is written anew whenever a family file changes; unless a name, a kernel or another fact that
targets follow from has changed, it comes out the same and nothing else happens.
"""

load("//ops_gen:families.bzl", "FAMILIES")

# The files that list_entries.py reads besides the families. It also reads headers, to see whether a
# function is there.
_READ = [
    "//ops_gen:entry_checks.py",
    "//ops_gen:entry_words.py",
    "//ops_gen/schema:backends.h",
    "//ops_gen/schema:dtype_sets.def",
    "//ops_gen/schema:keys.def",
]

def _sy_ops_impl(rctx):
    script = rctx.path(Label("//ops_gen:list_entries.py"))

    # Bazel runs this again when one of the files that it was told of changes.
    for read in _READ:
        rctx.path(Label(read))
    files = [rctx.path(Label("//ops_gen/ops:%s.yaml" % family)) for family in FAMILIES]
    root = script.dirname.dirname
    result = rctx.execute(["/usr/bin/python3", "-B", script, root] + files)
    if result.return_code:
        fail(result.stderr)
    rctx.file("ops.bzl", result.stdout, executable = False)
    rctx.file("BUILD.bazel", "", executable = False)

sy_ops = repository_rule(
    implementation = _sy_ops_impl,
    doc = "The operators' names and kernels, for macros.",
)
