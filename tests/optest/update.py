# SPDX-License-Identifier: Apache-2.0
"""Writes tests/optest/totals.txt: bazel run //tests/optest:update [-- PAGE]

PAGE: writes the table by operator there instead.
"""
import os
import pathlib
import sys

from tests.optest import optest


def main():
    result = optest.run()
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(optest.page(result))
        return
    top = pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"])
    (top / optest.HERE / "totals.txt").write_text(optest.totals_text(result))


main()
