# SPDX-License-Identifier: Apache-2.0
"""fluid_kernel: the library of one operator's legacy class kernels."""

load("//tools/bazel:cc.bzl", "sy_cc_library")

def fluid_kernel(name, deps = []):
    """//phi/fluid:<op>, from <op>.cc.

    Args:
      name: the operator, forward or backward.
      deps: beside what every class kernel needs.
    """
    sy_cc_library(
        name = name,
        srcs = [name + ".cc"],
        deps = deps + [
            ":register_fluid_kernel",
            "//framework/device/cpu:cpu_context",
            "//framework/device/cpu:parallel",
            "//phi/core/signatures:" + name,
            "//phi/legacy:" + name,
        ],
    )
