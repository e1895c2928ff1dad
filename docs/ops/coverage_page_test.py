# SPDX-License-Identifier: Apache-2.0
"""The coverage page of a few made-up entries."""
import unittest

import coverage_page as page


def entry(name, kernels, forward="", backward="", composed=False):
    return {"name": name, "family": "f", "forward": forward, "backward": backward,
            "composed": composed, "kernels": kernels}


OPS = [
    entry("relu", [["relu", "reference", ["float32", "float16"]],
                   ["relu", "cpu", ["float32", "float16"]],
                   ["relu", "onednn", ["float32"]]], backward="relu_grad"),
    entry("relu_grad", [["relu_grad", "reference", ["float32"]],
                        ["relu_grad", "cpu", ["float32"]]], forward="relu"),
    entry("sgd_", [["sgd", "cpu", ["float64", "float32"]],
                   ["sgd_rows", "cpu", ["float32"]]]),
    entry("mul", [["mul", "gpu", ["float32"]]], backward="mul_grad"),
    entry("mul_grad", [], forward="mul", composed=True),
]


class PageTest(unittest.TestCase):

    def test_rows_by_backend_in_rank_order(self):
        self.assertEqual(list(page.rows(OPS)), [
            "| relu | cpu |  | f16 f32 | f32 |",
            "| relu | onednn |  | f32 | cpu |",
            "| relu | reference |  | f16 f32 | f32 |",
            "| relu_grad | cpu |  | f32 | - |",
            "| relu_grad | reference |  | f32 | - |",
            "| sgd_ | cpu | sgd | f32 f64 | - |",
            "| sgd_ | cpu | sgd_rows | f32 | - |",
            "| mul | gpu |  | f32 | made of others |",
        ])

    def test_a_change_of_one_dtype_changes_the_page(self):
        before = page.page(OPS)
        self.assertIn("5 entries have 11 kernels; 1 are made of others.", before)
        changed = [dict(op) for op in OPS]
        changed[2] = entry("sgd_", [["sgd", "cpu", ["float64"]], ["sgd_rows", "cpu", ["float32"]]])
        self.assertNotEqual(page.page(changed), before)
        # Ranks are part of it, too.
        changed[2] = entry("sgd_", list(reversed(OPS[2]["kernels"])))
        self.assertNotEqual(page.page(changed), before)


if __name__ == "__main__":
    unittest.main()
