# SPDX-License-Identifier: Apache-2.0
"""./sy conformance torch: PyTorch's own samples through our functions.

    torch_conformance.py --package FOLDER --peers VENV [--json] [--update] [NAME...]

VENV is recorded once, in VENV/share/switchyard: a file an operator. Samples run
in processes that are started again after a crash.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import select
import subprocess
import sys

import torch_recorded
import torch_table

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent.parent / "tools" / "sy"))

from progress import Progress  # noqa: E402

LIST = HERE / "torch_samples.txt"
TABLE = HERE / "torch_results.txt"
SECONDS = 60  # Of one sample.


def arguments():
    parser = argparse.ArgumentParser(prog="./sy conformance torch")
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="names (add, fft.fft) or beginnings (linalg.*)")
    parser.add_argument("--package", type=pathlib.Path, required=True)
    parser.add_argument("--peers", type=pathlib.Path, required=True,
                        metavar="VENV",
                        help="a Python environment with torch, expecttest, scipy")
    parser.add_argument("--json", action="store_true",
                        help="every sample's outcome as JSON")
    parser.add_argument("--verbose", action="store_true",
                        help="every sample that does not agree")
    parser.add_argument("--update", action="store_true",
                        help="writes tests/conformance/torch_results.txt")
    parser.add_argument("--list", action="store_true",
                        help="writes the list of samples of this PyTorch")
    options = parser.parse_args()
    caller = pathlib.Path(os.environ.get("SY_CALLER_DIR", "."))
    options.peers = (caller / options.peers).absolute()
    return options


def chosen(names, wanted):
    """The operators that the arguments name; all without any."""
    if not wanted:
        return names
    found = [name for name in names if any(
        name == each or (each.endswith("*") and name.startswith(each[:-1]))
        or name.startswith(each + ".") for each in wanted)]
    if not found:
        raise SystemExit(f"conformance: no operator is named {wanted[0]!r}")
    return found


def cache_of(peers):
    """The folder of the recorded calls: one for each state of the recorder."""
    digest = hashlib.sha256()
    for name in ("torch_calls.py", "torch_signatures.py", "plain_data.py"):
        digest.update((HERE / name).read_bytes())
    folder = peers / "share" / "switchyard" / digest.hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _recorder(peers, *words):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1",
                   "TORCH_CPP_LOG_LEVEL": "ERROR"}
    return subprocess.run([peers / "bin" / "python", HERE / "torch_calls.py",
                           *words], check=False, env=environment)


def record(peers, names, folder):
    """Records the operators that have no file yet; one that crashes PyTorch
    has none, and is left out with a word."""
    lacking = [name for name in names
               if not (folder / f"{name}.pickle").exists()]
    while lacking:
        _recorder(peers, "record", LIST, folder, *lacking)
        rest = [name for name in lacking
                if not (folder / f"{name}.pickle").exists()]
        if rest:
            print(f"conformance: PyTorch could not be asked about {rest[0]}",
                  file=sys.stderr)
        lacking = rest[1:]


class Worker:
    """A process that makes calls, started again where it ends."""

    def __init__(self, package):
        self._environment = {**os.environ, "PYTHONPATH": str(package),
                             "PYTHONDONTWRITEBYTECODE": "1"}
        self._process = None

    def _start(self):
        self._process = subprocess.Popen(
            [sys.executable, HERE / "torch_worker.py"], text=True, bufsize=1,
            env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def outcome(self, path, number):
        """[kind, text] of one call."""
        if self._process is None:
            self._start()
        self._process.stdin.write(f"{path} {number}\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], SECONDS)
        line = self._process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        if not ready:
            self._process.kill()
        status = self._process.wait()
        self._process = None
        return ["crash", f"ended with {status}" if ready else
                f"no answer in {SECONDS} s"]

    def close(self):
        if self._process is not None:
            self._process.stdin.close()
            self._process.wait()


def run(names, folder, package, verbose):
    """{name: [(sample id, kind, text)]} of the operators that are recorded."""
    worker, found = Worker(package), collections.OrderedDict()
    progress = Progress([name for name in names
                         if (folder / f"{name}.pickle").exists()], "conformance")
    for name in progress:
        path = folder / f"{name}.pickle"
        calls = torch_recorded.calls_in(path)
        found[name] = []
        for number, call in enumerate(calls):
            kind, text = worker.outcome(path, number)
            found[name].append((call.sample, kind, text))
            if verbose and kind != "agree":
                progress.print(f"{call.sample}: {kind}: {text}")
    worker.close()
    return found


def main():
    options = arguments()
    if options.list:
        _recorder(options.peers, "list", LIST).check_returncode()
        return
    names = [line.split(maxsplit=1)[0]
             for line in LIST.read_text(encoding="utf-8").splitlines()]
    names = chosen(names, options.names)
    folder = cache_of(options.peers)
    record(options.peers, names, folder)
    found = run(names, folder, options.package, options.verbose)
    if options.json:
        json.dump(found, sys.stdout, indent=1)
        print()
    else:
        print(torch_table.text(found), end="")
    if options.update:
        torch_table.update(TABLE, found)


if __name__ == "__main__":
    main()
