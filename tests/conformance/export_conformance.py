# SPDX-License-Identifier: Apache-2.0
"""./sy conformance export: ONNX Runtime on the models that sy.export_onnx writes.

    export_conformance.py --package PATH --peers VENV [--models FOLDER] [--opset N] [--json] [NAME...]

Prints what does not agree within 1e-4 of the largest magnitude, and how many do.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def arguments():
    parser = argparse.ArgumentParser(prog="./sy conformance export")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--package", type=pathlib.Path, required=True)
    parser.add_argument("--peers", type=pathlib.Path, required=True,
                        help="a virtual environment with onnxruntime")
    parser.add_argument("--models", type=pathlib.Path,
                        help="a folder of models beside golden/, which has their inputs")
    parser.add_argument("--opset", type=int, default=20)
    parser.add_argument("--json", action="store_true", help="every outcome as JSON")
    options = parser.parse_args()
    caller = pathlib.Path(os.environ.get("SY_CALLER_DIR", "."))
    for name in ("peers", "models"):
        if getattr(options, name):
            setattr(options, name, (caller / getattr(options, name)).absolute())
    return options


def main():
    options = arguments()
    command = [options.peers / "bin" / "python", HERE / "export_worker.py", "--opset",
               str(options.opset), *options.names]
    if options.models:
        command += ["--models", options.models]
    worker = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(options.package)},
                            stdout=subprocess.PIPE, text=True, check=False)
    rows = [json.loads(line) for line in worker.stdout.splitlines() if line.startswith("{")]
    if options.json:
        print(json.dumps(rows, indent=1))
    counts = collections.Counter((row["kind"], not row["why"]) for row in rows)
    for row in rows:
        if row["why"] and not options.json:
            print(f"{row['kind']} {row['name']}: {row['why']}")
    for kind in ("case", "recipe", "model"):
        right = counts[kind, True]
        print(f"{kind}s: {right} of {right + counts[kind, False]}", file=sys.stderr)
    return worker.returncode


if __name__ == "__main__":
    sys.exit(main())
