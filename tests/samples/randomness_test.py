# SPDX-License-Identifier: Apache-2.0
"""Operators that draw numbers and are made of others: what they draw, and how often."""
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy

COUNT = 20000


class RandomnessTest(unittest.TestCase):

    def setUp(self):
        sy.seed(7)

    def test_orders_are_permutations_and_differ(self):
        drawn = [sy.ops.randperm(n=50).tolist() for _ in range(3)]
        for order in drawn:
            self.assertEqual(sorted(order), list(range(50)))
        self.assertEqual(len(set(map(tuple, drawn))), 3)
        firsts = [sy.ops.randperm(n=4).tolist()[0] for _ in range(2000)]
        counts = np.bincount(firsts, minlength=4)
        np.testing.assert_allclose(counts, 500, atol=5 * np.sqrt(500))

    def test_seed_is_itself_or_drawn(self):
        self.assertEqual(sy.ops.random_seed(seed=123).tolist(), [123])
        drawn = {sy.ops.random_seed().tolist()[0] for _ in range(20)}
        self.assertEqual(len(drawn), 20)
        self.assertGreater(min(drawn), 0)

    def test_gumbel_softmax_is_largest_as_often_as_softmax_says(self):
        chances = np.array([0.1, 0.2, 0.7])
        x = sy.tensor(np.tile(np.log(chances), (COUNT, 1)), requires_grad=True)
        hard = sy.ops.gumbel_softmax(x, hard=True)
        self.assertEqual(set(hard.numpy().ravel()), {0.0, 1.0})
        np.testing.assert_array_equal(hard.numpy().sum(1), 1)
        spread = np.sqrt(chances * (1 - chances) / COUNT)
        self.assertTrue((np.abs(hard.numpy().mean(0) - chances) < 5 * spread).all())
        weights = np.arange(3.0) * np.ones((COUNT, 1))
        grad = sy.grad([hard], [x], [sy.tensor(weights)])[0].numpy()
        self.assertTrue(np.isfinite(grad).all())
        np.testing.assert_allclose(grad.sum(1), 0, atol=1e-12)
        self.assertGreater(np.abs(grad).max(), 0)

    def test_temperature_sharpens(self):
        x = sy.tensor(np.zeros((1000, 4)))
        cold = sy.ops.gumbel_softmax(x, temperature=0.01).numpy().max(1).mean()
        warm = sy.ops.gumbel_softmax(x, temperature=100.0).numpy().max(1).mean()
        self.assertGreater(cold, 0.95)
        self.assertLess(warm, 0.3)

    def test_rows_are_shuffled_by_the_order_that_comes_back(self):
        x = np.arange(24.0).reshape(2, 4, 3)
        seed = samples.tensor(np.array([5]), sy)
        leaf = sy.tensor(x, requires_grad=True)
        out, order, seed_out = sy.ops.shuffle_batch(leaf, seed)
        rows = x.reshape(8, 3)
        np.testing.assert_array_equal(out.numpy().reshape(8, 3), rows[order.numpy()])
        self.assertEqual(sorted(order.tolist()), list(range(8)))
        self.assertEqual(seed_out.tolist(), [6])
        weights = np.random.default_rng(1).normal(size=x.shape)
        grad = sy.grad([out], [leaf], [sy.tensor(weights)])[0].numpy()
        np.testing.assert_array_equal(grad.reshape(8, 3)[order.numpy()],
                                      weights.reshape(8, 3))

    def test_dropout_decides_along_its_axes_alone(self):
        x = np.full((4, 500, 3), np.nan)
        kept = np.isnan(sy.ops.dropout_nd(sy.tensor(x), p=0.25, axis=[1]).numpy())
        self.assertFalse(kept.all() or not kept.any())
        np.testing.assert_array_equal(kept, np.broadcast_to(kept[:1, :, :1], x.shape))
        out = sy.ops.dropout_nd(sy.tensor(np.ones((1, COUNT))), p=0.25, axis=[1]).numpy()
        self.assertEqual(set(np.round(out.ravel(), 12)), {0.0, round(4 / 3, 12)})
        self.assertLess(abs((out > 0).mean() - 0.75), 5 * np.sqrt(0.1875 / COUNT))

    def test_noise_of_a_private_step_is_one_number(self):
        one = sy.tensor(np.array([1.0]))
        param, grad = sy.tensor(np.zeros(5)), sy.tensor(np.full(5, 10.0))
        steps = [sy.ops.dpsgd(param, grad, one, clip=2.0, batch_size=4.0, sigma=3.0).numpy()
                 for _ in range(4000)]
        np.testing.assert_allclose(np.ptp(steps, axis=1), 0, atol=1e-12)
        noise = np.array(steps)[:, 0] + 2 / np.sqrt(5)
        self.assertLess(abs(noise.mean()), 5 * 0.75 / np.sqrt(4000))
        self.assertLess(abs(noise.std() - 0.75), 0.05)

    def test_noise_classes_are_drawn_as_their_sampler_says(self):
        count, classes = 4000, 6
        probs = np.array([0.3, 0.05, 0.25, 0.1, 0.2, 0.1])
        # Walker's tables of these: each class has 1/6, of which the alias takes the rest.
        stays = np.array([1.0, 0.3, 1.0, 0.6, 0.9, 0.6])
        alias = np.array([0, 0, 2, 2, 4, 4])
        table = stays / 6
        np.add.at(table, alias, (1 - stays) / 6)
        tables = {"custom_dist_probs": sy.tensor(probs), "custom_dist_alias": sy.tensor(alias),
                  "custom_dist_alias_probs": sy.tensor(stays)}
        # As in PaddlePaddle the last class is never drawn, though it counts as if it were.
        shares = np.log(np.arange(2.0, classes + 2) / np.arange(1.0, classes + 1))
        shares[-1] = 0
        for sampler, more, chances in ((0, {}, np.full(classes, 1 / classes)),
                                       (1, {}, shares / np.log(classes)),
                                       (2, tables, table)):
            cost, odds, drawn = sy.ops.nce(
                sy.tensor(np.zeros((count, 2))), sy.tensor(np.zeros(count, np.int64)),
                sy.tensor(np.zeros((classes, 2))), num_total_classes=classes, num_neg_samples=5,
                sampler=sampler, **more)
            self.assertEqual((cost.shape, odds.shape, drawn.shape), ((count, 1), (count, 6), (count, 6)))
            self.assertEqual(drawn.dtype, "int64")
            counts = np.bincount(drawn.numpy()[:, 1:].ravel(), minlength=classes)
            spread = np.sqrt(5 * count * chances * (1 - chances))
            self.assertTrue((np.abs(counts - 5 * count * chances) <= 5 * spread).all(), (sampler, counts))

    def test_other_class_centers_are_any_and_differ(self):
        label = sy.tensor(np.array([7, 3, 7, 9]))
        counts = np.zeros(12)
        for _ in range(600):
            places, centers = sy.ops.class_center_sample(label, num_classes=12, num_samples=6)
            self.assertEqual(places.tolist(), [1, 0, 1, 2])
            self.assertEqual(centers.tolist()[:3], [3, 7, 9])
            self.assertEqual(len(set(centers.tolist())), 6)
            np.add.at(counts, centers.numpy(), 1)
        others = np.delete(counts, [3, 7, 9])
        self.assertTrue((np.abs(others - 200) < 5 * np.sqrt(200 * 2 / 3)).all(), counts)
        every = sy.ops.class_center_sample(label, num_classes=12, num_samples=1)[1]
        self.assertEqual(every.tolist(), [3, 7, 9])
        places, centers = sy.ops.class_center_sample(label[:0], num_classes=5, num_samples=5)
        self.assertEqual((places.tolist(), sorted(centers.tolist())), ([], [0, 1, 2, 3, 4]))
        for wrong in (-1, 12):
            with self.assertRaisesRegex(IndexError, rf"must be in \[.*, 12\), got {wrong}"):
                sy.ops.class_center_sample(sy.tensor(np.array([wrong])), num_classes=12, num_samples=6)

    def test_windows_of_a_fractional_pool_move(self):
        x = sy.tensor(np.arange(10.0).reshape(1, 1, 1, 10))
        found = {tuple(sy.ops.fractional_max_pool2d(x, output_size=[1, 4])[0].numpy().ravel().tolist())
                 for _ in range(60)}
        self.assertGreater(len(found), 1)
        for one in found:
            self.assertTrue(set(np.diff(one)) <= {2.0, 3.0}, one)
        # Each starts 7/3 after the one before, moved by 0.5 of it and rounded down.
        out, at = sy.ops.fractional_max_pool2d(x, output_size=[1, 4], kernel_size=[1, 3], random_u=0.5)
        self.assertEqual(at.numpy().ravel().tolist(), [2, 4, 6, 9])
        self.assertEqual(out.numpy().ravel().tolist(), [2.0, 4.0, 6.0, 9.0])


if __name__ == "__main__":
    unittest.main()
