# SPDX-License-Identifier: Apache-2.0
"""sy_cc_library and its like: the native rules with our options.

They add options, and a test's or benchmark's main; what is built is decided by the arguments.
"""

load("//tools/bazel:cc_archive.bzl", "cc_objects")
load("//tools/bazel:copts.bzl", "SY_COPTS", "SY_LINKOPTS", "SY_TEST_COPTS")
load("//tools/bazel:joined_source.bzl", "joined_source")
load("//tools/bazel:precompiled_header.bzl", "include_precompiled")

# The headers that sources include first, read by the compiler once.
_PRECOMPILED = {
    "standard": "//tools/bazel/precompiled:standard",
    "testing": "//tools/bazel/precompiled:testing",
    "kernel": "//tools/bazel/precompiled:kernel",
    "eager": "//eager/call:precompiled",
    "dialect": "//static_graph/dialect:precompiled",
}

# The header of a package's libraries, where it is not the standard one.
_OF_PACKAGE = {
    "phi/legacy/kernels": "kernel",
    "phi/legacy/kernels/onednn": "kernel",
    "static_graph/autodiff": "dialect",
    "static_graph/executor": "dialect",
    "static_graph/lowering": "dialect",
    "static_graph/passes": "dialect",
    "static_graph/program": "dialect",
    "static_graph/translate": "dialect",
    "static_graph/translate/control": "dialect",
    "static_graph/translate/json": "dialect",
}

def _copts(precompiled):
    names_ours = precompiled not in ("standard", "testing")
    return SY_COPTS + include_precompiled(_PRECOMPILED[precompiled], names_ours)

def _precompiled(name):
    """A label of this workspace, also where another one loads the macros."""
    return [str(Label(_PRECOMPILED[name]))]

def sy_cc_library(name, copts = [], deps = [], precompiled = None, **kwargs):
    """A library, whose sources include a precompiled header first: a key of the table above, or the package's."""
    precompiled = precompiled or _OF_PACKAGE.get(native.package_name(), "standard")
    native.cc_library(
        name = name,
        copts = _copts(precompiled) + copts,
        linkstatic = True,
        deps = deps + _precompiled(precompiled),
        **kwargs
    )

def sy_cc_joined_library(name, joined, srcs = [], **kwargs):
    """A library of which some sources are compiled as one: headers cost them more than their own text.

    Args:
      name: of the library.
      joined: groups of sources that are compiled together. Names without linkage must differ in a group.
      srcs: the other sources.
      **kwargs: as sy_cc_library's.
    """
    units = ["%s_joined_%d.cc" % (name, i) for i in range(len(joined))]
    for unit, group in zip(units, joined):
        joined_source(
            name = unit[:-len(".cc")],
            out = unit,
            folder = native.package_name(),
            sources = group,
            what = "sources that are compiled together.",
        )
    sy_cc_library(
        name = name,
        srcs = srcs + units,
        textual_hdrs = [source for group in joined for source in group],
        **kwargs
    )

def sy_cc_registrations(name, **kwargs):
    """Generated registrations of kernels."""
    sy_cc_library(
        name = name,
        precompiled = "kernel",
        **kwargs
    )

def sy_cc_objects(name, copts = [], deps = [], precompiled = "standard", **kwargs):
    """Compiled sources, to be put into a cc_archive."""
    cc_objects(
        name = name,
        copts = _copts(precompiled) + copts,
        deps = deps + _precompiled(precompiled),
        **kwargs
    )

def sy_cc_binary(name, copts = [], linkopts = [], deps = [], linkshared = False, **kwargs):
    native.cc_binary(
        name = name,
        copts = _copts("standard") + copts,
        linkopts = SY_LINKOPTS + linkopts,
        linkshared = linkshared,
        deps = ([] if linkshared else ["@com_google_absl//:archives"]) + deps + _precompiled("standard"),
        **kwargs
    )

def sy_cc_test(name, copts = [], linkopts = [], deps = [], size = "small", **kwargs):
    """A GoogleTest program: it needs no main of its own."""
    native.cc_test(
        name = name,
        size = size,
        copts = _copts("testing") + SY_TEST_COPTS + copts,
        linkopts = SY_LINKOPTS + linkopts,
        deps = deps + _precompiled("testing") + ["@com_google_googletest//:gtest_main"],
        **kwargs
    )

def sy_cc_test_cases(name, **kwargs):
    """Tests that several programs run, each in surroundings of its own: compiled once."""
    sy_cc_library(
        name = name,
        testonly = True,
        alwayslink = True,
        copts = SY_TEST_COPTS,
        precompiled = "testing",
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
