# SPDX-License-Identifier: Apache-2.0
"""Programs that PaddlePaddle exported, with an op_device for each of their calls, on
the CPU and two simulated devices at once: every bit is that of one place."""
import pathlib
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))  # With sim linked.

import switchyard as sy  # noqa: E402
from old_programs import with_devices  # noqa: E402

PROGRAMS = HERE.parent / "paddle_programs"
EXPORTED, TRAINING = PROGRAMS / "exported", PROGRAMS / "exported_training"
TURNS = {"cpu": (["sim:1"], ["cpu", "sim:1", "sim:0"]),
         "sim:0": (["sim:1", "cpu"],)}
# Their arrays lie on the host.
OF_ARRAYS = {"v2_rows", "v2_steps", "cf_array", "cf_array2"}


class OperationDevicesTest(unittest.TestCase):

    def load(self, folder, weights=None):
        return sy.load(folder, policy=sy.policy(allow_fallback=True), weights=weights,
                       library_attributes=True, relaxed="exact")

    def bits(self, run, feeds):
        sy.seed(3)
        return {name: (value.dtype, value.shape, value.tobytes())
                for name, value in run(feeds).items()}

    def asking(self, path, devices, into):
        """The program in a folder `into`, with devices."""
        into = pathlib.Path(into)
        for file in path.iterdir():
            data = file.read_bytes()
            if file.suffix == ".pdmodel":
                data = with_devices(data, devices)
            (into / file.name).write_bytes(data)
        return into

    def homes(self):
        self.addCleanup(sy.set_default_place, "cpu")
        for home, turns in TURNS.items():
            sy.set_default_place(home)
            yield home, turns

    def folders(self, parent, count):
        found = [path for path in sorted(parent.iterdir())
                 if list(path.glob("*.pdmodel")) and path.name not in OF_ARRAYS]
        self.assertEqual(len(found), count)
        return found

    def test_every_bit_is_that_of_one_place(self):
        for home, turns in self.homes():
            for path in self.folders(EXPORTED, 22):
                with np.load(path / "golden.npz") as golden:
                    feeds = {key[3:]: golden[key] for key in golden.files
                             if key.startswith("in.")}
                want = self.bits(self.load(path).run, feeds)
                for devices in turns:
                    with self.subTest(home=home, program=path.name, devices=devices), \
                            tempfile.TemporaryDirectory() as folder:
                        program = self.load(self.asking(path, devices, folder))
                        for run in program.run, program.run, program.run_eagerly:
                            self.assertEqual(self.bits(run, feeds), want)
                        places = {step.place for step in program.profile(feeds).steps}
                        if devices[0] == "sim:1":
                            self.assertIn("sim:1", places)

    def trained(self, path, golden):
        """The bits of three steps' results, and of the variables after them."""
        with tempfile.TemporaryDirectory() as weights:
            for key in golden.files:
                if key.startswith("init."):
                    (pathlib.Path(weights) / key[5:]).write_bytes(golden[key].tobytes())
            program = self.load(path, weights)
        bits = [self.bits(program.run, {key[3:]: golden[key][step]
                                        for key in golden.files if key.startswith("in.")})
                for step in range(3)]
        return bits, {key: program.state[key[6:]].numpy().tobytes()
                      for key in golden.files if key.startswith("final.")}

    def test_training(self):
        for home, turns in self.homes():
            for path in self.folders(TRAINING, 21):
                with np.load(path / "golden.npz") as golden:
                    want = self.trained(path, golden)
                    for devices in turns:
                        with self.subTest(home=home, program=path.name, devices=devices), \
                                tempfile.TemporaryDirectory() as folder:
                            self.asking(path, devices, folder)
                            self.assertEqual(self.trained(folder, golden), want)

    def test_arrays_stay(self):
        for name in OF_ARRAYS:
            path, = PROGRAMS.glob(f"exported*/{name}")
            with tempfile.TemporaryDirectory() as folder:
                self.asking(path, ["sim:1"], folder)
                with self.assertRaisesRegex(
                        NotImplementedError, "must be dense or SelectedRows for "
                        "op_device from cpu to sim:1 in a program, got tensor_array"):
                    self.load(folder)


if __name__ == "__main__":
    unittest.main()
