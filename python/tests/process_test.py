# SPDX-License-Identifier: Apache-2.0
"""What only a process of its own shows: Ctrl-C, what the import brings in."""
import os
import pathlib
import signal
import subprocess
import sys
import unittest

import switchyard as sy

FOLDER = pathlib.Path(sy.__file__).parent.parent

LOOPS = {
    "eager": """
x = sy.randn(256, 256)
print("ready", flush=True)
while True:
    x = sy.tanh(x @ x)
""",
    "backward": """
w = sy.randn(64, 64)
w.requires_grad = True
print("ready", flush=True)
while True:
    sy.tanh(w @ w).sum().backward()
""",
    "static": """
import numpy as np
program = sy.static.trace(lambda x: sy.tanh(x @ x), np.ones((128, 128), "f4"))
print("ready", flush=True)
while True:
    program.run({"x0": np.ones((128, 128), "f4")})
""",
    "endless program": """
program = sy.static.trace(
    lambda x: sy.static.while_loop(lambda v: v > 0.0, lambda v: v * 1.0, (x,)),
    sy.static.InputSpec([1]))
print("ready", flush=True)
program.run({"x0": sy.ones(1)})
""",
    "loader": """
import time
class Slow(sy.io.Dataset):
    def __len__(self):
        return 10**6
    def __getitem__(self, i):
        time.sleep(0.01)
        return i
print("ready", flush=True)
for batch in sy.io.DataLoader(Slow(), 4, num_workers=2):
    pass
""",
}


def start(code):
    environment = dict(os.environ, PYTHONPATH=str(FOLDER))
    return subprocess.Popen(
        [sys.executable, "-c", "import switchyard as sy\n" + code],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment)


class ProcessTest(unittest.TestCase):

    def test_ctrl_c_ends_every_kind_of_loop(self):
        for name, code in LOOPS.items():
            with self.subTest(name):
                process = start(code)
                self.assertEqual(process.stdout.readline(), "ready\n")
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate(timeout=60)
                self.assertIn("KeyboardInterrupt", errors)
                self.assertNotEqual(process.returncode, 0)

    def test_ctrl_c_leaves_a_programs_state(self):
        process = start("""
class Endless(sy.nn.Module):
    def __init__(self):
        super().__init__()
        self.runs = sy.nn.Buffer(sy.zeros(1))
    def forward(self, x):
        self.runs = self.runs + 1.0
        return sy.static.while_loop(lambda v: v > 0.0, lambda v: v * 1.0, (x,))
module = Endless()
program = sy.static.trace(module, sy.static.InputSpec([1]))
program.run({"x0": sy.zeros(1)})
try:
    print("ready", flush=True)
    program.run({"x0": sy.ones(1)})
except KeyboardInterrupt:
    print(module.runs.tolist())
    program.run({"x0": sy.zeros(1)})
    print(module.runs.tolist())
""")
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual((output, errors), ("[1.0]\n[2.0]\n", ""))

    def test_the_import_stays_small(self):
        process = start("""
import sys
print(*sys.modules)
""")
        modules = set(process.communicate(timeout=60)[0].split())
        self.assertIn("numpy", modules)
        self.assertEqual(modules & {
            "asyncio", "concurrent", "tqdm", "unittest", "PIL", "yaml"}, set())
        own = {name for name in modules if name.startswith("switchyard.")}
        self.assertEqual(own & {f"switchyard.{name}" for name in (
            "explaining", "io", "legacy", "nn", "optim", "safetensors",
            "static")}, set())

    def test_what_is_imported_late_is_there_all_the_same(self):
        process = start("""
names = {"io", "legacy", "nn", "optim", "static", "explain", "save",
         "load_state"}
assert names <= set(dir(sy)), dir(sy)
assert names <= set(sy.__all__)
assert not hasattr(sy, "no_such_name")
from switchyard import nn, save
assert nn is sy.nn and save is sy.save
everything = {}
exec("from switchyard import *", everything)
assert names <= set(everything)
for name in names:
    assert everything[name] is getattr(sy, name)
print("yes")
""")
        self.assertEqual(process.communicate(timeout=60)[0], "yes\n")


if __name__ == "__main__":
    unittest.main()
