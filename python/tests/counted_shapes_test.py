# SPDX-License-Identifier: Apache-2.0
"""Counts and places that are quotients, beside exact formulas, where numerators are
negative, odd or less than the divisor: windows, parts, shifts, steps and sizes, eager
and in programs of open extents."""

import inspect
import itertools
import math
import unittest

import argument_names
import numpy as np

import switchyard as sy

F = sy.nn.functional
ERRORS = (TypeError, ValueError, IndexError, NotImplementedError)
EXTENTS, KERNELS, STEPS, PADDINGS = (1, 2, 3, 5), (1, 2, 3), (1, 2, 3), (0, 1, 2)
# {function: the test that has its formula}, of which CONCERNED says that one is due.
TESTED = {}
CONCERNED = frozenset("""
    kernel_size output_size chunks split_size sections indices_or_sections shifts shift
    count scale_factor step offset diagonal stride dilation upscale_factor
    downscale_factor hop_length num_groups""".split())
# Their numbers are extents, strides of memory or divisors alone, not quotients.
OTHERS = frozenset("""
    as_strided as_strided_copy as_strided_scatter empty_strided repeat_interleave
    nn.functional.group_norm nn.functional.adaptive_avg_pool2d
    nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool2d
    nn.functional.adaptive_max_pool3d nn.functional.fractional_max_pool2d
    nn.functional.fractional_max_pool3d diagonal_scatter
    bitwise_left_shift bitwise_right_shift""".split())


def covers(*names):
    """Notes which functions a test has a formula for."""
    def noted(test):
        for name in names:
            TESTED.setdefault(name, test.__name__)
        return test
    return noted


def of(last, *names):
    return [f"nn.functional.{name}{last}" for name in names]


def outcome(function):
    """The result, or None for an error with a sentence."""
    try:
        return function()
    except ERRORS:
        return None


def numbers(*extents):
    return sy.reshape(sy.arange(math.prod(extents), dtype="float32"), extents)


