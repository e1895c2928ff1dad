# SPDX-License-Identifier: Apache-2.0
"""Programs of an operator or two, as real programs have them, by number of the study's items, against NumPy."""
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy

import program_desc
from program_desc import Block, Op, Variable

_INTS = {np.dtype(np.int32): 2, np.dtype(np.int64): 3}


def run(ops, feeds, outputs, described=None, versions=None):
    """Returns what a program of these operators computes. ``feeds``: arrays by name; ``described``: their
    shapes in the program where they are others than the arrays'."""
    variables = [Variable(name, tuple((described or {}).get(name, array.shape)),
                          _INTS.get(array.dtype, program_desc.FLOAT32)) for name, array in feeds.items()]
    written = {name for op in ops for names in op.outputs.values() for name in names}
    variables += [Variable(name, None) for name in sorted(written - set(feeds))]
    ports = [Op("feed", {"X": ["feed"]}, {"Out": [name]}, {"col": i}) for i, name in enumerate(feeds)]
    fetches = [Op("fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": i}) for i, name in enumerate(outputs)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "__model__")
        path.write_bytes(program_desc.write([Block(variables, [*ports, *ops, *fetches])], versions))
        got = sy.load(folder).run(feeds)
    return [got[name] for name in outputs]


def one(op_type, feeds, attrs, slots=("X",), out="Out"):
    """The output of one operator whose slots take the feeds in order."""
    op = Op(op_type, {slot: [name] for slot, name in zip(slots, feeds)}, {out: ["out"]}, attrs)
    return run([op], feeds, ["out"])[0]


def normal(*shape, seed=8):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def windows(x, size, stride, before, after):
    """The windows over the last two axes of x, with NaN around it, as two more axes."""
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (before[0], after[0]), (before[1], after[1])),
                    constant_values=np.nan)
    every = np.lib.stride_tricks.sliding_window_view(padded, size, axis=(2, 3))
    return every[:, :, ::stride[0], ::stride[1]]


def convolved(x, kernel, stride, before, after, dilation):
    """NCHW, by its definition."""
    size = [(extent - 1) * dilation + 1 for extent in kernel.shape[2:]]
    every = np.nan_to_num(windows(x, size, stride, before, after))[..., ::dilation, ::dilation]
    return np.einsum("nchwij,ocij->nohw", every, kernel.astype(np.float64))


