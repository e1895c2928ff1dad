# SPDX-License-Identifier: Apache-2.0
"""Models of ONNX on texts."""
import os
import pickle
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

    def test_split(self):
        nodes = [onnx.node("StringSplit", ["x"], ["words", "n"]),
                 onnx.node("StringSplit", ["x"], ["parts", ""], delimiter="-", maxsplit=1)]
        program = self.load(nodes, [("x", "string", [None])], ["words", "n", "parts"])
        texts = ["a b-c-d", " e"]
        got = self.results(program, {"x": sy.strings.tensor(texts)})
        self.assertEqual(got, {"words": [["a", "b-c-d"], ["e", ""]], "n": [2, 1],
                               "parts": [["a b", "c-d"], [" e", ""]]})

    def test_full_match(self):
        nodes = [onnx.node("RegexFullMatch", ["x"], ["y"], pattern=r"\w+@\w+\.(com|org)")]
        texts = [["a@b.com", "a@b.net"], ["c@d.org!", "c@d.org"]]
        got = self.results(self.load(nodes, [("x", "string", [2, None])], ["y"]), {"x": sy.strings.tensor(texts)})
        self.assertEqual(got, {"y": [[True, False], [False, True]]})
        with self.assertRaisesRegex(ValueError, r"RE2, got '\(': missing"):
            self.results(self.load([onnx.node("RegexFullMatch", ["x"], ["y"], pattern="(")], [("x", "string", [1])],
                                   ["y"]), {"x": sy.strings.tensor(["a"])})

    def test_maps(self):
        """Results of ZipMap are a list of dictionaries, tensors their matrix."""
        numbers = np.float32([[0.25, 0.75], [1, 0]])
        wanted = {"t": [{"no": 0.25, "ü": 0.75}, {"no": 1.0, "ü": 0.0}], "i": [{4: 0.25, -1: 0.75}, {4: 1.0, -1: 0.0}]}
        nodes = [onnx.node("ZipMap", ["x"], ["t"], "ai.onnx.ml", classlabels_strings=["no", "ü"]),
                 onnx.node("ZipMap", ["x"], ["i"], "ai.onnx.ml", classlabels_int64s=[4, -1])]
        graph = onnx.graph(nodes, [onnx.port("x", "float32", [None, 2])], ["t", "i", "x"])
        with open(self.path, "wb") as file:
            file.write(onnx.model(graph, 17, [("ai.onnx.ml", 3)]))
        program = sy.load(self.path)
        program.save(self.path + ".saved")
        for each in (program, sy.load(self.path + ".saved"), pickle.loads(pickle.dumps(program))):
            self.assertEqual(each.maps, {"t": ["no", "ü"], "i": [4, -1]})
            for run in (each.run, each.run_eagerly):
                got = run({"x": numbers})
                self.assertEqual((got["t"], got["i"]), (wanted["t"], wanted["i"]))
                np.testing.assert_array_equal(got["x"], numbers)
                np.testing.assert_array_equal(run({"x": numbers}, tensors=True)["t"].numpy(), numbers)
                self.assertEqual(run({"x": numbers[:0]})["t"], [])
        np.testing.assert_array_equal(program(numbers)[1].numpy(), numbers)
        wrong = onnx.graph(nodes[:1], [onnx.port("x", "float32", [2, 3])], ["t"])
        with open(self.path, "wb") as file:
            file.write(onnx.model(wrong, 17, [("ai.onnx.ml", 3)]))
        with self.assertRaisesRegex(ValueError, r"zip_map: x must be of 2 columns, one a key, got \[2, 3\]"):
            sy.load(self.path)

    def test_constants(self):
        """Texts of an initializer, of Constants, and of a graph inside."""
        def texts(name, words, *extents):
            return b"".join([onnx.number(1, extent) for extent in extents] + [onnx.number(2, 8)]
                            + [onnx.message(6, word) for word in words] + [onnx.message(8, name)])

        then = onnx.graph([], outputs=["u"]) + onnx.message(5, texts("u", ["yes"], 1))
        other = onnx.graph([onnx.node("Constant", [], ["v"], value_strings=["no"])], outputs=["v"])
        nodes = [onnx.node("StringConcat", ["x", "t"], ["a"]),
                 onnx.node("Constant", [], ["one"], value_string="!"),
                 onnx.node("StringConcat", ["a", "one"], ["b"]),
                 onnx.node("If", ["c"], ["d"], then_branch=then, else_branch=other)]
        graph = onnx.graph(nodes, [onnx.port("x", "string", [None]), onnx.port("c", "bool", [])],
                           ["b", "d"]) + onnx.message(5, texts("t", ["p", "ü\0"], 2, 1))
        with open(self.path, "wb") as file:
            file.write(onnx.model(graph, 20))
        program = sy.load(self.path)
        for condition, word in ((True, "yes"), (False, "no")):
            got = self.results(program, {"x": sy.strings.tensor(["a", "b"]), "c": np.array(condition)})
            self.assertEqual(got, {"b": [["ap!", "bp!"], ["aü\0!", "bü\0!"]], "d": [word]})
        copy = os.path.join(os.path.dirname(self.path), "copy.sy")
        program.save(copy)
        got = self.results(sy.load(copy), {"x": sy.strings.tensor(["a"]), "c": np.array(True)})
        self.assertEqual(got["b"], [["ap!"], ["aü\0!"]])
        with open(self.path, "wb") as file:
            file.write(onnx.model(graph.replace(onnx.number(1, 2) + onnx.number(1, 1) + onnx.number(2, 8),
                                                onnx.number(1, 3) + onnx.number(1, 1) + onnx.number(2, 8)), 20))
        with self.assertRaisesRegex(ValueError, r"node 0 \(StringConcat\): tensor 't': elements must be 3 texts"):
            sy.load(self.path)

    def test_what_is_refused(self):
        with self.assertRaisesRegex(NotImplementedError, r"node 0 \(ImageDecoder\): no operator here computes "
                                    "ai.onnx.ImageDecoder of version 20: no decoder of images"):
            self.load([onnx.node("ImageDecoder", ["x"], ["y"])], [("x", "uint8", [1])], ["y"])
        with self.assertRaisesRegex(TypeError, "relu: x must be .*, got string"):
            self.load([onnx.node("Relu", ["x"], ["y"])], [("x", "string", [1])], ["y"])


if __name__ == "__main__":
    unittest.main()
