# SPDX-License-Identifier: Apache-2.0
"""Files of programs whose operators have changed since: upgraded, or refused by name.

The files are written here as the first versions wrote them: the computation as text, every
operator of version 1.
"""
import os
import struct
import tempfile
import unittest
import zlib

import numpy as np

import switchyard as sy
from switchyard import static

TEXT, OPERATORS, STATE = 1, 2, 3
MATRIX, NUMBER = "tensor<float32[4, 3]>", "tensor<float32[1]>"

# The operators as they were at first: slopes of float32, no `allow_out_of_range`, `dtype`, `sparse`
# and `rescale_grad`, and an Adam of seven inputs and five outputs.
COMPUTATION = f"""program @old {{
  ^entry(%x: feed "x" tensor<float32[?, 3]>, %i: feed "i" tensor<int64[?]>,
      %w: state "w" {MATRIX}, %m: state "m" {MATRIX}, %v: state "v" {MATRIX},
      %p: state "p" {NUMBER}, %q: state "q" {NUMBER},
      %s: state "s" {MATRIX}, %r: state "r" {NUMBER}):
    %0 = op.leaky_relu(%x) {{negative_slope = 0.1}} : tensor<float32[?, 3]>
    %1 = op.hardsigmoid(%0) {{offset = 0.4, slope = 0.3}} : tensor<float32[?, 3]>
    %2 = op.sum(%1) {{axis = int64[1], keepdim = true}} : tensor<float32[?, 1]>
    %3 = op.embedding(%i, %w) {{padding_idx = -1 : int64}} : tensor<float32[?, 3]>
    %4 = op.embedding_grad(%i, %w, %3) {{padding_idx = -1 : int64}} : {MATRIX}
    %5 = op.one_hot(%i) {{num_classes = 4}} : tensor<float32[?, 4]>
    %6, %7, %8, %9, %10 = op.adam_(%w, %4, %r, %m, %v, %p, %q)
        {{beta1 = 0.9, beta2 = 0.99, epsilon = 1e-06}}
        : {MATRIX}, {MATRIX}, {MATRIX}, {NUMBER}, {NUMBER}
    %11, %12 = op.momentum_(%6, %4, %s, %r)
        {{mu = 0.5, regularization_coeff = 0.0, regularization_method = "", use_nesterov = false}}
        : {MATRIX}, {MATRIX}
    builtin.return("sum" = %2, "hot" = %5, "rows" = %3)
        state("w" = %11, "m" = %7, "v" = %8, "p" = %9, "q" = %10, "s" = %12)
}}
"""
NORM = """program @old {
  ^entry(%x: feed "x" tensor<float64[2, 3]>):
    %0 = op.p_norm(%x) {porder = 3.3, axis = 1, epsilon = 1e-12, keepdim = false, asvector = false}
        : tensor<float64[2]>
    builtin.return("norm" = %0)
}
"""
# The fused operators with a function's name and its numbers as three attributes.
FUSED = """program @old {
  ^entry(%x: feed "x" tensor<float32[3, 4]>, %y: feed "y" tensor<float32[4, 2]>,
      %i: feed "i" tensor<float32[1, 2, 4, 4]>, %f: feed "f" tensor<float32[2, 2, 1, 1]>):
    %0 = op.linear_epilogue(%x, %y) {activation = "leaky_relu", alpha = 0.25, beta = 7.0,
        operand_segments = int32[1, 1, 0], x_num_col_dims = 1} : tensor<float32[3, 2]>
    %1 = op.conv2d_epilogue(%i, %f) {activation = "clip", alpha = -0.5, beta = 0.5,
        dilations = int32[1, 1], groups = 1, operand_segments = int32[1, 1, 0, 0, 0, 0],
        padding_algorithm = "EXPLICIT", paddings = int32[0, 0], strides = int32[1, 1]}
        : tensor<float32[1, 2, 4, 4]>
    %2 = op.conv2d_transpose_epilogue(%i, %f) {activation = "", alpha = 0.0, beta = 0.0,
        dilations = int32[1, 1], groups = 1, operand_segments = int32[1, 1, 0],
        padding_algorithm = "EXPLICIT", paddings = int32[0, 0], strides = int32[1, 1]}
        : tensor<float32[1, 2, 4, 4]>
    %3 = op.squeeze_excite(%i, %f, %f) {activation = "relu", alpha = 0.0, beta = 0.0,
        gate = "hard_sigmoid", gate_alpha = 0.2, gate_beta = 0.5,
        operand_segments = int32[1, 1, 0, 1, 0]} : tensor<float32[1, 2, 4, 4]>
    builtin.return("linear" = %0, "conv" = %1, "transposed" = %2, "excited" = %3)
}
"""
NAMES = ("adam_", "embedding", "embedding_grad", "hardsigmoid", "leaky_relu", "momentum_",
         "one_hot", "sum")
