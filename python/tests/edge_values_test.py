# SPDX-License-Identifier: Apache-2.0
"""Values and gradients where functions end: at 0, at the ends of the range, of
no elements, of one."""

import math
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
INF = math.inf


def with_gradient(function, x, dtype="float32"):
    """The result as a list, and the gradient of its sum."""
    x = sy.tensor(x, dtype)
    x.requires_grad = True
    y = function(x)
    y.sum().backward()
    return y.tolist(), x.grad.tolist()


class NormTest(unittest.TestCase):
    ROWS = [[0.0, 0.0], [3.0, 4.0]]

    def test_gradients_at_zero(self):
        for dtype in ("float16", "float32", "float64"):
            for order in (1, 1.5, 2, 3, 0.5, -1, INF, -INF):
                with self.subTest(order=order, dtype=dtype):
                    _, grad = with_gradient(
                        lambda x: sy.linalg.vector_norm(x, ord=order, axis=-1),
                        self.ROWS, dtype)
                    if abs(order) != INF:
                        self.assertEqual(grad[0], [0.0, 0.0])
                    a = np.array(self.ROWS[1])
                    if 0 < abs(order) < INF:
                        right = (a / (a**order).sum()**(1 / order)) ** (order - 1)
                        np.testing.assert_allclose(grad[1], right, 2e-3)

    def test_other_functions_of_lengths(self):
        ones = sy.ones([2, 2])
        for function in (
                sy.norm, sy.linalg.matrix_norm,
                lambda x: sy.ops.p_norm(x, epsilon=0.0), sy.ops.p_norm,
                lambda x: sy.ops.frobenius_norm(x, [1]),
                lambda x: sy.dist(x, sy.zeros([2, 2])),
                lambda x: sy.ops.clip_by_norm(x, 1.0),
                lambda x: sy.ops.cos_sim(x, ones)[0],
                lambda x: F.cosine_similarity(x, ones), F.normalize):
            for rows in (self.ROWS, [[0.0, 0.0]] * 2):
                y, grad = with_gradient(function, rows)
                self.assertTrue(np.isfinite(y).all(), y)
                self.assertTrue(np.isfinite(grad).all(), grad)

    def test_an_element_of_zero(self):
        y, grad = with_gradient(lambda x: sy.norm(x, 0.5), [0.0, 4.0])
        self.assertEqual((y, grad), (4.0, [0.0, 1.0]))

    def test_norms_in_range(self):
        for dtype, scale in (("float32", 1e20), ("float32", 1e-30),
                             ("float64", 1e200), ("float64", 1e-300)):
            with self.subTest(dtype=dtype, scale=scale):
                x = [3 * scale, 4 * scale]
                y, grad = with_gradient(sy.norm, x, dtype)
                self.assertAlmostEqual(y / scale, 5.0, 5)
                np.testing.assert_allclose(grad, [0.6, 0.8], 1e-6)
                rows = np.array([x, [3.0, 4.0]], dtype)
                program = sy.static.trace(lambda v: sy.norm(v, axis=1), rows)
                self.assertEqual(program(rows).tolist(), [y, 5.0])
        y, grad = with_gradient(lambda x: sy.norm(x, 3), [1e20, 1.0])
        self.assertAlmostEqual(y / 1e20, 1.0, 6)
        self.assertEqual(grad[0], 1.0)
        self.assertTrue(math.isinf(sy.norm(sy.tensor([INF, 1.0])).item()))
        self.assertTrue(math.isnan(sy.norm(sy.tensor([math.nan, 1.0])).item()))
        self.assertEqual(sy.norm(sy.zeros([2, 0]), axis=1).tolist(), [0.0, 0.0])

    def test_gradients_of_denormal_norms_are_finite(self):
        _, grad = with_gradient(sy.norm, [3e-42, 4e-42])
        self.assertTrue(np.isfinite(grad).all(), grad)

    def test_narrow_dtypes(self):
        half = sy.tensor([600.0, 800.0], "float16")
        self.assertEqual(sy.norm(half).item(), 1000.0)
        self.assertEqual(F.normalize(half, axis=0).tolist(),
                         sy.tensor([0.6, 0.8], "float16").tolist())
        self.assertEqual(sy.var(sy.tensor([256.0, 258.0], "bfloat16")).item(), 1)
        spread = sy.tensor([500.0] + [0.0] * 1000, "float16")
        self.assertEqual(sy.var(spread).item(), 249.5)
        self.assertEqual(sy.std(sy.tensor([300.0, -300.0], "float16")).item(),
                         300.0)
        self.assertEqual(sy.std(spread).dtype, "float16")
        q = sy.full([2, 4], 300.0, "float16")
        self.assertEqual(F.scaled_dot_product_attention(q, q, q).tolist(),
                         q.tolist())

    def test_deviations_in_range(self):
        for scale in (1e20, 1e-25):
            y, grad = with_gradient(sy.std, [scale, -scale])
            self.assertAlmostEqual(y / scale, 1.0, 6)
            np.testing.assert_allclose(grad, [0.5, -0.5], 1e-6)
        rows = sy.tensor([[1e20, -1e20], [1.0, 3.0]])
        for keepdims in (False, True):
            got = sy.std(rows, 1, keepdims=keepdims).numpy().reshape(-1)
            np.testing.assert_allclose(got, [1e20, 1.0], 1e-6)
        self.assertEqual(with_gradient(sy.std, [2.0, 2.0]), (0.0, [0.0, 0.0]))

    def test_cosine_similarity_broadcasts(self):
        x = sy.tensor(np.arange(6, dtype=np.float32).reshape(1, 2, 3))
        y = sy.tensor(np.arange(6, 12, dtype=np.float32).reshape(2, 1, 3))
        a, b = np.broadcast_arrays(x.numpy(), y.numpy())
        lengths = (np.sqrt((v * v).sum(-2)) for v in (a, b))
        right = (a * b).sum(-2) / np.multiply(*lengths)
        got = F.cosine_similarity(x, y, axis=-2)
        np.testing.assert_allclose(got.numpy(), right, 1e-6)


