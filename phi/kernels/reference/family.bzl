# SPDX-License-Identifier: Apache-2.0
"""reference_family: the libraries of a family's folder."""

load("//tools/bazel:cc.bzl", "sy_cc_library")

# Dependencies of most families: headers alone, since the loops are templates.
_DEPS = [
    "//framework/base:status",
    "//framework/device/cpu:cpu_context",
    "//framework/random:philox",
    "//framework/tensor:dense_tensor",
    "//framework/tensor:selected_rows",
    "//framework/tensor:sparse",
    "//framework/tensor:tensor_array",
    "//framework/types:float16",
    "//framework/types:scalar",
    "//phi/core:allocate_output",
    "//phi/core:kernel_context",
    "//phi/core:kernel_spec",
    "//phi/kernels/reference:elements",
    "@com_google_absl//absl/types:span",
]

def reference_family(base = [], deps = {}):
    """A library for each header of the folder.

    Args:
      base: headers that all others of the folder may include: the library :base.
      deps: {library: what it depends on besides what every family does}.
    """
    if base:
        sy_cc_library(
            name = "base",
            hdrs = base,
            deps = _DEPS,
        )
    for header in native.glob(
        ["*.h"],
        exclude = base,
    ):
        name = header[:-len(".h")]
        sy_cc_library(
            name = name,
            hdrs = [header],
            deps = _DEPS + ([":base"] if base else []) + deps.get(name, []),
        )
