# SPDX-License-Identifier: Apache-2.0
"""python -m switchyard serve, as a user calls it."""
import contextlib
import io
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
import serving_checks as checks
import switchyard as sy
from switchyard.commands import main

PACKAGE = pathlib.Path(sy.__file__).parent.parent
LIMIT = 60


class ServeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = checks.dense_program()
        self.model = str(self.folder / "model.sy")
        self.program.save(self.model)

    @contextlib.contextmanager
    def process(self, *words):
        """(process, port, what it said) of a server."""
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
        with subprocess.Popen(
                [sys.executable, "-P", "-m", "switchyard", "serve", *words, "--port", "0"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env=environment) as process:
            killer = threading.Timer(LIMIT, process.kill)
            killer.start()
            try:
                said = ""
                while (line := process.stdout.readline()):
                    said += line
                    if line.startswith("serving "):
                        break
                else:
                    self.fail(process.stderr.read())
                yield process, int(re.search(r":(\d+)\n$", said)[1]), said
            finally:
                process.kill()
                killer.cancel()

    def call(self, *words):
        """(exit code, what stderr got) of a server that does not start."""
        error = io.StringIO()
        with contextlib.redirect_stderr(error), contextlib.redirect_stdout(io.StringIO()):
            try:
                code = main(["serve", *words])
            except SystemExit as end:
                code = end.code
        return code, error.getvalue()

    def test_a_signal_ends_it_when_all_is_answered(self):
        x = np.random.default_rng(0).standard_normal((1, 2, 6, 6)).astype(np.float32)
        with self.process(self.model, "--delay-ms", "60000", "--batch", "9") as (
                process, port, said):
            self.assertEqual(said, "inputs\n  x: float32[?, 2, 6, 6]\noutputs\n"
                             "  out: float32[?, 5]\nbatch: up to 9 rows a run, after at "
                             f"most 60000 ms\nserving {self.model} at "
                             f"http://127.0.0.1:{port}\n")
            clients = [checks.Client(port) for _ in range(5)]
            answers = []
            threads = [threading.Thread(
                target=lambda client=client: answers.append(client.run_npy(x)[0]))
                for client in clients]
            for thread in threads:
                thread.start()
            while checks.counts_of(port)["switchyard_waiting_requests"] < 5:
                pass
            with self.assertRaises(OSError):  # Of this machine alone.
                socket.create_connection(("127.0.0.2", port))
            process.send_signal(signal.SIGTERM)
            for thread in threads:
                thread.join()
            self.assertEqual((process.wait(LIMIT), process.stderr.read()), (0, ""))
        expected = self.program.run({"x": x})["out"].tobytes()
        self.assertEqual([one.tobytes() for one in answers], [expected] * 5)

    def test_it_says_why_requests_run_one_by_one(self):
        model = str(self.folder / "meets.sy")
        sy.static.trace(lambda x: sy.softmax(x, axis=0),
                        sy.static.InputSpec([None, 2], name="x")).save(model)
        with self.process(model) as (process, port, said):
            self.assertIn("\nbatch: 1 request a run (softmax reads along the first axis)\n",
                          said)
            client = checks.Client(port)
            self.assertEqual(client.run_npy(np.ones((2, 2), np.float32))[0].tolist(),
                             [[0.5, 0.5]] * 2)
            client.close()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(LIMIT), 0)
        with self.process(self.model, "--batch", "1") as (_, _, said):
            self.assertIn("\nbatch: 1 request a run (--batch 1)\n", said)

    def test_what_is_cut_off_is_said_by_the_exit_code(self):
        with self.process(self.model, "--drain-seconds", "1") as (process, port, _):
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(b"POST /run HTTP/1.1\r\nContent-Length: 9\r\n"
                               b"Content-Type: application/json\r\n\r\n{")
                while checks.counts_of(port)["switchyard_held_bytes"] != 9:
                    pass
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(LIMIT), 1)

    def test_models_that_are_not_served(self):
        layer = sy.nn.BatchNorm1D(2)
        training = str(self.folder / "training.sy")
        sy.static.trace(layer, sy.static.InputSpec([None, 2])).save(training)
        code, error = self.call(training)
        self.assertEqual(code, 1)
        self.assertRegex(error, r"^sy: serve: \S+ writes its state \S+ in each run, so that ")
        code, error = self.call(str(self.folder / "none"))
        self.assertEqual((code, error), (1, "sy: serve: load: no file or folder "
                                            f"{self.folder / 'none'}\n"))

    def test_a_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            code, error = self.call(self.model, "--port", str(port))
        self.assertEqual(code, 1)
        self.assertTrue(error.startswith(f"sy: serve: --port: 127.0.0.1:{port} can't be "
                                         "listened at: "), error)

    def test_wrong_words(self):
        for words in (("--batch", "0"), ("--delay-ms", "-1"), ("--port", "65536"),
                      ("--queue", "many"), ("--prefer", "nobody"), ("--relaxed", "all")):
            code, error = self.call(self.model, *words)
            self.assertEqual(code, 2, error)
            self.assertIn(words[0], error)


if __name__ == "__main__":
    unittest.main()
