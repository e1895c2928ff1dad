# SPDX-License-Identifier: Apache-2.0
"""The list of a few made-up entries."""
import unittest

import operator_list


def entry(name, kernels, family="f"):
    return {"name": name, "family": family, "kernels": kernels}


class OperatorListTest(unittest.TestCase):

    def test_kernels_of_the_same_dtypes_stand_together(self):
        self.assertEqual(operator_list.kernels_text(entry("relu", [
            ["relu", "reference", ["float32", "float16"]],
            ["relu", "onednn", ["float32"]],
            ["relu", "cpu", ["float16", "float32"]],
        ])), "reference cpu: f16 f32; onednn: f32")

    def test_kernels_of_other_names_have_them(self):
        self.assertEqual(operator_list.kernels_text(entry("sgd_", [
            ["sgd", "cpu", ["float64", "float32"]],
            ["sgd_rows", "cpu", ["float32"]],
        ])), "cpu/sgd: f32 f64; cpu/sgd_rows: f32")

    def test_operators_stand_by_family_and_composed_ones_say_so(self):
        ops = [entry("relu", []), entry("add", [["add", "cpu", ["bool"]]], "g")]
        signatures = {"relu": "relu (Tensor x) -> Tensor(out)", "add": "add (Tensor x, Tensor y)"}
        self.assertEqual(list(operator_list.lines(ops, signatures)), [
            "", "# f", "relu (Tensor x) -> Tensor(out) | made of others",
            "", "# g", "add (Tensor x, Tensor y) | cpu: b"])


if __name__ == "__main__":
    unittest.main()
