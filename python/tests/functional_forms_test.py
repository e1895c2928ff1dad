# SPDX-License-Identifier: Apache-2.0
"""Functions of nn.functional that PyTorch has, and their options, beside NumPy."""
import itertools
import unittest

import numpy as np
from scipy import special

import switchyard as sy
from switchyard.nn import functional as F


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def close(got, want, rtol=1e-5, atol=1e-6):
    got = got.numpy()
    np.testing.assert_allclose(got, np.asarray(want), rtol=rtol, atol=atol)


def max_windows(x, k, s, p, d, ceil=False):
    """(largest, places) of one plane by loops."""
    h, w = x.shape
    def count(n):
        space = n + 2 * p - d * (k - 1) - 1
        c = -(-space // s) + 1 if ceil else space // s + 1
        return c - 1 if ceil and (c - 1) * s >= n + p else c
    y = np.full((count(h), count(w)), -np.inf)
    at = np.zeros(y.shape, int)
    for i, j in itertools.product(*map(range, y.shape)):
        for a, b in itertools.product(range(k), range(k)):
            r, c = i * s - p + a * d, j * s - p + b * d
            if 0 <= r < h and 0 <= c < w and x[r, c] > y[i, j]:
                y[i, j], at[i, j] = x[r, c], r * w + c
    return y, at


class PoolTest(unittest.TestCase):

    def test_places_and_gaps(self):
        x = normal(7, 9)
        for k, s, p, d, ceil in ((2, 2, 0, 1, False), (3, 2, 1, 1, True),
                                 (2, 1, 1, 2, False), (3, 2, 0, 2, True),
                                 (2, 3, 1, 3, True)):
            with self.subTest((k, s, p, d, ceil)):
                y, at = max_windows(x, k, s, p, d, ceil)
                got = F.max_pool2d(sy.tensor(x[None]), k, s, p, ceil, d, True)
                close(got[0], y[None])
                np.testing.assert_array_equal(got[1].numpy(), at[None])
                self.assertEqual(got[1].dtype, "int64")
                close(F.max_pool2d(sy.tensor(x[None, None]), k, s, p, ceil, d),
                      y[None, None])

    def test_without_batches(self):
        for axes in (1, 2, 3):
            x = normal(2, *[6] * axes)
            for name in ("max_pool", "avg_pool", "adaptive_avg_pool",
                         "adaptive_max_pool"):
                pool = getattr(F, f"{name}{axes}d")
                np.testing.assert_array_equal(
                    pool(sy.tensor(x), 2).numpy(),
                    pool(sy.tensor(x[None]), 2).numpy()[0])
            w = normal(3, 2, *[2] * axes, seed=1)
            back = normal(2, 3, *[2] * axes, seed=1)
            for function, weight in ((f"conv{axes}d", w),
                                     (f"conv_transpose{axes}d", back)):
                convolve = getattr(F, function)
                np.testing.assert_array_equal(
                    convolve(sy.tensor(x), sy.tensor(weight)).numpy(),
                    convolve(sy.tensor(x[None]), sy.tensor(weight)).numpy()[0])

    def test_gradient_goes_to_the_first(self):
        x = sy.tensor([[1.0, 1.0, 0.0, 1.0]], requires_grad=True)
        F.max_pool1d(x, 2, 1, dilation=2).sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), [[1.0, 1.0, 0.0, 0.0]])

    def test_divisor(self):
        x = normal(1, 2, 5, 5)
        sums = F.avg_pool2d(sy.tensor(x), 2, 2, divisor_override=1).numpy()
        close(sy.tensor(sums), x[..., :4, :4].reshape(1, 2, 2, 2, 2, 2).sum((3, 5)))
        close(F.avg_pool2d(sy.tensor(x), 2, 2, divisor_override=3), sums / 3)
        last = F.avg_pool2d(sy.tensor(x), 2, 2, 0, True, divisor_override=2)
        close(last[..., 2, 2], x[..., 4, 4] / 2)
        with self.assertRaisesRegex(ValueError, "divisor_override must not be zero"):
            F.avg_pool2d(sy.tensor(x), 2, divisor_override=0)
        with self.assertRaisesRegex(TypeError, "exclusive is the opposite"):
            F.avg_pool2d(sy.tensor(x), 2, count_include_pad=True, exclusive=True)

    def test_unpooling_puts_back(self):
        x = normal(2, 3, 6, 6)
        y, at = F.max_pool2d(sy.tensor(x), 2, return_indices=True)
        back = F.max_unpool2d(y, at, 2).numpy()
        kept = back != 0
        self.assertEqual(kept.sum(), y.size)
        np.testing.assert_array_equal(back[kept], x[kept])
        self.assertEqual(F.max_unpool2d(y, at, 2, output_size=(7, 6)).shape,
                         (2, 3, 7, 6))
        with self.assertRaisesRegex(ValueError, "output_size must be within"):
            F.max_unpool2d(y, at, 2, output_size=(9, 6))

    def test_fractional(self):
        x = np.arange(2 * 9 * 8, dtype=np.float32).reshape(1, 2, 9, 8)
        samples = sy.tensor(np.array([[[0.3, 0.7], [0.0, 0.99]]], np.float32))
        y, at = F.fractional_max_pool2d(sy.tensor(x), 2, (4, 3), None, True, samples)
        np.testing.assert_array_equal(
            np.take_along_axis(x.reshape(1, 2, -1), at.numpy().reshape(1, 2, -1), 2),
            y.numpy().reshape(1, 2, -1))
        # Rows begin at floor((i + u) 7 / 3) - floor(u 7 / 3), the last at the end.
        for plane, u in enumerate((0.7, 0.99)):
            step = 7 / 3
            rows = [int((i + u) * step) - int(u * step) for i in range(3)] + [7]
            np.testing.assert_array_equal(at.numpy()[0, plane, :, 0] // 8,
                                          np.array(rows) + 1)
        self.assertEqual(F.fractional_max_pool3d(
            sy.tensor(normal(1, 4, 4, 4)), 2, output_ratio=0.5).shape, (1, 2, 2, 2))

    def test_of_integers(self):
        x = np.arange(12).reshape(1, 1, 12)
        got = F.max_pool1d(sy.tensor(x), 3)
        self.assertEqual((got.dtype, got.numpy().ravel().tolist()),
                         ("int64", [2, 5, 8, 11]))
        w = np.array([[[1, -2]]])
        np.testing.assert_array_equal(
            F.conv1d(sy.tensor(x), sy.tensor(w)).numpy().ravel(),
            x.ravel()[:-1] - 2 * x.ravel()[1:])

    def test_of_complex_numbers(self):
        x, w = (normal(1, 1, 6, seed=i) + 1j * normal(1, 1, 6, seed=i + 2)
                for i in (0, 1))
        w = w[..., :2].astype(np.complex64)
        close(F.conv1d(sy.tensor(x.astype(np.complex64)), sy.tensor(w)).real(),
              np.correlate(x.ravel(), w.ravel().conj(), "valid").real[None, None],
              1e-4)


