# SPDX-License-Identifier: Apache-2.0
"""sy_cc_library and its like: the native rules with our options.

They add options, and a test's or benchmark's main; what is built is decided by the arguments.
"""

load("//tools/bazel:cc_archive.bzl", "cc_objects")
load("//tools/bazel:copts.bzl", "SY_COPTS", "SY_LINKOPTS")
load("//tools/bazel:precompiled_header.bzl", "include_precompiled")

# Labels of this workspace, also where another one loads the macros.
_PRECOMPILED = [str(Label("//tools/bazel/precompiled:standard"))]
_PRECOMPILED_KERNEL = [str(Label("//tools/bazel/precompiled:kernel"))]
_PRECOMPILED_TESTING = [str(Label("//tools/bazel/precompiled:testing"))]
_COPTS = SY_COPTS + include_precompiled("standard")
_TEST_COPTS = SY_COPTS + include_precompiled("testing")

def sy_cc_library(name, copts = [], deps = [], **kwargs):
    native.cc_library(
        name = name,
        copts = _COPTS + copts,
        linkstatic = True,
        deps = deps + _PRECOMPILED,
        **kwargs
    )

def sy_cc_registrations(name, deps = [], **kwargs):
    """Generated registrations of kernels."""
    native.cc_library(
        name = name,
        copts = SY_COPTS + include_precompiled("kernel"),
        linkstatic = True,
        deps = deps + _PRECOMPILED_KERNEL,
        **kwargs
    )

def sy_cc_objects(name, copts = [], deps = [], **kwargs):
    """Compiled sources, to be put into a cc_archive."""
    cc_objects(
        name = name,
        copts = _COPTS + copts,
        deps = deps + _PRECOMPILED,
        **kwargs
    )

def sy_cc_binary(name, copts = [], linkopts = [], deps = [], linkshared = False, **kwargs):
    native.cc_binary(
        name = name,
        copts = _COPTS + copts,
        linkopts = SY_LINKOPTS + linkopts,
        linkshared = linkshared,
        deps = ([] if linkshared else ["@com_google_absl//:archives"]) + deps + _PRECOMPILED,
        **kwargs
    )

def sy_cc_test(name, copts = [], linkopts = [], deps = [], size = "small", **kwargs):
    """A GoogleTest program: it needs no main of its own."""
    native.cc_test(
        name = name,
        size = size,
        copts = _TEST_COPTS + copts,
        linkopts = SY_LINKOPTS + linkopts,
        deps = deps + _PRECOMPILED_TESTING + ["@com_google_googletest//:gtest_main"],
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
