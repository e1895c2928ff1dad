# SPDX-License-Identifier: Apache-2.0
"""Plugins loaded in any order: the same kernels are chosen."""
import itertools
import subprocess
import sys
import unittest

NAMES = ("operators", "sample", "throwing")
CALLS = """
import sys
import switchyard as sy
for name in sys.argv[1:]:
    sy.plugins.load(f"phi/capi/testdata/{name}.so")
for op in ("relu", "exp", "softmax", "leaky_relu", "tested_square"):
    for shape in ("[4]", "[2, 3]", "[2, ?]"):
        for dtype in ("float16", "float32", "float64"):
            print(sy.explain(op, x=dtype + shape))
"""


class PluginOrdersTest(unittest.TestCase):

    def test_all_orders(self):
        answers = set()
        for order in itertools.permutations(NAMES):
            answers.add(subprocess.run(
                [sys.executable, "-c", CALLS, *order], check=True, text=True,
                stdout=subprocess.PIPE).stdout)
        answer, = answers
        for backend in ("throwing", "sample", "tested", "cpu"):
            self.assertIn(f"chosen: {backend} float", answer)


if __name__ == "__main__":
    unittest.main()
