# SPDX-License-Identifier: Apache-2.0
"""Models of PaddlePaddle: the library gives the bits that sy.load gives, which ./sy run calls."""
import ctypes
import json
import pathlib
import unittest

import numpy as np

import switchyard as sy
from programs import library

DATA = pathlib.Path("../shared_data")
SUFFIXES = {".f16": np.float16, ".f32": np.float32, ".f64": np.float64,
            ".i32": np.int32, ".i64": np.int64, ".bool": np.bool_}
MODELS = (
    "ch_ppocr_mobile_v2.0_cls",
    "hub_rumor_lstm",
    "lac2_seg",
    "made_cond_branches_pir",
    "made_dtypes",
    "made_sequence",
    "made_tensor_array_rnn",
    "made_while_newton",
    "mnist_mlp_scl1323",
    "paddleclas_mobilenetv3_small_x0_35_3class",
    "pir_PP-LCNet_x0_25_textline_ori",
    "serving_ctr",
    "text_sequence_conv_zh81",
    "uci_housing_fit_a_line",
    "word2vec_pureboys",
)


def cases(model):
    """{name: (array, lengths of its sequences or None)} of each case that there are truths of."""
    golden = DATA / "golden" / model.removesuffix("_pir")
    for case in sorted(golden.glob("case*")) or [golden]:
        shapes = json.loads((case / "shapes.json").read_text())
        feeds = {}
        for path in case.glob("input_*"):
            name = path.stem.removeprefix("input_")
            array = np.fromfile(path, SUFFIXES[path.suffix]).reshape(shapes[name])
            feeds[name] = array, shapes.get("lod", {}).get(name)
        yield feeds


class GoldenTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.library = library()

    def lengths(self, session, name):
        """The lengths of an output's sequences; None if it has none."""
        found, count = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_size_t()
        code = self.library.raw.switchyard_session_lengths(
            session, name.encode(), 0, ctypes.byref(found), ctypes.byref(count))
        return found[:count.value] if code == 0 else None

    def test_bits(self):
        for name in MODELS:
            path = DATA / "models" / name
            program = sy.load(path)
            model = self.library.load(path)
            session = self.library.session(model)
            self.assertEqual(self.library.names(model, "INPUTS"), list(program.feeds))
            for feeds in cases(name):
                with self.subTest(name):
                    for feed, (array, lengths) in feeds.items():
                        self.library.place("session_set_input", session, feed, array)
                        if lengths is not None:
                            self.library.call("session_set_lengths", session, feed.encode(), 0,
                                              (ctypes.c_int64 * len(lengths))(*lengths), len(lengths))
                    self.library.call("session_run", session)
                    want = program.run({feed: array if lengths is None else sy.tensor(array, lod=[lengths])
                                        for feed, (array, lengths) in feeds.items()}, tensors=True)
                    for output, tensor in want.items():
                        got = self.library.output(session, output)
                        self.assertEqual((got.dtype, got.shape, got.tobytes()),
                                         (tensor.dtype, tuple(tensor.shape), tensor.numpy().tobytes()))
                        self.assertEqual(self.lengths(session, output), tensor.lod[0] if tensor.lod else None)
            self.library.call("session_free", session)
            self.library.call("model_free", model)

    def test_wrong_sequences(self):
        model = self.library.load(DATA / "models" / "made_sequence")
        session = self.library.session(model)
        (feeds, *_) = cases("made_sequence")
        (name, (array, lengths)), = feeds.items()
        self.library.place("session_set_input", session, name, array)
        code = self.library.raw.switchyard_session_set_lengths(
            session, name.encode(), 0, (ctypes.c_int64 * 2)(1, 10**6), 2)
        self.assertEqual(code, 0)
        self.assertEqual(self.library.statuses[self.library.raw.switchyard_session_run(session)], "INVALID_ARGUMENT")
        self.assertIn(name.encode(), self.library.raw.switchyard_error())
        self.assertIsNotNone(lengths)
        self.library.call("session_free", session)
        self.library.call("model_free", model)


if __name__ == "__main__":
    unittest.main()
