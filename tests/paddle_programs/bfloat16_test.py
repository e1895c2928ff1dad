# SPDX-License-Identifier: Apache-2.0
"""Programs of PaddlePaddle in bfloat16 against what PaddlePaddle computes with them in float32.

A floating output is off by at most 2e-2 of its largest magnitude, or as MODELS says, and of 1,000
inputs 990 have the same top class. The arithmetic is emulated, which runs on every CPU: a CPU that has it runs the same
program with other sums in float32.
"""
import gzip
import json
import pathlib
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

DATA = pathlib.Path("../shared_data")
RELAXED = "precision=bfloat16_emulated"
BOUND = 2e-2
# Classifiers, a detector, an embedding, branches; by how much of the largest magnitude results may
# be off. Small networks of many narrow layers lose more: each layer rounds what it passes on, and
# these images are noise, of which no class is sure.
MODELS = {
    "ch_ppocr_mobile_v2.0_cls": BOUND,
    "made_cond_branches": BOUND,
    "made_dtypes": BOUND,
    "mnist_mlp_scl1323": BOUND,
    "paddleclas_mobilenetv3_small_x0_35_3class": 0.12,
    "pir_PP-LCNet_x0_25_textline_ori": 0.04,
    "pir_PP-OCRv5_mobile_det": BOUND,
    "uci_housing_fit_a_line": BOUND,
    "word2vec_pureboys": BOUND,
}
SUFFIXES = {".f16": np.float16, ".f32": np.float32, ".f64": np.float64,
            ".i32": np.int32, ".i64": np.int64, ".bool": np.bool_}


def read(folder, stem, shape):
    path, = folder.glob(stem + ".*")
    return np.fromfile(path, SUFFIXES[path.suffix]).reshape(shape)


def load(name, relaxed=RELAXED, **arguments):
    return sy.load(DATA / "models" / name, relaxed=relaxed, **arguments)


def mnist(part):
    """Images of 784 bytes, and labels."""
    images, labels = [
        np.frombuffer(gzip.decompress((DATA / "mnist" / f"{part}-{name}-ubyte.gz").read_bytes()), np.uint8)
        for name in ("images-idx3", "labels-idx1")]
    return images[16:].reshape(-1, 784), labels[8:]