def up(a, b):
    return -(-a // b)


class WindowsTest(unittest.TestCase):

    def both(self, case, function, shape, want):
        """The last extent of function(x) for each last extent n of x: eager, and of a
        program whose last extent is open. Its run keeps the operators' rule, by which
        what reaches beyond the padding by less than a stride is a window (windows.py).
        ``want`` of n is None where there is no window."""
        program = outcome(lambda: sy.static.trace(
            function, sy.static.InputSpec([*shape, None])))
        for n in EXTENTS:
            x, right = sy.ones([*shape, n]), want(n)
            for form in (function, program) if program else (function,):
                got = outcome(lambda f=form: f(x).shape[-1])
                if form is program and right is None and got == 1:
                    continue
                with self.subTest(case=case, n=n, eager=form is function):
                    self.assertEqual(got, right)

    @covers(*of("", "conv1d", "conv2d", "conv3d", "unfold"))
    def test_windows(self):
        for k, s, p, d in itertools.product(KERNELS, STEPS, PADDINGS, (1, 2)):
            def want(n):
                room = n + 2 * p - d * (k - 1) - 1
                return None if room < 0 else room // s + 1
            w = [sy.ones([1] * rank + [k]) for rank in (2, 3, 4)]
            forms = {
                "conv1d": (lambda x: F.conv1d(x, w[0], None, s, p, d), [1, 1]),
                "conv2d": (lambda x: F.conv2d(x, w[1], None, (1, s), (0, p), (1, d)),
                           [1, 1, 2]),
                "conv3d": (lambda x: F.conv3d(x, w[2], None, (1, 1, s), (0, 0, p),
                                              (1, 1, d)), [1, 1, 1, 2]),
                "unfold": (lambda x: F.unfold(x, (1, k), (1, d), (0, p), (1, s)),
                           [1, 1, 1])}
            for name, (function, shape) in forms.items():
                self.both((name, k, s, p, d), function, shape, want)

    @covers(*[name for n in "123" for name in of(
        f"_pool{n}d", "max", "avg", "lp")])
    def test_pools(self):
        for k, s, p, d, ceil in itertools.product(KERNELS, STEPS, (0, 1), (1, 2),
                                                  (False, True)):
            if p > k // 2:
                continue

            def want(n):
                room = n + 2 * p - d * (k - 1) - 1
                found = (up(room, s) if ceil else room // s) + 1
                # It would begin after the elements.
                late = ceil and (found - 1) * s >= n + p
                return found - late if found > late else None
            kinds = ["max"] + ["avg"] * (d == 1) + ["lp"] * (d == 1 and p == 0)
            for kind, rank in itertools.product(kinds, (1, 2, 3)):
                pool, one = getattr(F, f"{kind}_pool{rank}d"), [1] * (rank - 1)
                more = {"padding": [0] * (rank - 1) + [p]} if kind != "lp" else {}
                if kind == "max":
                    more["dilation"] = [*one, d]

                def function(x):
                    given = (x, 2.0) if kind == "lp" else (x,)
                    return pool(*given, [*one, k], [*one, s], ceil_mode=ceil, **more)
                self.both((kind, rank, k, s, p, d, ceil), function,
                          [1, 1, *[2] * (rank - 1)], want)

    @covers(*of("", *(f"{name}{n}d" for n in "123" for name in (
        "conv_transpose", "max_unpool"))))
    def test_transposed_windows(self):
        for k, s, p, d, rank in itertools.product(KERNELS, STEPS, PADDINGS, (1, 2),
                                                  (1, 2, 3)):
            one, none = [1] * (rank - 1), [0] * (rank - 1)
            w, conv = sy.ones([1, 1, *one, k]), getattr(F, f"conv_transpose{rank}d")

            def size(n):
                found = (n - 1) * s - 2 * p + d * (k - 1) + 1
                return found if found > 0 else None
            self.both((rank, k, s, p, d), lambda x: conv(
                x, w, None, [*one, s], [*none, p], [*none, 0], 1, [*one, d]),
                      [1, 1, *one], size)
            for n in EXTENTS if d == 1 and p <= k // 2 else ():
                x = sy.ones([1, 1, *one, n])
                got = outcome(lambda: getattr(F, f"max_unpool{rank}d")(
                    x, sy.zeros(x.shape, "int64"), [*one, k], [*one, s], [*none, p]
                ).shape[-1])
                self.assertEqual(got, size(n), (rank, n, k, s, p))

    @covers("nn.functional.fold")
    def test_folds(self):
        """As many columns as there are windows, no more and no less."""
        for n, k, s, p, d in itertools.product(EXTENTS, KERNELS, STEPS, (0, 1), (1, 2)):
            room = n + 2 * p - d * (k - 1) - 1
            for columns in range(1, 8):
                got = outcome(lambda: F.fold(sy.ones([1, k, columns]), (1, n), (1, k),
                                             (1, d), (0, p), (1, s)).shape)
                right = room >= 0 and columns == room // s + 1
                self.assertEqual(got, (1, 1, 1, n) if right else None, (n, k, s, p, d))

    @covers(*of("1d", "adaptive_avg_pool", "adaptive_max_pool"))
    def test_adaptive_windows(self):
        for n, o in itertools.product(range(1, 9), range(1, 9)):
            x = numbers(1, 1, n)
            spans = [range(i * n // o, up((i + 1) * n, o)) for i in range(o)]
            np.testing.assert_allclose(F.adaptive_avg_pool1d(x, o).numpy()[0, 0],
                                       [np.mean(span) for span in spans], 1e-6)
            self.assertEqual(F.adaptive_max_pool1d(x, o)[0, 0].tolist(),
                             [span[-1] for span in spans])

    @covers(*of("", "interpolate", "upsample", "upsample_nearest", "upsample_bilinear"))
    def test_scaled_sizes(self):
        for n, o in itertools.product(range(1, 8), range(1, 8)):
            x = numbers(1, 1, n)
            for form in (F.interpolate, F.upsample):
                self.assertEqual(form(x, size=o)[0, 0].tolist(),
                                 [i * n // o for i in range(o)])
            got = F.interpolate(x, size=o, mode="nearest-exact")[0, 0].tolist()
            self.assertEqual(got, [(2 * i + 1) * n // (2 * o) for i in range(o)])
        for n, scale in itertools.product(range(1, 12), (
                0.5, 1.5, 0.1, 0.3, 2.7, 3.0, 1 / 3, 0.7, 1.1)):
            want = math.floor(n * scale) or None
            for form, shape in ((F.interpolate, [1, 1, n]), (F.upsample, [1, 1, n]),
                                (F.upsample_nearest, [1, 1, n, n]),
                                (F.upsample_bilinear, [1, 1, n, n])):
                got = outcome(lambda f=form: f(
                    sy.ones(shape), scale_factor=scale).shape[-1])
                self.assertEqual(got, want, (form.__name__, n, scale))

    @covers("nn.functional.local_response_norm")
    def test_neighbouring_channels(self):
        """size // 2 before, and (size - 1) // 2 after."""
        x = numbers(1, 6, 1) + 1.0
        for size in range(1, 8):
            squares = x.numpy()[0, :, 0].astype(np.float64)**2
            near = [squares[max(0, c - size // 2):c + (size - 1) // 2 + 1].sum() / size
                    for c in range(6)]
            got = F.local_response_norm(x, size, alpha=1.0, beta=1.0, k=1.0)
            np.testing.assert_allclose(got.numpy()[0, :, 0], x.numpy()[0, :, 0] / (
                1 + np.array(near)), 1e-5, err_msg=str(size))

    @covers("stft", "istft")
    def test_frames(self):
        for length, size, hop in itertools.product((8, 9, 12, 13), (4, 5, 8), (1, 2, 3)):
            x = sy.tensor(np.random.default_rng(0).normal(size=length))
            for center in (False, True):
                padded = length + 2 * (size // 2) * center
                got = sy.stft(x, size, hop, center=center, return_complex=True)
                self.assertEqual(got.shape, (size // 2 + 1, (padded - size) // hop + 1))
            back = outcome(lambda: sy.istft(got, size, hop))
            if back is not None:
                apart = (got.shape[-1] - 1) * hop
                self.assertEqual(back.shape, (apart + size - 2 * (size // 2),))


class PartsTest(unittest.TestCase):
    PLACES = range(-7, 8)

    @covers("split", "unsafe_split", "chunk", "unsafe_chunk", "tensor_split", "hsplit",
            "vsplit", "dsplit")
    def test_parts(self):
        for n in range(1, 7):
            y = np.arange(n)
            x = sy.tensor(y)
            for k in range(1, 9):
                parts = {"split": k, "unsafe_split": k, "chunk": up(n, k),
                         "unsafe_chunk": up(n, k)}
                for name, size in parts.items():
                    self.assertEqual([each.tolist() for each in getattr(sy, name)(x, k)],
                                     [y[i:i + size].tolist() for i in range(0, n, size)],
                                     (name, n, k))
                self.assertEqual([each.tolist() for each in sy.tensor_split(x, k)],
                                 [each.tolist() for each in np.array_split(y, k)])
            for at in itertools.product(self.PLACES, self.PLACES):
                want = [each.tolist() for each in np.split(y, list(at))]
                for name, shape in (("tensor_split", [n]), ("hsplit", [n]),
                                    ("vsplit", [n, 1]), ("dsplit", [1, 1, n])):
                    got = getattr(sy, name)(sy.reshape(x, shape), list(at))
                    self.assertEqual([sy.flatten(each).tolist() for each in got], want,
                                     (name, n, at))

    @covers("slice_scatter", "unfold", "unfold_copy")
    def test_steps(self):
        for n in range(6):
            y = np.arange(n)
            x = sy.tensor(y)
            for start, stop, step in itertools.product(
                    [None, *self.PLACES], [None, *self.PLACES], (1, 2, 3, 100)):
                want = y[start:stop:step]
                self.assertEqual(x[start:stop:step].tolist(), want.tolist())
                written = y.copy()
                written[start:stop:step] = -1
                self.assertEqual(sy.slice_scatter(
                    x, sy.full([len(want)], -1), 0, start, stop, step).tolist(),
                                 written.tolist(), (n, start, stop, step))
            for size, step in itertools.product(range(1, 5), range(1, 5)):
                for form in (sy.unfold, sy.unfold_copy):
                    got = outcome(lambda f=form: f(x, 0, size, step).tolist())
                    want = [y[i:i + size].tolist() for i in range(0, n - size + 1, step)]
                    self.assertEqual(got, want if size <= n else None)

    @covers("roll", "rot90")
    def test_turns(self):
        y = np.arange(12).reshape(3, 4)
        x = sy.tensor(y)
        for k in (*range(-9, 10), 2**40 + 3, -2**40 - 3):
            self.assertEqual(sy.rot90(x, k).tolist(), np.rot90(y, k).tolist())
            for form in (sy.roll, sy.ops.roll):
                self.assertEqual(form(x, k, 1).tolist(), np.roll(y, k, 1).tolist())
        self.assertEqual(sy.roll(sy.zeros([0]), 3, 0).shape, (0,))

    @covers("diagonal", "diagonal_copy", "linalg.diagonal", "trace", "linalg.trace",
            "tril", "triu", "tril_indices", "triu_indices", "diag", "diag_embed",
            "diagflat")
    def test_diagonals(self):
        for rows, columns, k in itertools.product((1, 3, 4), (1, 2, 4), range(-6, 7)):
            y = np.arange(1, rows * columns + 1).reshape(rows, columns)
            x, inside = sy.tensor(y), -rows < k < columns
            for name in ("tril", "triu"):
                self.assertEqual(getattr(sy, name)(x, k).tolist(),
                                 getattr(np, name)(y, k).tolist())
                self.assertEqual(
                    getattr(sy, name + "_indices")(rows, columns, k).tolist(),
                    np.array(getattr(np, name + "_indices")(rows, k, columns)).tolist())
            for form in (sy.diagonal, sy.linalg.diagonal, sy.diagonal_copy, sy.diag):
                argument = {"diagonal" if form is sy.diag else "offset": k}
                got = outcome(lambda f=form: f(x, **argument).tolist())
                want = np.diagonal(y, k).tolist()
                self.assertTrue(got == want or got is None and not inside,
                                (form.__name__, rows, columns, k, got))
            for form in (sy.trace, sy.linalg.trace):
                got = outcome(lambda f=form: f(x, offset=k).item())
                self.assertTrue(got == np.trace(y, k) or got is None and not inside)
            for form in (sy.diag_embed, sy.diagflat):
                self.assertEqual(form(sy.tensor([1, 2]), k).tolist(),
                                 np.diagflat([1, 2], k).tolist())

    @covers("arange", "linspace", "fft.fftfreq", "fft.rfftfreq", "unravel_index")
    def test_counts(self):
        for dtype in ("int32", "int64", "float32", "float64"):
            for start, stop, step in itertools.product(
                    range(-4, 5), range(-4, 5), (-3, -2, -1, 1, 2, 3)):
                self.assertEqual(sy.arange(start, stop, step, dtype=dtype).tolist(),
                                 list(range(start, stop, step)))
        for start, stop, count in itertools.product(range(-5, 6), range(-5, 6),
                                                    range(1, 7)):
            for dtype in ("int32", "int64"):
                got = sy.linspace(start, stop, count, dtype=dtype).tolist()
                want = np.trunc(np.linspace(start, stop, count)).tolist()
                self.assertEqual(got, want, (start, stop, count))
        for n in range(1, 10):
            for name in ("fftfreq", "rfftfreq"):
                np.testing.assert_allclose(getattr(sy.fft, name)(n).numpy(),
                                           getattr(np.fft, name)(n), 1e-6)

    def test_places_in_a_row(self):
        for shape in ((2, 3), (4,), (3, 1, 5)):
            count = math.prod(shape)
            got = sy.unravel_index(sy.arange(count), shape)
            for each, right in zip(got, np.unravel_index(np.arange(count), shape)):
                self.assertEqual(each.tolist(), right.tolist())
            for wrong in (-1, count, 2**40):
                with self.assertRaisesRegex(IndexError, rf"must be in \[0, {count}\), "
                                                        f"got {wrong}"):
                    sy.unravel_index(sy.tensor([0, wrong]), shape)

    @covers(*of("", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle"))
    def test_groups_that_do_not_divide(self):
        for n, factor in itertools.product(range(1, 10), range(1, 5)):
            for name, shape, divides in (
                    ("pixel_shuffle", [1, n, 2, 2], n % factor**2 == 0),
                    ("pixel_unshuffle", [1, 1, n, factor], n % factor == 0),
                    ("channel_shuffle", [1, n, 2], n % factor == 0)):
                got = outcome(lambda: getattr(F, name)(sy.ones(shape), factor))
                self.assertEqual(got is not None, divides, (name, n, factor))


class CoverageTest(unittest.TestCase):

    def test_every_function_that_divides_has_a_formula(self):
        concerned = set()
        for name, function in argument_names.public().items():
            # Layers are their functions; those of other places take no sizes.
            if inspect.isclass(function) or name.startswith(("io.", "optim.")):
                continue
            try:
                arguments = set(inspect.signature(function).parameters)
            except (TypeError, ValueError):
                continue
            if arguments & CONCERNED:
                concerned.add(name)
        self.assertEqual(concerned - set(TESTED) - OTHERS, set())
        self.assertEqual(OTHERS - concerned, set())


if __name__ == "__main__":
    unittest.main()
