# SPDX-License-Identifier: Apache-2.0
"""./sy conformance onnx: ONNX's backend tests through what a user runs.

    onnx_conformance.py --package PATH FOLDER [--json] [--verbose] [NAME...]

FOLDER holds tests at any depth: a model.onnx beside test_data_set_N folders.
They run in a process that is started again after a crash, which is a result.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import select
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent.parent / "tools" / "sy"))

from progress import Progress  # noqa: E402

SECONDS = 60  # Of one test.


def arguments():
    parser = argparse.ArgumentParser(prog="./sy conformance onnx")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="a part of the names of tests")
    parser.add_argument("--package", type=pathlib.Path, required=True)
    parser.add_argument("--json", action="store_true",
                        help="every test's outcome as JSON")
    parser.add_argument("--verbose", action="store_true",
                        help="every test that does not pass, with the reason")
    options = parser.parse_args()
    caller = pathlib.Path(os.environ.get("SY_CALLER_DIR", "."))
    options.folder = (caller / options.folder).absolute()
    return options


class Worker:
    """The process that runs tests, started when it is first needed."""

    def __init__(self, package):
        self._package = package
        self._process = None

    def outcome(self, folder):
        if self._process is None:
            environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1",
                           "PYTHONPATH": str(self._package)}
            self._process = subprocess.Popen(
                [sys.executable, HERE / "onnx_worker.py"], text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=environment)
        self._process.stdin.write(f"{folder}\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], SECONDS)
        line = self._process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        self.close()
        return {"passed": False,
                "reason": "crash" if ready else f"over {SECONDS} s"}

    def close(self):
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def kind_of(reason):
    """A reason without what differs from test to test."""
    line = reason.splitlines()[0]
    line = re.sub(r"^(\w+: )(\S+\.onnx: )?(block \d+, )?(node \d+[^(]*)?",
                  r"\1", line)
    return re.sub(r"\d+", "N", line)[:100]


def main():
    options = arguments()
    folders = sorted(path.parent for path in
                     options.folder.rglob("model.onnx"))
    if options.names:
        folders = [folder for folder in folders if any(
            name in folder.name for name in options.names)]
    if not folders:
        raise SystemExit(f"conformance: no test is in {options.folder}")
    worker = Worker(options.package)
    outcomes = {}
    progress = Progress(folders, "conformance")
    for folder in progress:
        name = str(folder.relative_to(options.folder))
        outcomes[name] = worker.outcome(folder)
        if options.verbose and not outcomes[name]["passed"]:
            progress.print(f"{name}: {outcomes[name]['reason']}")
    worker.close()
    if options.json:
        print(json.dumps(outcomes, indent=1))
        return
    reasons = collections.Counter(
        kind_of(found["reason"]) for found in outcomes.values()
        if not found["passed"])
    for reason, count in reasons.most_common():
        print(f"{count:5d}  {reason}")
    passed = sum(found["passed"] for found in outcomes.values())
    print(f"{passed} of {len(outcomes)} tests pass")


if __name__ == "__main__":
    main()
