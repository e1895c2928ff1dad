# SPDX-License-Identifier: Apache-2.0
"""The wheel needs glibc and what it brings, no more; and it works unpacked."""
import base64
import hashlib
import os
import pathlib
import subprocess
import sys
import unittest
import zipfile

import elf
import make_wheel

(PATH,) = pathlib.Path("python/wheel").glob("*.whl")
NEWEST_GLIBC = (2, 36)
MOST_BYTES = 25 * 2**20

SMOKE = """
import sys
import numpy as np
import switchyard as sy
assert sy.__file__.startswith(sys.argv[1]), sy.__file__
sy.seed(0)
model = sy.nn.Sequential(sy.nn.Conv2D(1, 4, 3), sy.nn.ReLU(), sy.nn.Flatten(),
                         sy.nn.Linear(144, 3))
optimizer = sy.optim.Adam(model.parameters(), learning_rate=0.01)
step = sy.static.train_step(model, sy.nn.CrossEntropyLoss(), optimizer)
x, y = sy.randn(16, 1, 8, 8), sy.arange(16) % 3
losses = [step(x, y).item() for _ in range(30)]
assert losses[-1] < 0.5 * losses[0], losses
loaded = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
for name in ("libdnnl", "libgomp", "libprotobuf"):
    (path,) = [path for path in loaded if name in path]
    assert path.startswith(sys.argv[1]), path
print("works")
"""


class WheelTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        with zipfile.ZipFile(PATH) as archive:
            cls.files = {name: archive.read(name) for name in archive.namelist()}
        cls.objects = {name: elf.read(data) for name, data in cls.files.items()
                       if data[:4] == b"\x7fELF"}

    def test_every_file_needs_glibc_and_bundled_libraries_only(self):
        bundled = {pathlib.Path(name).name for name in self.objects
                   if name.startswith("switchyard/libs/")}
        self.assertLessEqual({"libdnnl.so.2", "libgomp.so.1"}, bundled)
        self.assertIn("switchyard/_core.so", self.objects)
        for name, facts in self.objects.items():
            with self.subTest(name):
                others = set(facts.needed) - make_wheel.GLIBC - bundled
                # Gloo is the system's; without it the transport says so.
                self.assertEqual(others, {"libgloo.so.0"} if name.endswith("/_gloo.so")
                                 else set())
                if name.startswith("switchyard/libs/"):
                    self.assertEqual(facts.soname, pathlib.Path(name).name)
                    # These would come before the extension's.
                    self.assertEqual((facts.rpath, facts.runpath), ("", ""))
                for versions in facts.versions.values():
                    for version in versions:
                        if version.startswith("GLIBC_2"):
                            number = version.removeprefix("GLIBC_").split(".")
                            self.assertLessEqual(
                                tuple(map(int, number[:2])), NEWEST_GLIBC)

    def test_the_extension_looks_beside_itself(self):
        facts = self.objects["switchyard/_core.so"]
        self.assertEqual((facts.rpath, facts.runpath), ("$ORIGIN/libs", ""))

    def test_size_and_tag(self):
        self.assertLessEqual(PATH.stat().st_size, MOST_BYTES)
        self.assertTrue(PATH.name.endswith("-manylinux_2_36_x86_64.whl"))
        (info,) = [data for name, data in self.files.items()
                   if name.endswith(".dist-info/WHEEL")]
        self.assertIn(b"Tag: cp311-cp311-manylinux_2_36_x86_64", info)

    def test_stubs_licences_and_record(self):
        for name in ("py.typed", "_core.pyi", "ops.pyi", "nn/module.py",
                     "viewing/assets/page.html", "viewing/assets/dagre.txt"):
            self.assertIn(f"switchyard/{name}", self.files)
        licences = {pathlib.Path(name).name for name in self.files
                    if "/licenses/" in name}
        self.assertLessEqual({"LICENSE", "libdnnl2.txt", "libgomp1.txt"},
                             licences)
        (record,) = [data.decode() for name, data in self.files.items()
                     if name.endswith("/RECORD")]
        listed = {}
        for line in record.splitlines():
            name, digest, _ = line.rsplit(",", 2)
            listed[name] = digest
        self.assertEqual(set(listed), set(self.files))
        for name, data in self.files.items():
            if not name.endswith("/RECORD"):
                want = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
                self.assertEqual(listed[name],
                                 f"sha256={want.rstrip(b'=').decode()}")

    def test_it_works_unpacked(self):
        folder = pathlib.Path(os.environ["TEST_TMPDIR"], "unpacked").resolve()
        with zipfile.ZipFile(PATH) as archive:
            archive.extractall(folder)
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(folder)}
        ran = subprocess.run([sys.executable, "-c", SMOKE, str(folder)],
                             env=environment, capture_output=True, text=True)
        self.assertEqual((ran.stdout, ran.returncode), ("works\n", 0), ran.stderr)
        for words, said in ((["explain", "softmax", "--input", "x=float32[8, 8]"],
                             "softmax"), (["help"], "inspect")):
            ran = subprocess.run(
                [sys.executable, "-P", "-m", "switchyard", *words],
                env=environment, capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertIn(said, ran.stdout)


class ElfTest(unittest.TestCase):

    def test_what_is_no_shared_object(self):
        for data in (b"", b"#!/bin/sh\n", b"\x7fELF\x01\x01" + bytes(100)):
            with self.assertRaises(ValueError):
                elf.read(data)


if __name__ == "__main__":
    unittest.main()
