# SPDX-License-Identifier: Apache-2.0
"""init(relaxed="reduction=library"): sums in the order of Open MPI's and Gloo's."""

import re
import tempfile
import unittest
import warnings

import numpy as np
from distributed_checks import HAS_MPI, run

import switchyard as sy
from switchyard.distributed import Checkpoints

# Sums on every rank, beside those of long doubles; what is no library's is exact.
SUMS = """
    sy.distributed.init(relaxed={"reduction": "library"})
    rank, size = sy.distributed.rank(), sy.distributed.world_size()
    with sy.distributed.trace() as trace:
        for dtype in (np.float32, np.float64):
            for count in (0, 1, 1023, 70001):
                ranks = [(np.random.default_rng(each).normal(size=count)
                          * 10.0 ** np.arange(count).clip(0, 9)).astype(dtype)
                         for each in range(size)]
                exact = np.sum(np.asarray(ranks, np.longdouble), axis=0)
                bound = size * np.finfo(dtype).eps * np.sum(np.abs(ranks), axis=0)
                for reduction, parts in (("sum", 1), ("mean", size)):
                    got = sy.distributed.all_reduce(
                        sy.tensor(ranks[rank]), reduction).numpy()
                    assert got.dtype == dtype
                    assert (abs(got - exact / parts) <= bound / parts).all(), count
    assert "library_all_reduce(sum) float32[1023] of" in trace.text(), trace.text()
    with sy.distributed.trace() as trace:
        x = sy.tensor(np.arange(6) + rank, "int64")
        assert sy.distributed.all_reduce(x, "max").tolist() == list(
            range(size - 1, size + 5))
        half = sy.distributed.all_reduce(sy.tensor([1.5], "bfloat16"))
        assert half.to("float32").tolist() == [1.5 * size]
    assert "library" not in trace.text(), trace.text()
    odd = sy.tensor([float("nan") if rank else 1.0, float("inf"), -0.0])
    got = sy.distributed.all_reduce(odd).numpy()
    assert got.view(np.int32).tolist()[:2] == [0x7fc00000, 0x7f800000], got
    assert got[2] == 0 and np.signbit(got[2])
    print("summed", flush=True)
"""

# Trains; saves a checkpoint.
TRAINING = """
    import sys
    sy.distributed.init(relaxed={relaxed!r})
    sy.seed(0)
    model = sy.distributed.DataParallel(sy.nn.Sequential(
        sy.nn.Linear(4, 32), sy.nn.Tanh(), sy.nn.Linear(32, 3)), shards=8)
    optimizer = sy.optim.AdamW(model.parameters(), learning_rate=1e-3)
    criterion = sy.nn.CrossEntropyLoss()
    draw = np.random.default_rng(0)
    for step in range(5):
        x = draw.normal(size=(32, 4)).astype(np.float32)
        y = draw.integers(0, 3, 32)
        optimizer.zero_grad()
        loss = model.backward(lambda a, b: criterion(model(a), b), x, y)
        optimizer.step()
    checkpoints = sy.distributed.Checkpoints({folder!r})
    checkpoints.save(5, model=model)
    checkpoints.wait()
    if sy.distributed.rank() == 0:
        print("loss", loss.item())
"""

# Sums while rank 1 stops by a signal, in the header's exchange or in the library's sum.
STOPPING = """
    import os, signal, threading
    sy.distributed.init(relaxed="reduction=library", deadline=2.0)
    x = sy.zeros([1 << 21])
    sy.distributed.all_reduce(x, name="w")
    if sy.distributed.rank() == 1:
        threading.Timer(0.3, os.kill, (os.getpid(), {number})).start()
    try:
        while True:
            sy.distributed.all_reduce(x, name="w")
    except sy.distributed.DistributedError as error:
        print(error, flush=True)
        raise SystemExit(3)
"""


