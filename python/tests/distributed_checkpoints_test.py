# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of jobs: bits across sizes and deaths, interrupted writers, hostile files."""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
from distributed_checks import environment, run

import switchyard as sy
from switchyard.distributed import Checkpoints, checkpoint_files

# Trains 12 steps in `folder`; the last rank of a job of n processes dies after step deaths[n].
TRAINING = """
    import hashlib, os, signal
    folder, deaths = {folder!r}, {deaths!r}
    sy.distributed.init()
    rank, size = sy.distributed.rank(), sy.distributed.world_size()
    sy.seed(0)
    model = sy.distributed.DataParallel(sy.nn.Sequential(
        sy.nn.Linear(4, 8), sy.nn.BatchNorm1D(8), sy.nn.Dropout(0.25),
        sy.nn.Linear(8, 3)), shards=4)
    optimizer = sy.distributed.ShardedOptimizer(
        lambda own: sy.optim.AdamW(own, learning_rate=1e-2), model.parameters())
    checkpoints = sy.distributed.Checkpoints(folder)
    criterion = sy.nn.CrossEntropyLoss()
    for step in range(checkpoints.load(model=model, optimizer=optimizer), 12):
        draw = np.random.default_rng(step)
        x = draw.normal(size=(16, 4)).astype(np.float32)
        y = draw.integers(0, 3, 16)
        optimizer.zero_grad()
        loss = model.backward(lambda a, b: criterion(model(a), b), x, y)
        optimizer.step()
        if step + 1 == deaths.get(size) and rank == size - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if (step + 1) % 2 == 0:
            checkpoints.save(step + 1, model=model, optimizer=optimizer)
    checkpoints.wait()
    if rank == 0:
        digest = hashlib.sha256()
        for name, value in sorted(model.state_dict().items()):
            digest.update(value.numpy().tobytes())
        print(size, loss.item().hex(), digest.hexdigest())
"""

# Saves steps 1 to 4 in a process for each of 50 points, which dies before the call of that number that changes a
# file or folder.
DYING = """
import os, signal, sys
import numpy as np
import switchyard as sy

def dying(call, last, calls=[0]):
    def counted(*arguments, **named):
        calls[0] += 1
        if calls[0] == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*arguments, **named)
    return counted

def save(folder, last):
    for name in ("mkdir", "open", "write", "fsync", "close", "rename", "unlink",
                 "rmdir"):
        setattr(os, name, dying(getattr(os, name), last))
    checkpoints = sy.distributed.Checkpoints(folder)
    model = sy.nn.Linear(3, 2)
    for step in range(1, 5):
        model.weight.copy_(sy.tensor(np.full((3, 2), step, np.float32)))
        checkpoints.save(step, model=model)
    checkpoints.wait()

for last in range(1, 51):
    process = os.fork()
    if process == 0:
        save(f"{sys.argv[1]}/{last}", last)
        os._exit(0)
    print(os.WTERMSIG(os.waitpid(process, 0)[1]))
"""


def folder_of(test):
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    return os.path.join(folder.name, "run")


class JobsTest(unittest.TestCase):

    def ended(self, folder, count, deaths=()):
        result = run(count, TRAINING.format(folder=folder, deaths=dict(deaths)))
        if count in dict(deaths):
            self.assertEqual(result.code, 128 + signal.SIGKILL, result)
            return None
        self.assertEqual(result.code, 0, result)
        return result.out.split()[1:]

    def test_jobs_of_other_sizes_go_on_to_the_same_bits(self):
        whole = self.ended(folder_of(self), 1)
        folder = folder_of(self)
        for count, death in ((4, 3), (3, 7), (2, 9)):
            self.ended(folder, count, {count: death})
        self.assertEqual(self.ended(folder, 1), whole)
        self.assertEqual(sorted(os.listdir(folder)), ["step-00000010", "step-00000012"])

    def test_an_elastic_job_begins_again_with_those_that_are_left(self):
        whole = self.ended(folder_of(self), 1)
        folder = folder_of(self)
        result = run(2, TRAINING.format(folder=folder, deaths={3: 5, 2: 8}),
                     options=("--elastic", "1:3"))
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.out.split(), ["1", *whole], result)
        self.assertEqual(result.err.count("died by signal 9 (SIGKILL)"), 2, result)
        for words in ("begins again as 2 processes, restart 1 of 10",
                      "begins again as 1 process, restart 2 of 10"):
            self.assertIn(words, result.err)

    def test_a_job_that_fails_again_and_again_ends(self):
        result = run(2, "raise SystemExit(3)",
                     options=("--elastic", "1:2", "--restarts", "2"))
        self.assertEqual(result.code, 3, result)
        self.assertIn("restart 2 of 2", result.err)
        self.assertIn("the job has ended", result.err)

    def test_a_full_disk_is_an_error_on_all_ranks_and_loses_nothing(self):
        folder = folder_of(self)
        result = run(2, f"""
            import resource
            sy.distributed.init()
            checkpoints = sy.distributed.Checkpoints({folder!r})
            model = sy.nn.Linear(64, 64)
            checkpoints.save(1, model=model)
            checkpoints.wait()
            if sy.distributed.rank() == 1:
                resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
            checkpoints.save(2, model=model)
            try:
                checkpoints.wait()
            except RuntimeError as error:
                print(str(error).replace("\\n", " "), flush=True)
        """)
        self.assertEqual(result.code, 0, result)
        lines = [line for line in result.out.splitlines() if "is not saved" in line]
        self.assertEqual(len(lines), 2, result)
        self.assertIn("Checkpoints: step 2 is not saved: rank 1: [Errno 27]", lines[0])
        self.assertEqual(os.listdir(folder), ["step-00000001"])


