# SPDX-License-Identifier: Apache-2.0
"""Every forward operator has samples, and every kernel is run by one."""
import json
import pathlib
import re
import unittest

from tests.samples import samples
import switchyard as sy

# Kernels that need what no sample of one call brings. Each with its reason.
EXEMPT = {
    "sgd_selected_rows": "a sample has no SelectedRows (eager/gradients_test)",
}


def all_ops():
    return [op for path in pathlib.Path("docs/ops/generated").glob("*.json")
            for op in json.loads(path.read_text())]


class CoverageTest(unittest.TestCase):

    def test_every_operator_has_samples(self):
        forward = {op["name"] for op in all_ops() if not op["forward"]}
        self.assertEqual(forward, set(samples.load("valid")))
        self.assertEqual(forward, set(samples.load("invalid")))

    def test_every_kernel_runs(self):
        ran = set()
        for rows in samples.load("valid").values():
            for sample in rows:
                # oneDNN's matmul depends on the number of threads.
                for policy in ({"backends": ["reference"]},
                               {"backends": ["cpu"], "form": "phi"},
                               {"backends": ["cpu"], "form": "fluid"},
                               {"backends": ["onednn"],
                                "allow_thread_variant": True}):
                    ran |= self.kernels_of(sample, policy)
        wanted = {(kernel, backend) for op in all_ops() if not op["forward"]
                  for kernel, coverage in op["kernels"].items()
                  for backend in coverage
                  if backend not in ("gpu", "gpudnn") and kernel not in EXEMPT}
        self.assertEqual(set(), wanted - ran)

    @staticmethod
    def kernels_of(sample, policy):
        """{(kernel function, backend)} that a sample's call runs."""
        tensors = samples.tensors_of(sample, samples.arrays_of(sample), sy)
        try:
            with sy.policy(**policy), sy.record_selections() as log:
                getattr(sy.ops, sample.op)(**tensors, **sample.attributes())
        except (NotImplementedError, TypeError):
            # No such kernel, or not for this dtype: other samples have it.
            return set()
        found = set()
        for line in log:
            match = re.match(r"(\w+) .*-> (fluid )?(\w+) ", line)
            form = "fluid/" if match[2] else ""
            name = match[1][:-1] if match[1].endswith("_") else match[1]
            found.add((name, form + match[3]))
        return found


if __name__ == "__main__":
    unittest.main()
