# SPDX-License-Identifier: Apache-2.0
"""Reports of users of other frameworks, as small inputs of our own, each with its
right value: by the documentation, NumPy or mathematics in float64. The kinds of
these faults, and their relatives, are in the tests of the functions; what a
reduction of a view and a warm restart cost, in strided_reduction_test.py and
lenient_training_test.py."""

import math
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
INF, NAN = math.inf, math.nan


def slope(function, values, dtype=None):
    """The gradient of the sum of function(x)."""
    x = sy.tensor(values, dtype, requires_grad=True)
    return sy.grad(function(x).sum(), [x])[0].tolist()


class NumbersTest(unittest.TestCase):

    def close(self, got, right, rtol=1e-6):
        np.testing.assert_allclose(got, right, rtol)

    def test_gradients_of_norms_at_zero(self):
        zeros = [0.0, 0.0]
        for function in (sy.linalg.norm, sy.norm, sy.linalg.vector_norm,
                         lambda x: sy.linalg.vector_norm(x, 3),
                         lambda x: sy.linalg.matrix_norm(x.reshape(1, 2)),
                         lambda x: sy.ops.p_norm(x, epsilon=0.0),
                         lambda x: sy.ops.clip_by_norm(x, 1.0) * 0,
                         lambda x: F.cosine_similarity(x, x, axis=0)):
            self.assertEqual(slope(function, zeros), zeros)
        self.assertTrue(np.isfinite(slope(lambda x: F.normalize(x, axis=0), zeros)).all())

    def test_variances_of_narrow_dtypes(self):
        self.assertEqual(sy.var(sy.tensor([256.0, 258.0], "bfloat16")).item(), 1)
        self.assertEqual(sy.var(sy.tensor([500.0] + [0.0] * 1000, "float16")).item(),
                         float(np.float16(500**2 / 1001 - (500 / 1001)**2)))
        self.close(sy.std(sy.tensor([1e20, -1e20])).item(), 1e20)
        self.close(sy.std(sy.tensor([1e-25, -1e-25])).item(), 1e-25)
        self.assertEqual(sy.linalg.norm(sy.tensor([600.0, 800.0], "float16")).item(), 1000)

    def test_what_is_after_a_sequence(self):
        p = np.ones((1, 3, 2), np.float32)
        for layer in (nn.GRU, nn.LSTM, nn.RNN):
            model = layer(2, 1, batch_first=True)
            alone = model(sy.tensor(p[:, :2]))[0].tolist()
            for wrong in (NAN, INF):
                p[0, 2] = wrong
                found = model(sy.tensor(p), lengths=sy.tensor(np.array([2])))[0]
                self.assertEqual(found[:, :2].tolist(), alone)

    def test_rows_that_see_nothing(self):
        q = sy.ones([1, 2, 4])
        for mask in (sy.tensor([[[False, True]]]), sy.tensor([[[-INF, 0.0]]])):
            found = F.scaled_dot_product_attention(q, q, q, attn_mask=mask, is_causal=True)
            self.assertEqual(found[0, 0].tolist(), [0, 0, 0, 0])

    def test_the_scale_stays_finite(self):
        v = sy.zeros([1], requires_grad=True)
        optimizer = sy.optim.SGD([v], 0.1)
        scaler = sy.amp.GradScaler(2.0**126, growth_interval=1)
        for _ in range(5):
            optimizer.zero_grad()
            scaler.scale((v * 0.0).sum()).backward()
            scaler.step(optimizer)
            scaler.update()
        self.assertLess(scaler.get_scale(), INF)

    def test_same_padding_of_dilated_windows(self):
        a = sy.arange(7, dtype="float32").reshape(1, 1, 1, 7)
        found = F.conv2d(a, sy.ones([1, 1, 1, 3]), padding="same", dilation=2)
        self.assertEqual(found.flatten().tolist(), [2, 4, 6, 9, 12, 8, 10])

    def test_large_integers(self):
        a = np.array([2**53 + 1])
        self.assertEqual(sy.isclose(sy.tensor(a), sy.tensor(a - 1), rtol=0.0,
                                    atol=0.0).tolist(), [False])

    def test_items_of_two_lengths(self):
        for items in ([(1, 2), (3, 4, 5)], [{"a": 1}, {"a": 1, "b": 2}],
                      [([1], 2), ([1, 2], 3)]):
            with self.assertRaises(ValueError):
                list(sy.io.DataLoader(items, batch_size=2))

    def test_counts_of_arange(self):
        self.assertEqual(sy.arange(0, 1.1, 0.1).shape, (11,))
        self.assertEqual(sy.arange(0.0, 0.3, 0.1).shape, (3,))
        for n in range(2, 61):
            self.assertEqual(sy.arange(0, n * 0.1, 0.1).shape,
                             np.arange(0, n * 0.1, 0.1).shape)
        with self.assertRaises(ValueError):
            sy.arange(0, 3, 1.5, dtype="int64")

    def test_sizes_of_interpolate(self):
        for n, factor, size in ((100, 2.3, 229), (90, 0.7, 62), (19, 27 / 19, 27)):
            found = F.interpolate(sy.ones([1, 1, 1, n]), scale_factor=(1.0, factor))
            self.assertEqual(found.shape[3], size)

    def test_a_batch_of_one_value(self):
        for layer, shape in ((nn.BatchNorm1D, [1, 1]), (nn.BatchNorm2D, [1, 1, 1, 1]),
                             (nn.BatchNorm3D, [1, 1, 1, 1, 1])):
            with self.assertRaisesRegex(ValueError, "more than one value a channel"):
                layer(1)(sy.full(shape, 100.0))

    def test_shifts(self):
        for dtype, bits in (("int8", 8), ("int16", 16), ("int32", 32), ("int64", 64)):
            x = sy.tensor(np.array([5, -1], dtype))
            for count in (bits - 1, bits, bits + 9):
                self.assertEqual((x >> count).tolist(), [0, -1])
        self.assertEqual(sy.bitwise_left_shift(sy.tensor(np.array([1], np.int8)), 1).dtype,
                         "int8")

    def test_slogdet(self):
        for function in (sy.linalg.slogdet, sy.ops.slogdet):
            sign, size = [t.item() for t in function(sy.eye(40) * 1e-3)]
            self.close((sign, size), (1, 40 * math.log(1e-3)))

    def test_windows_beyond_the_image(self):
        x = {n: sy.ones([1, 1] + [6] * n) for n in (1, 2, 3)}
        for call in (lambda: F.max_pool2d(x[2], 8), lambda: F.avg_pool2d(x[2], 8),
                     lambda: F.max_pool1d(x[1], 8), lambda: F.max_pool3d(x[3], 8),
                     lambda: F.conv2d(x[2], sy.ones([1, 1, 8, 8]), stride=8),
                     lambda: F.conv1d(x[1], sy.ones([1, 1, 8]), stride=8)):
            with self.assertRaises(ValueError):
                call()

    def test_limits_of_gradients(self):
        g = sy.zeros([2], requires_grad=True)
        for wrong in (-1.0, NAN):
            g.grad = sy.tensor([3.0, 4.0])
            with self.assertRaisesRegex(ValueError, "max_norm"):
                nn.utils.clip_grad_norm_([g], wrong)
            self.assertEqual(g.grad.tolist(), [3, 4])
        none = sy.zeros([0], requires_grad=True)
        none.grad = sy.zeros([0])
        self.assertEqual(float(nn.utils.clip_grad_norm_([none], 1.0, INF)), 0)
        g.grad = sy.tensor([3e25, 4e25])
        self.close(float(nn.utils.clip_grad_norm_([g], 1.0)), 5e25)
        self.close(g.grad.tolist(), [0.6, 0.8], 1e-5)

    def test_ends_of_lerp(self):
        for dtype, far in (("float32", 1e8), ("float64", 1e17)):
            start, end = sy.tensor([far], dtype), sy.tensor([1.0], dtype)
            for weight in (1.0, sy.tensor([1.0], dtype)):
                self.assertEqual(sy.lerp(start, end, weight).tolist(), [1.0])
            self.assertEqual(sy.lerp(start, end, 0.0).tolist(), [far])

    def test_gradients_in_the_tail(self):
        scale = 1.0507009873554805 * 1.6732632423543772
        self.close(slope(F.selu, [-20.0]), [scale * math.exp(-20)])
        self.assertEqual(slope(F.selu, [-300.0], "float16"), [0])
        self.close(slope(F.selu, [-45.0], "float64"), [scale * math.exp(-45)])
        self.close(slope(sy.expm1, [-20.0]), [math.exp(-20)])

    def test_values_at_one_position(self):
        values = sy.tensor([-1.0, 2.0], requires_grad=True)
        x = sy.sparse.sparse_coo_tensor([[0, 0], [1, 1]], values, [1, 2])
        found = sy.sparse.relu(x).to_dense()
        self.assertEqual(found.tolist(), [[0, 1]])
        self.assertEqual(sy.grad(found.sum(), [values])[0].tolist(), [1, 1])

    def test_negative_zero(self):
        for dtype in ("float16", "bfloat16", "float32", "float64"):
            z = -sy.tensor([0.0], dtype)
            self.assertEqual((1 / z).tolist(), [-INF])
            self.assertEqual((1 / sy.negative(-z)).tolist(), [-INF])
        z = -sy.tensor([0.0])
        self.close(sy.atan2(z, sy.tensor([-1.0])).tolist(), [-math.pi])
        self.assertEqual(str((-sy.tensor(np.array([0j]))).numpy()[0]), "(-0-0j)")

    def test_gradients_at_zero(self):
        self.assertEqual(slope(lambda x: sy.atan2(x, sy.zeros([1])), [0.0]), [0])
        self.assertEqual(slope(lambda x: sy.fmod(x, sy.ones([1])), [0.0]), [1])
        x, y = sy.tensor([3e-30], requires_grad=True), sy.tensor([4e-30], requires_grad=True)
        found = [g.item() for g in sy.grad(sy.atan2(x, y), [x, y])]
        self.close(found, [1.6e29, -1.2e29])

    def test_products_with_logarithms_of_zero(self):
        zero = sy.tensor([[0.0, -INF]])
        self.assertEqual(F.kl_div(zero, sy.tensor([[1.0, 0.0]]), reduction="sum").item(), 0)
        self.assertEqual(F.kl_div(zero, zero, reduction="sum", log_target=True).item(), 0)

    def test_norms_out_of_the_range_of_squares(self):
        self.close(sy.linalg.norm(sy.tensor([1e20, 1.0, 1.0])).item(), 1e20)
        self.close(sy.linalg.norm(sy.tensor([3e-30, 4e-30])).item(), 5e-30)

    def test_remainders(self):
        for dtype in ("int8", "int16", "int32", "int64"):
            x = np.array([np.iinfo(dtype).min], dtype)
            self.assertEqual(sy.fmod(sy.tensor(x), 3).tolist(),
                             np.fmod(x, np.array(3, dtype)).tolist())
        self.assertEqual((1 / (sy.tensor([6.0]) % -3.0)).item(), -INF)

    def test_logit(self):
        self.assertEqual(sy.logit(sy.tensor([0.0, 1.0])).tolist(), [-INF, INF])


