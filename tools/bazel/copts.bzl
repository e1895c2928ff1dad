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

# Tests, by GoogleTest: unoptimized, they compile in four fifths of the time, and what is slow to run
# is in the libraries that they link. glibc warns of checks without optimisation.
SY_TEST_COPTS = [
    "-O0",
    "-U_FORTIFY_SOURCE",
]

SY_LINKOPTS = ["-Wl,--gc-sections"]