def lenet():
    return nn.Sequential(nn.Conv2D(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2D(2), nn.Conv2D(6, 16, 5), nn.ReLU(),
                         nn.MaxPool2D(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
                         nn.Linear(84, 10))


class Bfloat16Test(unittest.TestCase):

    def test_against_paddle(self):
        differs = 0
        for name, bound in MODELS.items():
            program = load(name)
            golden = DATA / "golden" / name
            for case in sorted(golden.glob("case*")) or [golden]:
                with self.subTest(name, case=case.name):
                    shapes = json.loads((case / "shapes.json").read_text())
                    feeds = {feed: read(case, f"input_{feed}", shapes[feed]) for feed in program.feeds}
                    got = list(program.run(feeds).values())
                    self.assertEqual([list(one.shape) for one in got], list(shapes["outputs"].values()))
                    for i, one in enumerate(got):
                        want = read(case, f"output_{i}", one.shape)
                        self.assertEqual(one.dtype, want.dtype)
                        wide = want.astype(np.float64)
                        worst = np.abs(one - wide).max(initial=0) / np.abs(wide).max(initial=1e-30)
                        print(f"{name} {case.name} {i}: {worst:.2g} of the largest")
                        self.assertLessEqual(worst, bound)
                        differs += worst > 1e-4
        # Results that are equal would say that nothing is in bfloat16.
        self.assertGreater(differs, 4)

    def test_text_is_found_where_it_was(self):
        """A sigmoid of slope 50 makes steps of small differences at the edges of words."""
        golden = DATA / "golden" / "ch_PP-OCRv3_det"
        image = read(golden, "input_x", json.loads((golden / "shapes.json").read_text())["x"])
        got, = load("ch_PP-OCRv3_det").run({"x": image}).values()
        want = read(golden, "output_0", got.shape)
        print(f"{(np.abs(got - want) > BOUND).mean():.2g} of all pixels are off by more than the bound")
        self.assertGreaterEqual(((got > 0.3) == (want > 0.3)).mean(), 0.999)
        self.assertLessEqual((np.abs(got - want) > BOUND).mean(), 0.01)

    def check_top(self, name, feed, batches, least=990):
        narrow, exact = load(name), load(name, relaxed=None)
        same, count, differences = 0, 0, []
        for batch in batches:
            got, = narrow.run({feed: batch}).values()
            want, = exact.run({feed: batch}).values()
            differences.append(np.abs(got - want).max(-1) / np.abs(want).max())
            same += int((got.argmax(-1) == want.argmax(-1)).sum())
            count += len(batch)
        differences = np.concatenate(differences)
        print(f"{name}: {same} of {count} have the same top class; {(differences <= BOUND).mean():.3f} within the "
              f"bound, at most {differences.max():.2g}")
        self.assertEqual(count, 1000)
        self.assertGreaterEqual(same, least)

    def test_digits_keep_their_class(self):
        images, labels = mnist("t10k")
        feed, = load("mnist_mlp_scl1323").feeds
        x = (images[:1000] / 127.5 - 1).astype(np.float32)
        x = x.reshape([-1, *[extent for extent in load("mnist_mlp_scl1323").inputs[0].shape[1:]]])
        self.check_top("mnist_mlp_scl1323", feed, np.split(x, 10))
        results = [next(iter(load("mnist_mlp_scl1323", relaxed=relaxed).run({feed: x}).values()))
                   for relaxed in (RELAXED, None)]
        narrow, exact = [(result.argmax(-1) == labels[:1000]).mean() for result in results]
        print(f"right: {narrow:.3f} in bfloat16, {exact:.3f} in float32")
        self.assertGreater(exact, 0.9)
        self.assertGreaterEqual(narrow, exact - 0.01)

    def test_lines_of_digits_keep_their_direction(self):
        """Seven digits in a line, every other line upside down: of some the network is not sure."""
        digits = mnist("t10k")[0][:7000].reshape(1000, 7, 28, 28)
        lines = np.zeros((1000, 48, 196), np.float32)
        lines[:, 10:38] = digits.transpose(0, 2, 1, 3).reshape(1000, 28, 196)
        lines[1::2] = lines[1::2, ::-1, ::-1]
        images = np.repeat(1 - lines[:, None, :, 2:194] / 127.5, 3, axis=1)
        self.check_top("ch_ppocr_mobile_v2.0_cls", "x", np.split(images, 20), least=980)

    def test_the_same_bits_twice_and_with_two_threads(self):
        program = load("ch_ppocr_mobile_v2.0_cls")
        image = np.random.default_rng(1).normal(size=(3, 3, 48, 192)).astype(np.float32)
        first, = program.run({"x": image}).values()
        threads = sy.num_threads()
        try:
            for count in (1, 2):
                sy.set_num_threads(count)
                again, = program.run({"x": image}).values()
                self.assertEqual(again.tobytes(), first.tobytes())
        finally:
            sy.set_num_threads(threads)
        eagerly, = program.run_eagerly({"x": image}).values()
        self.assertEqual(eagerly.tobytes(), first.tobytes())

    def test_what_is_computed_in_bfloat16(self):
        program = load("ch_ppocr_mobile_v2.0_cls")
        self.assertEqual(program.relaxed["precision"], "bfloat16_emulated")
        feeds = {"x": np.zeros((1, 3, 48, 192), np.float32)}
        self.assertTrue(program.explain(feeds).startswith("relaxed: precision=bfloat16_emulated,fusion=relaxed\n"))
        rows = json.loads(program.explain(feeds, json=True))
        products = [row["chosen"]["dtype"] for row in rows
                    if row["op"] in ("conv2d_epilogue", "squeeze_excite", "linear_epilogue")]
        self.assertEqual(products, ["bfloat16"] * 45)
        # The image is cast once, and back what softmax reads; all other casts are of weights.
        casts = [row for row in rows if row["op"] == "cast" and row["inputs"][0]["shape"][0] == 1]
        self.assertEqual([row["dtype"] for row in casts if len(row["inputs"][0]["shape"]) == 4][0], "float32")
    def test_lenet_trained_by_autocast_is_as_accurate(self):
        (images, labels), (asked, right) = mnist("train"), mnist("t10k")
        x, t = [((pixels.reshape(-1, 1, 28, 28) / 255 - 0.1307) / 0.3081).astype(np.float32)
                for pixels in (images[:12800], asked)]
        y = labels[:12800].astype(np.int64)
        accuracy = {}
        for enabled in (False, True):
            sy.seed(0)
            model = lenet()
            step = sy.static.train_step(model, nn.CrossEntropyLoss(),
                                        sy.optim.Adam(model.parameters(), learning_rate=0.002))
            for at in 2 * list(range(0, len(x), 64)):
                with sy.amp.autocast(enabled=enabled):
                    step(x[at:at + 64], y[at:at + 64])
            model.eval()
            program = sy.static.trace(model, sy.static.InputSpec([None, 1, 28, 28]), relaxed=RELAXED if enabled else None)
            accuracy[enabled] = (program(t).numpy().argmax(-1) == right).mean()
        print(f"right: {accuracy[True]:.4f} in bfloat16, {accuracy[False]:.4f} in float32")
        self.assertGreater(accuracy[False], 0.94)
        self.assertGreaterEqual(accuracy[True], accuracy[False] - 0.01)

    def test_what_is_refused(self):
        with self.assertRaisesRegex(ValueError, "precision must be exact or int8 in a program that updates states"):
            load("ch_PP-OCRv3_det_slim")
        if "avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text():
            load("uci_housing_fit_a_line", relaxed="precision=bfloat16")
            return
        with self.assertRaisesRegex(ValueError, r"AVX-512 BF16 \(avx512_bf16\), as this one, got 'bfloat16'"):
            load("uci_housing_fit_a_line", relaxed="precision=bfloat16")


if __name__ == "__main__":
    unittest.main()
