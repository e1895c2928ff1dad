# SPDX-License-Identifier: Apache-2.0
"""The sanitizer run covers what must be covered: one test of each kind, by its label."""
import pathlib
import unittest

LIST = pathlib.Path("tools/ci/sanitizer_targets.txt")
# The code that reads files, programs and callers' input, and the code that computes with it.
COVERED = [
    "//framework/memory:cpu_allocator_test",
    "//ops_gen/parser:damaged_file_test",
    "//phi/infermeta/linalg:linalg_test",
    "//phi/selection:selection_test",
    "//phi/dispatch:call_test",
    "//phi/kernels/reference:reference_test",
    "//phi/kernels/cpu/linalg:linalg_test",
    "//phi/kernels/onednn:onednn_test",
    "//phi/legacy/kernels:softmax_test",
    "//eager/autograd:engine_test",
    "//eager/call:run_test",
    "//static_graph/ir:parser_test",
    "//static_graph/autodiff:gradients_test",
    "//static_graph/lowering:lower_test",
    "//static_graph/executor:memory_planner_test",
    "//static_graph/program:executable_test",
    "//static_graph/program:saved_program_test",
    "//static_graph/translate:malformed_program_test",
    "//static_graph/foreign/paddle_desc:weight_stream_test",
    "//tests/samples:dispatch_samples_test",
]


def matches(pattern, label):
    if pattern.endswith("/..."):
        folder = pattern[:-len("/...")]
        return label.startswith((folder + "/", folder + ":"))
    return pattern == label


def covered(patterns, label):
    """As Bazel reads them: in order, a minus takes away."""
    result = False
    for pattern in patterns:
        if matches(pattern.lstrip("-"), label):
            result = not pattern.startswith("-")
    return result


class SanitizerTargetsTest(unittest.TestCase):

    def test_every_kind_is_covered(self):
        lines = LIST.read_text().splitlines()
        patterns = [line for line in lines if line and not line.startswith("#")]
        for label in COVERED:
            with self.subTest(label):
                self.assertTrue(covered(patterns, label))

    def test_minus_takes_away(self):
        patterns = ["//a/...", "-//a/b/...", "-//a:x_test"]
        self.assertTrue(covered(patterns, "//a:y_test"))
        self.assertTrue(covered(patterns, "//a/bc:x_test"))
        self.assertFalse(covered(patterns, "//a/b:y_test"))
        self.assertFalse(covered(patterns, "//a:x_test"))


if __name__ == "__main__":
    unittest.main()
