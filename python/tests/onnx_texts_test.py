# SPDX-License-Identifier: Apache-2.0
"""Models of ONNX on texts."""
import os
import tempfile
import unittest

import numpy as np
import onnx_models as onnx

import switchyard as sy


class OnnxTextsTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "model.onnx")

    def load(self, nodes, ports, outputs, tensors=(), opset=20):
        graph = onnx.graph(nodes, [onnx.port(*each) for each in ports], outputs, tensors)
        with open(self.path, "wb") as file:
            file.write(onnx.model(graph, opset))
        return sy.load(self.path)

    def results(self, program, feeds):
        """The results, the same by both executors, as nested lists."""
        both = [{name: value.tolist() if sy.is_tensor(value) else np.asarray(value).tolist()
                 for name, value in run(feeds).items()} for run in (program.run, program.run_eagerly)]
        np.testing.assert_equal(both[0], both[1])
        return both[0]

    def test_casts(self):
        floats, whole, halves, bools, like = 1, 7, 10, 9, 8
        nodes = [onnx.node("Cast", ["x"], ["numbers"], to=floats), onnx.node("Cast", ["x"], ["halves"], to=halves),
                 onnx.node("Cast", ["whole"], ["texts"], to=like), onnx.node("Cast", ["b"], ["bits"], to=like),
                 onnx.node("CastLike", ["whole", "x"], ["alike"]), onnx.node("CastLike", ["texts", "whole"], ["back"]),
                 onnx.node("Cast", ["texts"], ["same"], to=like), onnx.node("Cast", ["texts"], ["truth"], to=bools)]
        self.assertEqual(whole, 7)
        outputs = ["numbers", "halves", "texts", "bits", "alike", "back", "same", "truth"]
        program = self.load(nodes, [("x", "string", [None]), ("whole", "int64", [2]), ("b", "bool", [2])], outputs)
        got = self.results(program, {"x": sy.strings.tensor(["0.1", "-INF", "nan"]), "whole": np.array([7, 0]),
                                     "b": np.array([True, False])})
        wanted = {"numbers": np.float32([0.1, -np.inf, np.nan]).tolist(),
                  "halves": np.float16([0.1, -np.inf, np.nan]).tolist(), "texts": ["7", "0"], "bits": ["1", "0"],
                  "alike": ["7", "0"], "back": [7, 0], "same": ["7", "0"], "truth": [True, False]}
        np.testing.assert_equal(got, wanted)

    def test_normalizer_and_concat(self):
        nodes = [onnx.node("StringNormalizer", ["x"], ["n"], case_change_action="UPPER", stopwords=["monday", "x"]),
                 onnx.node("StringConcat", ["n", "y"], ["c"])]
        program = self.load(nodes, [("x", "string", [1, None]), ("y", "string", [2, 1])], ["n", "c"])
        for texts, left in ((["Monday", "tuesday", "straße"], ["TUESDAY", "STRAẞE"]), (["X", "MONDAY"], [""])):
            got = self.results(program, {"x": sy.strings.tensor([texts]), "y": sy.strings.tensor([["-"], ["+"]])})
            self.assertEqual(got, {"n": [left], "c": [[t + e for t in left] for e in "-+"]})

    def test_what_is_refused(self):
        texts = b"".join([onnx.number(1, 1), onnx.number(2, 8), onnx.message(6, "a"), onnx.message(8, "t")])
        graph = onnx.graph([onnx.node("StringConcat", ["x", "t"], ["y"])],
                           [onnx.port("x", "string", [1])], ["y"]) + onnx.message(5, texts)
        with open(self.path, "wb") as file:
            file.write(onnx.model(graph, 20))
        with self.assertRaisesRegex(TypeError, "element type must be one that constants have here, got string"):
            sy.load(self.path)
        with self.assertRaisesRegex(TypeError, "relu: x must be .*, got string"):
            self.load([onnx.node("Relu", ["x"], ["y"])], [("x", "string", [1])], ["y"])


if __name__ == "__main__":
    unittest.main()
