# SPDX-License-Identifier: Apache-2.0
"""Programs with relaxed="precision=bfloat16_emulated": what is in bfloat16, and what stays."""
import json
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static

RELAXED = "precision=bfloat16_emulated"
HAS_BFLOAT16 = "avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")


def floats(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def rounded(x):
    """The nearest numbers of bfloat16, ties to even, by their bits."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    bits += 0x7fff + (bits >> 16 & 1)
    return (bits & 0xffff0000).astype(np.uint32).view(np.float32)


class Bfloat16ProgramsTest(unittest.TestCase):

    def test_a_product_rounds_as_numpy_says(self):
        x, w = floats(5, 70), floats(70, 30, seed=1)
        program = static.trace(lambda a, b: sy.matmul(a, b), x, w, relaxed=RELAXED)
        got = program(x, w)
        self.assertEqual(got.dtype, "float32")
        sums = rounded(x).astype(np.float64) @ rounded(w).astype(np.float64)
        # Sums in float32 are off by less than a step, so by a step of bfloat16 at most.
        np.testing.assert_allclose(got.numpy(), sums, rtol=2**-8, atol=1e-6)
        np.testing.assert_array_equal(got.numpy(), rounded(got.numpy()))
        exact = static.trace(lambda a, b: sy.matmul(a, b), x, w)(x, w).numpy()
        self.assertGreater(np.abs(got.numpy() - exact).max(), 1e-3)

    def test_an_encoder(self):
        sy.seed(0)
        model = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0), 2)
        model.eval()
        head = nn.Linear(32, 10)
        function = lambda x: head(model(x)[:, 0])
        programs = [static.trace(function, static.InputSpec([None, 12, 32]), relaxed=relaxed)
                    for relaxed in ("fusion=relaxed," + RELAXED, RELAXED, "fusion=relaxed")]
        x = floats(1000, 12, 32)
        fused, plain, exact = [program(x).numpy() for program in programs]
        # Inputs whose best two classes float32 itself hardly tells apart count too.
        for got in (fused, plain):
            self.assertLessEqual(np.abs(got - exact).max(), 2e-2 * np.abs(exact).max())
            same = (got.argmax(-1) == exact.argmax(-1)).mean()
            print(f"the same top class: {same:.3f}")
            self.assertGreaterEqual(same, 0.99)
        self.assertIn("dot_attention", programs[0].text())

    def test_fetches_states_and_feeds_keep_their_dtypes(self):
        x, cache = floats(2, 3), sy.tensor(floats(2, 4, seed=2))
        w = sy.tensor(floats(3, 4, seed=1))
        def step(a):
            y = sy.matmul(a, w)
            cache.copy_(sy.add(cache, y))
            return y, sy.relu(y), sy.sum(y)
        program = static.trace(step, x, relaxed=RELAXED)
        before = cache.numpy().copy()
        results = program(x)
        self.assertEqual([one.dtype for one in results], ["float32"] * 3)
        np.testing.assert_allclose(cache.numpy(), before + results[0].numpy(), rtol=1e-6)
        self.assertEqual(cache.dtype, "float32")

    def test_what_is_not_float32_stays(self):
        wide, whole = floats(3, 3).astype(np.float64), np.arange(9).reshape(3, 3)
        half = sy.tensor(floats(3, 3)).astype("bfloat16")
        function = lambda a, b, c: (sy.matmul(a, a), sy.matmul(b, b), sy.matmul(c, c))
        relaxed = static.trace(function, wide, whole, half, relaxed=RELAXED)
        exact = static.trace(function, wide, whole, half)
        self.assertEqual(relaxed.text(), exact.text())
        got = relaxed(wide, whole, half)
        self.assertEqual([one.dtype for one in got], ["float64", "int64", "bfloat16"])
        for one, want in zip(got, exact(wide, whole, half)):
            np.testing.assert_array_equal(one.astype("float64").numpy(), want.astype("float64").numpy())

    def test_nan_and_infinity_survive(self):
        # 3.4e38 is more than bfloat16 holds, 1e-40 is denormal in both.
        x = np.array([[np.nan], [np.inf], [-np.inf], [3.4e38], [1e-40], [-0.0]], np.float32)
        program = static.trace(lambda a, b: (sy.matmul(a, b), sy.relu(sy.matmul(a, b))),
                               x, np.ones((1, 2), np.float32), relaxed=RELAXED)
        product, positive = [one.numpy()[:, 1] for one in program(x, np.ones((1, 2), np.float32))]
        tiny = rounded(x)[4, 0]
        np.testing.assert_array_equal(product, np.array([np.nan, np.inf, -np.inf, np.inf, tiny, 0], np.float32))
        np.testing.assert_array_equal(positive, np.array([np.nan, np.inf, 0, np.inf, tiny, 0], np.float32))

    def test_a_fully_masked_row_of_attention(self):
        q, mask = floats(2, 3, 4), np.full((3, 3), np.finfo(np.float32).min, np.float32)
        mask[0] = 0
        function = lambda a, m: sy.matmul(sy.softmax(sy.add(sy.matmul(a, a, transpose_y=True) * 0.5, m)), a)
        for relaxed in (RELAXED, "fusion=relaxed," + RELAXED):
            program = static.trace(function, q, mask, relaxed=relaxed)
            got, want = program(q, mask).numpy(), static.trace(function, q, mask)(q, mask).numpy()
            np.testing.assert_allclose(got, want, atol=2e-2 * np.abs(want).max())

    def test_branches_and_loops(self):
        w = sy.tensor(floats(3, 3) / 3)
        def function(x, n):
            _, x = static.while_loop(lambda i, _: i < n,
                                     lambda i, a: [i + 1, sy.relu(sy.matmul(a, w)) + a], [sy.zeros([], "int64"), x])
            return static.cond(sy.sum(x) > 0, lambda: sy.matmul(x, w), lambda: x)
        x, n = floats(2, 3), np.array(4)
        program = static.trace(function, x, n, relaxed=RELAXED)
        got, want = program(x, n), static.trace(function, x, n)(x, n)
        self.assertEqual(got.dtype, "float32")
        np.testing.assert_allclose(got.numpy(), want.numpy(), atol=2e-2 * np.abs(want.numpy()).max())
        text = program.text()
        self.assertLess(text.index("dtype = bfloat16"), text.index("cf.while"))

    def test_a_saved_program_keeps_it(self):
        x, w = floats(2, 3), sy.tensor(floats(3, 4))
        program = static.trace(lambda a: sy.matmul(a, w), x, relaxed=RELAXED)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "p.sy"
            program.save(path)
            loaded = sy.load(path)
            self.assertEqual(loaded.relaxed["precision"], "bfloat16_emulated")
            self.assertEqual(next(iter(loaded.run({loaded.feeds[0]: x}).values())).tobytes(),
                             program(x).numpy().tobytes())
            with self.assertRaisesRegex(ValueError, "fusion and precision must be as the program was saved with"):
                sy.load(path, exact=True)
            if HAS_BFLOAT16:
                sy.load(path, relaxed="precision=bfloat16")
            else:
                with self.assertRaisesRegex(ValueError, "avx512_bf16"):
                    sy.load(path, relaxed="precision=bfloat16")

    def test_a_cpu_without_it_refuses(self):
        trace = lambda: static.trace(lambda a: sy.matmul(a, a), floats(2, 2), relaxed={"precision": "bfloat16"})
        if HAS_BFLOAT16:
            self.assertEqual(trace().relaxed["precision"], "bfloat16")
            return
        with self.assertRaisesRegex(ValueError, r"^relaxed: precision must be exact, int8 or bfloat16_emulated on a "
                                                r"CPU without the instructions AVX-512 BF16 \(avx512_bf16\), as this "
                                                r"one, got 'bfloat16'$"):
            trace()

    def test_explain_says_it(self):
        x = floats(2, 3)
        program = static.trace(lambda a: sy.softmax(sy.relu(sy.matmul(a, a, transpose_y=True))), x, relaxed=RELAXED)
        text = program.explain()
        self.assertTrue(text.startswith("relaxed: precision=bfloat16_emulated\n"), text)
        rows = {row["op"]: row for row in json.loads(program.explain(json=True))}
        chosen = {op: row["chosen"]["dtype"] for op, row in rows.items()}
        self.assertEqual([chosen[op] for op in ("matmul", "relu", "softmax")], ["bfloat16", "bfloat16", "float32"])
        self.assertEqual(rows["matmul"]["relaxed"], "precision=bfloat16_emulated")


if __name__ == "__main__":
    unittest.main()