class ProgramItemsTest(unittest.TestCase):
    def near(self, got, want):
        self.assertEqual(got.shape, want.shape)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)

    def test_item_2_every_neutral_attribute_has_values_that_are_refused(self):
        x, kernel = normal(1, 2, 4, 4), normal(2, 2, 1, 1)
        convolution = {"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "groups": 1}
        two = {"Input": x, "Filter": kernel}
        pair = {"X": normal(2, 3), "Y": normal(3, 2)}
        for op_type, slots, out, given, refused in (
                ("conv2d", two, "Output", convolution,
                 {"fuse_relu": True, "fuse_brelu": True, "fuse_residual_connection": True, "force_fp32_output": True,
                  "use_quantizer": True, "fuse_activation": "relu", "fuse_relu_before_depthwise_conv": True}),
                ("depthwise_conv2d", two, "Output", convolution, {"fuse_relu": True, "fuse_brelu": True}),
                ("conv2d_transpose", two, "Output", convolution,
                 {"fuse_relu": True, "fuse_activation": "relu", "force_fp32_output": True}),
                ("elementwise_add", {"X": x, "Y": x}, "Out", {"axis": -1},
                 {"use_quantizer": True, "Scale_x": 2.0, "Scale_y": 2.0, "Scale_out": 2.0}),
                ("transpose2", {"X": x}, "Out", {"axis": [0, 2, 3, 1]}, {"use_quantizer": True}),
                ("matmul", pair, "Out", {},
                 {"fused_reshape_X": [2, 3], "fused_reshape_Y": [3, 2], "fused_reshape_Out": [4],
                  "fused_transpose_X": [1, 0], "fused_transpose_Y": [1, 0], "fused_transpose_Out": [1, 0],
                  "force_fp32_output": True, "use_quantizer": True}),
                ("relu", {"X": x}, "Out", {}, {"fuse_relu": True, "use_quantizer": True})):
            feeds, neutral = {slot.lower(): array for slot, array in slots.items()}, dict(given)
            for name, other in refused.items():
                with self.subTest(f"{op_type} {name}"), self.assertRaisesRegex(
                        (ValueError, NotImplementedError), rf"{op_type}: .*\b{name} must be "):
                    one(op_type, feeds, {**given, name: other}, tuple(slots), out)
                if not name.startswith("Scale"):
                    neutral[name] = type(other)()
            # All of them at their neutral values, with those of which no value matters.
            free = {"is_test": True, "Input0_threshold": [0.5], "out_threshold": 2.5, "fuse_brelu_threshold": 6.0,
                    "inplace": True, "skip_quant": True, "quantization_type": "qat_with_weight"}
            want = one(op_type, feeds, given, tuple(slots), out)
            np.testing.assert_array_equal(one(op_type, feeds, {**neutral, **free}, tuple(slots), out), want)

    def test_item_8_axis_of_elementwise_operators(self):
        x = normal(2, 3, 4, 5)
        for axis, y in ((1, normal(3)), (0, normal(2, 3)), (2, normal(4)), (1, normal(3, 4)), (-1, normal(5)),
                        (-1, normal(2, 3, 1, 1)), (0, normal(2, 3, 1, 1))):
            first = (x.ndim - y.ndim) if axis == -1 else axis
            want = x * y.reshape((1,) * first + y.shape + (1,) * (x.ndim - first - y.ndim))
            with self.subTest(axis=axis, y=y.shape):
                self.near(one("elementwise_mul", {"x": x, "y": y}, {"axis": axis}, ("X", "Y")), want)

    def test_item_8_fewer_axes_first(self):
        x, y = normal(2, 3), normal(2, 3, 1, 1)
        self.near(one("elementwise_add", {"x": x, "y": y}, {"axis": 0}, ("X", "Y")), x[:, :, None, None] + y)

    def test_item_8_pooling(self):
        x = normal(2, 3, 7, 6)
        pooled = dict(ksize=[3, 3], strides=[2, 2], paddings=[1, 1])
        self.near(one("pool2d", {"x": x}, {"pooling_type": "avg", "ksize": [1, 1], "adaptive": True}),
                  x.mean((2, 3), keepdims=True))
        every = windows(x, (3, 3), (2, 2), (1, 1), (1, 1))
        self.near(one("pool2d", {"x": x}, {"pooling_type": "avg", "exclusive": True, **pooled}),
                  np.nanmean(every, (4, 5)))
        self.near(one("pool2d", {"x": x}, {"pooling_type": "avg", "exclusive": False, **pooled}),
                  np.nansum(every, (4, 5)) / 9)
        every = windows(x, (3, 3), (2, 2), (1, 1), (1, 2))
        self.near(one("pool2d", {"x": x}, {"pooling_type": "max", "ceil_mode": True, **pooled}),
                  np.nanmax(every, (4, 5)))
        # SAME: 7 rows in 4 windows, of which the last begins at 6; one column is added at the end.
        every = windows(x, (3, 3), (2, 2), (1, 0), (1, 1))
        same = {"ksize": [3, 3], "strides": [2, 2], "padding_algorithm": "SAME", "pooling_type": "max"}
        self.near(one("pool2d", {"x": x}, same), np.nanmax(every, (4, 5)))

    def test_item_8_a_window_past_the_edge(self):
        x = normal(1, 2, 1, 4)
        got = one("pool2d", {"x": x}, {"pooling_type": "max", "ksize": [2, 2], "strides": [2, 2], "paddings": [0, 0]})
        self.near(got, x.reshape(1, 2, 1, 2, 2).max(-1))

    def test_item_8_convolutions(self):
        x, kernel = normal(2, 3, 11, 9), normal(4, 3, 3, 3)
        base = {"strides": [2, 1], "groups": 1}
        feeds, slots = {"x": x, "k": kernel}, ("Input", "Filter")
        for attrs, want in (
                ({"paddings": [1, 0, 2, 3], "dilations": [1, 1]}, convolved(x, kernel, (2, 1), (1, 2), (0, 3), 1)),
                ({"paddings": [36, 36], "dilations": [36, 36]}, convolved(x, kernel, (2, 1), (36, 36), (36, 36), 36)),
                ({"paddings": [0, 0], "dilations": [1, 1], "padding_algorithm": "SAME"},
                 convolved(x, kernel, (2, 1), (1, 1), (1, 1), 1))):
            with self.subTest(attrs):
                self.near(one("conv2d", feeds, {**base, **attrs}, slots, "Output"), want)
        last = {"x": x.transpose(0, 2, 3, 1).copy(), "k": kernel}
        attrs = {"paddings": [1, 1], "dilations": [1, 1], "data_format": "NHWC", **base}
        want = convolved(x, kernel, (2, 1), (1, 1), (1, 1), 1)
        self.near(one("conv2d", last, attrs, slots, "Output"), want.transpose(0, 2, 3, 1))

    def test_item_9_sums_of_one_to_many(self):
        for count in (1, 2, 5):
            feeds = {f"x{i}": normal(2, 3, seed=i) for i in range(count)}
            got, = run([Op("sum", {"X": list(feeds)}, {"Out": ["out"]})], feeds, ["out"])
            self.near(got, sum(feeds.values()))

    def test_item_9_squeeze_of_an_axis_known_at_run_time(self):
        x = normal(3, 1, 4)
        op = Op("squeeze2", {"X": ["x"]}, {"Out": ["out"], "XShape": ["shape"]}, {"axes": [1]})
        again = Op("scale", {"X": ["out"]}, {"Out": ["twice"]}, {"scale": 2.0, "bias": 0.0})
        got, = run([op, again], {"x": x}, ["twice"], described={"x": (-1, -1, 4)})
        self.near(got, 2 * x[:, 0])

    def test_unbind_has_a_result_for_each_slice(self):
        x = normal(2, 3)
        op = Op("unbind", {"X": ["x"]}, {"Out": ["a", "b", "c"]}, {"axis": 1})
        for got, want in zip(run([op], {"x": x}, ["a", "b", "c"]), x.T):
            np.testing.assert_array_equal(got, want)
        with self.assertRaisesRegex(ValueError, r"unbind: X must be of a known extent along axis 1, which is num, "
                                                r"got \[2, \?\]"):
            run([op], {"x": x}, ["a"], described={"x": (2, -1)})
        with self.assertRaisesRegex(IndexError, r"unbind: axis must be in \[-2, 2\), got 2"):
            run([Op("unbind", {"X": ["x"]}, {"Out": ["a"]}, {"axis": 2})], {"x": x}, ["a"])

    def test_item_10_nearest_interpolation_of_the_first_version(self):
        x = normal(1, 2, 4, 5)
        for corners, out in ((True, (8, 10)), (True, (7, 3)), (False, (8, 10)), (False, (7, 3))):
            def index(extent, size, corners=corners):
                at = np.arange(size)
                return (np.floor(at * ((extent - 1) / max(1, size - 1)) + 0.5) if corners else
                        np.floor(at * (extent / size))).astype(int)
            want = x[:, :, index(4, out[0])][:, :, :, index(5, out[1])]
            attrs = {"align_corners": corners, "align_mode": 1, "interp_method": "nearest", "data_layout": "NCHW"}
            with self.subTest(corners=corners, out=out):
                got = one("nearest_interp", {"x": x}, {**attrs, "out_h": out[0], "out_w": out[1], "scale": 0.0})
                self.near(got, want)
                if out == (8, 10):
                    for unset in (-1, 0):
                        got = one("nearest_interp", {"x": x}, {**attrs, "out_h": unset, "out_w": unset, "scale": 2.0})
                        self.near(got, want)

    def test_item_11_versions(self):
        x = normal(2, 3)
        op = Op("leaky_relu", {"X": ["x"]}, {"Out": ["out"]}, {"alpha": 2.0})
        for versions in (None, {}, {"leaky_relu": 0}, {"leaky_relu": 1}):
            got, = run([op], {"x": x}, ["out"], versions=versions)
            self.near(got, np.where(x > 0, x, 2 * x))
        with self.assertRaisesRegex(NotImplementedError, "operator 1, leaky_relu: version of the operator must be "
                                    "at most 1, the newest that is known, got 2"):
            run([op], {"x": x}, ["out"], versions={"leaky_relu": 2})


if __name__ == "__main__":
    unittest.main()
