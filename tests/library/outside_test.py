# SPDX-License-Identifier: Apache-2.0
"""The .deb, unpacked, is all that programs outside need: those of docs/c_library.md, built as it says."""
import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy as np

import switchyard as sy
from programs import saved, spec
from switchyard_c import Library

(DEB,) = pathlib.Path("library").glob("*.deb")
PAGE = pathlib.Path("docs/c_library.md").read_text(encoding="utf-8")
ROWS, COLUMNS = 3, 8
# Without what the test itself has set.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


def said(*words, **options):
    done = subprocess.run(list(map(str, words)), env=ENVIRONMENT, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.returncode} {done.stdout} {done.stderr}")
    return done.stdout


class OutsideTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name).resolve()
        said("dpkg-deb", "-x", DEB.resolve(), cls.folder / "unpacked")
        cls.prefix = cls.folder / "unpacked" / "usr"
        cls.libraries = cls.prefix / "lib" / "x86_64-linux-gnu"
        sy.seed(2)
        layer = sy.nn.Linear(COLUMNS, 5)
        cls.model = saved(cls.folder / "model.sy", lambda x: sy.softmax(layer(x)), spec("x", None, COLUMNS))
        x = np.arange(ROWS * COLUMNS, dtype=np.float32).reshape(ROWS, COLUMNS)
        cls.x, cls.want = x, sy.load(cls.model).run({"x": x})["out"]
        for name, text in re.findall(r"\n`([\w.]+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL):
            (cls.folder / name).write_text(text, encoding="utf-8")
        cls.shell = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)

    def build(self, script):
        """Runs what the page has for a shell; what its commands print."""
        return said("bash", "-ec", script, cwd=self.folder, stdin=subprocess.DEVNULL)

    def check_linker(self, text):
        """Where --verbose says that a program's linker found what the library needs: in the package alone."""
        found = dict(re.findall(r"(?m)^found (\S+) at (.*)$", text))
        for path in (self.libraries / "switchyard").iterdir():
            self.assertEqual(pathlib.Path(found[path.name]).resolve(), path)

    def check(self, program):
        out = said(program, self.model, ROWS, COLUMNS)
        got = np.array([float.fromhex(line) for line in out.split()], np.float32)
        self.assertEqual(got.tobytes(), self.want.tobytes())
        for words in ((program, self.folder / "none", 1, 1), (program, self.model, 2, COLUMNS + 1)):
            done = subprocess.run(list(map(str, words)), env=ENVIRONMENT, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"^(model_load|session_run): .*\n$")
        linked = said("ldd", program)
        self.assertNotIn("not found", linked)
        for name in ("libswitchyard.so.1", "libdnnl.so.2", "libprotobuf.so.32"):
            self.assertIn(f"{name} => {self.libraries}", linked)
        self.assertRegex(linked, r"libstdc\+\+\.so\.6 => (/usr)?/lib/")

    def test_c_with_pkg_config(self):
        script = f"PREFIX={self.prefix}\n{self.shell[0]}"
        text = self.build(script.replace("gcc ", "gcc -std=c11 -Wall -Wextra -Werror -Wl,--verbose "))
        self.check_linker(text)
        self.check(self.folder / "run_c")

    def test_cpp_with_cmake(self):
        text = self.build(f"export LDFLAGS=-Wl,--verbose\nPREFIX={self.prefix}\n{self.shell[1]}")
        self.check_linker(text)
        self.check(self.folder / "build" / "run")

    def test_cmake_knows_the_version(self):
        folder = self.folder / "newer"
        folder.mkdir()
        text = (self.folder / "CMakeLists.txt").read_text(encoding="utf-8")
        (folder / "CMakeLists.txt").write_text(text.replace("switchyard 0.1", "switchyard 99"), encoding="utf-8")
        with self.assertRaises(AssertionError) as raised:
            said("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertIn("requested version", str(raised.exception))

    def test_python_with_ctypes(self):
        library = Library(self.libraries / "libswitchyard.so", self.prefix / "include" / "switchyard.h")
        session = library.session(library.load(self.model))
        library.run(session, {"x": self.x})
        self.assertEqual(library.output(session, "out").tobytes(), self.want.tobytes())
        version = said("dpkg-deb", "-f", DEB, "Version").strip()
        self.assertEqual(library.raw.switchyard_version().decode(), version)

    def test_a_host_that_moves_handles(self):
        (self.folder / "moves.cc").write_text("""
#include <switchyard_handles.h>
#include <type_traits>
using namespace switchyard;
static_assert(!std::is_copy_constructible_v<Model> && std::is_nothrow_move_assignable_v<Model>);
int main(int, char** argv) {
  Options options;
  Check(switchyard_options_set_threads(options.get(), 1));
  Model first(argv[1], options.get());
  Model second(std::move(first));
  if (first.get() != 0 || second.get() == 0) return 1;
  Session session(second, options.get());
  const uint64_t handle = session.get();
  {
    Session taken = std::move(session);
    if (taken.get() != handle) return 2;
  }
  if (switchyard_session_free(handle) != SWITCHYARD_BAD_HANDLE) return 3;
  try {
    Model none("/none");
  } catch (const CallError& error) {
    return error.status() == SWITCHYARD_NOT_FOUND ? 0 : 4;
  }
  return 5;
}
""", encoding="utf-8")
        self.build(f"g++ -std=c++17 -Wall -Wextra -Werror moves.cc -o moves -I{self.prefix}/include -L{self.libraries} "
                   f"-lswitchyard -Wl,-rpath,{self.libraries}")
        said(self.folder / "moves", self.model)

    def test_the_package(self):
        names = said("dpkg-deb", "-c", DEB)
        for line in names.splitlines():
            self.assertRegex(line, r"^[-dl]rw.* root/root ")
        for package in ("libdnnl2", "libprotobuf32"):
            self.assertIn(f"usr/share/doc/libswitchyard/{package}.txt", names)
        self.assertEqual(said("dpkg-deb", "-f", DEB, "Depends").strip(),
                         "libc6 (>= 2.36), libgcc-s1, libgomp1, libstdc++6 (>= 12)")
        # Nothing names the folder where it was made.
        for path in (*self.libraries.rglob("*.cmake"), *self.libraries.rglob("*.pc")):
            self.assertNotRegex(path.read_text(encoding="utf-8"), r"(?m)(=|\")/")


if __name__ == "__main__":
    unittest.main()
