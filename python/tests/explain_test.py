# SPDX-License-Identifier: Apache-2.0
"""sy.explain takes what a call takes, and says what the call would do."""
import json
import re
import unittest

import numpy as np

import switchyard as sy


def chosen(text):
    """The file and line that `text` says is chosen."""
    return re.findall(r"^ *chosen: .*\((.*)\)$", text, re.MULTILINE)


def ran(function):
    """The files and lines of the kernels that ran."""
    with sy.record_selections() as log:
        function()
    return [re.search(r"-> .*? \((.*?)\)", line)[1] for line in log]


class ExplainTest(unittest.TestCase):

    def test_strides_of_a_tensor_count(self):
        x = sy.tensor(np.ones((4, 6), np.float32))
        for value in (x, x.T):
            text = sy.explain("softmax", x=value, axis=1)
            self.assertEqual(chosen(text),
                             ran(lambda: sy.ops.softmax(value, axis=1)))
        self.assertIn("transforms: none", sy.explain("softmax", x=x))
        self.assertIn("transforms: contiguous x", sy.explain("softmax", x=x.T))

    def test_the_policy_is_the_threads(self):
        x = sy.tensor(np.ones((64, 1000), np.float32))
        self.assertIn("policy: default", sy.explain("softmax", x=x))
        with sy.policy(backends=["cpu"]):
            text = sy.explain("softmax", x=x)
            self.assertIn("policy: backend=cpu\n", text)
            self.assertEqual(chosen(text), ran(lambda: sy.ops.softmax(x)))
            self.assertIn("policy: default",
                          sy.explain("softmax", x=x, policy="default"))

    def test_an_operator_made_of_others(self):
        x = sy.tensor(np.ones((2, 3, 4), np.float32))
        y = sy.tensor(np.ones(3, np.float32))
        text = sy.explain("elementwise_sub", x=x, y=y, axis=1)
        self.assertIn("it runs as 2 calls", text)
        self.assertEqual(
            chosen(text), ran(lambda: sy.ops.elementwise_sub(x, y, axis=1)))
        facts = json.loads(sy.explain("zeros_like", json=True, x=x))
        self.assertTrue(facts["composed"])
        self.assertEqual([call["op"] for call in facts["calls"]],
                         ["full_like"])
        self.assertIsNotNone(facts["calls"][0]["chosen"])

    def test_a_composite_follows_the_strides_of_views(self):
        x = sy.tensor(np.ones((3, 4, 5), np.float32)).transpose(2, 0, 1)
        explained = sy.explain("flatten2", x=x, axis=1)
        self.assertEqual(chosen(explained),
                         ran(lambda: sy.ops.flatten2(x, axis=1)))
        with sy.record_selections() as log:
            sy.ops.flatten2(x, axis=1)
        self.assertEqual(re.findall("transforms: .*", explained),
                         [re.search("transforms: .*", line)[0] for line in log])
        self.assertIn("transforms: contiguous x", explained)

    def test_rows_values_and_what_is_absent(self):
        weight = sy.tensor(np.ones((5, 2), np.float32))
        weight.requires_grad = True
        rows = sy.tensor(np.array([1, 3], np.int64))
        sy.ops.embedding(rows, weight, sparse=True).sum().backward()
        text = sy.explain("sgd_", param=weight.detach(), grad=weight.grad,
                          learning_rate=sy.tensor(np.float32(1)))
        self.assertIn("selected_rows", text)
        self.assertIn("chosen: cpu", text)
        self.assertIn("layer_norm float32[2, 3]",
                      sy.explain("layer_norm", x="float32[2, 3]", scale=None))

    def test_kinds_decide(self):
        matrix, rows = "float32[5, 2]", "selected_rows float32[5, 2]"
        for x, y, chosen in ((matrix, matrix, "cpu float32 ("),
                             (rows, rows, "cpu float32 add_selected_rows ("),
                             (matrix, rows, "cpu float32 add_rows_to_dense ("),
                             (rows, matrix, "cpu float32 add_dense_to_rows (")):
            text = sy.explain("add", x=x, y=y)
            self.assertIn(f"chosen: {chosen}", text)
            if rows in (x, y):
                name = "x" if x == rows else "y"
                self.assertIn(
                    f"refused: {name} must be dense, got selected_rows", text)

    def test_in_place_form(self):
        self.assertIn("relu float32[2]", sy.explain("relu_", x="float32[2]"))

    def test_mistakes(self):
        for arguments, message in (
                ({"op": "softmx", "x": "float32[2]"}, "did you mean 'softmax'?"),
                ({"op": "softmax"}, "softmax: x must be given, got none"),
                ({"op": "softmax", "x": "float32[2]", "axis": [1, 2]},
                 r"softmax: axis must be of type int, got '\[1, 2\]'"),
                ({"op": "elementwise_sub", "x": "float32[2]"},
                 "elementwise_sub: y must be given, got none"),
                ({"op": "zeros_like", "x": 5}, "zeros_like: ")):
            with self.subTest(**arguments):
                with self.assertRaisesRegex(ValueError, message):
                    sy.explain(**arguments)


if __name__ == "__main__":
    unittest.main()