class ErrorsTest(unittest.TestCase):

    def test_one_cycle(self):
        def schedule(**options):
            optimizer = sy.optim.SGD([sy.zeros([1], requires_grad=True)], 0.1)
            return sy.optim.OneCycle(optimizer, 0.1, **options)
        for options in ({"steps": 10, "share": 0.1}, {"steps": 2, "share": 0.5}):
            each = schedule(**options)
            for _ in range(options["steps"]):
                each.step()
        for name in ("div", "final_div"):
            with self.assertRaisesRegex(ValueError, name):
                schedule(steps=10, **{name: 0})

    def test_text_of_a_view(self):
        self.assertIn("bfloat16", repr(sy.zeros([1], "bfloat16").expand(3000000000)))

    def test_einsum_broadcasts(self):
        self.assertEqual(sy.einsum("i,i", sy.ones([2]), sy.ones([1])).item(), 2)

    def test_dtypes(self):
        five = sy.tensor(np.array([5], np.uint8))
        self.assertEqual((sy.abs(five).tolist(), sy.fmod(five, five).tolist()), ([5], [0]))
        self.assertEqual(sy.multinomial(sy.tensor([0.5, 0.5], "float16"), 3, True).shape, (3,))
        z = sy.tensor(np.array([[1 + 1j, 2], [3, 1j]], np.complex64))
        self.assertEqual(complex(sy.trace(z).item()), 1 + 2j)
        self.assertEqual(complex(z.mean().item()), 1.5 + 0.5j)


if __name__ == "__main__":
    unittest.main()
