# SPDX-License-Identifier: Apache-2.0
"""Short-time Fourier transforms against NumPy's of each frame, and back."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import static

RANDOM = np.random.default_rng(5)


def right(x, size, hop, window, center=True, mode="reflect", half=True):
    if center:
        x = np.pad(x, size // 2, {"replicate": "edge", "circular": "wrap"}.get(
            mode, mode))
    frames = np.stack([x[i:i + size] * window
                       for i in range(0, len(x) - size + 1, hop)])
    return (np.fft.rfft(frames) if half else np.fft.fft(frames)).T


class StftTest(unittest.TestCase):

    def test_frames(self):
        x = RANDOM.normal(size=[2, 30])
        window = RANDOM.uniform(0.5, 1, size=8)
        for mode in ("reflect", "constant", "replicate", "circular"):
            for center in (True, False):
                for half in (True, False):
                    found = sy.stft(sy.tensor(x), 8, 3, window=sy.tensor(window),
                                    center=center, pad_mode=mode, onesided=half,
                                    return_complex=True).numpy()
                    for got, row in zip(found, x):
                        np.testing.assert_allclose(
                            got, right(row, 8, 3, window, center, mode, half), 1e-12,
                            1e-12)

    def test_forms(self):
        x = sy.tensor(RANDOM.normal(size=30))
        whole = sy.stft(x, 8, return_complex=True)
        np.testing.assert_allclose(whole.numpy(), right(x.numpy(), 8, 2, np.ones(8)),
                                   1e-12, 1e-12)
        parts = sy.stft(x, 8, return_complex=False).numpy()
        np.testing.assert_array_equal(parts[..., 0] + 1j * parts[..., 1], whole.numpy())
        scaled = x.stft(8, normalized=True, return_complex=True).numpy()
        np.testing.assert_allclose(scaled * 8**0.5, whole.numpy(), 1e-12, 1e-12)
        short = sy.stft(x, 8, win_length=4, return_complex=True).numpy()
        window = np.array([0, 0, 1, 1, 1, 1, 0, 0])
        np.testing.assert_allclose(short, right(x.numpy(), 8, 2, window), 1e-12, 1e-12)
        program = static.trace(lambda x: sy.stft(x, 8, return_complex=True), x[None])
        np.testing.assert_array_equal(program(x[None]).numpy()[0], whole.numpy())

    def test_back(self):
        for shape in ([40], [2, 40]):
            x = RANDOM.normal(size=shape)
            window = sy.tensor(RANDOM.uniform(0.5, 1, size=8))
            for half in (True, False):
                for normalized in (True, False):
                    form = {"window": window, "normalized": normalized,
                            "onesided": half}
                    there = sy.stft(sy.tensor(x), 8, return_complex=True, **form)
                    back = sy.istft(there, 8, **form).numpy()
                    np.testing.assert_allclose(back, x, 1e-10, 1e-10)
        z = sy.tensor(x + 1j * RANDOM.normal(size=shape))
        there = sy.stft(z, 8, window=window, onesided=False)
        back = sy.istft(there, 8, window=window, onesided=False, return_complex=True)
        np.testing.assert_allclose(back.numpy(), z.numpy(), 1e-10, 1e-10)
        long = sy.istft(there, 8, window=window, length=50).numpy()
        self.assertEqual(long.shape, (2, 50))
        np.testing.assert_array_equal(long[:, 44:], 0)

    def test_gradients(self):
        """Both are linear: a product with the gradient is that with the result."""
        x, way = (RANDOM.normal(size=20) for _ in range(2))
        leaf = sy.tensor(x, requires_grad=True)
        y = sy.stft(leaf, 8, return_complex=False)
        weight = RANDOM.normal(size=y.shape)
        (grad,) = sy.grad([y], [leaf], [sy.tensor(weight)])
        moved = sy.stft(sy.tensor(way), 8, return_complex=False).numpy()
        self.assertAlmostEqual((grad.numpy() * way).sum(), (moved * weight).sum(), 10)

    def test_errors(self):
        x = sy.ones([20])
        there = sy.stft(x, 8, return_complex=True)
        for text, call in (
                ("return_complex must be given", lambda: sy.stft(x, 8)),
                ("n_fft must be from 1", lambda: sy.stft(x, 0, return_complex=True)),
                ("n_fft must be at most", lambda: sy.stft(
                    x, 21, center=False, return_complex=True)),
                ("to be padded", lambda: sy.stft(x, 60, return_complex=True)),
                ("win_length must be at most", lambda: sy.stft(
                    x, 8, win_length=9, return_complex=True)),
                ("window must have", lambda: sy.stft(
                    x, 8, window=x, return_complex=True)),
                ("pad_mode must be", lambda: sy.stft(
                    x, 8, pad_mode="wrap", return_complex=True)),
                ("one or two axes", lambda: sy.stft(
                    sy.ones([1, 1, 9]), 8, return_complex=True)),
                ("x must be complex", lambda: sy.istft(x, 8)),
                ("x must have 5 frequencies", lambda: sy.istft(there, 8, onesided=True)
                 if there.shape[0] != 5 else sy.istft(there[:3], 8)),
                ("return_complex must be False", lambda: sy.istft(
                    there, 8, return_complex=True)),
                ("no sample out", lambda: sy.istft(
                    there, 8, window=sy.zeros([8])))):
            with self.assertRaisesRegex(ValueError, text):
                call()


if __name__ == "__main__":
    unittest.main()
