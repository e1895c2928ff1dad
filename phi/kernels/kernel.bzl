# SPDX-License-Identifier: Apache-2.0
"""kernel_library: the kernels of one operator for one backend, registered in <name>.cc."""

load("//tools/bazel:cc.bzl", "sy_cc_library")

def kernel_library(name, deps = [], **kwargs):
    """//phi/kernels/<backend>:<name>, over the operator's signature."""
    sy_cc_library(
        name = name,
        srcs = [name + ".cc"],
        visibility = ["//visibility:public"],
        deps = [
            "//framework/device/cpu:cpu_context",
            "//phi/core:register_kernel",
            "//phi/core/signatures:" + name,
        ] + deps,
        **kwargs
    )
