# SPDX-License-Identifier: Apache-2.0
"""Complex tensors and int16: creation, exchange, operators, gradients, programs;
NumPy is the oracle."""
import os
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import static

RNG = np.random.default_rng(5)


def numbers(*shape, dtype=np.complex64):
    return (RNG.normal(size=shape) + 1j * RNG.normal(size=shape)).astype(dtype)


class TensorTest(unittest.TestCase):

    def test_creation(self):
        self.assertEqual(sy.tensor([1 + 2j, 3.0]).dtype, "complex64")
        self.assertEqual(sy.tensor([1, 2j]).tolist(), [1, 2j])
        self.assertEqual(sy.tensor(numbers(3, dtype=np.complex128)).dtype,
                         sy.complex128)
        self.assertEqual(sy.tensor([1.5], dtype=sy.complex64).tolist(), [1.5])
        self.assertEqual(sy.full([2], 1 - 2j, "complex128").tolist(),
                         [1 - 2j, 1 - 2j])
        z = sy.tensor(1.5 - 2j)
        self.assertEqual((z.item(), complex(z), bool(z)), (1.5 - 2j, 1.5 - 2j, True))
        self.assertEqual(repr(sy.tensor([1 + 2j])),
                         "tensor([1.+2.j], dtype=complex64)")

    def test_numpy_and_dlpack_share_memory(self):
        for dtype in (np.complex64, np.complex128):
            array = numbers(3, 4, dtype=dtype)
            x = sy.from_dlpack(array)
            self.assertEqual(x.dtype, str(array.dtype))
            array[1, 2] = 7 - 1j
            self.assertEqual(x[1, 2].item(), 7 - 1j)
            turned = x.transpose()
            np.testing.assert_array_equal(np.from_dlpack(turned), array.T)
            self.assertIs(turned.numpy().dtype, array.dtype)
            copied = sy.zeros([4, 3], str(array.dtype))
            copied[...] = turned
            np.testing.assert_array_equal(copied.numpy(), array.T)

    def test_operands_of_python(self):
        z = numbers(3)
        for dtype, want in (("float32", "complex64"), ("float64", "complex128"),
                            ("int64", "complex64"), ("complex64", "complex64"),
                            ("complex128", "complex128")):
            x = sy.tensor(z.real.astype(np.float64), "float64").astype(dtype)
            for got in (x * 2j, 2j * x, x + (1 + 1j), x - 1j):
                self.assertEqual(got.dtype, want)
        x = sy.tensor(z)
        np.testing.assert_array_equal((x * 2).numpy(), z * 2)
        np.testing.assert_array_equal((0.5 * x).numpy(), 0.5 * z)
        self.assertEqual((x * 2).dtype, "complex64")
        np.testing.assert_allclose((x / (1 + 1j)).numpy(), z / (1 + 1j), 1e-6)
        np.testing.assert_array_equal((-x).numpy(), -z)
        np.testing.assert_allclose(abs(x).numpy(), abs(z), 1e-6)

    def test_operators(self):
        for dtype in (np.complex64, np.complex128):
            x, y = numbers(4, 3, dtype=dtype), numbers(3, 5, dtype=dtype)
            tx, ty = sy.tensor(x), sy.tensor(y)
            tolerance = 1e-5 if dtype == np.complex64 else 1e-13
            for got, want in (
                    (sy.real(tx), x.real), (sy.imag(tx), x.imag),
                    (sy.conj(tx), x.conj()), (sy.angle(tx), np.angle(x)),
                    (sy.abs(tx), np.abs(x)), (tx + tx, x + x),
                    (tx @ ty, x @ y), (tx.sum(), x.sum()),
                    (tx.sum([0]), x.sum(0)), (tx == tx, x == x),
                    (sy.complex(sy.real(tx), sy.imag(tx)), x),
                    (tx.astype("int16"), x.real.astype(np.int16)),
                    (sy.concat([tx, tx], 1), np.concatenate([x, x], 1)),
                    (sy.where(sy.real(tx) > 0.0, tx, sy.conj(tx)),
                     np.where(x.real > 0, x, x.conj()))):
                self.assertEqual(got.dtype, str(want.dtype))
                np.testing.assert_allclose(got.numpy(), want, tolerance,
                                           tolerance)

    def test_elementary_functions(self):
        """Both sides of the cuts too, where the sign of a zero decides."""
        for dtype, tolerance in ((np.complex64, 1e-6), (np.complex128, 1e-14)):
            x = np.concatenate([numbers(50, dtype=dtype), np.array(
                [-2, -0.5, 0.5, 3, 1j, -2j, complex(-2, -0.0), complex(0, -0.0),
                 1e-5 + 1e-5j, -20 + 3j, 20 - 3j], dtype)])
            tx = sy.tensor(x)
            for function, want in (
                    (sy.exp, np.exp(x)), (sy.sqrt, np.sqrt(x)),
                    (sy.sin, np.sin(x)), (sy.cos, np.cos(x)),
                    (sy.tan, np.tan(x)), (sy.tanh, np.tanh(x)),
                    (sy.sinh, np.sinh(x)), (sy.cosh, np.cosh(x)),
                    (sy.asin, np.arcsin(x)), (sy.acos, np.arccos(x)),
                    (sy.atan, np.arctan(x)), (sy.asinh, np.arcsinh(x)),
                    (sy.acosh, np.arccosh(x)), (sy.atanh, np.arctanh(x)),
                    (sy.log2, np.log2(x)), (sy.log10, np.log10(x)),
                    (sy.log1p, np.log1p(x)), (sy.expm1, np.expm1(x)),
                    (sy.sigmoid, 1 / (1 + np.exp(-x.astype(np.complex128)))),
                    (sy.silu, x / (1 + np.exp(-x.astype(np.complex128)))),
                    (lambda v: sy.pow(v, 3), x ** 3),
                    (lambda v: sy.pow(v, 0), np.ones_like(x)),
                    (lambda v: sy.pow(v, 0.5 - 1.5j), x ** (0.5 - 1.5j)),
                    (lambda v: v ** tx, x ** x),
                    (sy.log, np.log(x))):
                keep = np.isfinite(want)
                got = function(tx)
                self.assertEqual(got.dtype, str(x.dtype))
                np.testing.assert_allclose(got.numpy()[keep], want[keep],
                                           40 * tolerance, tolerance)
        infinite = sy.sigmoid(sy.tensor([-800 + 1j, 800 + 1j], "complex128"))
        np.testing.assert_allclose(infinite.numpy(), [0, 1], 0, 1e-300)
        self.assertEqual(sy.log(sy.tensor([0j])).item().real, -np.inf)
        zero = sy.tensor([0j])
        self.assertEqual((zero ** zero).tolist(), [1])

    def test_what_has_no_kernel_is_refused(self):
        x = sy.tensor([1 + 2j])
        for call in (sy.relu, sy.erf, sy.floor, lambda x: x < x,
                     lambda x: sy.maximum(x, x), lambda x: x // x):
            with self.assertRaisesRegex(TypeError, "x must be .*, got complex64"):
                call(x)
        with self.assertRaisesRegex(TypeError, "written in place"):
            sy.ops.abs_(x)
        with self.assertRaisesRegex(TypeError, "scale: scale must be real for "
                                               "float32, got complex"):
            sy.ops.scale(sy.ones([2]), 1j)
        with self.assertRaisesRegex(TypeError, "full: value must be real"):
            sy.full([2], 1j, "float32")
        with self.assertRaises(TypeError):
            float(x)


class GradientTest(unittest.TestCase):

    def test_of_a_real_loss(self):
        z = numbers(5, dtype=np.complex128)
        x = sy.tensor(z, requires_grad=True)
        (abs(x) * abs(x)).sum().backward()  # x^2 + y^2: 2x + 2yi.
        np.testing.assert_allclose(x.grad.numpy(), 2 * z, 1e-13)

    def test_through_a_product(self):
        z, w = (numbers(4, dtype=np.complex128) for _ in range(2))
        x = sy.tensor(z, requires_grad=True)
        y = sy.tensor(w, requires_grad=True)
        sy.real(x * y).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), w.conj(), 1e-13)
        np.testing.assert_allclose(y.grad.numpy(), z.conj(), 1e-13)

    def test_real_parameters_have_real_gradients(self):
        a = sy.tensor([2.0, 3.0], requires_grad=True)
        z = sy.tensor([1 + 2j, -1j])
        sy.imag(a * z).sum().backward()
        self.assertEqual(a.grad.dtype, "float32")
        self.assertEqual(a.grad.tolist(), [2.0, -1.0])

    def test_where_the_absolute_value_has_none(self):
        x = sy.tensor([0j, 3 + 4j], requires_grad=True)
        (gradient,) = sy.grad([abs(x).sum()], [x], create_graph=True)
        np.testing.assert_allclose(gradient.numpy(), [0, 0.6 + 0.8j], 1e-6)
        (second,) = sy.grad([sy.real(gradient).sum()], [x])
        self.assertTrue(np.isfinite(second.numpy()).all())

    def test_where_a_power_of_zero_has_one(self):
        x = sy.tensor([0j, 0j, 1j], requires_grad=True)
        y = sy.tensor([0j, 2 + 0j, 2 + 0j], requires_grad=True)
        sy.real(x ** y).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), [0, 0, -2j], 1e-6, 1e-6)
        np.testing.assert_allclose(
            y.grad.numpy(), [0, 0, np.conj(np.log(1j) * -1)], 1e-6, 1e-6)

    def test_descends(self):
        target = numbers(3, 3, dtype=np.complex128)
        x = sy.zeros([3, 3], "complex128")
        x.requires_grad = True
        for _ in range(60):
            distance = abs(x @ sy.tensor(np.eye(3) * 1j) - sy.tensor(target))
            (gradient,) = sy.grad([(distance * distance).sum()], [x])
            x = (x - gradient * 0.2).detach()
            x.requires_grad = True
        np.testing.assert_allclose(x.numpy(), target * -1j, 1e-6, 1e-6)


