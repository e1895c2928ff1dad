# SPDX-License-Identifier: Apache-2.0
"""product: a binary that runs one saved program, with the kernels that it needs; see ./sy product."""

load("//phi/core:kernel_set.bzl", "kernel_set", "operators_of")
load("//tools/bazel:cc.bzl", "sy_cc_binary")

_MAIN = """\
// SPDX-License-Identifier: Apache-2.0
// Made by ./sy product: the operators of one program.
#include "static_graph/program/run_saved.h"

// Their own headers would have it compiled again after every edit of an entry.
namespace switchyard::static_graph {
%s}  // namespace switchyard::static_graph

int main(int argc, char** argv) {
  namespace static_graph = switchyard::static_graph;
  const static_graph::DialectOp* const ops[] = {
%s};
  return static_graph::RunSaved(ops, argc, argv);
}
"""

def product(name, ops, backends = None):
    """Defines the binary <name>, and <name>_main, its source.

    Args:
      name: of the binary.
      ops: the operators of the program. What they are composed of comes along.
      backends: as kernel_set has them; its default if None.
    """
    operators = operators_of(ops)
    main = _MAIN % (
        "".join(["extern const DialectOp dialect_%s;\n" % op for op in operators]),
        "".join(["      &static_graph::dialect_%s,\n" % op for op in operators]),
    )
    native.genrule(
        name = name + "_main",
        outs = [name + "_main.cc"],
        cmd = "cat > $@ <<'END'\n%sEND" % main,
    )
    kernel_set(name = name + "_set", ops = ops, backends = backends, twins = False)
    sy_cc_binary(
        name = name,
        srcs = [
            ":%s_main" % name,
            ":%s_set_digests" % name,
            ":%s_set_table" % name,
        ],
        deps = [
            ":%s_set_kernels" % name,
            "//static_graph/program:run_saved",
        ] + ["//static_graph/dialect:" + op for op in operators],
    )