def reduced(function, x, *others, **options):
    """Checks mean and sum beside none; returns that."""
    each = function(x, *others, reduction="none", **options)
    close(function(x, *others, **options), each.numpy().mean())
    close(function(x, *others, reduction="sum", **options), each.numpy().sum(), 1e-4)
    return each


class LossTest(unittest.TestCase):

    def test_margins(self):
        a, b = normal(5), normal(5, seed=1)
        y = np.array([1, -1, 1, -1, 1], np.float32)
        t = sy.tensor
        close(reduced(F.margin_ranking_loss, t(a), t(b), t(y), margin=0.3),
              np.maximum(0, -y * (a - b) + 0.3))
        close(reduced(F.hinge_embedding_loss, t(a), t(y), margin=0.8),
              np.where(y == 1, a, np.maximum(0, 0.8 - a)))
        close(reduced(F.soft_margin_loss, t(a * 50), t(y)),
              np.logaddexp(0, -y * a * 50.0))
        x, labels = normal(4, 3), np.array([2, 0, 1, 1])
        w = np.array([0.5, 2.0, 1.0], np.float32)
        for p in (1, 2):
            want = [sum(w[c] * max(0, 0.7 - r[c] + r[i]) ** p for i in range(3)
                        if i != c) / 3 for r, c in zip(x, labels)]
            close(reduced(F.multi_margin_loss, t(x), t(labels), p=p, margin=0.7,
                          weight=t(w)), want)
        close(F.multi_margin_loss(t(x[0]), t(np.array(2))),
              sum(max(0, 1 - x[0, 2] + x[0, i]) for i in (0, 1)) / 3)
        several = np.array([[0, 2, -1], [1, -1, 0], [-1, 0, 0], [2, 1, 0]])
        want = []
        for r, row in zip(x, several):
            named = list(itertools.takewhile(lambda j: j >= 0, row))
            want.append(sum(max(0, 1 - r[j] + r[i]) for j in named
                            for i in range(3) if i not in named) / 3)
        close(reduced(F.multilabel_margin_loss, t(x), t(several)), want)
        bits = (x > 0.2).astype(np.float32)
        each = -(bits * special.log_expit(x) + (1 - bits) * special.log_expit(-x))
        close(reduced(F.multilabel_soft_margin_loss, t(x), t(bits), weight=t(w)),
              (each * w).mean(1))
        u, v, z = normal(4, 3), normal(4, 3, seed=1), normal(4, 3, seed=2)
        def far(p, q):
            return np.sqrt(((p - q + 1e-6) ** 2).sum(1))
        close(reduced(F.triplet_margin_with_distance_loss, t(u), t(v), t(z),
                      margin=0.5, swap=True), np.maximum(
                          0, far(u, v) - np.minimum(far(u, z), far(v, z)) + 0.5))

    def test_likelihoods(self):
        x, y = normal(3, 4), np.abs(normal(3, 4, seed=1)) * 3
        var = np.abs(normal(3, 1, seed=2)) + 0.1
        t = sy.tensor
        want = 0.5 * (np.log(var) + (x - y) ** 2 / var)
        close(reduced(F.gaussian_nll_loss, t(x), t(y), t(var)), want)
        close(F.gaussian_nll_loss(t(x), t(y), t(var[:, 0]), full=True),
              (want + 0.5 * np.log(2 * np.pi)).mean())
        close(reduced(F.poisson_nll_loss, t(x), t(y)), np.exp(x) - y * x)
        rate = np.abs(x) + 0.5
        stirling = np.where(y > 1, y * np.log(y) - y + 0.5 * np.log(2 * np.pi * y), 0)
        close(reduced(F.poisson_nll_loss, t(rate), t(y), log_input=False, full=True),
              rate - y * np.log(rate + 1e-8) + stirling, 1e-4, 1e-5)
        with self.assertRaisesRegex(ValueError, "var must have no negative"):
            F.gaussian_nll_loss(t(x), t(y), t(-var))

    def test_linear_cross_entropy(self):
        x, w, b = normal(5, 3), normal(4, 3, seed=1), normal(4, seed=2)
        y = np.array([0, 3, 1, 2, 2])
        logs = special.log_softmax(x @ w.T + b, 1)
        close(F.linear_cross_entropy(sy.tensor(x), sy.tensor(w), sy.tensor(y),
                                     linear_bias=sy.tensor(b)),
              -logs[np.arange(5), y].mean())

    def test_distances(self):
        x, y = normal(4, 3), normal(4, 3, seed=1)
        for p in (1.0, 2.0, 3.0):
            close(F.pairwise_distance(sy.tensor(x), sy.tensor(y), p),
                  (np.abs(x - y + 1e-6) ** p).sum(1) ** (1 / p))
            close(F.pdist(sy.tensor(x), p), [
                (np.abs(x[i] - x[j]) ** p).sum() ** (1 / p)
                for i, j in itertools.combinations(range(4), 2)])


