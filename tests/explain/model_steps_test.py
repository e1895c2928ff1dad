# SPDX-License-Identifier: Apache-2.0
"""Every model at two sizes and two batches: the steps of its profile are those of explain and of its selections,
kernel by kernel, transform by transform, byte by byte."""
import pathlib
import unittest

import numpy as np

import listed_steps
import switchyard as sy

DATA = pathlib.Path("../shared_data")
BATCHES = (1, 3)
# Height and width of images.
SIZES = ((64, 96), (96, 128))
# Lengths of sequences, and of open axes of other tensors.
LENGTHS = (3, 5)


def extents(shape, batch, size):
    """The extents of a feed whose open ones are -1."""
    image = len(shape) == 4
    return [extent if extent >= 0 else batch if axis == 0 else SIZES[size][axis - 2] if image else LENGTHS[size]
            for axis, extent in enumerate(shape)]


def feed(port, batch, size, random):
    shape = extents(port.shape, batch, size)
    lengths = [LENGTHS[size]] * batch
    if port.lod_levels:
        shape[0] = sum(lengths)
    if port.dtype.startswith("int"):
        array = random.integers(0, 2, shape).astype(port.dtype)
    else:
        array = random.random(shape, np.float32).astype(port.dtype) + 0.5
    return sy.tensor(array, lod=[lengths]) if port.lod_levels else array


def load(name):
    folder = DATA / "models" / name
    init = folder / "init"
    return sy.load(folder, weights=init) if init.exists() else sy.load(folder)


class ModelStepsTest(unittest.TestCase):

    def check(self, name, batch, size):
        program = load(name)
        random = np.random.default_rng(5)
        feeds = {port.name: feed(port, batch, size, random) for port in program.inputs}
        return listed_steps.check(self, program, feeds, fresh=True)

    def test_models(self):
        names = sorted(path.name for path in (DATA / "models").iterdir() if path.is_dir())
        self.assertGreaterEqual(len(names), 30)
        steps = 0
        for name in names:
            sized = any(extent < 0 for port in load(name).inputs for extent in port.shape[1:])
            sized |= any(port.lod_levels for port in load(name).inputs)
            for batch in BATCHES:
                for size in range(2 if sized else 1):
                    with self.subTest(name, batch=batch, size=size):
                        steps += self.check(name, batch, size)
        self.assertGreater(steps, 3000)

    def test_before_shapes_are_known(self):
        """Without feeds every line is there, and what may still change says what it depends on."""
        for name in ("ch_PP-OCRv3_det", "ch_ppocr_mobile_v2.0_cls", "pir_PP-OCRv5_mobile_det"):
            with self.subTest(name):
                program = load(name)
                known = program.selections({"x": np.ones((1, 3, 64, 96), np.float32)})
                lines = program.selections()
                self.assertEqual(len(lines), len(known))
                text = program.explain()
                opened = [line for line in lines if " open: depends on " in line]
                self.assertGreater(len(opened), 20)
                self.assertEqual(text.count("open until shapes are known: depends on "), len(opened))
                self.assertEqual(text.count("transforms, taken alone: "), len(opened))
                self.assertTrue(all("of feed x" in line for line in opened), opened)


if __name__ == "__main__":
    unittest.main()
