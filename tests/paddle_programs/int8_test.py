# SPDX-License-Identifier: Apache-2.0
"""A quantised program of PaddlePaddle with its widest convolutions in integers.

golden_models_test holds the program to PaddlePaddle's results with the pass int8_fusion off. With
it on, the largest difference is at most 2e-2 of the largest magnitude. conv_fusion stays off, as
it is of this program without int8_fusion: its sums in float32 round otherwise, one number in a
million becomes another step of 1/127, and from there the network amplifies it.
"""
import json
import pathlib
import unittest

import numpy as np

import switchyard as sy

DATA = pathlib.Path("../shared_data")
NAME = "ch_PP-OCRv3_det_slim"
BOUND = 2e-2


def load(**arguments):
    return sy.load(DATA / "models" / NAME, **arguments)


class Int8Test(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        golden = DATA / "golden" / NAME
        shapes = json.loads((golden / "shapes.json").read_text())
        cls.image = np.fromfile(golden / "input_x.f32", np.float32).reshape(shapes["x"])
        cls.wanted = np.fromfile(golden / "output_0.f32", np.float32)

    def run_program(self, **arguments):
        result, = load(**arguments).run({"x": self.image}).values()
        return result.ravel().astype(np.float64)

    def test_against_paddle(self):
        difference = np.abs(self.run_program(relaxed="precision=int8") - self.wanted).max()
        scale = np.abs(self.wanted).max()
        print(f"largest difference from PaddlePaddle: {difference / scale:.2g} of the scale")
        self.assertGreater(scale, 0.5)
        self.assertLessEqual(difference, BOUND * scale)

    def test_against_float32(self):
        """Other images: the same program, operator by operator."""
        integers, floats = load(relaxed="precision=int8"), load(exact=True)
        rng = np.random.default_rng(5)
        for height, width in ((160, 224), (96, 64), (64, 320)):
            image = rng.normal(size=(1, 3, height, width)).astype(np.float32)
            got, = integers.run({"x": image}).values()
            want, = floats.run({"x": image}).values()
            difference = np.abs(got - want).max() / np.abs(want).max()
            print(f"{height} x {width}: {difference:.2g}")
            self.assertLessEqual(difference, BOUND)

    def test_the_same_bits_twice_and_with_two_threads(self):
        program = load(relaxed="precision=int8")
        first, = program.run({"x": self.image}).values()
        threads = sy.num_threads()
        try:
            for count in (1, 2):
                sy.set_num_threads(count)
                again, = program.run({"x": self.image}).values()
                self.assertEqual(again.tobytes(), first.tobytes())
        finally:
            sy.set_num_threads(threads)

    def test_what_the_pass_makes(self):
        model = DATA / "models" / NAME
        made = sy.static.stages(model, relaxed="precision=int8")["int8_fusion"]
        # The convolutions of 3 x 3 and the widest of 1 x 1.
        self.assertEqual(made.count("= op.conv2d_int8("), 10)
        for arguments in ({}, {"exact": True},
                          {"relaxed": "precision=int8", "without": ["int8_fusion"]}):
            self.assertNotIn("op.conv2d_int8", sy.static.stages(model, **arguments)["lowered"])

    def test_explain_names_the_kernels(self):
        text = load(relaxed="precision=int8").explain({"x": self.image})
        self.assertIn("conv2d_int8", text)
        self.assertIn("quantize_int8", text)

    def test_what_relaxed_refuses(self):
        for text, sentence in (("precision=int4", "precision must be exact, int8, bfloat16 or bfloat16_emulated, got 'int4'"),
                               ("fusion=relaxed", "fusion must be exact in a program that updates states"),
                               ("int8_fusion", "relaxed must be exact, or choices as .*, got 'int8_fusion'")):
            with self.assertRaisesRegex(ValueError, sentence):
                load(relaxed=text)
        with self.assertRaisesRegex(ValueError, "only one of the two"):
            load(relaxed="precision=int8", exact=True)


if __name__ == "__main__":
    unittest.main()
