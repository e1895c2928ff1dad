#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files that a page shows to a folder: page_files.py PAGE FOLDER.

A file is a block of code after a line that has its name alone: `BUILD.bazel`: An empty line may lie
between. The text block after "prints" is what the program prints: FOLDER/printed.
"""
import pathlib
import re
import sys

FILE = re.compile(r"\n`([\w.]+)`:\n+```\w+\n(.*?)```", re.DOTALL)
PRINTED = re.compile(r"prints\n+```text\n(.*?)```", re.DOTALL)


def main():
    page, folder = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"), pathlib.Path(sys.argv[2])
    files = dict(FILE.findall(page))
    (printed,) = PRINTED.findall(page)
    for name, text in [*files.items(), ("printed", printed)]:
        (folder / name).write_text(text, encoding="utf-8")
    print(*files)


main()
