# SPDX-License-Identifier: Apache-2.0
"""Tensors, training and programs on a GPU. Needs --config=cuda and a GPU."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

GPU = "gpu:0"


def train(place, static):
    """The losses of eight steps, and the weights at the end, as arrays."""
    # Random numbers are drawn on the host, and are so the same.
    sy.seed(3)
    model, loss = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5)), nn.MSELoss()
    model.to(place)
    sy.set_default_place(place)
    try:
        optimizer = sy.optim.SGD(model.parameters(), learning_rate=0.1)
        policy = sy.policy(allow_fallback=True)
        step = sy.static.train_step(model, loss, optimizer, policy=policy) if static else None
        rng = np.random.default_rng(5)
        losses = []
        for _ in range(8):
            x = rng.normal(size=(64, 20)).astype(np.float32)
            y = np.tanh(x[:, :5])
            with policy:
                if static:
                    value = step(x, y)
                else:
                    optimizer.zero_grad()
                    value = loss(model(sy.tensor(x)), sy.tensor(y))
                    value.backward()
                    optimizer.step()
            losses.append(value.item())
        return losses, [p.numpy() for p in model.parameters()]
    finally:
        sy.set_default_place("cpu")


class GpuPlacesTest(unittest.TestCase):

    def test_to_a_gpu_and_back(self):
        x = sy.tensor([[1.0, -2.0], [3.0, 4.0]], place=GPU)
        self.assertEqual(x.place, GPU)
        y = sy.relu(x)
        self.assertEqual(y.place, GPU)
        np.testing.assert_array_equal(y.numpy(), [[1, 0], [3, 4]])
        self.assertEqual(y.to("cpu").tolist(), [[1, 0], [3, 4]])

    def test_every_dtype_travels(self):
        for dtype in ("bool", "int32", "int64", "float16", "bfloat16", "float32", "float64"):
            with self.subTest(dtype):
                x = sy.tensor([[0, 1, 2], [3, 4, 5]]).astype(dtype)
                there = x.to(GPU)
                self.assertEqual(there.dtype, x.dtype)
                np.testing.assert_array_equal(there.to("cpu").numpy(), x.numpy())

    def test_views_and_empties(self):
        x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        there = sy.tensor(x, place=GPU)
        np.testing.assert_array_equal(sy.transpose(there, [2, 0, 1]).numpy(), x.transpose(2, 0, 1))
        np.testing.assert_array_equal(sy.relu(sy.transpose(there, [2, 0, 1])).numpy(), x.transpose(2, 0, 1))
        np.testing.assert_array_equal(there[:, 1:, 2].numpy(), x[:, 1:, 2])
        self.assertEqual(sy.relu(sy.tensor(np.zeros((0, 3), np.float32), place=GPU)).shape, (0, 3))

    def test_more_elements_than_int32_counts(self):
        n = 2**31 + 17
        x = sy.full([n], 1.0, dtype="float16", device=GPU)
        y = sy.add(x, x)
        self.assertEqual(y[n - 3:].to("cpu").tolist(), [2.0] * 3)
        self.assertEqual(sy.sum(y.astype("float64")).item(), 2.0 * n)

    def test_training_agrees_with_the_cpu(self):
        for static in (False, True):
            with self.subTest(static=static):
                losses, weights = train(GPU, static)
                expected, others = train("cpu", static)
                np.testing.assert_allclose(losses, expected, rtol=1e-4)
                for weight, other in zip(weights, others):
                    np.testing.assert_allclose(weight, other, rtol=1e-3, atol=1e-5)

    def test_the_same_bits_twice(self):
        self.assertEqual(train(GPU, False)[0], train(GPU, False)[0])

    def test_own_kernels_run_there(self):
        x, w = sy.ones([4, 3], device=GPU), sy.ones([3, 2], device=GPU)
        for text in (sy.explain("matmul", x=x, y=w), sy.explain("relu", x=x)):
            self.assertIn("gpu", text)

    def test_bad_calls_say_why(self):
        with self.assertRaisesRegex(Exception, "got gpu:99"):
            sy.tensor([1.0], place="gpu:99")
        with self.assertRaisesRegex(Exception, "small enough for the GPU's memory"):
            sy.set_default_place(GPU)
            try:
                sy.full([1 << 42], 1.0)
            finally:
                sy.set_default_place("cpu")
        # The device goes on after a refused allocation.
        self.assertEqual(sy.relu(sy.tensor([-1.0], place=GPU)).tolist(), [0.0])
        with self.assertRaisesRegex(NotImplementedError, "y must be on gpu:0, got cpu"):
            sy.add(sy.tensor([1.0], place=GPU), sy.tensor([1.0]))


if __name__ == "__main__":
    unittest.main()
