# SPDX-License-Identifier: Apache-2.0
"""Programs that PaddlePaddle saved, at one size after another: the bits of a program that has met no
other size.

SY_SIZES=30 runs that many sizes of each model."""
import os
import unittest

import numpy as np

import switchyard as sy
from tests.paddle_programs.eager_models_test import DATA, facts, feeds_of, models

SIZES = int(os.environ.get("SY_SIZES", 4))
FIRST = 2  # From the third size on extents of one specialization change.
STEP = 32  # Networks halve an image five times.


def resized(rng, port, array, batch):
    """The array of a golden input with other open extents."""
    lod = getattr(array, "lod", None)
    if lod is not None:  # One sequence of some of its rows.
        rows = array.numpy()
        count = int(rng.integers(1, len(rows) + 1))
        return sy.tensor(rows[:count], lod=[[count]])
    extents = [batch if axis == 0 and extent == -1 and array.shape[0] == 1 else
               int(rng.integers(2, 5)) * STEP if extent == -1 and axis > 1 else array.shape[axis]
               for axis, extent in enumerate(port.shape)]
    return np.resize(array, extents)


def sizes_of(program, golden, name):
    """Feeds of SIZES sizes."""
    rng = np.random.default_rng(len(name))
    feeds, ports = feeds_of(program, golden), {port.name: port for port in program.inputs}
    for _ in range(SIZES):
        batch = int(rng.integers(1, 6))
        yield {key: resized(rng, ports[key], array, batch) for key, array in feeds.items()}


def outcome(program, feeds):
    try:
        return facts(program.run(feeds, tensors=True))
    except (ValueError, RuntimeError) as error:
        return str(error)


class NewSizesTest(unittest.TestCase):
    def test_every_model(self):
        ran = 0
        for name in models():
            path = DATA / "models" / name
            program = sy.load(path)
            if all(extent >= 0 for port in program.inputs for extent in port.shape):
                continue
            golden = DATA / "golden" / name.replace("_pir", "")
            if not golden.exists():
                golden = DATA / "golden" / name
            golden = min(golden.glob("case*"), default=golden)
            for number, feeds in enumerate(sizes_of(program, golden, name)):
                got = outcome(program, feeds)
                if number < FIRST:
                    continue
                with self.subTest(name, number=number):
                    self.assertEqual(got, outcome(sy.load(path), feeds))
                    ran += not isinstance(got, str)
        print("%d runs" % ran)
        self.assertGreater(ran, 25)


if __name__ == "__main__":
    unittest.main()
