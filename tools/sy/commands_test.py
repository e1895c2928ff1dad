# SPDX-License-Identifier: Apache-2.0
"""./sy in a scratch checkout, with a `bazel` that writes down how it is called.

What it builds are the files that the real one would: a package `switchyard`, a
program `explain`, facts of operators.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

BAZEL = r"""#!/bin/bash
echo "$*" >>"$SCRATCH/calls"
[[ $* != *noblock_for_lock* || ! -f $SCRATCH/locked ]] || { echo "Another command is running." >&2; exit 9; }
bin=$SCRATCH/bin
case $* in
  *"info release"*) ;;
  *"info bazel-bin"*) echo "$bin" ;;
  *build*)
    [[ ! -f $SCRATCH/broken ]] || { echo "ERROR: broken" >&2; exit 1; }
    mkdir -p "$bin/python/switchyard" "$bin/tools/explain" "$bin/docs/ops/generated"
    echo "built = $(wc -l <"$SCRATCH/calls")" >"$bin/python/switchyard/__init__.py"
    printf '#!/bin/bash\necho "explained: $*"\n' >"$bin/tools/explain/explain"
    chmod +x "$bin/tools/explain/explain"
    cat >"$bin/docs/ops/generated/math.json" <<'END'
[{"name": "tanh", "kernels": {}, "forward": ""},
 {"name": "softmax", "family": "math", "signature": "softmax (Tensor x) -> Tensor(out)", "forward": "",
  "backward": "softmax_grad", "old_names": ["softmax"],
  "kernels": {"alpha": {"cpu": ["float32"], "onednn": ["float32"]}, "zeta": {"cpu": ["float32", "float64"]}}},
 {"name": "softmax_grad", "family": "math", "kernels": {}, "forward": "softmax"}]
END
    ;;
