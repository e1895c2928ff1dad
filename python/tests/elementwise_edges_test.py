# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions where other frameworks have stumbled: shifts by the
width, remainders and negations of zero, ends of lerp, gradients at 0."""
import math
import unittest

import numpy as np

import switchyard as sy
from switchyard import legacy, nn

F, INF, NAN = nn.functional, float("inf"), float("nan")
SIGNED = ("int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")


def grad(f, *at, dtype="float32"):
    """The derivatives of f's sum at lists of numbers."""
    inputs = [sy.tensor(v, dtype, requires_grad=True) for v in at]
    found = sy.grad(f(*inputs).sum(), inputs)
    return found[0].tolist() if len(at) == 1 else [g.tolist() for g in found]


def is_minus_zero(x):
    return x == 0 and math.copysign(1, x) < 0


class ShiftTest(unittest.TestCase):

    def test_right_shift_keeps_the_sign_at_any_count(self):
        for dtype in SIGNED:
            width = np.iinfo(dtype).bits
            for count in (0, 1, width - 2, width - 1, width, width + 1, 200, -1):
                x = np.array([5, -1, -5, 0, np.iinfo(dtype).min,
                              np.iinfo(dtype).max], dtype)
                shift = min(count, width - 1) if count >= 0 else width - 1
                right = (x >> np.array(shift, dtype)).tolist()
                for got in (sy.tensor(x) >> count,
                            sy.bitwise_right_shift(sy.tensor(x), count)):
                    self.assertEqual((got.dtype, got.tolist()), (dtype, right),
                                     (dtype, count))

    def test_left_shift_keeps_the_dtype_and_drops_what_leaves(self):
        for dtype in (*SIGNED, "uint8"):
            width = np.iinfo(dtype).bits
            for count in (0, 1, width - 1, width, 200, -1):
                x = np.array([1, 3, np.iinfo(dtype).max], dtype)
                right = [0, 0, 0]
                if 0 <= count < width:
                    right = (x << np.array(count, dtype)).tolist()
                for got in (sy.tensor(x) << count,
                            sy.bitwise_left_shift(sy.tensor(x), count)):
                    self.assertEqual((got.dtype, got.tolist()), (dtype, right),
                                     (dtype, count))

    def test_unsigned_and_counts_of_tensors(self):
        x = np.array([200, 255, 3], np.uint8)
        counts = np.array([1, 7, 8], np.uint8)
        self.assertEqual((sy.tensor(x) >> sy.tensor(counts)).tolist(), [100, 1, 0])
        self.assertEqual((7 << sy.tensor(counts)).tolist(), [14, 128, 0])
        y = sy.tensor(np.array([1, -1], np.int8)) << sy.tensor(
            np.array([40, 3], np.int64))
        self.assertEqual((y.dtype, y.tolist()), ("int64", [1 << 40, -8]))
        with self.assertRaisesRegex(TypeError, "bitwise_left_shift"):
            sy.bitwise_left_shift(sy.ones([2]), 1)


