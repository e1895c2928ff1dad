# SPDX-License-Identifier: Apache-2.0
"""python -m switchyard run, inspect, explain and profile, as a user calls them."""
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np
import switchyard as sy
from switchyard.commands import main
from switchyard.commands.faults import is_ours

ROOT = pathlib.Path(__file__).absolute().parent.parent.parent


class ModelsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)  # Where a trace goes that has no name.
        self.model = str(self.folder / "model.sy")
        self.x = str(self.folder / "x.npy")
        np.save(self.x, np.float32([[1, -2], [3, -4], [5, -6]]))
        sy.static.trace(lambda x: sy.relu(x) + x,
                        sy.static.InputSpec([None, 2], name="x")).save(self.model)

    def file(self, name, array):
        """The path of a file with that array, or with it in an archive."""
        path = str(self.folder / name)
        (np.savez if name.endswith("z") else np.save)(path, array, **(
            {"allow_pickle": True} if array.dtype == object else {}))
        return path

    def call(self, tool, *words):
        """(exit status, stdout, stderr)"""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main([tool, *words])
            except SystemExit as end:  # Of argparse.
                status = end.code or 0
        return status, out.getvalue(), err.getvalue()

    def test_the_module_is_a_program(self):
        package = pathlib.Path(sy.__file__).parent.parent
        for words, said in (((self.model,), (0, "inputs\n  x: float32[?, 2]\noutputs\n  out: float32[?, 2]\n", "")),
                            (("/no/model",), (1, "", "sy: run: load: no file or folder /no/model\n"))):
            done = subprocess.run(
                [sys.executable, "-P", "-m", "switchyard", "run", *words], capture_output=True, text=True,
                check=False, env={**os.environ, "PYTHONPATH": str(package)})
            self.assertEqual((done.returncode, done.stdout, done.stderr), said)

    def test_run_without_input_shows_ports(self):
        status, out, _ = self.call("run", self.model)
        self.assertEqual((status, out), (0, "inputs\n  x: float32[?, 2]\noutputs\n"
                                            "  out: float32[?, 2]\n"))

    def test_run_writes_what_it_computes(self):
        output = str(self.folder / "results")
        status, out, error = self.call("run", self.model, "--input", self.x, "--output", output,
                                       "--repeat", "3", "--threads", "1")
        self.assertEqual(status, 0, error)
        self.assertRegex(out, r"out: float32\[3, 2\] values \[\[2.0, -2.0\], .*\] file .*out.npy\n"
                              r"milliseconds: median .*, least .* of 3 runs\n")
        np.testing.assert_array_equal(np.load(os.path.join(output, "out.npy")),
                                      [[2, -2], [6, -4], [10, -6]])

    def test_run_takes_texts_and_writes_them(self):
        model = str(self.folder / "texts.sy")
        sy.static.trace(lambda x: (sy.strings.upper(x), x), sy.static.InputSpec([None], "string", name="x")).save(model)
        x = self.file("texts.npy", np.array(["ab", "c"]))
        for executor in ("static", "eager"):
            status, out, err = self.call("run", model, "--input", f"x={x}", "--output", "out", "--executor", executor)
            self.assertEqual((status, out, err), (
                0, "out0: strings string[2] values ['AB', 'C'] file out/out0.npy\n"
                "out1: strings string[2] values ['ab', 'c'] file out/out1.npy\n", ""))
            self.assertEqual(np.load("out/out0.npy").tolist(), ["AB", "C"])
        self.assertEqual(self.call("run", model, "--input", f"x={self.x}")[::2], (
            1, "sy: run: traced: feed x must be strings string[s0], got float32[3, 2]\n"))

    def test_run_shows_the_keys_of_maps(self):
        sy.static.trace(lambda x: sy.ops.zip_map(x, ["no", "yes"], []),
                        sy.static.InputSpec([None, 2], name="x")).save(self.model)
        x = self.file("probabilities.npy", np.float32([[0.25, 0.75]]))
        text = "out: float32[1, 2] keys ['no', 'yes'] values [[0.25, 0.75]]\n"
        self.assertEqual(self.call("run", self.model, "--input", x), (0, text, ""))
        output, = json.loads(self.call("run", self.model, "--input", x, "--json")[1])["outputs"]
        self.assertEqual((output["keys"], output["values"]), (["no", "yes"], [[0.25, 0.75]]))

    def test_run_profiles(self):
        trace = str(self.folder / "trace.json")
        status, out, error = self.call("run", self.model, "--input", f"x={self.x}", "--json",
                                       "--profile", trace)
        self.assertEqual(status, 0, error)
        rows = json.loads(out)["profile"]
        self.assertEqual(sorted(row["op"] for row in rows), ["add", "relu"])
        with open(trace, encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["traceEvents"]), 2)

    def test_run_profiles_to_a_file_of_its_own(self):
        output = str(self.folder / "results")
        status, out, error = self.call("run", self.model, "--input", self.x, "--output", output, "--profile")
        self.assertEqual(status, 0, error)
        trace = os.path.join(output, "trace.json")
        self.assertIn(f"trace: {trace}, for chrome://tracing\n", out)
        with open(trace, encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["traceEvents"]), 2)

    def test_run_detects_anomalies(self):
        x = self.file("big.npy", np.float32([[1, -2], [3, 3e38]]))
        for executor in ("static", "eager"):
            words = ("run", self.model, "--input", x, "--executor", executor)
            self.assertEqual(self.call(*words)[0], 0)
            status, _, error = self.call(*words, "--detect-anomaly")
            self.assertEqual(status, 1)
            self.assertRegex(error, r"^sy: run: traced: add: out has infinity at \[1, 1\], though x "
                                    r"\(from 0 to 3e\+38\) and y \(from -2 to 3e\+38\) are finite "
                                    r"\(at .*shell_test\.py:\d+\)\n$")

    def test_numbers_that_json_lacks(self):
        x = self.file("nan.npy", np.float32([[np.nan, np.inf]]))
        status, out, error = self.call("run", self.model, "--input", x, "--json")
        self.assertEqual(status, 0, error)

        def refuse(word):
            self.fail(f"{word} is no JSON")

        values = json.loads(out, parse_constant=refuse)["outputs"][0]["values"]
        self.assertEqual(values, [["nan", "inf"]])

    def test_counts(self):
        for words, expected in ((("--threads", "0"), "at least 1, got '0'"),
                                (("--threads", "-3"), "at least 1, got '-3'"),
                                (("--repeat", "-1"), "at least 0, got '-1'"),
                                (("--repeat", "few"), "at least 0, got 'few'")):
            status, _, error = self.call("run", self.model, "--input", self.x, *words)
            self.assertEqual(status, 2)
            self.assertIn(f"expected a whole number of {expected}", error)

    def test_run_eagerly(self):
        words = (self.model, "--input", self.x, "--json", "--profile", "--repeat", "2")
        said = {}
        for executor in ("static", "eager"):
            status, out, error = self.call("run", *words, "--executor", executor)
            self.assertEqual(status, 0, error)
            said[executor] = json.loads(out)
        self.assertEqual(said["eager"]["outputs"], said["static"]["outputs"])
        self.assertEqual(said["eager"]["milliseconds"]["runs"], 2)
        self.assertEqual(sorted(row["op"] for row in said["eager"]["profile"]), ["add", "relu"])
        status, _, error = self.call("run", *words, "--executor", "both")
        self.assertEqual(status, 2)
        self.assertIn("invalid choice: 'both'", error)

    def test_prefer(self):
        sy.static.trace(sy.softmax, sy.static.InputSpec([None, 2], name="x")).save(self.model)
        for executor in ("static", "eager"):
            status, out, error = self.call("run", self.model, "--input", self.x, "--json", "--profile", "--executor",
                                           executor, "--prefer", "legacy")
            self.assertEqual(status, 0, error)
            kernels = {row["op"]: row["kernel"] for row in json.loads(out)["profile"]}
            self.assertIn("fluid", kernels["softmax"])
        status, out, error = self.call("explain", self.model, "--prefer", "legacy")
        self.assertEqual(status, 0, error)
        self.assertIn("preferred: as legacy, to cpu float32", out)

    def test_wrong_arguments(self):
        for words, error in (
                (("run", self.model, "--input", f"y={self.x}"), "expected a name of x, got 'y'"),
                (("run", self.model, "--input", self.x, "--lod", "2,a"), "expected lengths as 2,1,3"),
                (("run", self.model, "--lod", "2,1"), "--lod: expected --input x=FILE.npy too, got none"),
                (("run", self.model, "--input", self.x, "--input", f"x={self.x}"),
                 "each input once, got 'x' twice"),
                (("run", self.model, "--relaxed", "lunch"), "--relaxed: relaxed must be exact, or choices"),
                (("run", self.model, "--relaxed", "denormals=x"), "--relaxed: denormals must be .*, got 'x'"),
                (("run", self.model, "--exact", "--relaxed", "exact"), "only one of --relaxed and --exact"),
                (("run", self.model, "--exact", "--precision", "int8"), "only one of --precision and --exact"),
                (("run", self.model, "--precision", "int4"), "--precision: precision must be exact, int8, "),
                (("run", self.model, "--prefer", "legacy,tpu"), "--prefer: must be composed, phi, .*, got 'tpu'"),
                (("run", self.model, "--without", "x"), "--without: .* was through its passes before"),
                (("profile", self.model), "--input: expected each of x, got none"),
                (("inspect", self.model, "--ir", "lunch"), "--ir: expected 'imported'"),
                (("explain", self.model, "--op", "conv2d"), "--op: expected one of add, relu; got 'conv2d'"),
                (("explain", "sofmax"), "sofmax.*softmax"),
                (("lunch",), "no command 'lunch': it must be one of run, inspect, explain, profile")):
            status, out, said = self.call(*words)
            self.assertEqual((status, out), (2, ""), words)
            self.assertRegex(said, f"^sy: .*{error}")
            self.assertEqual(said.count("\n"), 1, said)

    def test_errors(self):
        for words, error in (
                ((self.model, "--input", "/no/x.npy"), "No such file"),
                ((self.model, "--input", self.file("o.npy", np.array([{}], object))),
                 "--input: .*o.npy: expected a .npy file of numbers, "),
                ((self.model, "--input", self.model),
                 "--input: .*model.sy: expected a .npy file of numbers, got a saved program"),
                ((self.model, "--input", __file__), "got a text file: np.save the array that np.loadtxt reads"),
                ((self.model, "--input", self.file("z.npz", np.zeros((3, 2), np.float32))),
                 "--input: .*z.npz: expected a .npy file of one array, got an archive"),
                ((self.model, "--input", self.file("d.npy", np.zeros((3, 2)))),
                 r"feed x must be float32\[.*, 2\], got float64\[3, 2\]"),
                ((self.model, "--input", self.file("r.npy", np.zeros(2, np.float32))),
                 r"feed x must be float32\[.*, 2\], got float32\[2\]"),
                ((self.model, "--input", self.x, "--output", self.x), "x.npy: File exists"),
                ((self.x,), "is an array of NumPy"),
                (("/no/model",), "no file or folder /no/model")):
            status, out, said = self.call("run", *words)
            self.assertEqual((status, out), (1, ""))
            self.assertRegex(said, f"^sy: run: .*{error}")
            self.assertEqual(said.count("\n"), 1, said)

    def test_an_index_out_of_range(self):
        table = sy.tensor(np.zeros((4, 2), np.float32))
        sy.static.trace(lambda n: sy.nn.functional.embedding(n, table),
                        sy.static.InputSpec([None], "int64", name="n")).save(self.model)
        n = self.file("n.npy", np.array([1, 10**6]))
        status, out, said = self.call("run", self.model, "--input", n)
        self.assertEqual((status, out, said.count("\n")), (1, "", 1), said)
        self.assertRegex(said, "^sy: run: .*1000000")
        status, out, said = self.call("run", self.model, "--input", n, "--traceback")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(said, "(?s)^Traceback .*IndexError: .*\nsy: run: ")

    def test_faults(self):
        """An error that should not be has an exit code of its own."""
        for fault in (lambda: {}["x"], lambda: [][1], lambda: 1 + "", lambda: (_ for _ in ()).throw(ValueError())):
            with self.assertRaises(Exception) as raised:
                fault()
            self.assertFalse(is_ours(raised.exception))
        told = io.StringIO()
        with unittest.mock.patch("switchyard.commands.choosing.load", side_effect=KeyError("x")):
            with contextlib.redirect_stderr(told):
                self.assertEqual(main(["run", self.model]), 70)
        self.assertEqual(told.getvalue(), "sy: run: a fault of Switchyard: KeyError: 'x' (--traceback shows where)\n")

    def test_profile(self):
        trace = str(self.folder / "t.json")
        status, out, error = self.call("profile", self.model, "--input", self.x, "--trace", trace)
        self.assertEqual(status, 0, error)
        self.assertRegex(out, r"(?s)out: float32.* ms +% +calls .*relu.*trace: .*t.json")
        with open(trace, encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["traceEvents"]), 2)

    def test_help_names_every_option(self):
        root = ROOT
        for command in ("run", "inspect", "serve"):
            status, out, _ = self.call(command, "--help")
            self.assertEqual(status, 0)
            script = root / f"tools/sy/{command}.sh"
            for option in set(re.findall(r"--[a-z]+", out)) - {"--help"}:
                self.assertIn(option, script.read_text())
        self.assertIn("usage: python -m switchyard COMMAND", self.call("help")[1])

    def test_explain_an_operator(self):
        status, out, error = self.call("explain", "softmax", "--place", "cpu", "--input", "x=float32[8,1000]")
        self.assertEqual((status, error), (0, ""))
        self.assertEqual(out, sy.explain("softmax", place="cpu", x="float32[8, 1000]"))

    def test_inspect_counts_what_was_saved_and_what_runs(self):
        sy.seed(0)
        model = sy.nn.Sequential(sy.nn.Conv2D(3, 8, 3), sy.nn.BatchNorm2D(8), sy.nn.ReLU()).eval()
        x = np.ones((2, 3, 8, 8), np.float32)
        program = sy.static.trace(model, x, relaxed="fusion=relaxed")
        program.save(self.model)
        program(x)
        facts = json.loads(self.call("inspect", self.model, "--json")[1])
        ran = [step.op for step in program.profile(x).steps]
        self.assertEqual(sorted(facts["each_run"]), sorted({f"kernel.{op}" for op in ran}))
        self.assertEqual(sum(facts["each_run"].values()), len(ran))
        self.assertGreater(facts["once"]["kernel.sqrt"], 0)
        out = self.call("inspect", self.model)[1]
        self.assertIn("operators, as saved (", out)
        self.assertIn("kernels that run once, on parameters alone (", out)

    def test_inspect(self):
        status, out, error = self.call("inspect", self.model, "--json")
        self.assertEqual(status, 0, error)
        facts = json.loads(out)
        self.assertEqual(facts["operators"], {"op.relu": 1, "op.add": 1})
        self.assertEqual(facts["inputs"][0]["shape"], [-1, 2])
        self.assertEqual(facts["parameters"]["tensors"], 0)
        _, imported, _ = self.call("inspect", self.model, "--ir", "imported")
        self.assertIn("op.relu(%x)", imported)
        for words in ((self.model, "--ir", "lowered"), ("--ir", "lowered", self.model)):
            _, lowered, _ = self.call("inspect", *words)
            self.assertIn("kernel.relu(%x)", lowered)
        for words in ((self.model, "--ir", "after", "lunch"), ("--ir", "after", "lunch", self.model),
                      (self.model, "--ir", "after lunch")):
            status, _, error = self.call("inspect", *words)
            self.assertEqual(status, 2)
            self.assertIn("--ir: expected 'imported' or 'lowered'; got 'after lunch'", error)

    def test_explain(self):
        status, out, error = self.call("explain", self.model)
        self.assertEqual(status, 0, error)
        self.assertRegex(out, r"(?s)^relu float32\[s0, 2\] on cpu\n.*\nadd float32\[s0, 2\], ")
        _, one, _ = self.call("explain", self.model, "--op", "add")
        self.assertTrue(one.startswith("add ") and out.endswith(one), one)
        status, _, error = self.call("explain", self.model, "--op", "conv2d")
        self.assertEqual((status, error),
                         (2, "sy: explain: --op: expected one of add, relu; got 'conv2d'\n"))

    def test_explain_takes_the_choices_of_a_run(self):
        self.assertEqual(self.call("explain", self.model, "--relaxed", "denormals=flush", "--op", "add")[0], 0)
        narrow = str(self.folder / "narrow.sy")
        program = sy.static.trace(lambda x: x @ x.T, np.ones((2, 2), np.float32),
                                  relaxed="precision=bfloat16_emulated")
        program.save(narrow)
        status, out, error = self.call("explain", narrow, "--relaxed", "denormals=flush",
                                       "--precision", "bfloat16_emulated")
        self.assertEqual(status, 0, error)
        self.assertTrue(out.startswith("relaxed: denormals=flush,precision=bfloat16_emulated\n"), out)
        for words, text in ((("--relaxed", "fusion=fast"), "--relaxed: fusion must be exact or relaxed, got 'fast'"),
                            (("--precision", "int8"), "--precision: fusion and precision must be as the program was"),
                            (("--exact", "--relaxed", "exact"), "--exact: only one of --relaxed and --exact"),
                            (("--without", "inplace"), "--without: .* was through its passes before")):
            status, _, error = self.call("explain", self.model, *words)
            self.assertEqual(status, 2)
            self.assertRegex(error, f"^sy: explain: {text}")

    def test_explain_as_json(self):
        status, out, error = self.call("explain", self.model, "--json")
        self.assertEqual(status, 0, error)
        calls = json.loads(out)
        self.assertEqual([call["op"] for call in calls], ["relu", "add"])
        for call in calls:
            self.assertEqual(call["blocks"], [])
            self.assertEqual(sum(c["outcome"] == "chosen" for c in call["candidates"]), 1, call)
            self.assertEqual(call["transforms"], [])
        status, out, error = self.call("explain", self.model, "--json", "--op", "add")
        self.assertEqual((status, json.loads(out)), (0, calls[1:]), error)
        status, _, error = self.call("explain", self.model, "--json", "--op", "conv2d")
        self.assertEqual((status, error),
                         (2, "sy: explain: --op: expected one of add, relu; got 'conv2d'\n"))

    def test_inspect_draws(self):
        dot = self.folder / "graph.dot"
        status, _, error = self.call("inspect", self.model, "--dot", str(dot))
        self.assertEqual(status, 0, error)
        self.assertIn("relu", dot.read_text())


if __name__ == "__main__":
    unittest.main()
