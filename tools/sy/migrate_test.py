# SPDX-License-Identifier: Apache-2.0
"""./sy migrate in a scratch tree with one operator."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ENTRY = """# SPDX-License-Identifier: Apache-2.0
- op: flip
  args: (Tensor x, Tensor weight, int[] axis, bool keep = false)
  output: Tensor(out)
  kernel: {func: flip, data_type: x}
  kernels:
    fluid/cpu: full_precision
  optional: [weight]
  paddle:
    - type: old_flip
      inputs: {X: x, Weight: {to: weight, dispensable: true}}
      outputs: {Out: out}
      attrs: {dims: axis}
"""
KERNEL = """namespace switchyard::phi {
SY_REGISTER_LEGACY_KERNEL(flip, cpu, fluid::FlipKernel, legacy_old_flip, kSpec,
                         float32, float64);
}  // namespace switchyard::phi
"""
HEADER = """namespace switchyard::phi::kernels::cpu {

}  // namespace switchyard::phi::kernels::cpu
"""
LIST = "# The legacy kernels.\nflip cpu float32 float64\n\n# gone\nretired:\n"


class MigrateTest(unittest.TestCase):

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        self.script = os.path.abspath("tools/sy/migrate_kernel.py")
        self.put("ops_gen/ops/turns.yaml", ENTRY)
        self.put("phi/legacy/kernels/flip.cc", KERNEL)
        self.put("phi/kernels/cpu/turns/turns.h", HEADER)
        self.put("phi/legacy/kernels/legacy_kernels.txt", LIST)
        self.put("docs/parity.md", "# Parity\n")
        self.put("tests/samples/turns.yaml", "- op: flip\n  valid: []\n")

    def put(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def text(self, path):
        return (self.root / path).read_text()

    def migrate(self, *words):
        """(exit code, {what: line}, stderr)."""
        run = subprocess.run([sys.executable, self.script, *words], cwd=self.root, check=False, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = {line[9:23].strip(): line.split(None, 1)[0] + " " + line[24:]
                 for line in run.stdout.splitlines() if line.startswith("  ")}
        return run.returncode, lines, run.stderr

    def list_cpu(self):
        self.put("ops_gen/ops/turns.yaml", ENTRY.replace("fluid/cpu:", "reference, cpu, fluid/cpu:"))

    def test_a_legacy_kernel_alone_lacks_ours_and_a_reference(self):
        code, lines, _ = self.migrate("flip")
        self.assertEqual(code, 0)
        self.assertEqual(lines["the entry"], "done ops_gen/ops/turns.yaml:2")
        self.assertEqual(lines["legacy kernel"], "done phi/legacy/kernels/flip.cc:2")
        self.assertEqual(lines["our kernel"], "to phi/kernels/cpu/turns/turns.h: write FlipKernel and list `cpu` in "
                                              "`kernels:`")
        self.assertIn("list `reference`", lines["the reference"])
        self.assertEqual(lines["mapping"], "done ops_gen/ops/turns.yaml:10 (our name alone: keep)")
        self.assertEqual(lines["gradient"], "done ops_gen/ops/turns.yaml:2 has none")
        self.assertEqual(lines["samples"], "done tests/samples/turns.yaml:1")
        self.assertEqual(lines["the list"], "done phi/legacy/kernels/legacy_kernels.txt:2")

    def test_both_kernels_want_a_row_and_then_retirement(self):
        self.list_cpu()
        _, lines, _ = self.migrate("flip")
        self.assertTrue(lines["ledger"].startswith("to docs/parity.md: ./sy ledger --update"))
        self.put("docs/parity.md", "| flip | float32 | 3 | bits | 0 | fails |\n")
        _, lines, _ = self.migrate("flip")
        self.assertEqual(lines["ledger"], "to docs/parity.md:1: ./sy ledger flip says why a row fails")
        self.put("docs/parity.md", "# Parity\n| flip | float32 | 3 | bits | 0 | passes |\n")
        _, lines, _ = self.migrate("flip")
        self.assertEqual(lines["ledger"], "done docs/parity.md:2")
        self.assertIn("move the line below `retired:`", lines["the list"])

    def test_nothing_is_left_of_a_retired_kernel(self):
        self.put("ops_gen/ops/turns.yaml", ENTRY.replace("fluid/cpu:", "reference, cpu:"))
        (self.root / "phi/legacy/kernels/flip.cc").unlink()
        self.put("phi/legacy/kernels/legacy_kernels.txt",
                 "# The legacy kernels.\n\nretired:\nflip cpu 2026-01-31 passes float32 float64\n")
        _, lines, _ = self.migrate("flip")
        self.assertEqual({line.split()[0] for line in lines.values()}, {"done"})
        self.assertEqual(lines["legacy kernel"], "done phi/legacy/kernels/legacy_kernels.txt:4")

    def test_write_declares_the_kernel_and_lists_it(self):
        code, lines, _ = self.migrate("flip", "--write")
        self.assertEqual(code, 0)
        self.assertIn("    cpu, fluid/cpu: full_precision\n", self.text("ops_gen/ops/turns.yaml"))
        header = self.text("phi/kernels/cpu/turns/turns.h")
        self.assertIn("absl::Status FlipKernel(const CpuContext&, const DenseTensor& x, const DenseTensor* weight, "
                      "absl::Span<const int> axis, bool keep, DenseTensor* out);\n", header)
        self.assertTrue(header.endswith("}  // namespace switchyard::phi::kernels::cpu\n"))
        self.assertTrue(lines["our kernel"].startswith("done phi/kernels/cpu/turns/turns.h:"))
        code, _, error = self.migrate("flip", "--write")
        self.assertEqual((code, error), (1, "sy: migrate: flip has no legacy kernel without one of ours: nothing to "
                                            "write\n"))

    def test_write_makes_the_header_and_its_target(self):
        header = "phi/kernels/cpu/turns/turns.h"
        (self.root / header).unlink()
        self.put("ops_gen/ops/turns.yaml", ENTRY.replace("bool keep = false", "str mode = \"\""))
        code, lines, error = self.migrate("flip", "--write")
        self.assertEqual((code, error), (0, ""))
        self.assertTrue(lines["our kernel"].startswith(f"done {header}:"))
        text = self.text(header)
        self.assertIn("#ifndef SWITCHYARD_PHI_KERNELS_CPU_TURNS_TURNS_H_\n", text)
        self.assertIn("std::string_view mode, DenseTensor* out);\n\n}  // namespace", text)
        for needed in ("<string_view>", '"absl/types/span.h"', '"phi/core/kernel_spec.h"'):
            self.assertEqual(text.count(f"#include {needed}\n"), 1)
        build = self.text("phi/kernels/cpu/turns/BUILD.bazel")
        self.assertIn('    name = "turns",\n    hdrs = ["turns.h"],\n', build)
        self.assertIn('        "//phi/core:kernel_spec",\n        "@com_google_absl//absl/types:span",\n    ],\n', build)
        # In a folder that has targets, beside them.
        (self.root / header).unlink()
        self.put("ops_gen/ops/turns.yaml", ENTRY)
        self.put("phi/kernels/cpu/turns/BUILD.bazel", "# Turns.\nsy_cc_library(name = \"other\")\n")
        self.assertEqual(self.migrate("flip", "--write")[0], 0)
        build = self.text("phi/kernels/cpu/turns/BUILD.bazel")
        self.assertTrue(build.startswith("# Turns.\nsy_cc_library(name = \"other\")\n\nsy_cc_library(\n"))

    def test_many_arguments_come_in_a_struct(self):
        many = "".join(f", float a{i} = 0.5" for i in range(4))
        header, build = "phi/kernels/cpu/turns/turns.h", "phi/kernels/cpu/turns/BUILD.bazel"
        struct = 'phi/core/signatures/flip.args.gen.h'
        self.put("ops_gen/ops/turns.yaml", ENTRY.replace("keep = false", "keep = false" + many))
        target = 'sy_cc_library(\n    name = "turns",\n    hdrs = ["turns.h"],\n    deps = [\n    ],\n)\n'
        for made in (False, True):
            with self.subTest(made=made):
                if made:
                    (self.root / header).unlink()
                    self.put("ops_gen/ops/turns.yaml", ENTRY.replace("keep = false", "keep = false" + many))
                else:
                    self.put(build, target)
                self.assertEqual(self.migrate("flip", "--write")[0], 0)
                self.assertIn("absl::Status FlipKernel(const CpuContext&, const FlipArgs& args);\n",
                              self.text(header))
                self.assertEqual(self.text(header).count(f'#include "{struct}"\n'), 1)
                self.assertIn('        "//phi/core/signatures:flip_args_headers",\n', self.text(build))

    def test_an_unknown_operator_is_refused(self):
        code, _, error = self.migrate("flop")
        self.assertEqual((code, error), (1, "sy: migrate: no operator 'flop'; did you mean 'flip'?\n"))


if __name__ == "__main__":
    unittest.main()