class RemainderTest(unittest.TestCase):

    def test_fmod_of_the_least_integer(self):
        for dtype in SIGNED:
            least = np.iinfo(dtype).min
            x = np.array([least, least, -7, 7], dtype)
            y = np.array([3, -1, 3, -3], dtype)
            self.assertEqual(sy.fmod(sy.tensor(x), sy.tensor(y)).tolist(),
                             [-(-least % 3), 0, -1, 1])
        self.assertEqual(sy.fmod(sy.tensor(np.array([200], np.uint8)), 7).tolist(),
                         [4])

    def test_signs_of_zeros_and_infinities(self):
        pairs = [(6.0, -3.0), (-6.0, 3.0), (0.0, -2.0), (-0.0, 2.0), (-1.0, INF),
                 (1.0, -INF), (INF, 3.0), (5.5, 2.0), (-5.5, 2.0), (3.0, INF)]
        x, y = (np.array(v) for v in zip(*pairs))
        for dtype in ("float32", "float64"):
            a, b = sy.tensor(x, dtype), sy.tensor(y, dtype)
            with np.errstate(invalid="ignore"):
                for got, right in (
                        (a % b, np.remainder(x, y)), (sy.remainder(a, b), x % y),
                        (sy.fmod(a, b), np.fmod(x, y))):
                    np.testing.assert_array_equal(got.numpy(), right)
                    np.testing.assert_array_equal(np.signbit(got.numpy())[:4],
                                                  np.signbit(right)[:4])
                np.testing.assert_array_equal((a // b).numpy(), x // y)

    def test_gradients_of_fmod(self):
        x, y = [0.0, -0.0, 7.0, -7.0, 7.0], [1.0, 1.0, 2.0, 2.0, -2.0]
        self.assertEqual(grad(sy.fmod, x, y),
                         [[1.0] * 5, [0.0, 0.0, -3.0, 3.0, 3.0]])


class NegationTest(unittest.TestCase):

    def test_zeros_change_their_sign(self):
        for dtype in FLOATS:
            for f in (lambda x: -x, sy.neg, sy.negative):
                z = f(sy.tensor([0.0, -0.0, 1.5], dtype))
                self.assertTrue(is_minus_zero(z.tolist()[0]), dtype)
                self.assertEqual(math.copysign(1, z.tolist()[1]), 1.0)
                self.assertEqual((1 / z).tolist()[:2], [-INF, INF])
        self.assertAlmostEqual(
            sy.atan2(-sy.tensor([0.0]), sy.tensor([-1.0])).item(), -math.pi, 6)

    def test_parts_of_complex_numbers(self):
        for dtype in ("complex64", "complex128"):
            z = -sy.tensor(np.array([complex(INF, 1), 1 + 0j, complex(0, -2)], dtype))
            got = z.tolist()
            self.assertEqual(got[0], complex(-INF, -1))
            self.assertTrue(is_minus_zero(got[1].imag))
            self.assertTrue(is_minus_zero(got[2].real))
            self.assertLess(sy.sqrt(-sy.tensor([4 + 0j], dtype)).tolist()[0].imag, 0)

    def test_integers_and_gradients(self):
        self.assertEqual((-sy.tensor(np.array([-128, 5], np.int8))).tolist(),
                         [-128, -5])
        self.assertEqual(grad(lambda x: -x, [1.0, 2.0]), [-1.0, -1.0])
        with self.assertRaises(TypeError):
            -sy.tensor([True])  # pylint: disable=expression-not-assigned

    def test_in_a_program(self):
        program = sy.static.trace(lambda x: -x, sy.tensor([0.0, 1.0]))
        self.assertTrue(is_minus_zero(program(sy.tensor([0.0, 1.0])).tolist()[0]))


class LerpTest(unittest.TestCase):

    def test_ends_are_exact(self):
        for dtype, big in (("float32", 1e8), ("float64", 1e17), ("float16", 6e4),
                           ("bfloat16", 1e30)):
            x, y = sy.tensor([big, 1.0, INF], dtype), sy.tensor([1.0, big, 1.0], dtype)
            for one in (1.0, sy.tensor(1.0, dtype), sy.tensor([1.0] * 3, dtype)):
                self.assertEqual(sy.lerp(x, y, one).tolist(), y.tolist())
            self.assertEqual(sy.lerp(x, y, 0.0).tolist(), x.tolist())
            self.assertEqual(sy.lerp(y, x, 0.0).tolist(), y.tolist())

    def test_between(self):
        x, y = np.float32([1e8, -3, 2]), np.float32([1, 5, 2])
        for w in (0.25, 0.5, 0.75, 0.999, 1.5, -2.0):
            right = x + w * (y.astype(np.float64) - x)
            np.testing.assert_allclose(sy.lerp(sy.tensor(x), sy.tensor(y), w).numpy(),
                                       right, rtol=3e-7, atol=8)

    def test_gradients_near_the_end(self):
        w = float(np.float32(1 - 2**-20))
        dx, dy, dw = grad(sy.lerp, [3.0], [5.0], [w])
        self.assertEqual((dx, dy, dw), ([2.0**-20], [w], [2.0]))


class GradientTest(unittest.TestCase):

    def test_selu_and_expm1_read_x(self):
        scale = 1.0507009873554805 * 1.6732632423543772
        for dtype, rtol in (("float32", 3e-7), ("float64", 1e-15), ("bfloat16", 8e-3)):
            x = [-0.5, -3.0, -15.0, -20.0, -45.0, -80.0]
            right = np.exp(np.array(x))
            np.testing.assert_allclose(grad(F.selu, x, dtype=dtype), scale * right,
                                       rtol=rtol)
            np.testing.assert_allclose(grad(sy.expm1, x, dtype=dtype), right,
                                       rtol=rtol)
        self.assertEqual(grad(F.selu, [-300.0], dtype="float16"), [0.0])
        self.assertAlmostEqual(grad(F.selu, [2.0])[0], 1.0507009873554805, 6)

    def test_in_place_forms_keep_what_they_read(self):
        for f, inplace in ((sy.expm1, "expm1_"), (sy.selu, "selu_")):
            x = sy.tensor([-20.0, 0.5], requires_grad=True)
            y = x * 1.0
            getattr(y, inplace)()
            self.assertEqual(sy.grad(y.sum(), [x])[0].tolist(),
                             grad(f, [-20.0, 0.5]))

    def test_legacy_gradients_read_the_result(self):
        for name, f in (("expm1_grad", sy.expm1), ("selu_grad", sy.selu)):
            out = f(sy.tensor([-20.0, -1.0]))
            got = legacy.run(name, {"Out": out, "Out@GRAD": sy.ones([2])})["X@GRAD"]
            self.assertEqual(got.tolist()[0], 0.0)
            np.testing.assert_allclose(got.tolist()[1], grad(f, [-1.0])[0], rtol=1e-6)

    def test_atan2_at_the_origin_and_beyond_squares(self):
        x, y = [0.0, 3e-30, 3e20, 0.0, INF, 1.0, INF], [0.0, 4e-30, 4e20, -2.0, 1.0,
                                                     INF, INF]
        dx, dy = grad(sy.atan2, x, y)
        np.testing.assert_allclose(dx, [0, 1.6e29, 1.6e-21, -0.5, 0, 0, 0], rtol=1e-6)
        np.testing.assert_allclose(dy, [0, -1.2e29, -1.2e-21, 0, 0, 0, 0], rtol=1e-6)

    def test_inverse_functions_near_their_ends(self):
        near = float(np.float32(1) - np.float32(2**-24))
        above = float(np.float32(1 + 2**-23))
        for f, x, right in (
                (sy.asin, near, (2**-23 - 2**-48) ** -0.5),
                (sy.acos, near, -(2**-23 - 2**-48) ** -0.5),
                (sy.atanh, near, 1 / (2**-23 - 2**-48)),
                (sy.acosh, above, (2**-22 + 2**-46) ** -0.5),
                (sy.acosh, 1e30, 1e-30), (sy.asinh, -1e30, 1e-30)):
            np.testing.assert_allclose(grad(f, [x]), [right], rtol=4e-7)

    def test_activations_at_the_infinities(self):
        for f in (sy.silu, sy.mish, F.gelu, lambda x: F.gelu(x, "tanh"), F.hardswish,
                  sy.ops.swish):
            self.assertEqual(f(sy.tensor([-INF, INF])).tolist(), [0.0, INF])
            self.assertEqual(grad(f, [-INF, INF]), [0.0, 1.0])
            self.assertTrue(math.isnan(f(sy.tensor([NAN])).item()))
            self.assertTrue(math.isnan(grad(f, [NAN])[0]))
        self.assertEqual(sy.softsign(sy.tensor([-INF, INF])).tolist(), [-1.0, 1.0])


class DtypeTest(unittest.TestCase):

    def test_abs_of_unsigned_integers(self):
        x = sy.tensor(np.array([0, 5, 255], np.uint8))
        self.assertEqual((sy.abs(x).dtype, abs(x).tolist()), ("uint8", [0, 5, 255]))

    def test_multinomial_of_halves(self):
        for dtype in ("float16", "bfloat16"):
            weights = sy.tensor([0.0, 0.5, 0.0, 0.5, 0.0], dtype)
            for replacement in (True, False):
                count = 500 if replacement else 2
                drawn = sy.multinomial(weights, count, replacement)
                self.assertEqual(set(drawn.tolist()), {1, 3})

    def test_sparse_relu_of_positions_twice(self):
        values = sy.tensor([-1.0, 2.0], requires_grad=True)
        x = sy.sparse.sparse_coo_tensor([[0, 0], [1, 1]], values, [1, 2])
        y = sy.sparse.relu(x).to_dense()
        self.assertEqual(y.tolist(), [[0.0, 1.0]])
        self.assertEqual(sy.grad(y.sum(), [values])[0].tolist(), [1.0, 1.0])


class SlopesTest(unittest.TestCase):
    """Derivatives where two sides are equal, or one of them is 0 or infinite."""

    def second(self, f, *at):
        inputs = [sy.tensor(v, "float64", requires_grad=True) for v in at]
        first = sy.grad(f(*inputs), inputs, create_graph=True)
        return [[0.0 if h is None else h.item() for h in sy.grad(
            g, inputs, allow_unused=True, retain_graph=True)] for g in first]

    def test_a_factor_of_0_has_the_logarithm_as_its_slope(self):
        x, y = [0.0] * 4 + [2.0], [2.0, 0.5, 0.0, NAN, 3.0]
        found, _ = grad(sy.xlogy, x, y, dtype="float64")
        np.testing.assert_allclose(found, [math.log(2), -math.log(2), 0.0, NAN, math.log(3)])
        found, _ = grad(sy.special.xlog1py, [0.0, 0.0, 1.0], [1.0, -1.0, 3.0], dtype="float64")
        np.testing.assert_allclose(found, [math.log(2), 0.0, math.log(4)])

    def test_equal_terms_of_logaddexp(self):
        for f, curve in ((sy.logaddexp, 0.25), (sy.logaddexp2, 0.25 * math.log(2))):
            for at in (0.0, -1.5):
                np.testing.assert_allclose(self.second(f, at, at),
                                           [[curve, -curve], [-curve, curve]], rtol=1e-12)
        self.assertEqual(grad(sy.logaddexp, [INF], [INF]), [[0.5], [0.5]])

    def test_hypot_along_an_axis_and_to_infinity(self):
        self.assertEqual(self.second(sy.hypot, 0.0, -2.0), [[0.5, 0.0], [0.0, 0.0]])
        self.assertEqual(self.second(sy.hypot, 4.0, 0.0), [[0.0, 0.0], [0.0, 0.25]])
        self.assertEqual(grad(sy.hypot, [1.0, -INF], [INF, 2.0]), [[0.0, 0.0], [0.0, 0.0]])
        np.testing.assert_allclose(grad(sy.hypot, [3.0, 0.0], [-4.0, 0.0], dtype="float64"),
                                   [[0.6, 0.0], [-0.8, 0.0]], rtol=1e-15)
        self.assertEqual(sy.hypot(sy.tensor([INF, NAN, -INF, 0.0]),
                                  sy.tensor([NAN, INF, 1.0, -0.0])).tolist(),
                         [INF, INF, INF, 0.0])


class NumbersTest(unittest.TestCase):

    def test_a_number_beside_float64_keeps_its_digits(self):
        x = np.array([1.0, 2.5])
        for name, given, right in (
                ("hypot", (x, 0.1), np.hypot(x, 0.1)),
                ("logaddexp", (x, 0.1), np.logaddexp(x, 0.1)),
                ("logaddexp2", (0.1, x), np.logaddexp2(0.1, x)),
                ("where", (np.array([True, False]), x, 0.1), [1.0, 0.1]),
                ("where", (np.array([True, False]), 0.1, x), [0.1, 2.5]),
                ("quantile", (x, 0.3), np.quantile(x, 0.3)),
                ("nanquantile", (x, 0.3), np.quantile(x, 0.3)),
                ("inner", (x, 0.1), x * 0.1),
                ("dist", (x, 0.1), np.hypot(0.9, 2.4)),
                ("polar", (x, 0.1), x * np.exp(0.1j))):
            found = getattr(sy, name)(*[sy.tensor(v) if isinstance(v, np.ndarray) else v
                                        for v in given])
            np.testing.assert_allclose(found.numpy(), right, rtol=1e-15, err_msg=name)
        found = sy.gradient(sy.tensor(x), spacing=0.1)[0]
        np.testing.assert_allclose(found.numpy(), [15.0, 15.0], rtol=1e-15)
        for f in (sy.special.gammainc, sy.special.zeta):
            np.testing.assert_array_equal(
                f(sy.tensor(x + 1), 1.3).numpy(), f(sy.tensor(x + 1), sy.tensor(np.array(1.3))).numpy())

    def test_a_window_of_zeros_has_no_slope_in_lp_pool(self):
        x = sy.tensor([[[0.0, 0.0, 3.0, 4.0, NAN, 1.0]]], requires_grad=True)
        y = F.lp_pool1d(x, 2.0, 2)
        np.testing.assert_allclose(y.tolist(), [[[0.0, 5.0, NAN]]])
        np.testing.assert_allclose(sy.grad(y[..., :2].sum(), [x])[0].tolist()[0][0][:4],
                                   [0.0, 0.0, 0.6, 0.8], rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