class BagTest(unittest.TestCase):

    def test_bags(self):
        w = normal(6, 3)
        flat, offsets = np.array([1, 5, 0, 5, 2]), np.array([0, 2, 2])
        bags = [[1, 5], [], [0, 5, 2]]
        for mode, reduce in (("sum", np.sum), ("mean", np.mean), ("max", np.max)):
            want = [reduce(w[b], 0) if b else np.zeros(3) for b in bags]
            close(F.embedding_bag(sy.tensor(flat), sy.tensor(w), sy.tensor(offsets),
                                  mode=mode), want)
            close(F.embedding_bag(sy.tensor(flat), sy.tensor(w),
                                  sy.tensor(np.append(offsets, 5)), mode=mode,
                                  include_last_offset=True), want)
            rest = [[i for i in b if i != 5] for b in bags]
            close(F.embedding_bag(sy.tensor(flat), sy.tensor(w), sy.tensor(offsets),
                                  mode=mode, padding_idx=5),
                  [reduce(w[b], 0) if b else np.zeros(3) for b in rest])
        each = normal(2, 2, seed=1)
        pairs = np.array([[0, 1], [4, 4]])
        close(F.embedding_bag(sy.tensor(pairs), sy.tensor(w), mode="sum",
                              per_sample_weights=sy.tensor(each)),
              (w[pairs] * each[..., None]).sum(1))

    def test_gradient_by_frequency(self):
        w = sy.tensor(normal(4, 2), requires_grad=True)
        F.embedding(sy.tensor([1, 1, 3]), w, scale_grad_by_freq=True).sum().backward()
        np.testing.assert_array_equal(
            w.grad.numpy(), [[0, 0], [1, 1], [0, 0], [1, 1]])

    def test_bounded_norms(self):
        w = np.array([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]], np.float32)
        table = sy.tensor(w, requires_grad=True)
        close(F.embedding(sy.tensor([0, 1]), table, max_norm=1.0),
              [[0.6, 0.8], [0.3, 0.4]])
        close(table, [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]])


