# SPDX-License-Identifier: Apache-2.0
"""ONNX models with floats of 8 and 4 bits and integers of 4 and 2: initializers, what
moves them, Cast with its attributes, quantisation. Numbers of codes, and codes of numbers
within the range, are those of ml_dtypes (testdata/storage_types.npz)."""
import pathlib
import unittest
import warnings

import numpy as np
import onnx_models as onnx
from onnx_checks import RNG, OnnxCase, floats

import switchyard as sy

DATA = np.load(pathlib.Path(__file__).with_name("testdata") / "storage_types.npz")
GREATEST = {"float8_e4m3fn": 448, "float8_e4m3fnuz": 240, "float8_e5m2": 57344,
            "float8_e5m2fnuz": 57344}
FLOATS = (*GREATEST, "float4_e2m1fn")
INTEGERS = {"int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1), "uint2": (0, 3)}
TYPES = (*FLOATS, "float8_e8m0fnu", *INTEGERS)
FLOAT32 = 1


def codes_of(dtype):
    return np.arange(len(DATA[f"{dtype}.numbers"]), dtype=np.uint8)


def packed(codes, dtype):
    """The bytes of codes in a file: the first in the lowest bits."""
    bits = len(codes_of(dtype)).bit_length() - 1
    in_byte = 8 // bits
    codes = np.append(codes, np.zeros(-codes.size % in_byte, np.uint8)).reshape(-1, in_byte)
    return (codes.astype(int) << bits * np.arange(in_byte)).sum(1).astype(np.uint8).tobytes()


def stored(name, dtype, codes, typed=False):
    """A TensorProto of codes: raw bytes, or the same in int32_data."""
    content = packed(codes, dtype)
    elements = (b"".join(onnx.number(5, each) for each in content) if typed
                else onnx.message(9, content))
    return (b"".join(onnx.number(1, extent) for extent in codes.shape)
            + onnx.number(2, onnx.CODES[dtype]) + onnx.message(8, name) + elements)


def nearest(dtype, x, saturate):
    """ml_dtypes' codes of the float32 x, which `DATA` has; those too large saturate."""
    table = dict(zip(DATA[f"{dtype}.given"].view(np.uint32).tolist(),
                     DATA[f"{dtype}.rounded"].tolist()))
    if saturate and dtype in GREATEST:
        x = np.clip(x, -GREATEST[dtype], GREATEST[dtype]).astype(np.float32)
    return np.array([table[each] for each in x.view(np.uint32).tolist()], np.uint8)


class OnnxStorageTest(OnnxCase):

    def setUp(self):
        super().setUp()
        warnings.simplefilter("ignore")  # NumPy's, of casts that leave a range.

    def same_codes(self, dtype, got, want):
        numbers = DATA[f"{dtype}.numbers"]
        np.testing.assert_array_equal(numbers[got], numbers[want], dtype)
        real = ~np.isnan(numbers[want])
        np.testing.assert_array_equal(np.signbit(numbers[got[real]]),
                                      np.signbit(numbers[want[real]]), dtype)

    def run_stored(self, nodes, feeds, outputs, tensors=(), opset=25):
        """As run_both, of feeds (codes, storage type) and initializers of `stored`."""
        ports = [onnx.port(name, dtype, codes.shape) for name, (codes, dtype) in feeds.items()]
        graph = onnx.graph(nodes, ports, outputs) + b"".join(onnx.message(5, t) for t in tensors)
        with open(self.path, "wb") as file:
            file.write(onnx.model(graph, opset))
        program = sy.load(self.path)
        given = {name: sy.tensor(codes, dtype) for name, (codes, dtype) in feeds.items()}
        results, eager = program.run(given), program.run_eagerly(given)
        for name in outputs:
            np.testing.assert_array_equal(results[name], eager[name])
        return [results[name] for name in outputs]

    def test_initializers(self):
        for dtype in TYPES:
            codes = codes_of(dtype)[:-1] if dtype in INTEGERS else codes_of(dtype)
            for typed in (False, True):
                got, = self.run_stored([onnx.node("Cast", ["w"], ["y"], to=FLOAT32)], {}, ["y"],
                                       [stored("w", dtype, codes, typed)])
                np.testing.assert_array_equal(got, DATA[f"{dtype}.numbers"][codes], dtype)

    def test_one_byte_too_few(self):
        for dtype in TYPES:
            message = stored("w", dtype, codes_of(dtype)[:4])
            self.assertEqual(message.count(b"w"), 1)
            short = message.replace(onnx.number(1, 4), onnx.number(1, 9), 1)
            with self.assertRaisesRegex(ValueError, "tensor 'w': elements must be"):
                self.run_stored([onnx.node("Cast", ["w"], ["y"], to=FLOAT32)], {}, ["y"], [short])

    def test_what_moves_them(self):
        for dtype in TYPES:
            x = RNG.permutation(np.resize(codes_of(dtype), 24)).astype(np.uint8).reshape(2, 3, 4)
            index = np.array([2, 0])
            nodes = [onnx.node("Identity", ["x"], ["same"]),
                     onnx.node("Transpose", ["x"], ["turned"], perm=[2, 0, 1]),
                     onnx.node("Reshape", ["x", "shape"], ["flat"]),
                     onnx.node("Concat", ["x", "x"], ["twice"], axis=1),
                     onnx.node("Gather", ["x", "index"], ["picked"], axis=1),
                     onnx.node("Slice", ["x", "one", "three", "one"], ["cut"]),
                     onnx.node("Unsqueeze", ["x", "one"], ["more"]),
                     onnx.node("Flatten", ["x"], ["rows"]),
                     onnx.node("Split", ["x", "halves"], ["left", "right"], axis=2)]
            tensors = [onnx.tensor("shape", np.array([-1])), onnx.tensor("index", index),
                       onnx.tensor("one", np.array([1])), onnx.tensor("three", np.array([3])),
                       onnx.tensor("halves", np.array([1, 3]))]
            want = {"same": x, "turned": x.transpose(2, 0, 1), "flat": x.reshape(-1),
                    "twice": np.concatenate([x, x], 1), "picked": x[:, index], "cut": x[:, 1:3],
                    "more": x[:, None], "rows": x.reshape(2, 12), "left": x[:, :, :1],
                    "right": x[:, :, 1:]}
            got = self.run_stored(nodes, {"x": (x, dtype)}, list(want), tensors)
            for name, each in zip(want, got):
                np.testing.assert_array_equal(each, want[name], f"{dtype} {name}")

    def test_casts_saturate_or_not(self):
        for dtype in FLOATS:
            x = DATA[f"{dtype}.given"]
            if dtype == "float4_e2m1fn":
                # ONNX's page on it: NaN is 6.
                got = self.one("Cast", x[np.isnan(x)], opset=25, to=onnx.CODES[dtype])
                self.assertEqual(set(got.tolist()), {7})
                x = x[~np.isnan(x)]
            for saturate in (True, False):
                want = nearest(dtype, x, saturate)
                got = self.one("Cast", x, opset=25, to=onnx.CODES[dtype],
                               **{} if saturate else {"saturate": 0})
                self.same_codes(dtype, got, want)
            # Halves, float64 and integers hold what is beyond too.
            for other in ("float16", "float64", "int32"):
                top = np.array([60000, -60000]).astype(other)
                got = self.one("Cast", top, opset=25, to=onnx.CODES[dtype])
                numbers = DATA[f"{dtype}.numbers"]
                top = GREATEST.get(dtype, 6)
                np.testing.assert_array_equal(numbers[got], [top, -top])

    def test_casts_between_them_saturate(self):
        for a in TYPES:
            for b in GREATEST:
                got, = self.run_stored([onnx.node("Cast", ["x"], ["y"], to=onnx.CODES[b])],
                                       {"x": (codes_of(a), a)}, ["y"])
                numbers = DATA[f"{a}.numbers"]
                beyond = np.abs(numbers) > GREATEST[b]
                want = DATA[f"{a}.{b}"].copy()
                top = int(np.argmax(DATA[f"{b}.numbers"] == GREATEST[b]))
                want[beyond] = np.where(numbers[beyond] < 0, top | 0x80, top)
                if a != b or b == "float8_e5m2":
                    self.same_codes(b, got, want)

    def test_powers_of_2(self):
        dtype, exponents = "float8_e8m0fnu", np.arange(-127, 128)
        x = np.concatenate([np.ldexp(m, exponents) for m in (1.0, 1.25, 1.5, 1.75, 1 + 2.0**-40)])
        m, e = np.frexp(x)
        rounded = {"up": e - (m == 0.5), "down": e - 1, "nearest": e - (m < 0.75)}
        for mode, exponent in rounded.items():
            for saturate in (0, 1):
                got = self.one("Cast", x, opset=24, to=onnx.CODES[dtype], round_mode=mode,
                               saturate=saturate)
                want = exponent + 127
                np.testing.assert_array_equal(got, np.minimum(want, 254 if saturate else 255), mode)
        ends = np.array([0, 2.0**-140, 2.0**127, np.inf, np.nan], np.float32)
        np.testing.assert_array_equal(
            self.one("Cast", ends, opset=24, to=onnx.CODES[dtype]), [0, 0, 254, 254, 255])
        np.testing.assert_array_equal(
            self.one("Cast", ends, opset=24, to=onnx.CODES[dtype], saturate=0,
                     round_mode="nearest"), [255, 255, 254, 255, 255])
        with self.assertRaisesRegex(NotImplementedError, "round_mode must be up, down or nearest"):
            self.one("Cast", ends, opset=24, to=onnx.CODES[dtype], round_mode="sideways")

    def test_integers_are_quantised(self):
        x = floats(3, 8) * np.float32(8)
        x[0, :2] = np.inf, -np.inf
        scale = np.array([0.5, 1.25, 2], np.float32)
        for dtype, (least, most) in INTEGERS.items():
            zeros = np.array([1, 0, 1], np.uint8)
            want = np.clip(np.rint(x / scale[:, None]) + zeros[:, None], least, most)
            nodes = [onnx.node("QuantizeLinear", ["x", "s", "z"], ["q"], axis=0),
                     onnx.node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=0),
                     onnx.node("Cast", ["q"], ["n"], to=FLOAT32)]
            tensors = [onnx.tensor("x", x), onnx.tensor("s", scale), stored("z", dtype, zeros)]
            got = self.run_stored(nodes, {}, ["n", "y"], tensors)
            np.testing.assert_array_equal(got[0], want, dtype)
            np.testing.assert_array_equal(got[1], (want - zeros[:, None]) * scale[:, None])

    def test_bits_as_another_dtype(self):
        """BitCast, with NumPy's view for all pairs of one width."""
        names = {8: ("int8", "uint8", *(t for t in TYPES if "8" in t)), 16: ("int16", "uint16", "float16"),
                 32: ("int32", "uint32", "float32"), 64: ("int64", "uint64", "float64"),
                 4: ("int4", "uint4", "float4_e2m1fn"), 2: ("int2", "uint2")}
        for bits, dtypes in names.items():
            word = f"uint{max(bits, 8)}"
            codes = RNG.integers(0, 1 << bits, (2, 3), dtype=np.uint64).astype(word)
            for a in dtypes:
                for b in dtypes:
                    node = onnx.node("BitCast", ["x"], ["y"], to=onnx.CODES[b])
                    graph = onnx.graph([node], [onnx.port("x", a, [2, 3])], ["y"])
                    with open(self.path, "wb") as file:
                        file.write(onnx.model(graph, 26))
                    program = sy.load(self.path)
                    x = sy.tensor(codes, a) if a in TYPES else codes.view(a)
                    for run in (program.run, program.run_eagerly):
                        got = run({"x": x})["y"]
                        self.assertEqual(got.dtype.name, word if b in TYPES else b)
                        self.assertEqual(got.tobytes(), codes.tobytes(), (a, b))
        got = self.one("BitCast", np.array([0, 1, 2, 255], np.uint8), opset=26, to=onnx.CODES["bool"])
        self.assertEqual(got.tolist(), [False, True, True, True])
        got = self.one("BitCast", np.array([True, False]), opset=26, to=onnx.CODES["int8"])
        self.assertEqual(got.tolist(), [1, 0])
        with self.assertRaisesRegex(TypeError, "to must be of 32 bits, as the input is, got int64"):
            self.one("BitCast", floats(2), opset=26, to=onnx.CODES["int64"])

    def test_floats_are_quantised(self):
        for dtype in FLOATS:
            given = DATA[f"{dtype}.given"]
            x = given[np.abs(given) < 2.0**30]
            for saturate in (1, 0):
                want = nearest(dtype, x, saturate)
                got = self.one("QuantizeLinear", x * np.float32(2), np.float32(2), opset=23,
                               output_dtype=onnx.CODES[dtype], saturate=saturate)
                self.same_codes(dtype, got, want)
            got, = self.run_stored(
                [onnx.node("DequantizeLinear", ["x", "s"], ["y"])],
                {"x": (codes_of(dtype), dtype)}, ["y"], [onnx.tensor("s", np.float32(0.5))])
            np.testing.assert_array_equal(got, DATA[f"{dtype}.numbers"] * 0.5)

    def test_sixteen_bits_with_scales_of_halves(self):
        x = (floats(4, 50) * np.float32(300)).astype(np.float16)
        scale = np.array([0.5, 0.0625, 1.5, 0.01], np.float16)
        for dtype, zeros in (("int16", [-32768, 12345, 32767, -1]), ("uint16", [65535, 40001, 0, 3])):
            zeros = np.array(zeros, dtype)
            info = np.iinfo(dtype)
            steps = np.rint(x / scale[:, None]).astype(np.float64) + zeros[:, None]
            got = self.one("QuantizeLinear", x, scale, zeros, opset=21, axis=0)
            np.testing.assert_array_equal(got, np.clip(steps, info.min, info.max), dtype)
            want = (got.astype(np.float32) - zeros[:, None]) * scale[:, None].astype(np.float32)
            for to in ("float16", "float32"):
                back = self.one("DequantizeLinear", got, scale, zeros, opset=23, axis=0,
                                output_dtype=onnx.CODES[to])
                np.testing.assert_array_equal(back, want.astype(to))

    def test_blocks_with_powers_of_2_for_scales(self):
        codes = RNG.integers(0, 16, (2, 8)).astype(np.uint8)
        scales = np.array([[127, 128], [126, 130]], np.uint8)
        node = onnx.node("DequantizeLinear", ["x", "s"], ["y"], axis=1, block_size=4,
                         output_dtype=FLOAT32)
        tensors = [stored("s", "float8_e8m0fnu", scales)]
        got, = self.run_stored([node], {"x": (codes, "float4_e2m1fn")}, ["y"], tensors)
        want = DATA["float4_e2m1fn.numbers"][codes] * np.repeat(2.0**(scales - 127.0), 4, 1)
        np.testing.assert_array_equal(got, want)
        node = onnx.node("DequantizeLinear", ["x", "s"], ["y"], axis=1, block_size=4)
        with self.assertRaisesRegex(NotImplementedError, "output_dtype must be given"):
            self.run_stored([node], {"x": (codes, "float4_e2m1fn")}, ["y"], tensors)


if __name__ == "__main__":
    unittest.main()
