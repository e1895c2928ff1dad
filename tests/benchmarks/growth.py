# SPDX-License-Identifier: Apache-2.0
"""Measures what further operators cost: `./sy bench growth [N]` calls it.

    growth.py          the package of 733 operators, built without a cache
    growth.py N        an estimate of that, by N operators more
    growth.py N --cold the package with N operators more, built without a cache

Works in a copy of the workspace, where it adds copies of today's operators, in the mix of the table,
each with kernels, gradient, legacy form and samples of its own, made as `./sy new` makes them. Prints
for the Python package before and after: CPU seconds of the build, bytes of the library, seconds to
load it, seconds of `import`, nanoseconds of a look-up by name, memory.

An estimate builds before (from the disk cache), then with one operator more, then with N more. The
last also compiles again what shares a file with an added operator, makes tables of all operators and
links. So its seconds for each operator are an upper bound of what an operator costs. A build with one
operator more does the same once: what the other N - 1 add to its seconds is nearer.
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
# Every command has the same ones, since Bazel analyses everything again where they differ. Tests inherit SY_OP
# from the environment (.bazelrc).
OPTIONS = ["--noshow_progress", "--show_result=0", "--ui_event_filters=-info",
           "--noremote_upload_local_results"]
# The server is new and soon gone: better code of Bazel's own would not pay, it takes a half of the CPU time.
STARTUP = ["--host_jvm_args=-XX:TieredStopAtLevel=1", "--host_jvm_args=-XX:+UseParallelGC"]
WHOLE = 733  # Operators.
RUNS = 4
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


def forward_operators(root):
    """{name: entry} of the operators of a workspace that are no gradients."""
    os.chdir(root)
    return {name: entry for name, entry in new_operator.entries().items() if "op" in entry.fields}


def in_runs(models, count):
    """The models in the order in which `count` of them are copied: where that is not all, in RUNS runs of
    neighbours from all over the table."""
    quarter = -(-len(models) // RUNS)
    length = min(quarter, -(-count // RUNS))
    places = [run * quarter + at for start in range(0, quarter, length) for run in range(RUNS)
              for at in range(start, min(start + length, quarter))]
    return [models[place] for place in places if place < len(models)]


def grow(root, count, first=2):
    """Adds the operators; their names. The copies of a model are numbered from `first`."""
    known = forward_operators(root)
    models = [name for name, entry in known.items()
              if "invoke" not in entry.fields and name[-1] != "_" and not re.search(r"_copy\d+$", name)]
    models = in_runs(models, count)
    added, turn = [], 0
    while len(added) < count:
        if turn > 2 * count + len(models):
            sys.exit(f"growth: {len(added)} operators could be copied, expected {count}")
        model, round_ = models[turn % len(models)], turn // len(models) + first
        turn += 1
        name = f"{model}_copy{round_}"
        legacy = name if "paddle" in known[model].fields else None
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
        self.command = ["bazel", f"--output_base={self.base}", *STARTUP]
        add_operators.copy_tracked(self.root)

    def bazel(self, *words):
        return subprocess.run([*self.command, *words], cwd=self.root, check=True, stdout=subprocess.PIPE,
                              universal_newlines=True).stdout

    def children_seconds(self):
        """CPU seconds of all that the server has run and waited for."""
        server = self.bazel("info", "server_pid").strip()
        fields = pathlib.Path(f"/proc/{server}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def build(self, *options):
        """A figure for each of ROWS."""
        before = self.children_seconds()
        self.bazel("build", PACKAGE, *OPTIONS, *options)
        seconds = self.children_seconds() - before
        package = pathlib.Path(self.bazel("info", "bazel-bin").strip()) / "python"
        size = sum(path.stat().st_size for path in package.rglob("*.so"))
        probe = ["/usr/bin/python3", "-c", PROBE, str(package / "switchyard/_core.so")]
        probes = sorted(tuple(map(float, subprocess.run(
            probe, check=True, stdout=subprocess.PIPE, universal_newlines=True,
            env={**os.environ, "PYTHONPATH": str(package)}).stdout.split())) for _ in range(5))
        return (seconds, size, *probes[2])

    def start_again(self):
        """Drops what is built."""
        self.bazel("clean", "--expunge")

    def close(self):
        self.bazel("shutdown")


def print_table(columns):
    """Prints ROWS; columns: [(heading, a figure for each of ROWS)]."""
    print("".join(f"| {heading} " for heading in ("", *[heading for heading, _ in columns])) + "|")
    print("|---" * (len(columns) + 1) + "|")
    for row, (name, form) in enumerate(ROWS):
        print(f"| {name} " + "".join(f"| {form % figures[row]} " for _, figures in columns) + "|")


def build_whole(workspace, count):
    """Builds today's package from the disk cache, and the one with `count` more without it."""
    before = workspace.build()
    operators = len(forward_operators(workspace.root))
    added = grow(workspace.root, count)
    workspace.start_again()
    after = workspace.build("--disk_cache=")
    print_table([(f"{operators} operators, from the cache", before),
                 (f"{operators + len(added)} operators, cold", after)])


def estimate(workspace, count, one=None):
    """Builds with `count` more operators, and prints what that says of WHOLE operators.

    one: CPU seconds of a build with one operator more, where that has been done.
    """
    before = workspace.build()
    if one is None:
        grow(workspace.root, 1, first=102)
        one = workspace.build()[0]
    operators = len(forward_operators(workspace.root))
    grow(workspace.root, count)
    after = workspace.build()
    print_table([(f"{operators} operators", before), (f"{count} more", after)])
    nearer, most = (after[0] - one) / (count - 1), after[0] / count
    further = WHOLE - operators
    print(f"An operator costs at most {most:.1f} CPU seconds, {nearer:.1f} without what a build with one more "
          f"costs ({one:.0f}). {further} more, to make {WHOLE}: {nearer * further:.0f} to {most * further:.0f} "
          f"CPU seconds, {(after[1] - before[1]) / count * further / 1e6:.0f} MB of libraries")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("count", nargs="?", type=int)
    parser.add_argument("--cold", action="store_true")
    arguments = parser.parse_args()
    count = arguments.count
    if count is None:
        count = WHOLE - len(forward_operators(TOP))
    whole = arguments.cold or arguments.count is None
    least = 1 if whole else 2
    if count < least:
        parser.error(f"argument count: must be at least {least}, got {count}")
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="switchyard-growth."))
    try:
        workspace = Workspace(scratch)
        (build_whole if whole else estimate)(workspace, count)
        workspace.close()
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(scratch)], check=False)
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
