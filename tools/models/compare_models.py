#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every model of some folders here and in a peer and writes a table of the differences.

A folder is a model, or holds a folder or an ONNX file for each. Both systems run in processes of their own. The
exit status is 1 if a difference exceeds the limit or if a case runs in the peer alone.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import page
import row_of_model

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "sy"))

from progress import Progress  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./sy models", add_help=False)
    parser.add_argument("folders", metavar="FOLDER", nargs="+", type=pathlib.Path)
    parser.add_argument("--peers", metavar="VENV", action="append", required=True, type=pathlib.Path)
    parser.add_argument("--write", metavar="PAGE.md", type=pathlib.Path)
    parser.add_argument("--only", metavar="NAME", action="append", default=[])
    return parser.parse_args()


_MODULES = (("PaddlePaddle", "paddle"), ("ONNX Runtime", "onnxruntime"))


def peers_of(venv):
    """Returns the systems in a virtual environment that run models."""
    python, found = venv / "bin" / "python", []
    for system, module in _MODULES:
        words = [str(python), "-c", f"import {module}; print({module}.__version__)"]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                              check=False)
        if done.returncode == 0:
            found.append(row_of_model.Peer(system, done.stdout.split()[-1], python))
    if not found:
        raise ValueError(f"--peers: {venv} must be a virtual environment with paddlepaddle or onnxruntime")
    return found


def models_in(folder):
    """The folder or file, or what it holds, in the order of names."""
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise ValueError(f"expected a folder of models, got {folder}")
    if row_of_model.program_of(folder) is not None:
        return [folder]
    return sorted(path for path in folder.iterdir() if path.is_dir() or path.suffix == ".onnx")


def main():
    arguments = parse_arguments()
    peers = [peer for venv in arguments.peers for peer in peers_of(venv)]
    rows = []
    progress = Progress([model for folder in arguments.folders for model in models_in(folder)
                         if not arguments.only or model.name in arguments.only], "models")
    for model in progress:
        with tempfile.TemporaryDirectory() as scratch:
            rows.append(row_of_model.row(model, peers, pathlib.Path(scratch)))
        progress.print(page.line(rows[-1]))
    if arguments.write:
        before = arguments.write.read_text(encoding="utf-8") if arguments.only and arguments.write.exists() else ""
        arguments.write.write_text(page.text(rows, before), encoding="utf-8")
    failed = [row.name for row in rows if row.failed]
    if failed:
        print(f"over the limit: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError) as error:
        sys.exit(f"sy: models: {error}")
