# SPDX-License-Identifier: Apache-2.0
"""Program.keeping: caches of ONNX's decoders that live in the program and are written
where they are."""
import re
import unittest

import numpy as np
import onnx_models as onnx
from onnx_checks import OnnxCase, floats

import switchyard as sy

_MICROSOFT = "com.microsoft"


class CachesTest(OnnxCase):

    def scatter(self, dtype="float32", mode="linear"):
        """A program that writes rows into a cache and sums what it holds."""
        feeds = {"past": np.zeros((2, 3, 6, 4), dtype), "rows": np.zeros((2, 3, 2, 4), dtype),
                 "first": np.zeros(2, np.int64)}
        nodes = [onnx.node("TensorScatter", ["past", "rows", "first"], ["present"], mode=mode),
                 onnx.node("ReduceSum", ["present"], ["sum"], keepdims=0)]
        return self.load(nodes, feeds, ["sum", "present"], opset=24)

    def test_rows_of_tensor_scatter(self):
        for dtype, mode in (("float32", "linear"), ("float64", "circular")):
            start = floats(2, 3, 6, 4).astype(dtype)
            wanted = start.copy()
            program = self.scatter(dtype, mode).keeping({"present": "past"}, {"past": start})
            self.assertEqual((program.feeds, program.fetches), (["rows", "first"], ["sum"]))
            self.assertRegex(program.text("kernel"), r"put_along_axis\(.*inplace")
            for step in range(4):
                rows = floats(2, 3, 2, 4).astype(dtype)
                first = np.array([step, 4 - step])
                for i in range(2):
                    wanted[i, :, first[i]:first[i] + 2] = rows[i]
                got = program.run({"rows": rows, "first": first})["sum"]
                np.testing.assert_allclose(got, wanted.sum(), rtol=1e-4)
                np.testing.assert_array_equal(program.state["past"].numpy(), wanted)
            self.assertFalse(np.array_equal(start, wanted))

    def test_a_run_that_fails_leaves_the_cache(self):
        start = floats(2, 3, 6, 4)
        program = self.scatter().keeping({"present": "past"}, {"past": start})
        with self.assertRaises((IndexError, ValueError)):
            program.run({"rows": floats(2, 3, 2, 4), "first": np.array([0, 5])})
        np.testing.assert_array_equal(program.state["past"].numpy(), start)

    def attention(self, feeds):
        names = ["q", "k", "v", "past_k", "past_v", "last", "total"]
        ports = {name: feeds[name] for name in names}
        return self.load(
            [onnx.node("GroupQueryAttention", names, ["y", "present_k", "present_v"],
                       _MICROSOFT, num_heads=4, kv_num_heads=2)],
            ports, ["y", "present_k", "present_v"], domains=[(_MICROSOFT, 1)])

    def test_caches_of_group_query_attention(self):
        """As the program that is fed with what it has returned, token by token."""
        room = 8
        caches = {name: np.zeros((2, 2, room, 4), np.float32) for name in ("past_k", "past_v")}
        feeds = {"q": floats(2, 1, 16), "k": floats(2, 1, 8), "v": floats(2, 1, 8), **caches,
                 "last": np.array([0, 0], np.int32), "total": np.array(room, np.int32)}
        program = self.attention(feeds)
        kept = program.keeping({"present_k": "past_k", "present_v": "past_v"}, caches)
        self.assertEqual(len(re.findall(r"put_along_axis\(.*inplace", kept.text("kernel"))), 2)
        self.assertNotIn("pad(", kept.text())
        for step in range(room):
            new = {"q": floats(2, 1, 16), "k": floats(2, 1, 8), "v": floats(2, 1, 8),
                   "last": np.array([step, step // 2], np.int32),
                   "total": np.array(step + 1, np.int32)}
            want = program.run({**new, **caches})
            caches = {"past_k": want["present_k"], "past_v": want["present_v"]}
            np.testing.assert_array_equal(kept.run(new)["y"], want["y"])
        for name, cache in caches.items():
            np.testing.assert_array_equal(kept.state[name].numpy(), cache)
        with self.assertRaises((IndexError, ValueError)):  # There is no room.
            kept.run({**new, "last": np.array([room, 0], np.int32),
                      "total": np.array(room + 1, np.int32)})

    def test_errors(self):
        program, start = self.scatter(), np.zeros((2, 3, 6, 4), np.float32)
        for error, text, results, given in (
                (TypeError, "results must be a dictionary, got 3", 3, {}),
                (ValueError, "each feed of start once, got .*past.* for .*rows",
                 {"present": "past"}, {"rows": start}),
                (ValueError, "each feed of start once", {}, {}),
                (ValueError, "'x' must be a feed of the program, got none of past, rows",
                 {"present": "x"}, {"x": start}),
                (ValueError, "'x' must be a result of the program, got none of sum",
                 {"x": "past"}, {"past": start}),
                (ValueError, r"start 'past' must have the shape \[2, 3, 6, 4\], got \[6\]",
                 {"present": "past"}, {"past": np.zeros(6, np.float32)}),
                (TypeError, "start 'past' must be dense of float32, got float64",
                 {"present": "past"}, {"past": start.astype(np.float64)}),
                (ValueError, r"result 'sum' must have the shape \[\], got \[2, 3, 6, 4\]",
                 {"sum": "past"}, {"past": start})):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                program.keeping(results, given)

    def test_of_a_traced_program(self):
        program = sy.static.trace(lambda x, total: (x * total, total + x.sum()),
                                  sy.static.InputSpec([3]), sy.static.InputSpec([]))
        kept = program.keeping({"out1": "x1"}, {"x1": np.float32(1)})
        x = np.array([1, 2, 3], np.float32)
        np.testing.assert_array_equal(kept(x).numpy(), x)
        np.testing.assert_array_equal(kept(x).numpy(), 7 * x)
        np.testing.assert_array_equal(program(x, np.float32(1))[0].numpy(), x)


if __name__ == "__main__":
    unittest.main()