UPGRADED = (r"leaky_relu.*negative_slope = 0\.1\d+ : float64",
            r"hardsigmoid.*slope = 0\.3\d+ : float64",
            "one_hot.*allow_out_of_range = false", "sum.*dtype = undefined",
            r"embedding\(.*sparse = false", "embedding_grad.*sparse = false",
            r"adam_\(.*operand_segments = int32\[1, 1, 1, 1, 1, 1, 1, 0, 0, 0\]",
            r"adam_\(.*result_segments = int32\[1, 1, 1, 1, 1, 0, 0\]", "rescale_grad = 1.0")


def counted(data):
    return struct.pack("<Q", len(data)) + data


def tensor_bytes(name, array):
    extents = b"".join(struct.pack("<Q", extent) for extent in array.shape)
    return (counted(name.encode()) + counted(str(array.dtype).encode()) +
            struct.pack("<I", array.ndim) + extents + counted(array.tobytes()))


def file_of(text, versions, tensors):
    """The bytes of a saved program (static_graph/program/section_file.h)."""
    operators = b"".join(counted(name.encode()) + struct.pack("<I", version)
                         for name, version in versions.items())
    state = b"".join(tensor_bytes(*item) for item in tensors.items())
    sections = ((TEXT, text.encode()), (OPERATORS, operators), (STATE, state))
    head = b"SYPROG\r\n" + struct.pack("<II", 1, len(sections))
    for kind, data in sections:
        head += struct.pack("<IIQ", kind, zlib.crc32(data), len(data))
    return (head + struct.pack("<I", zlib.crc32(head)) +
            b"".join(data for _, data in sections))


def load(data):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "old.sy")
        with open(path, "wb") as file:
            file.write(data)
        return static.load(path)


def states():
    draw = np.random.default_rng(3)
    made = {name: draw.normal(size=(4, 3)).astype(np.float32) for name in "wms"}
    made["v"] = np.abs(made["m"])
    made.update(p=np.array([0.9], np.float32), q=np.array([0.99], np.float32),
                r=np.array([0.1], np.float32))
    return made


