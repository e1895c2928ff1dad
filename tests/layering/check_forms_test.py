# SPDX-License-Identifier: Apache-2.0
"""The checker of conditions on the form of a kernel finds them, and nothing else."""
import unittest

import check_forms


class CheckFormsTest(unittest.TestCase):

    def problems(self, text):
        return list(check_forms.problems_of("a.cc", text))

    def test_finds_conditions(self):
        for text in ("if (def.origin == KernelOrigin::kFluid) return;",
                     "x = origin != KernelOrigin::kPhi\n ? 1 : 2;",
                     'while (name == "fluid") {}',
                     "switch (o) {\n  case KernelOrigin::kFluid: break; }",
                     "return ready && is_fluid_kernel;"):
            self.assertEqual(len(self.problems(text)), 1, text)
        self.assertRegex(self.problems("int a;\n\nif (a ||\n    fluid) {}")[0],
                         r"^a.cc:4: a condition must not depend .* got if \(a \|\| fluid\)")

    def test_leaves_the_rest(self):
        for text in ("// if (fluid) ...\nint x;", "/* if\nfluid */ int x;",
                     '#include "phi/legacy/kernels/softmax.h"\nif (x) {}',
                     'constexpr Row kRows[] = {{KernelOrigin::kFluid, "fluid"}};',
                     'Print("What if ? it is fluid == 1; {x}");',
                     'Print(R"(if\n fluid ? 1)");',
                     "if (policy.origin != def.origin) return;",
                     "def.origin = KernelOrigin::kFluid; if (x) {}"):
            self.assertEqual(self.problems(text), [], text)
        self.assertTrue(check_forms.is_kept("phi/legacy/kernels/softmax.cc"))
        self.assertFalse(check_forms.is_kept("phi/selection/candidate.cc"))


if __name__ == "__main__":
    unittest.main()