class ProgramTest(unittest.TestCase):

    def test_traced_saved_and_differentiated(self):
        z = numbers(3, 3)

        def function(x):
            x = sy.ops.scale(x, 0.5 - 1j) @ sy.conj(x)
            return sy.real(x * (2 + 1j)), sy.angle(x + 3j)

        program = static.trace(function, z)
        feed = program.feeds[0]
        want = [part.numpy() for part in function(sy.tensor(z))]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "complex")
            static.save(program, path)
            loaded = static.load(path)
        self.assertEqual(loaded.text(), program.text())
        self.assertIn("complex64[s0, 3]", program.text())
        for each in (program, loaded):
            got = each.run({feed: z})
            for name, array in zip(each.fetches, want):
                np.testing.assert_array_equal(got[name], array)


class Int16Test(unittest.TestCase):

    def test_arithmetic_wraps_around(self):
        x = RNG.integers(-32768, 32768, 999).astype(np.int16)
        y = RNG.integers(1, 300, 999).astype(np.int16)
        tx, ty = sy.tensor(x), sy.tensor(y)
        self.assertEqual(tx.dtype, "int16")
        for got, want in ((tx + ty, x + y), (tx - ty, x - y), (tx * ty, x * y),
                          (tx // ty, x // y), (tx % ty, x % y),
                          (sy.maximum(tx, ty), np.maximum(x, y)),
                          (abs(tx), abs(x)), (tx < ty, x < y),
                          (tx == ty, x == y), (sy.bitwise_and(tx, ty), x & y),
                          (sy.bitwise_not(tx), ~x),
                          (tx.astype("float32"), x.astype(np.float32)),
                          (sy.ops.gather(tx, sy.tensor([5, 0])), x[[5, 0]]),
                          (tx[10:20], x[10:20])):
            self.assertEqual(got.dtype, str(want.dtype))
            np.testing.assert_array_equal(got.numpy(), want)

    def test_floats_saturate(self):
        x = sy.tensor([1e6, -1e6, float("nan"), 7.9]).astype("int16")
        self.assertEqual(x.tolist(), [32767, -32768, 0, 7])


if __name__ == "__main__":
    unittest.main()
