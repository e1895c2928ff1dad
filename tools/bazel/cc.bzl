# SPDX-License-Identifier: Apache-2.0
"""sy_cc_library, sy_cc_binary, sy_cc_test, sy_cc_benchmark: the native rules with our options.

They add options, and a test's or benchmark's main; what is built is decided by the arguments.
"""

load("//tools/bazel:copts.bzl", "SY_COPTS", "SY_LINKOPTS")

def sy_cc_library(name, copts = [], **kwargs):
    native.cc_library(
        name = name,
        copts = SY_COPTS + copts,
        linkstatic = True,
        **kwargs
    )

def sy_cc_binary(name, copts = [], linkopts = [], **kwargs):
    native.cc_binary(
        name = name,
        copts = SY_COPTS + copts,
        linkopts = SY_LINKOPTS + linkopts,
        **kwargs
    )

def sy_cc_test(name, copts = [], linkopts = [], deps = [], size = "small", **kwargs):
    """A GoogleTest program: it needs no main of its own."""
    native.cc_test(
        name = name,
        size = size,
        copts = SY_COPTS + copts,
        linkopts = SY_LINKOPTS + linkopts,
        deps = deps + ["@com_google_googletest//:gtest_main"],
        **kwargs
    )

def sy_cc_benchmark(name, deps = [], tags = [], **kwargs):
    """A google-benchmark program: it needs no main of its own, and `./sy bench` runs it."""
    sy_cc_binary(
        name = name,
        testonly = True,
        deps = deps + ["@com_github_google_benchmark//:benchmark_main"],
        tags = tags + ["benchmark"],
        **kwargs
    )