class ImageTest(unittest.TestCase):

    def test_nearest_exact_and_area(self):
        x = normal(1, 1, 7)
        for side in (3, 7, 10):
            at = np.floor((np.arange(side) + 0.5) * 7 / side).astype(int)
            close(F.interpolate(sy.tensor(x), side, mode="nearest-exact"), x[..., at])
        close(F.interpolate(sy.tensor(x), 3, mode="area"), [[[
            x[0, 0, 0:3].mean(), x[0, 0, 2:5].mean(), x[0, 0, 4:7].mean()]]])
        image = normal(1, 2, 5, 5)
        self.assertEqual(F.interpolate(
            sy.tensor(image), scale_factor=1.5, mode="bilinear",
            recompute_scale_factor=True).tolist(),
            F.interpolate(sy.tensor(image), 7, mode="bilinear").tolist())
        with self.assertRaisesRegex(ValueError, "antialias must be False"):
            F.interpolate(sy.tensor(image), 7, mode="bilinear", antialias=True)

    def test_columns(self):
        x = normal(2, 3, 5, 4)
        columns = F.unfold(sy.tensor(x), (2, 3), padding=1, stride=2)
        w = normal(6, 3, 2, 3, seed=1)
        close(sy.tensor(w.reshape(6, -1)) @ columns, F.conv2d(
            sy.tensor(x), sy.tensor(w), padding=1, stride=2).numpy().reshape(2, 6, -1),
            1e-4, 1e-5)
        once = F.fold(F.unfold(sy.tensor(np.ones_like(x)), 2), (5, 4), 2).numpy()
        self.assertEqual((once[0, 0, 0, 0], once[0, 0, 1, 1]), (1.0, 4.0))
        np.testing.assert_array_equal(
            F.unfold(sy.tensor(x[0]), 2).numpy(),
            F.unfold(sy.tensor(x[:1]), 2).numpy()[0])

    def test_samples_of_a_grid(self):
        x = normal(1, 2, 4, 5)
        same = F.affine_grid(sy.tensor([[[1.0, 0, 0], [0, 1.0, 0]]]), (1, 2, 4, 5))
        close(F.grid_sample(sy.tensor(x), same), x)
        flipped = F.affine_grid(sy.tensor([[[-1.0, 0, 0], [0, 1.0, 0]]]), (1, 2, 4, 5))
        close(F.grid_sample(sy.tensor(x), flipped), x[..., ::-1])

    def test_shuffles_and_norms(self):
        x = normal(2, 6, 4, 4)
        np.testing.assert_array_equal(
            F.channel_shuffle(sy.tensor(x), 2).numpy(), x[:, [0, 3, 1, 4, 2, 5]])
        np.testing.assert_array_equal(F.pixel_shuffle(
            F.pixel_unshuffle(sy.tensor(x), 2), 2).numpy(), x)
        sums = np.zeros_like(x)
        for c in range(6):
            sums[:, c] = (x[:, max(c - 1, 0):c + 2] ** 2).sum(1)
        close(F.local_response_norm(sy.tensor(x), 3, 0.1, 0.6, 2.0),
              x / (2 + 0.1 / 3 * sums) ** 0.6)

    def test_pads(self):
        x = normal(2, 5)
        for mode, word in (("reflect", "reflect"), ("replicate", "edge"),
                           ("circular", "wrap")):
            want = np.pad(x, ((0, 0), (2, 1)), word)
            close(F.pad(sy.tensor(x), (2, 1), mode), want)
            close(F.pad(sy.tensor((x + 1j * x).astype(np.complex64)), (2, 1),
                        mode).imag(), want)
            bits = F.pad(sy.tensor(x > 0), (2, 1), mode)
            np.testing.assert_array_equal(bits.numpy(), want > 0)

    def test_slopes(self):
        for shape in ((), (5,), (2, 3), (2, 3, 4)):
            x = normal(*shape) if shape else np.float32(-2.0)
            for slope in (np.float32(0.3), np.array([0.3], np.float32)):
                close(F.prelu(sy.tensor(x), sy.tensor(slope)),
                      np.where(x > 0, x, np.float32(0.3) * x))
        x, w = normal(2, 3, 4), np.array([0.1, 0.2, 0.3], np.float32)
        close(F.prelu(sy.tensor(x), sy.tensor(w)),
              np.where(x > 0, x, w[:, None] * x))

    def test_small_ones(self):
        x = normal(3, 4)
        close(F.tanhshrink(sy.tensor(x)), x - np.tanh(x), atol=1e-7)
        close(F.softmin(sy.tensor(x), 1), special.softmax(-x, 1))
        close(F.threshold(sy.tensor(x), 0.1, 7.0), np.where(x > 0.1, x, 7.0))
        close(F.rrelu(sy.tensor(x), 0.1, 0.3), np.where(x > 0, x, 0.2 * x))
        w = normal(2, 4, 4, seed=1)
        close(F.bilinear(sy.tensor(x), sy.tensor(x), sy.tensor(w)),
              np.einsum("ni,kij,nj->nk", x, w, x), 1e-4, 1e-5)
        sy.seed(0)
        logits = np.log(np.array([0.1, 0.6, 0.3], np.float32))
        drawn = F.gumbel_softmax(sy.tensor(np.tile(logits, (4000, 1))), 0.5, True)
        np.testing.assert_allclose(drawn.numpy().mean(0), [0.1, 0.6, 0.3], atol=0.03)
        y = F.alpha_dropout(sy.randn(40000), 0.3, True).numpy()
        self.assertLess(abs(y.mean()), 0.03)
        self.assertLess(abs(y.std() - 1), 0.03)


