# SPDX-License-Identifier: Apache-2.0
"""Programs that PaddlePaddle saved, against what PaddlePaddle computes with them.

A floating output is off by at most 1e-4 of its largest magnitude; integers are equal, and so are
shapes. A program runs twice with the same bits.
"""
import concurrent.futures
import csv
import json
import pathlib
import unittest

import numpy as np

import switchyard as sy

DATA = pathlib.Path("../shared_data")
MODELS = (
    "ch_PP-OCRv3_det",
    "ch_PP-OCRv3_det_slim",
    "ch_ppocr_mobile_v2.0_cls",
    "made_cond_branches",
    "made_cond_branches_pir",
    "made_dtypes",
    "made_dtypes_pir",
    "made_tensor_array_rnn",
    "made_tensor_array_rnn_pir",
    "made_while_newton",
    "made_while_newton_pir",
    "mnist_mlp_scl1323",
    "paddleclas_mobilenetv3_small_x0_35_3class",
    "pir_PP-LCNet_x0_25_textline_ori",
    "pir_PP-OCRv5_mobile_det",
    "uci_housing_fit_a_line",
    "word2vec_pureboys",
)
SUFFIXES = {".f16": np.float16, ".f32": np.float32, ".f64": np.float64,
            ".i32": np.int32, ".i64": np.int64, ".bool": np.bool_}
BOUND = 1e-4


def read(folder, stem, shape):
    path, = folder.glob(stem + ".*")
    return np.fromfile(path, SUFFIXES[path.suffix]).reshape(shape)


class GoldenModelsTest(unittest.TestCase):

    def check(self, golden, program):
        shapes = json.loads((golden / "shapes.json").read_text())
        feeds = {name: read(golden, f"input_{name}", shapes[name])
                 for name in program.feeds}
        got = list(program.run(feeds).values())
        wanted = shapes["outputs"].values()
        self.assertEqual([list(one.shape) for one in got], list(wanted))
        for i, (one, shape) in enumerate(zip(got, wanted)):
            want = read(golden, f"output_{i}", shape)
            self.assertEqual(one.dtype, want.dtype)
            if want.dtype.kind != "f":
                np.testing.assert_array_equal(one, want)
                continue
            want = want.astype(np.float64)
            worst = np.abs(one - want).max(initial=0)
            self.assertLessEqual(worst, BOUND * np.abs(want).max(initial=0))
        return feeds, [one.tobytes() for one in got]

    def check_at_once(self, program, runs):
        """All runs once more, in two threads at the same time."""
        def again(_):
            return [[one.tobytes() for one in program.run(feeds).values()]
                    for feeds, _ in runs]
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            for got in threads.map(again, range(2)):
                self.assertEqual(got, [bits for _, bits in runs])

    def test_models(self):
        for model in MODELS:
            with self.subTest(model):
                program = sy.static.load(DATA / "models" / model)
                # A program in JSON (_pir) shares the truth of its ProgramDesc.
                golden = DATA / "golden" / (model[:-4] if model.endswith("_pir") else model)
                cases = sorted(golden.glob("case*")) or [golden]
                runs = [self.check(case, program) for case in cases]
                self.check_at_once(program, runs)

    def test_a_recurrent_model_agrees_with_its_authors_file(self):
        """Two GRU layers; the file is rounded, so the bound is 2e-4 of the largest value."""
        folder = DATA / "models" / "wind_lstnet_gru"
        columns = ("ROUND(A.POWER,0)", "YD15")
        rows = []
        for row in csv.DictReader((folder / "0002in.csv").read_text().splitlines()):
            rows.append([float(row[c]) if row[c] else rows[-1][i]
                         for i, c in enumerate(columns)])
        past = np.asarray(rows, np.float32)[:-172][-1204:]
        program = sy.static.load(folder)
        got, = program.run({"past_target": past[None]}).values()
        self.assertEqual(got.shape, (1, 172, 2))
        truth = csv.DictReader((folder / "0002out_by_real_paddle.csv").read_text().splitlines())
        want = np.asarray([[float(row[c]) for c in columns] for row in truth])
        np.testing.assert_allclose(got[0, 76:172], want, rtol=0, atol=2e-4 * np.abs(want).max())
        both, = program.run({"past_target": np.stack([past, past])}).values()
        np.testing.assert_allclose(both[1], got[0], rtol=1e-5)

    def test_extents_may_be_others(self):
        program = sy.static.load(DATA / "models" / "ch_PP-OCRv3_det")
        rng = np.random.default_rng(3)
        for height, width in ((64, 96), (160, 32), (32, 352)):
            images = rng.normal(size=(2, 3, height, width)).astype(np.float32)
            both, = program.run({"x": images}).values()
            self.assertEqual(both.shape, (2, 1, height, width))
            for image, want in zip(images, both):
                one, = program.run({"x": image[None]}).values()
                np.testing.assert_allclose(one[0], want, rtol=1e-4, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