class OtherEdgesTest(unittest.TestCase):

    def test_logarithms(self):
        y, grad = with_gradient(sy.logsumexp, 1029.0)
        self.assertEqual((y, grad), (1029.0, 1.0))
        y, grad = with_gradient(lambda x: sy.logsumexp(x, 1),
                                [[-INF, -INF], [-INF, 0.0]])
        self.assertEqual((y, grad), ([-INF, 0.0], [[0.0, 0.0], [0.0, 1.0]]))
        got = sy.logit(sy.tensor([0.0, 1.0, 0.5, 2.0])).tolist()
        self.assertEqual(got[:3], [-INF, INF, 0.0])
        self.assertTrue(math.isnan(got[3]))
        for x in (sy.logit(sy.tensor([0.0]), eps=1e-6),
                  sy.tensor([0.0]).logit_(1e-6), sy.ops.logit(sy.tensor([0.0]))):
            self.assertAlmostEqual(x.item(), -13.8155, 3)
        self.assertEqual(sy.tensor([0.0]).logit().item(), -INF)

    def test_determinants_beyond_the_range(self):
        for x in (sy.eye(40) * 1e-3, sy.eye(400) * 10.0):
            sign, size = sy.linalg.slogdet(x)
            n = x.shape[0]
            self.assertEqual(sign.item(), 1.0)
            right = n * math.log(x[0, 0].item())
            self.assertAlmostEqual(size.item() / right, 1.0, 6)
        both = sy.ops.slogdet(x).tolist()
        self.assertEqual(both, [sign.item(), size.item()])

    def test_maxima_share_the_gradient(self):
        for function in (sy.amax, sy.amin, sy.ops.amax, sy.ops.amin):
            _, grad = with_gradient(function, [1.0, 1.0])
            self.assertEqual(grad, [0.5, 0.5])

    def test_integers_are_compared_as_such(self):
        x = np.array([2**53 + 1, -2**63, 7])
        y = np.array([2**53, 2**63 - 1, 7])
        a, b = sy.tensor(x), sy.tensor(y)
        exact = {"rtol": 0.0, "atol": 0.0}
        self.assertEqual(sy.isclose(a, b, **exact).tolist(),
                         [False, False, True])
        self.assertFalse(sy.allclose(a, b, **exact).item())
        self.assertEqual(sy.isclose(a, b, rtol=0.0, atol=1.0).tolist(),
                         [True, False, True])
        self.assertTrue(sy.allclose(a, b, rtol=0.0, atol=2.0**64).item())

    def test_losses_of_logarithms_of_zero(self):
        logs, shares = sy.tensor([[0.0, -INF]]), sy.tensor([[1.0, 0.0]])
        self.assertEqual(F.kl_div(logs, shares, reduction="sum").item(), 0.0)
        self.assertEqual(F.kl_div(logs, logs, reduction="sum",
                                  log_target=True).item(), 0.0)
        y, grad = with_gradient(lambda x: F.cross_entropy(x, shares),
                                [[0.0, -INF]])
        self.assertEqual((y, grad), (0.0, [[0.0, 0.0]]))
        loss = sy.ops.cross_entropy_with_softmax(logs, shares, soft_label=True)
        self.assertEqual(loss[1].item(), 0.0)
        y, grad = with_gradient(
            lambda x: sy.ops.nll_loss(x, sy.tensor(np.array([0, -100])))[0],
            [[-1.0], [math.nan]])
        self.assertEqual((y, grad), (1.0, [[-1.0], [0.0]]))

    def test_losses_far_off(self):
        for loss in (F.huber_loss, F.smooth_l1_loss):
            y, grad = with_gradient(lambda x: loss(x, sy.zeros([2])), [INF, 1e30])
            self.assertEqual((y, grad), (INF, [0.5, 0.5]))

    def test_losses_of_no_rows_are_zero(self):
        none, labels = sy.zeros([0, 3]), sy.zeros([0], "int64")
        for loss in (F.mse_loss, F.l1_loss, F.huber_loss, F.kl_div,
                     F.binary_cross_entropy_with_logits):
            self.assertEqual(loss(none, none).item(), 0.0)
        for loss in (F.cross_entropy, F.nll_loss):
            self.assertEqual(loss(none, labels).item(), 0.0)
        self.assertEqual(F.kl_div(none, none, reduction="batchmean").item(), 0.0)
        program = sy.static.trace(
            F.mse_loss, *[np.ones((2, 3), np.float32)] * 2)
        self.assertEqual(program(none, none).item(), 0.0)

    def test_one_value_a_channel(self):
        for layer, shape in ((nn.BatchNorm1D, [1, 2]), (nn.BatchNorm2D,
                                                        [1, 2, 1, 1])):
            model = layer(2)
            with self.assertRaisesRegex(ValueError, "more than one value"):
                model(sy.ones(shape))
            model.eval()
            self.assertEqual(model(sy.ones(shape)).shape, tuple(shape))
        with self.assertRaisesRegex(ValueError, "more than one value"):
            F.batch_norm(sy.ones([1, 2]), None, None, training=True)

    def test_shapes_of_nothing(self):
        self.assertEqual(sy.linalg.matrix_rank(sy.zeros([2, 0, 3])).tolist(),
                         [0, 0])
        pieces = sy.chunk(sy.zeros([0, 2]), 4)
        self.assertEqual([x.shape for x in pieces], [(0, 2)] * 4)
        got = nn.LayerNorm(3)(sy.tensor([1.0, 2.0, 3.0]))
        np.testing.assert_allclose(got.numpy(), [-1.22474, 0, 1.22474], 1e-4)
        self.assertEqual(F.layer_norm(sy.ones([2, 2]), [2, 2]).tolist(),
                         [[0.0, 0.0]] * 2)


if __name__ == "__main__":
    unittest.main()
