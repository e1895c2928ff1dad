# SPDX-License-Identifier: Apache-2.0
"""kernel_test: a test of the kernels that some folders declare, beside the reference kernels."""

load("//ops_gen:kernels.bzl", "functor_operators", "operators_of")
load("//phi/core:kernel_set.bzl", "kernel_set")
load("//tools/bazel:cc.bzl", "sy_cc_test")

def kernel_test(name, folders = [], functors = False, backend = "cpu", deps = [], **kwargs):
    """<name>.cc, with the kernels of `backend` and the reference kernels of some operators linked.

    Args:
      name: of the test.
      folders: the operators are those whose kernels a header of these folders declares
        (`kernel: header:` in YAML).
      functors: and those with `functor:`.
      backend: whose kernels are tested.
      deps: of the test, beside kernel_cases.
      **kwargs: of the test.
    """
    kernel_set(
        name = name + "_set",
        testonly = True,
        backends = ["reference", backend],
        ops = operators_of(backend, folders) + (functor_operators() if functors else []),
    )
    sy_cc_test(
        name = name,
        srcs = [
            name + ".cc",
            ":%s_set_table" % name,
        ],
        deps = [
            ":%s_set_kernels" % name,
            "//phi/core:kernel_context",
            "//phi/kernels/testing:kernel_cases",
        ] + deps,
        **kwargs
    )
