# SPDX-License-Identifier: Apache-2.0
"""Training programs that PaddlePaddle 2.6.2 and 3.3.1 exported (tools/models/export_training.py), against what they
did there."""
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy

FOLDER = pathlib.Path(__file__).parent / "exported_training"
LOSS_BOUND = 1e-5
VARIABLE_BOUND = 1e-4


def load(path, golden):
    """The program with the first values of its variables, which `golden` holds as the files that they were in."""
    with tempfile.TemporaryDirectory() as folder:
        for key in golden.files:
            if key.startswith("init."):
                (pathlib.Path(folder) / key[len("init."):]).write_bytes(golden[key].tobytes())
        return sy.static.load(path, weights=folder)


class ExportedTrainingTest(unittest.TestCase):

    def assert_near(self, got, want, bound):
        self.assertEqual(got.shape, want.shape)
        worst = np.abs(got.astype(np.float64) - want).max(initial=0)
        self.assertLessEqual(worst, bound * np.abs(want.astype(np.float64)).max(initial=0))

    def check(self, path):
        with np.load(path / "golden.npz") as golden:
            program = load(path, golden)
            feeds = {key[len("in."):]: golden[key] for key in golden.files if key.startswith("in.")}
            losses = []
            for step in range(len(golden["losses"])):
                (loss,) = program.run({name: batches[step] for name, batches in feeds.items()}).values()
                losses.append(np.asarray(loss).reshape(-1)[0])
            self.assert_near(np.array(losses), golden["losses"], LOSS_BOUND)
            for key in golden.files:
                if key.startswith("final."):
                    with self.subTest(variable=key):
                        self.assert_near(program.state[key[len("final."):]].numpy(), golden[key], VARIABLE_BOUND)

    def test_agree_with_paddle(self):
        programs = sorted(path for path in FOLDER.iterdir() if path.is_dir())
        self.assertEqual(len(programs), 23)
        for path in programs:
            with self.subTest(program=path.name):
                self.check(path)

    def test_two_sparse_gradients_stay_rows(self):
        for name, step in (("lazy", "adam_selected_rows"), ("rows", "adam_selected_rows"), ("sgd", "sgd_selected_rows")):
            with self.subTest(name), np.load(FOLDER / f"emb_twice_{name}" / "golden.npz") as golden:
                program = load(FOLDER / f"emb_twice_{name}", golden)
                lines = program.selections({key: golden["in." + key][0] for key in ("ids", "y")})
                chosen = [line.split("-> ")[1].split(" (")[0] for line in lines]
                self.assertEqual(chosen.count("cpu float32 embedding_sparse_grad"), 2)
                self.assertEqual(chosen.count("cpu float32 add_selected_rows"), 1)
                self.assertEqual(chosen.count("cpu float32 " + step), 1)

    def test_the_first_form_has_rows_too(self):
        with np.load(FOLDER / "emb_first_sgd" / "golden.npz") as golden:
            program = load(FOLDER / "emb_first_sgd", golden)
            lines = program.selections({key: golden["in." + key][0] for key in ("ids", "y")})
        chosen = [line.split("-> ")[1].split(" (")[0] for line in lines]
        self.assertIn("cpu float32 embedding_sparse_grad", chosen)
        self.assertIn("cpu float32 sgd_selected_rows", chosen)


if __name__ == "__main__":
    unittest.main()
