# SPDX-License-Identifier: Apache-2.0
"""Communication beside computing: the same bits, in an order that the trace shows."""

import json
import pathlib
import tempfile
import unittest

import numpy as np
from distributed_checks import HAS_MPI, run

import switchyard as sy

# Trains a model of which a parameter is used twice, one by rows, one not at all and one
# of halves, and prints a digest of its state.
TRAIN = """
    import hashlib, sys
    class Net(sy.nn.Module):
        def __init__(self):
            super().__init__()
            self.words = sy.nn.Embedding(50, 16, sparse=True)
            self.first, self.norm = sy.nn.Linear(16, 16), sy.nn.BatchNorm1D(16)
            self.unused = sy.nn.Linear(16, 16)
            self.last, self.drop = sy.nn.Linear(16, 4), sy.nn.Dropout(0.2)
            self.scale = sy.nn.Parameter(sy.tensor(np.ones(16), "bfloat16"))
        def forward(self, x):
            x = self.words(x).mean(1)
            x = self.drop(self.norm(self.first(sy.nn.functional.relu(self.first(x)))))
            return self.last(x * self.scale.to("float32"))
    def train(bucket_mb, overlap, inner, static=False):
        sy.seed(3)
        model = sy.distributed.DataParallel(Net(), 8, bucket_mb, overlap,
                                            static)
        model.last.weight.register_hook(lambda g: g * 2)
        optimizer = sy.optim.SGD(model.parameters(), learning_rate=0.1, momentum=0.9)
        criterion = sy.nn.CrossEntropyLoss()
        random = np.random.default_rng(1)
        def compute(x, y):
            loss = criterion(model(x), y)
            if inner:
                (model.scale.to("float32").sum() * 0.01).backward()
            return loss
        for _ in range(4):
            optimizer.zero_grad()
            for _ in range(2):
                x, y = random.integers(0, 50, (19, 6)), random.integers(0, 4, 19)
                model.backward(compute, x, y)
            assert model.unused.weight.grad is None
            optimizer.step()
        digest = hashlib.sha256()
        for name, value in sorted(model.state_dict().items()):
            digest.update(value.to("float32").numpy().tobytes())
        return digest.hexdigest()
    sy.distributed.init()
    for inner in (False, True):
        digests = {train(mb, overlap, inner) for mb, overlap in (
            (4.0, False), (4.0, True), (1e-3, True), (1e-6, True), (1e-6, False))}
        if not inner:  # A program's gradients are those of its result.
            digests |= {train(mb, True, inner, True) for mb in (4.0, 1e-3)}
        assert len(digests) == 1, digests
        if sy.distributed.rank() == 0:
            print(digests.pop(), flush=True)
"""

TRACE = """
    sy.distributed.init()
    sy.seed(0)
    layers = [sy.nn.Linear(32, 32) for _ in range(4)]
    model = sy.nn.Sequential(*layers)
    random = np.random.default_rng(0)
    x = random.normal(size=(16, 32)).astype(np.float32)
    for overlap in (True, False):
        parallel = sy.distributed.DataParallel(model, 4, 1e-3, overlap)
        with sy.distributed.trace() as trace:
            parallel.backward(lambda a: model(a).square().mean(), x)
        if sy.distributed.rank() == 0:
            computing = [e for e in trace.events if e["kind"] == "compute"]
            calls = [e for e in trace.events if e["kind"] == "communication"]
            end = max(e["end"] for e in computing)
            print(len(computing), len(calls), sum(e["given"] < end for e in calls),
                  sum(e["asynchronous"] for e in calls),
                  all(a["end"] <= b["begin"] for a, b in zip(calls, calls[1:])))
"""


class BitsTest(unittest.TestCase):

    def test_buckets_and_overlap_change_no_bit(self):
        alone = run(1, TRAIN)
        self.assertEqual(alone.code, 0, alone)
        self.assertEqual(len(set(alone.out.split())), 2, alone)
        for count in (2, 3):
            result = run(count, TRAIN)
            self.assertEqual(result.code, 0, result)
            self.assertEqual(result.out, alone.out)

    @unittest.skipUnless(HAS_MPI, "needs mpirun, of the package openmpi-bin")
    def test_open_mpi(self):
        result = run(2, TRAIN, "mpi")
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.out, run(1, TRAIN).out)


