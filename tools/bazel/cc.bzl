"""sy_cc_library, sy_cc_binary, sy_cc_test: the native rules with the project's options.

They add options and nothing else; what they build is decided by their arguments.
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