class UpgradeTest(unittest.TestCase):

    def test_computes_as_it_did(self):
        program = load(file_of(COMPUTATION, dict.fromkeys(NAMES, 1), states()))
        for upgraded in UPGRADED:
            self.assertRegex(program.text(), upgraded)
        x = np.array([[-1.0, 2.0, 0.3], [0.5, -3.0, 1.0]], np.float32)
        i = np.array([3, 1])
        got = program.run({"x": x, "i": i})
        t = {name: sy.tensor(array) for name, array in states().items()}
        slopes = np.array([0.1, 0.3, 0.4], np.float32).astype(np.float64)
        leaky = sy.ops.leaky_relu(sy.tensor(x), slopes[0])
        hard = sy.ops.hardsigmoid(leaky, slopes[1], slopes[2])
        want = {"sum": sy.sum(hard, [1], keepdim=True), "hot": sy.ops.one_hot(sy.tensor(i), 4),
                "rows": sy.ops.embedding(sy.tensor(i), t["w"])}
        for name, array in want.items():
            self.assertEqual(got[name].tobytes(), array.numpy().tobytes(), name)
        grad = np.zeros((4, 3), np.float32)
        grad[i] = want["rows"].numpy()
        grad = sy.tensor(grad)
        sy.ops.adam_(t["w"], grad, t["r"], t["m"], t["v"], t["p"], t["q"], beta1=0.9, beta2=0.99,
                     epsilon=1e-6)
        sy.ops.momentum_(t["w"], grad, t["s"], t["r"], 0.5)
        for name in "wmvpqs":
            self.assertEqual(program.state[name].numpy().tobytes(), t[name].numpy().tobytes(),
                             name)

    def test_numbers_that_are_float64_now(self):
        """Old files hold float32 numbers, beside float64 tensors too; as
        PaddlePaddle's programs do."""
        program = load(file_of(NORM, {"p_norm": 1}, {}))
        x = np.random.default_rng(3).normal(size=(2, 3))
        p = float(np.float32(3.3))
        np.testing.assert_allclose(program.run({"x": x})["norm"],
                                   (abs(x) ** p).sum(1) ** (1 / p), 1e-14)

    def test_a_name_and_two_numbers_that_are_a_list_now(self):
        fused = ("linear_epilogue", "conv2d_epilogue", "conv2d_transpose_epilogue",
                 "squeeze_excite")
        program = load(file_of(FUSED, dict.fromkeys(fused, 1), {}))
        for words in (r"post_ops\[leaky_relu\(0.25\)\]", r"post_ops\[clip\(-0.5, 0.5\)\]",
                      r"post_ops = post_ops\[\]", r"activation = post_ops\[relu\], gate = "
                      r"post_ops\[hard_sigmoid\(0.2, 0.5\)\], gate_shift = 0.0"):
            self.assertRegex(program.text(), words)
        draw = np.random.default_rng(5)
        shapes = {"x": (3, 4), "y": (4, 2), "i": (1, 2, 4, 4), "f": (2, 2, 1, 1)}
        feeds = {name: draw.normal(size=shape).astype(np.float32)
                 for name, shape in shapes.items()}
        x, y, i, f = (sy.tensor(feeds[name]) for name in "xyif")
        want = {"linear": sy.ops.linear_epilogue(x, y, post_ops="leaky_relu(0.25)"),
                "conv": sy.ops.conv2d_epilogue(i, f, post_ops="clip(-0.5, 0.5)"),
                "transposed": sy.ops.conv2d_transpose_epilogue(i, f),
                "excited": sy.ops.squeeze_excite(i, f, None, f, activation="relu",
                                                 gate="hard_sigmoid(0.2, 0.5)")}
        got = program.run(feeds)
        for name, array in want.items():
            self.assertEqual(got[name].tobytes(), array.numpy().tobytes(), name)

    def test_what_is_saved_again_is_of_today(self):
        program = load(file_of(COMPUTATION, dict.fromkeys(NAMES, 1), states()))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "new.sy")
            static.save(program, path)
            with open(path, "rb") as file:
                self.assertIn(counted(b"adam_") + struct.pack("<I", 6), file.read())
            self.assertEqual(static.load(path).text(), program.text())

    def test_versions_that_are_not_known(self):
        for name, version, why in (
                ("sum", 7, "sum: the program has version 7 of the operator, this image version 2, "
                           "which is older"),
                ("adam_", 7, "adam_: the program has version 7"),
                ("gone", 1, "the operator gone is not registered")):
            versions = dict.fromkeys(NAMES, 1)
            versions[name] = version
            with self.assertRaisesRegex((RuntimeError, ValueError, KeyError), why):
                load(file_of(COMPUTATION, versions, states()))


if __name__ == "__main__":
    unittest.main()