class TraceTest(unittest.TestCase):

    def test_buckets_are_given_while_gradients_are_computed(self):
        result = run(2, TRACE)
        self.assertEqual(result.code, 0, result)
        # Two shards, four buckets and the loss; four are given before the end.
        self.assertEqual(result.out.splitlines(), ["2 5 4 5 True", "2 5 0 0 True"])

    def test_files(self):
        model = sy.nn.Linear(3, 2)
        parallel = sy.distributed.DataParallel(model, 2)
        x = np.ones((4, 3), np.float32)
        with sy.distributed.trace() as trace:
            parallel.backward(lambda a: model(a).sum(), x)
            with self.assertRaisesRegex(RuntimeError, "another trace is being"):
                sy.distributed.trace().__enter__()
        self.assertEqual([each["name"] for each in trace.events],
                         ["shard 0", "shard 1"])
        self.assertRegex(trace.text(), r"^ +\d+\.\d+ +\d+\.\d+  compute        shard 0\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "trace.json")
            trace.save(path)
            events = json.loads(path.read_text())["traceEvents"]
        self.assertEqual([(e["name"], e["ph"], e["pid"], e["tid"]) for e in events],
                         [("shard 0", "X", 0, "compute"), ("shard 1", "X", 0, "compute")])
        self.assertLessEqual(events[0]["ts"] + events[0]["dur"], events[1]["ts"])


class WorkTest(unittest.TestCase):

    def test_calls_go_on_beside(self):
        result = run(3, """
            sy.distributed.init()
            rank, size = sy.distributed.rank(), sy.distributed.world_size()
            x = sy.tensor(np.arange(5000.0) + rank)
            works = [sy.distributed.all_reduce(x, name="a", wait=False)]
            x.fill_(-1.0)          # The call has copied it.
            rows = sy.tensor(np.ones((2 * size, 3)) * rank, "bfloat16")
            works += [sy.distributed.reduce_scatter(rows, "max", wait=False),
                      sy.distributed.all_gather(sy.tensor([rank]), wait=False),
                      sy.distributed.broadcast(sy.tensor([rank + 0.5]), 2, wait=False)]
            late = sy.distributed.all_reduce(sy.tensor([1]))   # After those before.
            assert late.tolist() == [size]
            total, part, gathered, root = [each.wait() for each in reversed(works)][::-1]
            assert total.tolist() == [size * i + 3 for i in range(5000)]
            assert part.dtype == "bfloat16" and part.to("float32").tolist() == [[2.0] * 3] * 2
            assert gathered.tolist() == [[0], [1], [2]] and root.tolist() == [2.5]
            assert works[0].wait() is total
        """)
        self.assertEqual(result.code, 0, result)

    def test_an_error_reaches_whoever_waits(self):
        result = run(2, """
            sy.distributed.init()
            first = sy.distributed.all_reduce(sy.tensor([1.0]), name="a", wait=False)
            name = "bc"[sy.distributed.rank()]
            second = sy.distributed.all_reduce(sy.tensor([1.0]), name=name, wait=False)
            third = sy.distributed.all_reduce(sy.tensor([1.0]), name="d", wait=False)
            assert first.wait().tolist() == [2.0]
            for each in (third, second):
                try:
                    each.wait()
                except sy.distributed.DistributedError as error:
                    print(error, flush=True)
        """)
        self.assertEqual(result.code, 0, result)
        lines = result.out.splitlines()
        self.assertEqual((len(lines), len(set(lines))), (4, 1), result)
        self.assertRegex(lines[0], r"all_reduce\(sum\) 'b' .* all_reduce\(sum\) 'c' ")

    def test_arguments(self):
        model = sy.nn.Linear(2, 2)
        for bad in (0, -1, float("nan"), 1e9):
            with self.assertRaisesRegex(ValueError, "bucket_mb must be positive"):
                sy.distributed.DataParallel(model, 1, bad)


if __name__ == "__main__":
    unittest.main()
