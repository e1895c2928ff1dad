# SPDX-License-Identifier: Apache-2.0
"""Compiler and linker options of every C++ target of ours.

.bazelrc sets the options that hold for a whole build. Those here travel with the target, so that
another workspace gets the same bits and the same dead-code elimination.
"""

SY_COPTS = [
    "-Wall",
    "-Wextra",
    "-Wundef",
    "-Wnon-virtual-dtor",
    "-Woverloaded-virtual",
    "-Werror",
    # gcc 12 sees it where abseil's InlinedVector grows.
    "-Wno-maybe-uninitialized",
    "-ffp-contract=off",
    "-ffunction-sections",
    "-fdata-sections",
]

SY_LINKOPTS = ["-Wl,--gc-sections"]
