# SPDX-License-Identifier: Apache-2.0
"""A kernel that is not as its entry says, and the sentence that names the parameter."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ENTRY = """\
- op: mysoft
  args: (Tensor x, Tensor bias, int axis = -1, double scale = 1.0, IntArray shape = {})
  output: Tensor(out)
  optional: [bias]
  kernel: {func: mysoft, data_type: x, header: soft}
  kernels:
    reference, cpu: full_precision
"""
# (the parameters after the context, what is said of them).
RIGHT = "const DenseTensor& x, const DenseTensor* bias, int axis, double scale, IntArray shape, DenseTensor* out"
KERNELS = [
    (RIGHT, None),
    ("const DenseTensor&, const DenseTensor* /*bias*/,\\n    int axis, double, Aliased, DenseTensor* out", None),
    (RIGHT.replace("int axis", "double axis"), "parameter 2 must be `int axis`, got `double axis`"),
    (RIGHT.replace("double scale", "float"), "parameter 3 must be `double scale`, got `float`"),
    (RIGHT.replace("const DenseTensor* bias", "bool biased"),
     "parameter 1 must be `const DenseTensor* bias`, got `bool biased`"),
    (RIGHT.replace(" int axis,", ""), "parameter 2 must be `int axis`, got `double scale`"),
    (RIGHT.replace(", DenseTensor* out", ""), "parameter `DenseTensor* out` is missing"),
    (RIGHT + ", bool more", "parameter `bool more` is not in the entry"),
]


class KernelParametersTest(unittest.TestCase):

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "ops_gen/ops").mkdir(parents=True)
        (self.root / "ops_gen/ops/soft.yaml").write_text(ENTRY)
        self.header = self.root / "phi/kernels/cpu/soft/soft.h"
        self.header.parent.mkdir(parents=True)

    def said(self, *words):
        done = subprocess.run([sys.executable, "-B", os.path.abspath("tools/sy/kernel_parameters.py"), *words],
                              cwd=self.root, stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout

    def test_each_is_named(self):
        for parameters, wanted in KERNELS:
            with self.subTest(parameters):
                self.header.write_text("// First.\ntemplate <typename T>\nabsl::Status MysoftKernel(const CpuContext&, "
                                       f"{parameters}) {{\n  return absl::OkStatus();\n}}\n".replace("\\n", "\n"))
                place = "phi/kernels/cpu/soft/soft.h:3: MysoftKernel: "
                line = f"{place}{wanted} (ops_gen/ops/soft.yaml, mysoft)\n" if wanted else ""
                self.assertEqual(self.said(), line)
                self.assertEqual(self.said("mysoft"), line)


if __name__ == "__main__":
    unittest.main()
