# SPDX-License-Identifier: Apache-2.0
"""Predictions of collective calls, beside the calls that processes make."""

import ast
import unittest

from distributed_checks import run

import switchyard as sy

NET = """
    sy.seed(0)
    net = sy.nn.Sequential(sy.nn.Linear(8, 300), sy.nn.BatchNorm1D(300), sy.nn.ReLU(),
                           sy.nn.Linear(300, 3).to("float64"))
    net[3].bias = sy.nn.Parameter(sy.zeros([3], "bfloat16"))
"""
STEP = NET + """
    sy.distributed.init()
    model = sy.distributed.DataParallel(net, shards=5, bucket_mb=0.001)
    x = sy.tensor(np.ones((10, 8)), "float32")
    with sy.distributed.trace() as trace:
        model.backward(lambda x: (net[2](net[1](net[0](x))).sum()
                                  + net[3].weight.sum().to("float32")), x)
    calls = [each["name"] + f" {each['bytes']}" for each in trace.events
             if each["kind"] == "communication"]
    if sy.distributed.rank() == 0:
        print([calls, model.step_calls()])
"""
SIZES = {"float32": 4, "float64": 8}
WIRE = {"alpha": 5e-6, "beta": 1e-9}


def all_reduce(count, dtype="float32"):
    return [("all_reduce", dtype, count)]


class EstimateTest(unittest.TestCase):

    def test_time_of_a_tensor(self):
        n, ranks = 1 << 20, 64
        cost = sy.distributed.estimate(all_reduce(n), ranks, overhead=1e-7, **WIRE)
        expected = 2 * 5e-6 + 63 * (3e-7 + (32 + 2 * 4 * n / ranks) * 1e-9)
        self.assertAlmostEqual(cost.seconds, expected, delta=1e-12)
        self.assertEqual(cost.messages, 64 * 63 * 3)
        self.assertEqual(cost.bytes, 64 * 63 * 32 + 63 * 2 * 4 * n)

    def test_calls_follow_one_another(self):
        def seconds(*calls):
            return sy.distributed.estimate(calls, 4, **WIRE).seconds

        first, second = ("barrier", "uint8", 0), ("broadcast", "float64", 1000)
        self.assertEqual(seconds(), 0)
        # A rank that has the broadcast early waits for no other in it.
        self.assertLessEqual(seconds(first, second), seconds(first) + seconds(second))
        self.assertGreater(seconds(first, second), seconds(second))

    def test_hosts(self):
        near = sy.distributed.estimate(all_reduce(100000), 4, alpha=1.0, beta=0.0,
                                       ranks_a_host=4, within_host=(0.25, 0, 0))
        self.assertEqual(near.seconds, 0.5)
        far = sy.distributed.estimate(all_reduce(100000), 4, alpha=1.0, beta=0.0,
                                      ranks_a_host=2, within_host=(0.25, 0, 0))
        self.assertEqual(far.seconds, 2)

    def test_a_tensor_may_be_larger_than_the_memory(self):
        cost = sy.distributed.estimate(all_reduce(1 << 40), 100, **WIRE)
        self.assertGreater(cost.bytes, 1 << 43)

    def test_the_step_of_a_model(self):
        result = run(2, STEP)
        self.assertEqual(result.code, 0, result)
        traced, calls = ast.literal_eval(
            result.out[result.out.index("[["):].strip())
        self.assertGreater(len(calls), 3)
        self.assertEqual(len(traced), len(calls), traced)
        for text, (name, dtype, count) in zip(traced, calls):
            self.assertEqual(name, "all_reduce")
            self.assertIn(f" {dtype}[{count}] of 5 shards", text)
            self.assertTrue(text.endswith(f" {count * SIZES[dtype]}"), text)
        cost = sy.distributed.estimate(calls, 2, shards=5, **WIRE)
        self.assertGreater(cost.messages, 2 * len(calls))

    def test_errors(self):
        def message(*args, kind=ValueError, **kwargs):
            with self.assertRaises(kind) as caught:
                sy.distributed.estimate(*args, **{**WIRE, **kwargs})
            return str(caught.exception)

        calls = all_reduce(10)
        self.assertIn("estimate: ranks must be in [1, 512], got 513",
                      message(calls, 513))
        self.assertIn("alpha must be in [0, 10^6], got nan",
                      message(calls, 2, alpha=float("nan")))
        self.assertIn("within_host's beta must be in [0, 10^6], got -1",
                      message(calls, 2, within_host=(0, -1, 0)))
        self.assertIn("within_host must be (alpha, beta, overhead), got 2 numbers",
                      message(calls, 2, within_host=(0, 1)))
        self.assertIn("shards must be at least 4, got 3", message(calls, 4, shards=3))
        self.assertIn("the number of elements must be in [0, 2^60], got -1",
                      message(all_reduce(-1), 2))
        self.assertIn("barrier, got all_too_much",
                      message([("all_too_much", "int8", 1)], 2))
        self.assertIn("no dtype float7", message(all_reduce(1, "float7"), 2))
        self.assertIn("a call must be (name, dtype, number of elements), got 'barrier'",
                      message(["barrier"], 2))
        message(all_reduce(1 << 50), 2, kind=MemoryError)


if __name__ == "__main__":
    unittest.main()