esac
"""


class CommandsTest(unittest.TestCase):

    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.scratch)
        self.root = self.scratch / "checkout"
        shutil.copytree("tools/sy", self.root / "tools/sy")
        shutil.copy("sy", self.root / "sy")
        (self.root / "source.cc").write_text("")
        commands = self.scratch / "commands"
        commands.mkdir()
        (commands / "bazel").write_text(BAZEL)
        (commands / "bazel").chmod(0o755)
        self.environment = {
            **os.environ, "SCRATCH": os.fspath(self.scratch),
            "PATH": f"{commands}:{os.environ['PATH']}"}

    def sy(self, *words):
        """(exit code, stdout, stderr)."""
        run = subprocess.run(
            [os.fspath(self.root / "sy"), *words], env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            check=False, cwd=self.scratch)
        return run.returncode, run.stdout, run.stderr

    def calls(self):
        """How often bazel was called since this was asked last."""
        path = self.scratch / "calls"
        count = len(path.read_text().splitlines()) if path.exists() else 0
        path.unlink(missing_ok=True)
        return count

    def edit(self):
        time.sleep(0.02)  # A file's time is as fine as the system's tick.
        (self.root / "source.cc").write_text("changed")

    def test_runs_what_is_built(self):
        self.assertEqual(
            self.sy("python", "-c", "import switchyard; print(switchyard.built)"),
            (0, "2\n", ""))
        self.assertEqual(self.sy("explain", "softmax", "--json"),
                         (0, "explained: softmax --json\n", ""))
        code, out, _ = self.sy("ops", "soft")
        self.assertEqual(code, 0)
        self.assertIn("2 operators", out)

    def test_tells_of_one_operator(self):
        for folder, text in (
                ("ops_gen/ops", "- op: softmax\n  kernels: {zeta: {cpu: x}, alpha: {cpu: x}}\n"),
                ("tests/samples", "- op: softmax\n  valid: [pair]\n  invalid: [{}]\n")):
            (self.root / folder).mkdir(parents=True)
            (self.root / folder / "math.yaml").write_text(text)
        (self.root / "tests/samples/sets.yaml").write_text("pair: [{}, {}]\n")
        code, out, _ = self.sy("ops", "softmax")
        self.assertEqual(code, 0)
        self.assertEqual(out.splitlines(), [
            "softmax (Tensor x) -> Tensor(out)",
            "entry        ops_gen/ops/math.yaml",
            "kernels",
            "  cpu        zeta: f32 f64",
            "  cpu        alpha: f32",
            "  onednn     alpha: f32",
            "legacy names softmax",
            "gradient     softmax_grad (made of other operators)",
            "samples      tests/samples/math.yaml: 2 valid, 1 invalid",
            "tests        ./sy test --op softmax",
            "See also: softmax_grad"])

    def test_asks_bazel_only_when_a_source_has_changed(self):
        for command in (("python", "-c", "pass"), ("explain", "x"), ("ops",)):
            with self.subTest(command=command):
                self.assertEqual(self.sy(*command)[0], 0)
                self.assertGreater(self.calls(), 0)
                self.assertEqual(self.sy(*command)[0], 0)
                self.assertEqual(self.calls(), 0)
                self.edit()
                self.assertEqual(self.sy(*command)[0], 0)
                self.assertGreater(self.calls(), 0)
                (self.root / "source.cc").unlink()
                self.assertEqual(self.sy(*command)[0], 0)
                self.assertGreater(self.calls(), 0)

    def test_a_log_of_the_first_build_has_its_steps(self):
        said = []
        for _ in range(2):
            self.assertEqual(self.sy("explain", "x")[0], 0)
            calls = (self.scratch / "calls").read_text().splitlines()
            said.append([line for line in calls if line.startswith("build ")])
            self.calls()
            self.edit()
        self.assertIn("--show_progress_rate_limit=20", said[0][0])
        self.assertIn("--noshow_progress", said[1][0])

    def test_uses_what_is_built_while_another_command_builds(self):
        self.assertEqual(self.sy("explain", "x")[0], 0)
        (self.scratch / "locked").write_text("")
        self.edit()
        code, out, err = self.sy("explain", "x")
        self.assertEqual((code, out), (0, "explained: x\n"))
        self.assertRegex(err, "^sy: sources have changed, but another command is "
                              "building: using what was built at 20[^\n]*\n$")
        # Once it is done, what has changed is built.
        (self.scratch / "locked").unlink()
        self.calls()
        self.assertEqual(self.sy("explain", "x"), (0, "explained: x\n", ""))
        self.assertGreater(self.calls(), 0)

    def test_waits_where_nothing_is_built_yet(self):
        (self.scratch / "locked").write_text("")
        self.assertEqual(self.sy("explain", "x"), (
            0, "explained: x\n", "sy: another command is building here: waiting until it is done\n"))

    def test_a_cache_of_python_is_no_source(self):
        self.sy("explain", "x")
        self.calls()
        time.sleep(0.02)
        (self.root / "__pycache__").mkdir()
        (self.root / "__pycache__/x.pyc").write_text("")
        self.assertEqual(self.sy("explain", "x")[0], 0)
        self.assertEqual(self.calls(), 0)
        (self.root / "source.cc").rename(self.root / "other.cc")
        self.assertEqual(self.sy("explain", "x")[0], 0)
        self.assertGreater(self.calls(), 0)

    def test_one_operator_at_a_time_keeps_the_analysis(self):
        """The operator's name is no option of Bazel's, which would discard it."""
        (self.root / "ops_gen/ops").mkdir(parents=True)
        (self.root / "ops_gen/ops/f.yaml").write_text("- op: relu\n- op: tanh\n")
        (self.root / "tools/sy/setup.sh").write_text("")
        (self.root / "tools/sy/kernel_parameters.py").write_text("")
        seen = []
        for op in ("relu", "tanh"):
            self.assertEqual(self.sy("test", "--op", op)[0], 0)
            seen.append([line for line in (self.scratch / "calls").read_text().splitlines()
                         if line.startswith("test ")])
            self.calls()
        self.assertEqual(seen[0], seen[1])
        rows = (pathlib.Path(__file__).parents[2] / ".bazelrc").read_text().splitlines()
        self.assertIn("build --test_env=SY_OP", rows)

    def test_a_build_that_fails_is_no_start(self):
        self.sy("explain", "x")
        (self.scratch / "broken").write_text("")
        self.edit()
        for _ in range(2):
            code, out, err = self.sy("explain", "x")
            self.assertEqual((code, out), (1, ""))
            self.assertIn("ERROR: broken", err)

    def test_what_is_gone_is_built_again(self):
        self.sy("explain", "x")
        shutil.rmtree(self.scratch / "bin")
        self.assertEqual(self.sy("explain", "x")[:2], (0, "explained: x\n"))

    def test_mistyped_words(self):
        for words, code, meant in (
                (("hlp",), 2, "no command 'hlp'; did you mean 'help'?"),
                (("exlpain", "softmax"), 2, "did you mean 'explain'?"),
                (("help", "tset"), 2, "did you mean 'test'?"),
                (("ops", "sofmax"), 1, "no operator's name has 'sofmax' in it; "
                                       "did you mean 'softmax'?")):
            with self.subTest(words=words):
                got, out, err = self.sy(*words)
                self.assertEqual((got, out), (code, ""))
                self.assertIn(meant, err)
        code, _, err = self.sy("frobnicate")
        self.assertEqual(code, 2)
        self.assertNotIn("did you mean", err)
        self.assertIn("usage: ./sy COMMAND", err)
        self.assertNotIn("did you mean", self.sy("ops", "qqqqqq")[2])
        # A path is no command.
        self.assertEqual(self.sy("../sy/ops")[0], 2)

    def test_help(self):
        names = [path.stem for path in (self.root / "tools/sy").glob("*.sh")]
        code, out, _ = self.sy("help")
        self.assertEqual(code, 0)
        for name in names:
            self.assertRegex(out, rf"(?m)^  {name}\b")
        self.assertEqual(self.sy(), self.sy("--help"))
        code, out, err = self.sy("help", "explain")  # Before it is built.
        self.assertEqual((code, self.calls()), (0, 0))
        self.assertTrue(out.startswith("explain OPERATOR|MODEL"), out)
        self.assertIn("./sy explain builds the program", err)
        self.sy("explain", "x")
        for name in names:
            with self.subTest(name=name):
                code, out, _ = self.sy("help", name)
                self.assertEqual(code, 0)
                self.assertEqual(out, self.sy(name, "--help")[1])
                if name == "explain":  # The program's own.
                    self.assertEqual(out, "explained: --help\n")
                else:
                    self.assertTrue(out.startswith(name), out)
        self.assertIn("packages.txt", self.sy("help", "setup")[1])

    def test_new_says_why_it_cannot_start_an_operator(self):
        ops = self.root / "ops_gen/ops"
        ops.mkdir(parents=True)
        (ops / "f.yaml").write_text("- op: relu\n  kernel: {func: relu, data_type: x}\n"
                                    "  kernels:\n    cpu: floating\n  functor: Relu\n")
        (self.root / "phi/kernels/functors").mkdir(parents=True)
        (self.root / "phi/kernels/functors/f.h").write_text("// Nothing.\n")
        for words, message in [
                (("mish", "--like", "softmx"),
                 "--like: expected an operator (./sy ops), got 'softmx'"),
                (("relu", "--like", "relu"),
                 "OP: expected a new name, got 'relu' of ops_gen/ops/f.yaml"),
                (("Mish", "--like", "relu"), "OP: expected a name of a-z, 0-9 and _, got 'Mish'"),
                (("mish", "--like", "relu", "--legacy", "mish"),
                 "--legacy: expected an operator with a legacy form in --like, got 'relu'"),
                (("mish", "--like", "relu"),
                 "phi/kernels/functors/f.h: expected Relu, got none")]:
            code, _, error = self.sy("new", *words)
            self.assertEqual((code, error), (1, f"sy: new: {message}\n"))
        self.assertNotIn("mish", (ops / "f.yaml").read_text())


if __name__ == "__main__":
    unittest.main()
