# SPDX-License-Identifier: Apache-2.0
"""Tests that need a process of their own: Ctrl-C, what the import loads."""
import os
import pathlib
import signal
import subprocess
import sys
import time
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
    "loader's processes": """
import time
class Slow(sy.io.Dataset):
    def __len__(self):
        return 10**6
    def __getitem__(self, i):
        time.sleep(0.01)
        return i
print("ready", flush=True)
for batch in sy.io.DataLoader(Slow(), 4, num_workers=2, processes=True):
    pass
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

    def test_grad_mode_survives_interrupts(self):
        process = start("""
import random, signal
def interrupt(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
w = sy.ones([2])
w.requires_grad = True
optimizer = sy.optim.SGD([w], 0.0)
@sy.no_grad()
def quiet():
    return w * 2.0
(w * w).sum().backward()
random.seed(0)
lost = 0
for _ in range(2000):
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(2e-5, 4e-4))
        while True:
            with sy.no_grad():
                w * 2.0
            quiet()
            optimizer.step()
    except KeyboardInterrupt:
        pass
    if not sy.is_grad_enabled():
        lost += 1
        sy.enable_grad().__enter__()
print(lost)
""")
        self.assertEqual(process.communicate(timeout=120), ("0\n", ""))

    def test_daemon_threads_in_operators_do_not_end_the_process(self):
        bodies = {
            "calls": "sy.tanh(x)",
            "backward": "sy.tanh(w).sum().backward()",
            "hooks": "hooked.sum().backward(retain_graph=True)",
            "programs": "program.run({'x0': x})",
        }
        for name, body in bodies.items():
            for _ in range(3):
                with self.subTest(name):
                    process = start(f"""
import threading, time
import numpy as np
x = sy.randn(200, 200)
w = sy.randn(200, 200)
w.requires_grad = True
hooked = w * 2.0
hooked.register_hook(lambda grad: grad * 1.0)
program = sy.static.trace(lambda x: sy.tanh(x @ x), x.numpy())
def work():
    while True:
        {body}
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
""")
                    self.assertEqual(process.communicate(timeout=60), ("", ""))
                    self.assertEqual(process.returncode, 0)

    def test_loaders_workers_stop_between_items(self):
        process = start("""
import threading, time
ended = False
class Slow(sy.io.Dataset):
    def __len__(self):
        return 1000
    def __getitem__(self, i):
        if ended:
            print("late", flush=True)
        # One is stuck for good.
        time.sleep(0.3 if i else 1e6)
        return i
batches = iter(sy.io.DataLoader(Slow(), 50, num_workers=4))
threading.Thread(target=next, args=(batches,), daemon=True).start()
time.sleep(0.5)
ended = True
""")
        output, errors = process.communicate(timeout=60)
        self.assertEqual((errors, process.returncode), ("", 0))
        # A worker may begin one just as the flag is set.
        self.assertLessEqual(output.count("late"), 3)

    def test_loaders_processes_end_at_once(self):
        process = start("""
import multiprocessing, threading, time
class Stuck(sy.io.Dataset):
    def __len__(self):
        return 10
    def __getitem__(self, i):
        time.sleep(1e6)
batches = iter(sy.io.DataLoader(Stuck(), 2, num_workers=2, processes=True))
threading.Thread(target=next, args=(batches,), daemon=True).start()
while len(multiprocessing.active_children()) < 2:
    time.sleep(0.01)
time.sleep(0.5)
print(*[child.pid for child in multiprocessing.active_children()], flush=True)
""")
        numbers = process.stdout.readline().split()
        begin = time.monotonic()
        self.assertEqual(process.communicate(timeout=60), ("", ""))
        # Threads in an item get 5 s; these have none to finish.
        self.assertLess(time.monotonic() - begin, 4.5)
        self.assertEqual((len(numbers), process.returncode), (2, 0))
        for number in numbers:
            with self.assertRaises(ProcessLookupError):
                os.kill(int(number), 0)

    def test_a_forked_child_computes_as_its_parent(self):
        process = start("""
import os
x = sy.randn(256, 256)
right = (x @ x).sum(0).tolist()
child = os.fork()
if child == 0:
    os._exit(0 if (x @ x).sum(0).tolist() == right else 1)
print(os.waitpid(child, 0)[1])
""")
        self.assertEqual(process.communicate(timeout=60)[0], "0\n")

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
            "selection", "io", "legacy", "nn", "optim", "safetensors",
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
