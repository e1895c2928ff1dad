# SPDX-License-Identifier: Apache-2.0
"""fluid_kernel and fluid_kernels: libraries of legacy class kernels."""

load("//tools/bazel:cc.bzl", "sy_cc_library")

# The library of class kernels of `ops`.
def _library(name, src, ops, deps):
    sy_cc_library(
        name = name,
        srcs = [src],
        deps = deps + [
            ":register_fluid_kernel",
            "//framework/device/cpu:cpu_context",
            "//framework/device/cpu:parallel",
        ] + [
            package + op
            for op in ops
            for package in ["//phi/core/signatures:", "//phi/legacy:"]
        ],
    )

def fluid_kernel(name, src = None, gradient = False, deps = []):
    """//phi/fluid:<op>.

    Args:
      name: the operator, forward or backward.
      src: the source; <op>.cc if None.
      gradient: the source has the kernels of <op>_grad too, of which //phi/fluid:<op>_grad is an
        alias.
      deps: beside what every class kernel needs.
    """
    ops = [name] + ([name + "_grad"] if gradient else [])
    _library(name, src or name + ".cc", ops, deps)
    if gradient:
        native.alias(
            name = name + "_grad",
            actual = ":" + name,
        )

def fluid_kernels(name, src, ops, deps = []):
    """The library of a family's class kernels, of which //phi/fluid:<op> is an alias for each.

    Args:
      name: of the library.
      src: the source.
      ops: the operators, forward and backward.
      deps: beside what every class kernel needs.
    """
    _library(name, src, ops, deps)
    for op in ops:
        native.alias(
            name = op,
            actual = ":" + name,
        )