class Cases:
    """The cases of a transport, which has a library."""
    transport = None

    def test_sums_are_within_the_rounding_of_another_order(self):
        for count in (2, 3):
            with self.subTest(count):
                result = run(count, SUMS, self.transport)
                self.assertEqual(result.code, 0, result)
                self.assertEqual(result.out.count("summed"), count, result)

    def trained(self, count, transport, relaxed):
        """The model and the loss of a job, and the warnings of loading it here."""
        with tempfile.TemporaryDirectory() as folder:
            result = run(count, TRAINING.format(relaxed=relaxed, folder=folder), transport)
            self.assertEqual(result.code, 0, result)
            model = sy.nn.Sequential(sy.nn.Linear(4, 32), sy.nn.Tanh(), sy.nn.Linear(32, 3))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.assertEqual(Checkpoints(folder).load(model=model), 5)
        values = np.concatenate([each.numpy().reshape(-1) for each in model.parameters()])
        loss = float(re.search("loss (.*)", result.out)[1])
        return values, loss, [str(each.message) for each in caught]

    def test_training_and_what_its_checkpoint_says(self):
        values, loss, said = self.trained(3, self.transport, "reduction=library")
        exact, exact_loss, silent = self.trained(1, "tcp", None)
        np.testing.assert_allclose(values, exact, rtol=0, atol=1e-5)
        self.assertAlmostEqual(loss, exact_loss, delta=1e-5)
        self.assertEqual(silent, [])
        self.assertEqual(len(said), 1)
        self.assertIn("is of another relaxed choice; what follows may have other bits: "
                      "reduction=library, here exact", said[0])

    def test_ranks_of_different_choices_are_named(self):
        result = run(2, """
            import os
            try:
                sy.distributed.init(relaxed=None if int(os.environ.get(
                    "RANK", os.environ.get("OMPI_COMM_WORLD_RANK"))) else
                    "reduction=library")
            except sy.distributed.DistributedError as error:
                print(error, flush=True)
        """, self.transport)
        lines = result.out.splitlines()
        self.assertEqual(len(lines), 2, result)
        for line in lines:
            self.assertRegex(line, r"init: rank 1 \(host .*\) has another choice of what "
                             r"is relaxed, and would give other bits: exact; rank 0 .*: "
                             "reduction=library")


@unittest.skipUnless(HAS_MPI, "needs mpirun, of the package openmpi-bin")
class OpenMpiTest(Cases, unittest.TestCase):
    transport = "mpi"

    def test_it_is_the_library_that_adds(self):
        result = run(2, """
            sy.distributed.init(relaxed="reduction=library")
            x = sy.tensor(np.arange(100000, dtype=np.float32))
            assert sy.distributed.all_reduce(x).numpy()[-1] == 199998
            sy.distributed.destroy()
        """, "mpi", variables={"OMPI_MCA_pml_monitoring_enable": "1",
                               "OMPI_MCA_pml_monitoring_enable_output": "1"})
        self.assertEqual(result.code, 0, result)
        # Each rank sends all elements by a collective call of MPI's.
        said = re.findall(r"^A2A\t\d\t(\d+) bytes", result.out, re.M)
        self.assertEqual(said.count("400000"), 2, result)


class ChoicesTest(unittest.TestCase):

    def test_a_transport_without_a_library_is_refused(self):
        result = run(2, """
            try:
                sy.distributed.init(relaxed="reduction=library")
            except ValueError as error:
                print(error, flush=True)
        """)
        self.assertEqual(result.out.splitlines(), [
            "reduction=library must be on a transport whose library sums, mpi or gloo, "
            "got tcp"] * 2, result)

    def test_one_process_needs_no_library(self):
        sy.distributed.init(relaxed="exact,reduction=library")
        try:
            self.assertEqual(sy.distributed.all_reduce(sy.tensor([2.0])).tolist(), [2.0])
        finally:
            sy.distributed.destroy()

    def test_other_words(self):
        for error, words, relaxed in (
                (TypeError, "relaxed must be a text as 'reduction=library', a dictionary or "
                 "None, got int", 3),
                (ValueError, "the choice must be reduction, got 'fusion'", "fusion=relaxed"),
                (ValueError, "the choice must be reduction, got ''", ""),
                (ValueError, "reduction must be tree or library, got 'ring'",
                 {"reduction": "ring"})):
            with self.assertRaisesRegex(error, words):
                sy.distributed.init(relaxed=relaxed)
        self.assertFalse(sy.distributed.is_initialized())

    def test_the_tree_has_no_other_cpus(self):
        result = run(2, """
            from switchyard.distributed import groups
            whole = groups.bits_decided_by
            def narrow(reduction=None):
                import os
                return {**whole(reduction), "cpu": "avx" + os.environ["RANK"]}
            groups.bits_decided_by = narrow
            try:
                sy.distributed.init()
            except sy.distributed.DistributedError as error:
                print(error, flush=True)
        """)
        self.assertEqual(result.out.count("has a CPU with other instructions, and would give "
                                          "other bits: avx1; rank 0"), 2, result)


if __name__ == "__main__":
    unittest.main()
