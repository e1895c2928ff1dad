# SPDX-License-Identifier: Apache-2.0
"""sy.fft beside NumPy where the standard says nothing: reals, grids, graphs."""

import unittest

import numpy as np

import switchyard as sy

X = np.random.RandomState(0).randn(3, 4, 5).astype("float32")
Z = (X + 1j * X[::-1]).astype("complex64")


class FftTest(unittest.TestCase):

    def check(self, name, x, dtype, **keywords):
        got = getattr(sy.fft, name)(sy.tensor(x), **keywords).numpy()
        expected = getattr(np.fft, name)(x, **keywords)
        self.assertEqual(got.dtype.name, dtype)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-4)

    def test_reals_are_transformed_as_complex_numbers(self):
        for norm in ("backward", "ortho", "forward"):
            self.check("fft", X, "complex64", norm=norm)
            self.check("ifft", X, "complex64", axis=1, n=6, norm=norm)
            self.check("irfft", X, "float32", norm=norm)
        self.check("fftn", X, "complex64", s=(2, 7), axes=(0, 2))
        self.check("hfft", X.astype("float64"), "float64", n=3)
        self.check("fft", np.arange(6), "complex64")
        self.check("rfft", np.arange(6, dtype="int32"), "complex64")

    def test_grids(self):
        self.check("fft2", Z, "complex64")
        self.check("fft2", X, "complex64", s=(6, 2))
        self.check("ifft2", Z, "complex64", axes=(0, 1))
        self.check("rfft2", X, "complex64", norm="ortho")
        self.check("irfft2", Z, "float32", s=(3, 7))

    def test_no_axes(self):
        np.testing.assert_array_equal(
            sy.fft.fftn(sy.tensor(X), axes=()).numpy(), X.astype("complex64"))

    def test_arguments_that_are_wrong(self):
        x = sy.tensor(X)
        for text, call in (
                ("fft: n must be from 1, got 0", lambda: sy.fft.fft(x, n=0)),
                ("fftn: s must have an extent for each of 2 axes, got 1",
                 lambda: sy.fft.fftn(x, s=(2,), axes=(0, 1))),
                ("fftn: axis must name an axis once",
                 lambda: sy.fft.fftn(x, axes=(0, 0))),
                ("fft_r2c: normalization must be backward, ortho or forward",
                 lambda: sy.fft.rfft(x, norm="none")),
                ("fftfreq: n must be from 1", lambda: sy.fft.fftfreq(0))):
            with self.subTest(text), self.assertRaisesRegex(ValueError, text):
                call()
        with self.assertRaisesRegex(IndexError, "rfft: axis must be in"):
            sy.fft.rfft(x, axis=3)
        with self.assertRaisesRegex(TypeError, "x must be float32 or float64"):
            sy.fft.rfft(sy.tensor(Z))

    def test_the_energy_is_that_of_the_frequencies(self):
        x = sy.tensor(X, requires_grad=True)
        y = sy.fft.rfft(x, n=8, norm="ortho")
        power = sy.abs(y) * sy.abs(y)
        (2 * power.sum() - power[..., 0].sum() - power[..., -1].sum()).backward()
        np.testing.assert_allclose(x.grad.numpy(), 2 * X, rtol=1e-4, atol=1e-5)

    def test_there_and_back_has_the_gradient_of_nothing(self):
        for n in (5, 8):
            x = sy.tensor(X, requires_grad=True)
            y = sy.fft.irfft(sy.fft.rfft(x, n=n), n=n)
            (y * y).sum().backward()
            np.testing.assert_allclose(x.grad.numpy(), 2 * X, rtol=1e-4,
                                       atol=1e-5)

    def test_extents_that_are_not_known_yet(self):
        def mixed(x):
            cut = sy.fft.rfft(x, n=6)
            return sy.real(sy.fft.fft2(x)), sy.fft.irfft(cut, n=6)

        program = sy.static.trace(mixed, sy.static.InputSpec([None, None]))
        for shape in ((3, 4), (2, 7)):
            x = np.random.RandomState(1).randn(*shape).astype("float32")
            results = program.run({"x0": x})
            real, back = (results[name] for name in program.fetches)
            np.testing.assert_allclose(
                real, np.fft.fft2(x).real, rtol=1e-5, atol=1e-5)
            padded = np.pad(x, ((0, 0), (0, 6)))[:, :6]
            np.testing.assert_allclose(back, padded, rtol=1e-5, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
