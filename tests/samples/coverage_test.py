# SPDX-License-Identifier: Apache-2.0
"""Every forward operator has samples, and every kernel, forward and backward,
is run by one in every dtype of its coverage."""
import json
import pathlib
import re
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy

# Backends whose kernels no call of a sample chooses here: those of GPUs, and legacy kernels that
# serve calls by the old name alone where these ask for the library (tests/parity runs all of them).
ELSEWHERE = ("gpu", "gpudnn", "fluid/onednn")
# Kernels that need what no sample of one call brings. Each with its reason.
EXEMPT = {
    "sgd_selected_rows": "a sample has no SelectedRows (eager/ops/gradients_test)",
    "adam_selected_rows": "the same (phi/kernels/cpu/optimizer)",
    "add_selected_rows": "the same (phi/kernels/cpu/sums)",
    "add_rows_to_dense": "the same (phi/kernels/cpu/sums)",
    "add_dense_to_rows": "the same (phi/kernels/cpu/sums)",
    "copy_selected_rows": "the same (phi/kernels/cpu/data_movement)",
    "merge_selected_rows": "the same (python/tests/selected_rows_test)",
    "add_arrays": "a sample has no tensor arrays (tests/samples/tensor_array_test)",
    "add_coo": "nor sparse tensors (tests/samples/sparse_test)",
    "add_csr": "the same (tests/samples/sparse_test)",
    "embedding_sparse_grad":
        "a sample has dense gradients (eager/ops/gradients_test)",
}
# Kernels that refuse calls on a CPU without one of these flags of /proc/cpuinfo.
NEEDS = {"conv2d_int8": ("onednn", {"avx512_vnni", "avx_vnni"})}


def refused_here():
    """{(kernel function, backend)} that the CPU's features refuse."""
    flags = set(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    return {(kernel, backend) for kernel, (backend, features) in NEEDS.items() if not flags & features}


def all_ops():
    return [op for path in pathlib.Path("docs/ops/generated").glob("*.json")
            for op in json.loads(path.read_text())]


# oneDNN's matmul depends on the number of threads.
POLICIES = ({"backends": ["reference"]},
            {"backends": ["cpu"], "origin": "phi"},
            {"backends": ["cpu"], "origin": "fluid"},
            {"backends": ["onednn"], "allow_thread_variant": True})
CHOICE = re.compile(r"(\w+) .*-> (fluid )?(\w+) (\w+)(?: (\w+))? \(")


def with_second_order():
    """Forward operators whose gradient's gradient has a kernel."""
    forward = {op["name"]: op["forward"] for op in all_ops()}
    return {forward[op["forward"]] for op in all_ops()
            if op["kernels"] and forward.get(op["forward"])}


def kernels_of(sample, policy, second_order):
    """{(kernel function, backend, dtype)} of a sample's call, both ways."""
    tensors = samples.tensors_of(sample, samples.arrays_of(sample), sy)
    leaves = [t for t in samples.flat(list(tensors.values()))
              if t.dtype in samples.DIFFERENTIABLE and sample.op[-1] != "_"]
    for leaf in leaves:
        leaf.requires_grad = True
    with sy.policy(**policy), sy.record_selections() as log:
        try:
            if leaves:
                # A fused kernel has no gradient: a recorded call is of others.
                with sy.no_grad():
                    getattr(sy.ops, sample.op)(**tensors,
                                               **sample.attributes())
            outputs = samples.flat(getattr(sy.ops, sample.op)(
                **tensors, **sample.attributes()))
            outputs = [o for o in outputs if o.requires_grad]
            if outputs:
                ones = [sy.tensor(np.ones(o.shape), dtype=o.dtype)
                        for o in outputs]
                for weight in ones:
                    weight.requires_grad = second_order
                gradients = sy.grad(outputs, leaves, ones, allow_unused=True,
                                    create_graph=second_order)
                gradients = [g for g in gradients if g is not None]
                if second_order and any(g.requires_grad for g in gradients):
                    sy.grad(gradients, leaves + ones, gradients,
                            allow_unused=True)
        except (NotImplementedError, TypeError, ValueError):
            # No such kernel, not for this dtype, or an attribute that the dtype
            # does not hold: other samples have it.
            pass
    found = set()
    for op, fluid, backend, dtype, kernel in map(
            lambda line: CHOICE.match(line).groups(), log):
        found.add((kernel or op, ("fluid/" if fluid else "") + backend, dtype))
    return found


def run_elsewhere():
    """Operators that a test of their own runs (`run_by:`), which checks that it
    runs every kernel; their gradients too."""
    names = {entry["op"] for _, entry in samples.entries() if "run_by" in entry}
    return names | {op["name"] for op in all_ops() if op["forward"] in names}


class CoverageTest(unittest.TestCase):

    def test_every_operator_has_samples(self):
        forward = {op["name"] for op in all_ops() if not op["forward"]}
        self.assertEqual(forward, set(samples.load("valid")))
        self.assertEqual(forward, set(samples.load("invalid")))

    def test_every_kernel_runs_in_every_dtype(self):
        ran, second, elsewhere = set(), with_second_order(), run_elsewhere()
        refused = refused_here()
        for rows in samples.load("valid").values():
            for sample in (v for row in rows for v in samples.variants(row)):
                for policy in POLICIES:
                    ran |= kernels_of(sample, policy, sample.op in second)
        wanted = {(kernel, backend, dtype) for op in all_ops()
                  if op["name"] not in elsewhere
                  for kernel, coverage in op["kernels"].items()
                  for backend, dtypes in coverage.items()
                  for dtype in dtypes
                  if backend not in ELSEWHERE and kernel not in EXEMPT
                  and (kernel, backend) not in refused}
        self.assertEqual([], sorted(wanted - ran))


if __name__ == "__main__":
    unittest.main()