class InPlaceTest(unittest.TestCase):
    """Each writes x, eager and traced, and goes on in gradients."""

    CALLS = {
        "relu_": ((), lambda x: np.maximum(x, 0)),
        "elu_": ((0.5,), lambda x: np.where(x > 0, x, 0.5 * np.expm1(x))),
        "celu_": ((0.5,), lambda x: np.where(x > 0, x, 0.5 * np.expm1(x / 0.5))),
        "selu_": ((), lambda x: 1.0507009873554805 * np.where(
            x > 0, x, 1.6732632423543772 * np.expm1(x))),
        "leaky_relu_": ((0.2,), lambda x: np.where(x > 0, x, 0.2 * x)),
        "hardtanh_": ((-0.5, 0.25), lambda x: np.clip(x, -0.5, 0.25)),
        "threshold_": ((0.1, 20.0), lambda x: np.where(x > 0.1, x, 20.0)),
        "rrelu_": ((0.1, 0.3), lambda x: np.where(x > 0, x, 0.2 * x))}

    def test_values(self):
        for name, (arguments, wanted) in self.CALLS.items():
            with self.subTest(name):
                function, x = getattr(F, name), normal(3, 4)
                tensor = sy.tensor(x)
                self.assertIs(function(tensor, *arguments), tensor)
                close(tensor, wanted(x.astype(np.float64)))

                def written(v, function=function, arguments=arguments):
                    h = v * 1.0
                    function(h, *arguments)
                    return h
                np.testing.assert_array_equal(
                    sy.static.trace(written, x)(x).numpy(), written(sy.tensor(x)).numpy())
                leaf = sy.tensor(x, requires_grad=True)
                (written(leaf) * 2.0).sum().backward()
                plain = sy.tensor(x, requires_grad=True)
                (getattr(F, name[:-1])(plain, *arguments) * 2.0).sum().backward()
                np.testing.assert_array_equal(leaf.grad.numpy(), plain.grad.numpy())

    def test_what_is_no_tensor(self):
        for name, (arguments, _) in self.CALLS.items():
            with self.assertRaisesRegex(TypeError, f"^{name}: x must be a tensor"):
                getattr(F, name)(normal(2, 2), *arguments)
        self.assertEqual(F.relu_(input=sy.tensor([-1.0, 2.0])).tolist(), [0.0, 2.0])


if __name__ == "__main__":
    unittest.main()
