# SPDX-License-Identifier: Apache-2.0
"""Writes docs/optest.md: bazel run //tests/optest:update"""
import os
import pathlib

from tests.optest import optest


def main():
    top = pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"])
    (top / "docs" / "optest.md").write_text(optest.page(optest.run()))


if __name__ == "__main__":
    main()