class InterruptedTest(unittest.TestCase):

    def test_a_writer_that_dies_at_any_call_loses_no_earlier_checkpoint(self):
        with tempfile.TemporaryDirectory() as root:
            ran = subprocess.run([sys.executable, "-c", DYING, root], check=True,
                                 env=environment(), stdout=subprocess.PIPE, text=True)
            self.assertEqual(ran.stdout.split(), [str(int(signal.SIGKILL))] * 50)
            found = [self.last_step(os.path.join(root, str(point)))
                     for point in range(1, 51)]
        # Later deaths leave later checkpoints, and none is lost on the way.
        self.assertEqual(found, sorted(found))
        self.assertEqual(found[0], 0)
        self.assertGreater(found[-1], 1)

    def last_step(self, folder):
        model = sy.nn.Linear(3, 2)
        step = Checkpoints(folder).load(model=model)
        if step:
            self.assertEqual(model.weight.tolist(), [[step] * 2] * 3)
        return step


class FilesTest(unittest.TestCase):

    def setUp(self):
        self.folder = folder_of(self)
        self.model = sy.nn.Linear(3, 2)
        checkpoints = Checkpoints(self.folder)
        checkpoints.save(7, data={"epoch": 2}, model=self.model)
        checkpoints.wait()
        self.at = pathlib.Path(self.folder, "step-00000007")
        self.index = json.loads((self.at / "index.json").read_text())

    def load(self, **parts):
        checkpoints = Checkpoints(self.folder)
        return checkpoints.load(**(parts or {"model": sy.nn.Linear(3, 2)})), checkpoints

    def refused(self, words, error=ValueError, **parts):
        before = {name: value.tolist() for name, value in self.model.state_dict().items()}
        with self.assertRaisesRegex(error, re.escape(words)):
            self.load(**parts)
        after = {name: value.tolist() for name, value in self.model.state_dict().items()}
        self.assertEqual(after, before)

    def write(self, index):
        (self.at / "index.json").write_text(json.dumps(index))

    def test_gives_back_data_step_and_the_random_generator(self):
        sy.seed(5)
        checkpoints = Checkpoints(self.folder, keep=2)
        checkpoints.save(8, data=[1, "a"], model=self.model)
        expected = sy.rand([4]).tolist()
        checkpoints.wait()
        step, loaded = self.load()
        self.assertEqual((step, loaded.data), (8, [1, "a"]))
        self.assertEqual(sy.rand([4]).tolist(), expected)
        self.assertEqual(Checkpoints(self.folder).load(7, model=self.model), 7)

    def test_every_dtype_keeps_its_bits(self):
        class Part:
            state = {
                dtype: sy.tensor(np.array([[0, 1], [1, 0], [1, 1]]), dtype)
                for dtype in ("bool", "uint8", "int8", "int16", "int32", "int64",
                              "float16", "bfloat16", "float32", "float64", "complex64")}
            state["empty"] = sy.zeros([0, 3])
            state["scalar"] = sy.tensor(2.5)

            def state_dict(self):
                return self.state

            def load_state_dict(self, state):
                self.loaded = state

        checkpoints, part = Checkpoints(self.folder), Part()
        checkpoints.save(9, part=part)
        checkpoints.wait()
        checkpoints.load(part=part)
        self.assertEqual(list(part.loaded), list(part.state))
        for name, value in part.state.items():
            self.assertEqual(part.loaded[name].dtype, value.dtype)
            self.assertEqual(part.loaded[name].shape, value.shape)
            self.assertEqual(part.loaded[name].tolist(), value.tolist())

    def test_an_empty_folder_begins_at_0(self):
        self.assertEqual(Checkpoints(folder_of(self)).load(model=self.model), 0)

    def test_parts_with_other_names_or_shapes_are_refused(self):
        self.refused("has no other/weight", KeyError, other=sy.nn.Linear(3, 2))
        self.refused("has model/weight, which is in no part", KeyError,
                     model=sy.nn.ReLU())
        self.refused("shape", ValueError, model=sy.nn.Linear(3, 5))

    def test_wrong_arguments(self):
        checkpoints = Checkpoints(self.folder)
        for error, words, call in (
                (ValueError, "keep must be at least 1", lambda: Checkpoints("x", keep=0)),
                (ValueError, "deadline must be positive",
                 lambda: Checkpoints("x", deadline=-1.0)),
                (ValueError, "step must be in", lambda: checkpoints.save(-1)),
                (TypeError, "model must have state_dict",
                 lambda: checkpoints.save(1, model=3)),
                (TypeError, "not JSON serializable",
                 lambda: checkpoints.save(1, data={1}, model=self.model)),
                (FileNotFoundError, "step-00000099",
                 lambda: checkpoints.load(99, model=self.model))):
            with self.assertRaisesRegex(error, words):
                call()
        self.assertEqual(os.listdir(self.folder), ["step-00000007"])

    def test_another_build_is_a_warning(self):
        self.index["build"]["cpu"] = "avx"
        self.write(self.index)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.load()
        self.assertIn("of another CPU", str(caught[0].message))

    def test_an_index_that_contradicts_itself_is_refused(self):
        piece = self.index["tensors"]["model/weight"]["pieces"][0]
        for words, path, value in (
                ("must be an object whose format", ["format"], "other"),
                ("step must be a count", ["step"], -1),
                ("says that it is of step 8", ["step"], 8),
                ("random must be a seed and an offset", ["random"], [1]),
                ("build must hold texts", ["build"], {"cpu": 3}),
                ("unknown dtype", ["tensors", "model/weight", "dtype"], "float3"),
                ("must have a shape of extents", ["tensors", "model/weight", "shape"],
                 [3, -2]),
                ("its pieces have 6 elements", ["tensors", "model/weight", "shape"],
                 [3, 10**12]),
                ("in a file like", ["tensors", "model/weight", "pieces"],
                 [["../rank-00000.safetensors", *piece[1:]]]),
                ("must begin at 0", ["tensors", "model/weight", "pieces"],
                 [[piece[0], 1, 6, piece[3]]]),
                ("must begin at 6", ["tensors", "model/weight", "pieces"],
                 [piece, piece]),
                ("must have 3 elements", ["tensors", "model/weight", "pieces"],
                 [[piece[0], 0, 3, piece[3]], [piece[0], 3, 6, piece[3]]]),
                ("hexadecimal", ["tensors", "model/weight", "pieces"],
                 [[*piece[:3], "0"]]),
                ("another checksum", ["tensors", "model/weight", "pieces"],
                 [[*piece[:3], "0" * 64]])):
            with self.subTest(words):
                changed = json.loads(json.dumps(self.index))
                place = changed
                for key in path[:-1]:
                    place = place[key]
                place[path[-1]] = value
                self.write(changed)
                self.refused(words, model=self.model)

    def test_files_that_are_gone_cut_off_or_others_are_refused(self):
        file = self.at / "rank-00000.safetensors"
        text = file.read_bytes()
        file.write_bytes(text[:-1])
        self.refused("the file has", model=self.model)
        file.unlink()
        self.refused("No such file", FileNotFoundError, model=self.model)
        os.symlink("/dev/zero", file)
        self.refused("must be a regular file", model=self.model)

    def test_mutated_files_are_errors(self):
        draw = random.Random(0)
        names = ("index.json", "rank-00000.safetensors")
        texts = {name: (self.at / name).read_bytes() for name in names}
        count = int(os.environ.get("SY_FUZZ", "300"))
        outcomes = {"loaded": 0, "refused": 0}
        for _ in range(count):
            name = draw.choice(names)
            mutated = bytearray(texts[name])
            for _ in range(draw.randint(1, 4)):
                at = draw.randrange(len(mutated))
                change = draw.randrange(3)
                if change == 0:
                    mutated[at] = draw.randrange(256)
                elif change == 1:
                    del mutated[at:at + draw.randint(1, 8)]
                else:
                    mutated[at:at] = draw.choice((b"9", b"-", b"[", b"1e9", b"\0"))
                if not mutated:
                    break
            (self.at / name).write_bytes(mutated)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    self.load()
                    outcomes["loaded"] += 1
                except (ValueError, KeyError, OSError):
                    outcomes["refused"] += 1
            (self.at / name).write_bytes(texts[name])
        self.assertGreater(outcomes["refused"], count // 2)
        print(count, outcomes)


class StepsTest(unittest.TestCase):

    def test_keeps_the_last_ones_and_removes_what_was_interrupted(self):
        folder = folder_of(self)
        checkpoints = Checkpoints(folder, keep=2)
        for step in (1, 2, 3, 4, 4):
            checkpoints.save(step, model=sy.nn.Linear(2, 2))
            checkpoints.wait()
            os.mkdir(os.path.join(folder, f".writing-0000000{step}-left"))
        checkpoints.save(5, model=sy.nn.Linear(2, 2))
        checkpoints.wait()
        self.assertEqual(checkpoint_files.steps(folder), [3, 4, 5])
        self.assertEqual(len(os.listdir(folder)), 3)


if __name__ == "__main__":
    unittest.main()
