# SPDX-License-Identifier: Apache-2.0
"""Measures what further operators cost: `./sy bench growth [N]` calls it.

    growth.py [N]

Adds N operators (600 if not said) to a copy of the workspace: copies of today's, in the order of the
table, each with kernels, gradient, legacy form and samples of its own, made as `./sy new` makes them.
So a few share families as densely as 600 over the whole table do. Builds the Python package before
(from the disk cache), with one operator more, and with all of them, and prints: CPU seconds of the
build, bytes of the library, seconds to load it, seconds of `import`, nanoseconds of a look-up by
name, memory; and what 600 operators would add at this rate. The build with one more tells what any
addition costs, however many there are: tables of all operators, links. The rest is by operator.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tools/sy"), str(TOP / "tools/ci")]

import add_operators  # noqa: E402
import new_operator  # noqa: E402

PACKAGE = "//python/switchyard:switchyard"
WHOLE = 600
# Run with the package on the path: seconds of import, nanoseconds of a look-up, MiB.
PROBE = """
import ctypes, sys, time
start = time.perf_counter()
ctypes.PyDLL(sys.argv[1])
loaded = time.perf_counter() - start
start = time.perf_counter()
import switchyard as sy
took = time.perf_counter() - start
names = [name for name in dir(sy.ops) if name[0] != "_"]
start = time.perf_counter()
for _ in range(100):
    for name in names:
        getattr(sy.ops, name)
look_up = (time.perf_counter() - start) / len(names) / 100
memory = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS"))
print(loaded, took, look_up * 1e9, memory / 1024)
"""
ROWS = (("CPU seconds of the build", "%.0f"), ("bytes of the libraries", "%.0f"),
        ("seconds to load the library", "%.4f"), ("seconds of import after that", "%.4f"),
        ("nanoseconds of a look-up", "%.0f"), ("MiB of memory", "%.1f"))


def grow(root, count):
    """Adds the operators; their names."""
    os.chdir(root)
    known = new_operator.entries()
    models = [name for name, entry in known.items()
              if "op" in entry.fields and "invoke" not in entry.fields and name[-1] != "_"
              and not re.search(r"_copy\d+$", name)]
    added, turn = [], 0
    while len(added) < count:
        if turn > 2 * count + len(models):
            sys.exit(f"growth: {len(added)} operators could be copied, expected {count}")
        model, round_ = models[turn % len(models)], turn // len(models) + 2
        turn += 1
        name = f"{model}_copy{round_}"
        legacy = name if "fluid" in known[model].fields else None
        try:
            edits, left = new_operator.start(name, model, legacy)
        except new_operator.Refusal:
            continue
        if not left:
            edits.write()
            added.append(name)
    return added


class Workspace:
    """A copy of the workspace with an output base of its own."""

    def __init__(self, scratch):
        self.root, self.base = scratch / "workspace", scratch / "base"
        add_operators.copy_tracked(self.root)

    def bazel(self, *words):
        return subprocess.run(["bazel", f"--output_base={self.base}", *words], cwd=self.root,
                              check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout

    def children_seconds(self):
        """CPU seconds of all that the server has run and waited for."""
        server = self.bazel("info", "server_pid").strip()
        fields = pathlib.Path(f"/proc/{server}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def build(self):
        """A figure for each of ROWS."""
        before = self.children_seconds()
        self.bazel("build", PACKAGE, "--noshow_progress", "--show_result=0",
                   "--ui_event_filters=-info", "--noremote_upload_local_results")
        seconds = self.children_seconds() - before
        package = pathlib.Path(self.bazel("info", "bazel-bin").strip()) / "python"
        size = sum(path.stat().st_size for path in package.rglob("*.so"))
        probes = sorted(tuple(map(float, subprocess.run(
            ["/usr/bin/python3", "-c", PROBE, str(package / "switchyard/_core.so")], check=True, stdout=subprocess.PIPE,
            universal_newlines=True, env={**os.environ, "PYTHONPATH": str(package)}).stdout.split()))
            for _ in range(5))
        return (seconds, size, *probes[2])

    def close(self):
        self.bazel("shutdown")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("count", nargs="?", type=int, default=WHOLE)
    count = parser.parse_args().count
    if count < 2:
        parser.error(f"argument count: must be at least 2, got {count}")
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="switchyard-growth."))
    try:
        workspace = Workspace(scratch)
        before = workspace.build()
        grow(workspace.root, 1)
        with_one = workspace.build()
        added = grow(workspace.root, count)
        after = workspace.build()
        workspace.close()
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(scratch)], check=False)
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"| | before | one operator more | {len(added)} more | added by {WHOLE} at this rate |\n|---|---|---|---|---|")
    for (name, form), old, one, new in zip(ROWS, before, with_one, after):
        if name.startswith("CPU"):
            # Both builds pay what any addition costs, and the first one operator.
            rate = (new - one) / (len(added) - 1) * (WHOLE - 1) + one
        else:
            rate = (new - one) / len(added) * WHOLE
        print(f"| {name} | {form % old} | {form % one} | {form % new} | {form % rate} |")


if __name__ == "__main__":
    main()
