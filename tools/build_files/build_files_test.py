# SPDX-License-Identifier: Apache-2.0
"""Tests build_files on a small workspace, and on this one's own headers."""
import pathlib
import subprocess
import tempfile
import unittest

from build_files import new_texts
from rules import Unreadable

_LOAD = 'load("//tools/bazel:cc.bzl", "sy_cc_library", "sy_cc_test")\n\n'


class Workspace:
  """A workspace in a temporary folder, under git."""

  def __init__(self, test):
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    self.root = pathlib.Path(folder.name)
    subprocess.run(["git", "init", "-q", self.root], check=True)

  def write(self, path, text=""):
    path = self.root / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)

  def rewritten(self, path):
    """The text that a BUILD file gets; None where it stays."""
    return new_texts(self.root).get(self.root / path)


class BuildFilesTest(unittest.TestCase):

  def setUp(self):
    self.workspace = Workspace(self)
    self.workspace.write("base/BUILD.bazel", _LOAD + """sy_cc_library(
    name = "status",
    hdrs = ["status.h"],
)

sy_cc_library(
    name = "tables",
    srcs = ["tables.cc"],
    alwayslink = True,
)
""")
    self.workspace.write("base/status.h")
    self.workspace.write("base/tables.cc")

  def library(self, body, header):
    self.workspace.write("ir/BUILD.bazel", _LOAD + f'sy_cc_library(\n    name = "ir",\n{body})\n')
    self.workspace.write("ir/ir.h", header)
    text = self.workspace.rewritten("ir/BUILD.bazel")
    return text and text.removeprefix(_LOAD)

  def test_adds_the_target_of_an_included_header(self):
    self.assertEqual(
        self.library('    hdrs = ["ir.h"],\n',
                     '#include <vector>\n#include "absl/strings/str_cat.h"\n#include "base/status.h"\n'),
        'sy_cc_library(\n    name = "ir",\n    hdrs = ["ir.h"],\n'
        '    deps = ["//base:status", "@com_google_absl//absl/strings"],\n)\n')

  def test_removes_a_library_of_which_nothing_is_included(self):
    self.assertEqual(self.library('    hdrs = ["ir.h"],\n    deps = ["//base:status"],\n', ""),
                     'sy_cc_library(\n    name = "ir",\n    hdrs = ["ir.h"],\n)\n')

  def test_keeps_what_is_linked_for_more_than_headers(self):
    self.assertIsNone(self.library('    hdrs = ["ir.h"],\n    deps = ["//base:tables"],\n', ""))

  def test_keeps_a_line_that_says_so(self):
    self.assertIsNone(self.library(
        '    hdrs = ["ir.h"],\n    deps = [\n        "//base:status",  # keep: for its symbols\n    ],\n', ""))

  def test_keeps_the_comment_of_a_kept_line_beside_a_new_one(self):
    self.workspace.write("ir/other.h")
    text = self.library(
        '    hdrs = ["ir.h"],\n    deps = [\n        "//base:status",  # keep: for its symbols\n    ],\n',
        '#include "nlohmann/json.hpp"\n')
    self.assertIn('    deps = [\n        "//base:status",  # keep: for its symbols\n        "@nlohmann_json",\n    ],\n',
                  text)

  def test_takes_a_new_source_of_its_header_and_drops_one_that_is_gone(self):
    self.workspace.write("ir/ir.cc")
    self.assertEqual(self.library('    srcs = ["gone.cc"],\n    hdrs = ["ir.h"],\n', ""),
                     'sy_cc_library(\n    name = "ir",\n    srcs = ["ir.cc"],\n    hdrs = ["ir.h"],\n)\n')
    self.assertEqual(self.library('    hdrs = ["ir.h"],\n', ""),
                     'sy_cc_library(\n    name = "ir",\n    srcs = ["ir.cc"],\n    hdrs = ["ir.h"],\n)\n')

  def test_leaves_computed_lists_alone(self):
    self.assertIsNone(self.library('    hdrs = ["ir.h"] + MORE,\n', '#include "base/status.h"\n'))

  def test_a_mistake_names_file_and_line(self):
    self.workspace.write("ir/BUILD.bazel", "sy_cc_library(\n    name = ,\n)\n")
    with self.assertRaisesRegex(Unreadable, "ir/BUILD.bazel:2: invalid syntax"):
      new_texts(self.workspace.root)

  def test_a_test_has_googletest_from_its_rule(self):
    self.workspace.write("base/status_test.cc", '#include "base/status.h"\n#include "gtest/gtest.h"\n')
    self.workspace.write("base/BUILD.bazel", _LOAD + """sy_cc_library(
    name = "status",
    hdrs = ["status.h"],
)

sy_cc_test(
    name = "status_test",
    srcs = ["status_test.cc"],
)
""")
    self.assertIn('    srcs = ["status_test.cc"],\n    deps = [":status"],\n', self.workspace.rewritten("base/BUILD.bazel"))


if __name__ == "__main__":
  unittest.main()
