# SPDX-License-Identifier: Apache-2.0
"""infer_meta_family: the libraries and tests of a family's folder."""

load("//tools/bazel:cc.bzl", "sy_cc_library", "sy_cc_test")

# Dependencies of most families. All of these libraries are small.
_DEPS = [
    "//framework/base:float_text",
    "//framework/base:quoted",
    "//framework/base:status",
    "//framework/types:attr_value",
    "//framework/types:scalar",
    "//framework/types:tensor_spec",
    "//phi/infermeta:checks",
]
_ELEMENTWISE = "//phi/infermeta/elementwise"

def infer_meta_family(deps = {}, test_deps = {}):
    """A library for each header of the folder, and a test for each file <library>_test.cc.

    Args:
      deps: {library: what it depends on besides what every family does}.
      test_deps: {test: what it depends on besides its library}.
    """
    for header in native.glob(["*.h"]):
        name = header[:-len(".h")]
        itself = "//" + native.package_name() == _ELEMENTWISE and name == "elementwise"
        sy_cc_library(
            name = name,
            srcs = native.glob([name + ".cc"]),
            hdrs = [header],
            deps = _DEPS + ([] if itself else [_ELEMENTWISE]) + deps.get(name, []),
        )
    for source in native.glob(["*_test.cc"]):
        name = source[:-len(".cc")]
        sy_cc_test(
            name = name,
            srcs = [source],
            deps = [
                ":" + name[:-len("_test")],
                "//phi/infermeta:testing",
            ] + test_deps.get(name, []),
        )
