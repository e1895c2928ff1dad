# SPDX-License-Identifier: Apache-2.0
"""Progress that sy.load and the commands show of a model that is being loaded."""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import onnx_models as onnx
import switchyard as sy

# Loads a model as `load` or as a command, with shorter times.
LOAD = """
import sys
from switchyard import loading_progress
loading_progress._QUIET = float(sys.argv[2])
loading_progress._SECONDS_A_FRAME = 0.01
loading_progress._SECONDS_A_LINE = 0.01
import switchyard as sy
if sys.argv[3] == "load":
    sy.load(sys.argv[1])
else:
    from switchyard.commands import main
    sys.exit(main(["run", sys.argv[1]]))
"""
CLEAR = "\r\x1b[K"


def long_model(path, nodes):
    """Writes a chain of `nodes` operations, no two of which are equal."""
    parts = [onnx.node("Relu" if i % 2 else "Sigmoid", [f"v{i}"], [f"v{i + 1}"])
             for i in range(nodes)]
    graph = onnx.graph(parts, [onnx.port("v0", "float32", [2])], [f"v{nodes}"])
    path.write_bytes(onnx.model(graph))
    return str(path)


class LoadingProgressTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.long = long_model(cls.folder / "long.onnx", 12000)
        cls.short = long_model(cls.folder / "short.onnx", 10)

    def words(self, model, how, quiet):
        return [sys.executable, "-P", "-c", LOAD, model, str(quiet), how]

    def environment(self):
        package = pathlib.Path(sy.__file__).parent.parent
        return {**os.environ, "PYTHONPATH": str(package)}

    def on_terminal(self, model, how="load", quiet=0.005, status=0):
        """Returns what a terminal gets of standard error."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            self.words(model, how, quiet), stdout=subprocess.PIPE, stderr=theirs,
            env=self.environment())
        os.close(theirs)
        said = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # EIO: the other end is closed.
                break
            if not piece:
                break
            said += piece
        os.close(ours)
        process.stdout.read()
        process.stdout.close()
        self.assertEqual(process.wait(), status, said)
        return said.decode()

    def in_log(self, model, how="load", quiet=0.005):
        done = subprocess.run(self.words(model, how, quiet), capture_output=True,
                              text=True, check=False, env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_a_bar_on_a_terminal(self):
        for how in ("load", "run"):
            with self.subTest(how=how):
                frames = self.on_terminal(self.long, how).split(CLEAR)
                # It moves while the model is read, and is gone at the end.
                self.assertEqual((frames[0], frames[-1]), ("", ""))
                self.assertGreater(len(set(frames)), 3)
                for frame in frames[1:-1]:
                    self.assertRegex(frame, r"^\[ *#{6} *\] loading long\.onnx, "
                                            r"\d+ s$")
                    self.assertEqual(frame.index("]"), 25)

    def test_short_loads_are_quiet(self):
        self.assertEqual(self.on_terminal(self.short, quiet=1.0), "")
        self.assertEqual(self.on_terminal(self.short, "run", quiet=1.0), "")

    def test_a_log_has_lines_of_commands_alone(self):
        self.assertEqual(self.in_log(self.long), "")
        self.assertEqual(self.in_log(self.short, "run"), "")
        lines = self.in_log(self.long, "run").splitlines()
        self.assertGreater(len(lines), 0)
        for line in lines:
            self.assertRegex(line, r"^loading long\.onnx, \d+ s$")

    def test_names_that_would_write_elsewhere(self):
        path = self.folder / "a\x1b[2J\n.onnx"
        os.link(self.long, path)
        said = self.on_terminal(str(path))
        self.assertIn("loading a?[2J?.onnx, ", said)
        self.assertNotIn("\x1b[2J", said)

    def test_no_standard_error(self):
        for stream in (None, object()):
            with self.subTest(stream=stream), unittest.mock.patch.object(
                    sys, "stderr", stream):
                sy.load(self.short)

    def test_an_error_takes_the_bar_away(self):
        # It ends in a node that there isn't.
        path = self.folder / "wrong.onnx"
        parts = [onnx.node("Relu" if i % 2 else "Sigmoid", [f"v{i}"], [f"v{i + 1}"])
                 for i in range(12000)]
        parts.append(onnx.node("NoSuch", ["v12000"], ["y"]))
        path.write_bytes(onnx.model(onnx.graph(
            parts, [onnx.port("v0", "float32", [2])], ["y"])))
        said = self.on_terminal(str(path), "run", 0.001, status=1)
        self.assertIn("loading wrong.onnx", said)
        self.assertRegex(said.split(CLEAR)[-1], "^sy: run: .*NoSuch")


if __name__ == "__main__":
    unittest.main()
