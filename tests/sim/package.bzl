# SPDX-License-Identifier: Apache-2.0
"""sim_package: the Python package `switchyard` with the simulated device linked."""

load("//python:package.bzl", "python_extension", "python_package")

def sim_package(table):
    """Defines the package in the folder of this name that the caller's BUILD file is in.

    Args:
      table: the kernel table's source (tests/sim/sim_table.py) over //tests/sim:all_kernels.
    """
    python_extension(
        name = "_core.so",
        testonly = True,
        srcs = [table],
        deps = [
            "//phi/kernels/sim:sim_kernel",
            "//tests/sim:all_kernels",
        ],
    )
    python_package(
        name = "switchyard",
        testonly = True,
        srcs = [
            "//python/switchyard:_collective.so",
            "//python/switchyard:sources",
        ],
        extensions = [":_core.so"],
        tags = ["nosan"],
        visibility = ["//tests/sim:__pkg__"],
    )
