# SPDX-License-Identifier: Apache-2.0
"""Storage types against ml_dtypes (testdata/storage_types.npz): every value of every
pair of types, what rounds and what is beyond; what moves them, and files."""

import pathlib
import tempfile
import unittest
import warnings

import numpy as np

import switchyard as sy

DATA = np.load(pathlib.Path(__file__).with_name("testdata") / "storage_types.npz")
FLOATS = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
          "float8_e8m0fnu", "float4_e2m1fn")
INTEGERS = ("int4", "uint4", "int2", "uint2")
STORAGE = FLOATS + INTEGERS
GREATEST = {"float8_e4m3fn": 448, "float8_e4m3fnuz": 240, "float8_e5m2": 57344,
            "float8_e5m2fnuz": 57344}
WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def codes_of(dtype):
    return np.arange(len(DATA[f"{dtype}.numbers"]), dtype=np.uint8)


class StorageTest(unittest.TestCase):

    def setUp(self):
        warnings.simplefilter("ignore")  # NumPy's, of casts that leave a range.

    def same_codes(self, dtype, got, want, *about):
        """Codes of one NaN are as good as those of another."""
        numbers = DATA[f"{dtype}.numbers"]
        wrong = (got != want) & ~(np.isnan(numbers[got]) & np.isnan(numbers[want]))
        self.assertFalse(wrong.any(), (dtype, np.nonzero(wrong), got[wrong], want[wrong], *about))

    def test_every_value_of_every_pair(self):
        for a in STORAGE:
            x = sy.tensor(codes_of(a), a)
            numbers = DATA[f"{a}.numbers"]
            for b in STORAGE:
                got = x.astype(b)
                self.assertEqual(got.dtype, b)
                # Numbers that an integer type does not hold saturate, where it is a float's.
                held = np.ones(len(numbers), bool)
                if b in INTEGERS and a in FLOATS:
                    range_ = DATA[f"{b}.numbers"]
                    held = (numbers >= range_.min()) & (numbers <= range_.max())
                if a in FLOATS and b == "float4_e2m1fn":
                    held &= ~np.isnan(numbers)
                self.same_codes(b, got.numpy()[held], DATA[f"{a}.{b}"][held], a)

    def test_to_what_is_computed_with(self):
        for a in STORAGE:
            x = sy.tensor(codes_of(a), a)
            numbers = DATA[f"{a}.numbers"]
            for b in ("float16", "float32", "float64", "complex64", "complex128", "bool"):
                got = x.astype(b).numpy()
                np.testing.assert_array_equal(got, numbers.astype(b), f"{a} {b}")
                if b.startswith("float"):
                    real = ~np.isnan(numbers)
                    np.testing.assert_array_equal(np.signbit(got)[real],
                                                  np.signbit(numbers)[real])
            got = x.astype("bfloat16").astype("float64").numpy()
            want = sy.tensor(numbers).astype("bfloat16").astype("float64").numpy()
            np.testing.assert_array_equal(got, want)
            for b in WHOLE:
                got = x.astype(b).numpy()
                if a in INTEGERS:
                    want = numbers.astype(np.int64).astype(b)
                    np.testing.assert_array_equal(got, want, f"{a} {b}")
                else:
                    np.testing.assert_array_equal(
                        got, sy.tensor(numbers).astype(b).numpy(), f"{a} {b}")

    def test_rounding(self):
        for a in FLOATS:
            given, want = DATA[f"{a}.given"], DATA[f"{a}.rounded"]
            if a == "float4_e2m1fn":
                given, want = given[~np.isnan(given)], want[~np.isnan(given)]
            self.same_codes(a, sy.tensor(given).astype(a).numpy(), want)
            doubled = np.stack([given, given], 1)
            got = sy.tensor(doubled)[:, 1].astype(a)
            self.same_codes(a, got.numpy(), want)
            wide = given.astype(np.float64)
            self.same_codes(a, sy.tensor(wide).astype(a).numpy(), want)
            for half in ("float16", "bfloat16"):
                near = sy.tensor(given).astype(half)
                back = near.astype("float32")
                self.same_codes(a, near.astype(a).numpy(), back.astype(a).numpy(), half)

    def test_numbers_are_shown(self):
        for dtype, want in (("float8_e4m3fn", [1.5, -2.0]), ("float8_e5m2", [1.5, -2.0]),
                            ("float4_e2m1fn", [1.5, -2.0]), ("int4", [1, -2]), ("int2", [1, -2])):
            with self.subTest(dtype):
                x = sy.tensor(np.array([1.5, -2.0])).astype(dtype)
                self.assertEqual(x.tolist(), want)
                self.assertEqual([x[0].item(), float(x[1:])], want)
                self.assertEqual(type(x[0].item()), type(want[0]))
                self.assertEqual(str(x), f"tensor({np.array(want, np.float32 if want[0] == 1.5 else int)!s}, "
                                         f"dtype={dtype})".replace(" -2", ", -2"))
        with sy.no_grad():
            shown = sy.static.trace(lambda v: v * x.tolist()[1], sy.static.InputSpec([2]))
        self.assertEqual(shown(sy.ones((2,))).tolist(), [-2.0, -2.0])

    def test_a_double_is_rounded_once(self):
        # To float32 it would be the middle, which goes to the even code below.
        for dtype, middle, below, above in (("float8_e4m3fn", 1.0625, 0x38, 0x39),
                                            ("float8_e5m2", 1.125, 0x3c, 0x3d),
                                            ("float4_e2m1fn", 1.25, 2, 3)):
            x = sy.tensor(np.array([middle, middle + 2.0**-40, -middle - 2.0**-40]))
            sign = 8 if dtype == "float4_e2m1fn" else 0x80
            self.assertEqual(x.astype(dtype).numpy().tolist(), [below, above, above | sign])

    def test_integers(self):
        integers = DATA["integers"]
        for a in STORAGE:
            want = DATA[f"{a}.integers"]
            for b in ("int64", "int32"):
                self.same_codes(a, sy.tensor(integers.astype(b)).astype(a).numpy(), want, b)
            for b in ("int8", "uint8", "int16", "uint16", "uint32", "uint64"):
                held = (integers >= np.iinfo(b).min) & (integers <= np.iinfo(b).max)
                x = sy.tensor(integers[held].astype(b))
                self.same_codes(a, x.astype(a).numpy(), want[held], b)
            one = sy.tensor(np.array([True, False])).astype(a)
            self.same_codes(a, one.numpy(), np.array([np.argmax(DATA[f"{a}.numbers"] == 1),
                                                      sy.tensor([0.0]).astype(a).numpy()[0]],
                                                     np.uint8))
        # Half of the way to the next power of 2, and one less.
        for dtype in ("int64", "uint64"):
            x = sy.tensor(np.array([3 * 2**61, 3 * 2**61 - 1, 2**62 + 1], dtype))
            self.assertEqual(x.astype("float8_e8m0fnu").numpy().tolist(), [190, 189, 189])
        # Floats saturate in integer types; NaN is 0.
        x = sy.tensor([-np.inf, -9.0, -1.9, 0.9, 7.9, 300.0, np.inf, np.nan])
        self.assertEqual(x.astype("int4").astype("int32").tolist(), [-8, -8, -1, 0, 7, 7, 7, 0])
        self.assertEqual(x.astype("uint2").astype("int32").tolist(), [0, 0, 0, 0, 3, 3, 3, 0])

    def test_casts_saturate_where_asked(self):
        for dtype, top in GREATEST.items():
            given = DATA[f"{dtype}.given"]
            table = dict(zip(given.view(np.uint32).tolist(), DATA[f"{dtype}.rounded"].tolist()))
            within = np.clip(given, -top, top).astype(np.float32)
            want = np.array([table[each] for each in within.view(np.uint32).tolist()])
            x = sy.tensor(given)
            self.same_codes(dtype, x.astype(dtype, saturate=True).numpy(), want)
            self.same_codes(dtype, x.astype(dtype, saturate=False).numpy(),
                            DATA[f"{dtype}.rounded"])
            ends = [top, top] if dtype == "float8_e5m2" else [top]
            for other in ("float16", "bfloat16", "float64", "int32", "uint64"):
                beyond = sy.tensor([60000.0 for _ in ends]).astype(other)
                got = beyond.astype(dtype, saturate=True).astype("float32")
                self.assertEqual(got.tolist(), ends)
            infinite = sy.tensor(np.array([0x7c, 0xfc], np.uint8), "float8_e5m2")
            if dtype != "float8_e5m2":
                got = infinite.astype(dtype, saturate=True).astype("float32")
                self.assertEqual(got.tolist(), [top, -top])

    def test_powers_of_2_are_rounded_as_asked(self):
        dtype, exponents = "float8_e8m0fnu", np.arange(-127, 128)
        x = np.concatenate([np.ldexp(m, exponents) for m in (1.0, 1.25, 1.5, 1.75, 1 + 2.0**-40)])
        m, e = np.frexp(x)
        rounded = {"up": e - (m == 0.5), "down": e - 1, "nearest": e - (m < 0.75)}
        for mode, exponent in rounded.items():
            for saturate, most in ((True, 254), (False, 255), (None, 255)):
                got = sy.tensor(x).astype(dtype, round_mode=mode, saturate=saturate)
                np.testing.assert_array_equal(got.numpy(), np.minimum(exponent + 127, most), mode)
        ends = sy.tensor([0.0, 2.0**-140, np.inf, np.nan, 3.0])
        for saturate, want in ((True, [0, 0, 254, 255, 129]), (False, [255, 0, 255, 255, 129])):
            self.assertEqual(ends.astype(dtype, saturate=saturate, round_mode="up").numpy().tolist(),
                             want)

    def test_attributes_where_they_are_not_meant(self):
        x = sy.ones([2])
        for named, sentence in (
                ({"dtype": "float32", "saturate": True}, "saturate must be None unless"),
                ({"dtype": "int4", "saturate": False}, "got False for int4"),
                ({"dtype": "float8_e5m2", "round_mode": "up"}, "None unless dtype is float8_e8m0fnu"),
                ({"dtype": "float8_e8m0fnu", "round_mode": "even"}, "must be 'up', 'down'")):
            with self.assertRaisesRegex(ValueError, f"astype: .*{sentence}"):
                sy.astype(x, **named)
        with self.assertRaisesRegex(TypeError, "astype: saturate must be True, False or None"):
            x.astype("float8_e5m2", saturate=1)

    def test_what_is_filled(self):
        for dtype in STORAGE:
            x = sy.full([2, 3], 1, dtype)
            self.assertEqual((x.dtype, x.shape), (dtype, (2, 3)))
            self.assertEqual(x.astype("float32").tolist(), [[1.0] * 3] * 2)
            for made in (sy.ones([2, 3], dtype=dtype), sy.ones(2, 3, dtype), sy.ones_like(x),
                         sy.ones_like(sy.zeros([2, 3]), dtype=dtype), sy.full_like(x, 1.0)):
                self.assertEqual(made.dtype, dtype)
                np.testing.assert_array_equal(made.numpy(), x.numpy())
            zero = 255 if dtype == "float8_e8m0fnu" else 0  # It has none.
            for made in (sy.zeros([2], dtype), sy.zeros_like(x), sy.empty([1], dtype)):
                self.assertEqual(set(made.numpy().flat), {zero})
        with self.assertRaisesRegex(ValueError, "full: fill_value must be a number that int4 holds"):
            sy.full([2], 8, "int4")

    def test_what_moves(self):
        for dtype in STORAGE:
            bits = 8 if dtype.startswith("float8") else 2 if dtype.endswith("int2") else 4
            a = (np.arange(24) % 2**bits).astype(np.uint8).reshape(2, 3, 4)
            x = sy.tensor(a, dtype)
            index = np.array([1, 0, 1])
            for got, want in (
                    (x.reshape([6, 4]), a.reshape(6, 4)),
                    (x.transpose([2, 0, 1]), a.transpose(2, 0, 1)),
                    (x.transpose([2, 0, 1]).reshape([8, 3]), a.transpose(2, 0, 1).reshape(8, 3)),
                    (x[1, :, ::2], a[1, :, ::2]),
                    (x[:, -1:], a[:, -1:]),
                    (sy.concat([x, x], 1), np.concatenate([a, a], 1)),
                    (sy.stack([x, x], 0), np.stack([a, a])),
                    (sy.split(x, 2, 2)[1], a[:, :, 2:]),
                    (sy.tile(x, [1, 2, 1]), np.tile(a, (1, 2, 1))),
                    (sy.flip(x, 0), a[::-1]),
                    (sy.take(x, sy.tensor(index), axis=1), a[:, index]),
                    (sy.unsqueeze(x, 0), a[None]),
                    (x.clone(), a)):
                self.assertEqual((got.dtype, got.shape), (dtype, want.shape))
                np.testing.assert_array_equal(got.numpy(), want, dtype)

    def test_files_keep_them(self):
        kept = {dtype: sy.tensor(codes_of(dtype), dtype) for dtype in FLOATS
                if dtype.startswith("float8")}
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder, "x.safetensors"))
            sy.save(kept, path)
            back = sy.load_state(path)
            for dtype, x in kept.items():
                self.assertEqual(back[dtype].dtype, dtype)
                np.testing.assert_array_equal(back[dtype].numpy(), x.numpy())
            for dtype in ("int4", "float4_e2m1fn"):
                with self.assertRaisesRegex(TypeError, f"safetensors has, got {dtype}"):
                    sy.save({"x": sy.tensor(codes_of(dtype), dtype)}, path)

    def test_what_computes_refuses_them(self):
        x = sy.tensor(codes_of("float8_e5m2"), "float8_e5m2")
        for call in (lambda: x + x, lambda: sy.exp(x), lambda: sy.sum(x), lambda: x < x,
                     lambda: sy.maximum(x, x), lambda: sy.sort(x)):
            with self.assertRaisesRegex(TypeError, "float8_e5m2"):
                call()


if __name__ == "__main__":
    unittest.main()
