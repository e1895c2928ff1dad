#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what editing one operator's entry makes Bazel generate and compile.

Builds //... of a copy of the checkout (from the shared disk cache), changes one
operator's default and its description in the copy's YAML, builds again, and
counts the generate and compile actions of the second build. Fails if there are
more than LIMIT. Links are not counted.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LIMIT = 20
COUNTED = ("OpsGen", "CppCompile", "CudaCompile", "Genrule")
FILE = "ops_gen/ops/activation.yaml"
BEFORE = "args: (Tensor x, int axis = -1)"
AFTER = "args: (Tensor x, int axis = 1)"


def copy_checkout(root, copy):
    """Every tracked file, as it stands in the work tree."""
    names = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=root,
        check=True, stdout=subprocess.PIPE).stdout
    copy.mkdir()
    packed = subprocess.run(["tar", "-c", "--null", "-T", "-"], cwd=root,
                            input=names, check=True, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x"], cwd=copy, input=packed.stdout, check=True)


def build(copy, output_base, log):
    """Builds //... and leaves the log of the executed actions."""
    subprocess.run(
        ["bazel", f"--output_base={output_base}", "build", "//...",
         "--experimental_convenience_symlinks=ignore",
         "--show_progress_rate_limit=60", f"--execution_log_json_file={log}"],
        cwd=copy, check=True)


def read_log(path):
    """{mnemonic: [outputs]}; the log is JSON objects one after another."""
    decoder, text = json.JSONDecoder(), path.read_text()
    found, at = collections.defaultdict(list), 0
    while at < len(text):
        entry, at = decoder.raw_decode(text, at)
        found[entry["mnemonic"]].append(entry["listedOutputs"][0])
        while at < len(text) and text[at].isspace():
            at += 1
    return found


def edit(path):
    """Changes softmax's entry, the first with that signature."""
    text = path.read_text()
    entry = text.index("- op: softmax\n")
    at = text.index(BEFORE, entry)
    text = text[:at] + AFTER + text[at + len(BEFORE):]
    backward = text.index("- backward_op: softmax_grad", at)
    text = text[:backward] + text[backward:].replace(
        "forward: softmax (Tensor x, int axis = -1)",
        "forward: softmax (Tensor x, int axis = 1)", 1)
    path.write_text(text)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        copy, base = pathlib.Path(folder, "copy"), os.path.join(folder, "out")
        log = pathlib.Path(folder, "log.json")
        copy_checkout(root, copy)
        try:
            build(copy, base, log)
            edit(copy / FILE)
            build(copy, base, log)
            actions = read_log(log)
        finally:
            subprocess.run(["bazel", f"--output_base={base}", "clean",
                            "--expunge"], cwd=copy, check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    counted = sum(len(actions[mnemonic]) for mnemonic in COUNTED)
    for mnemonic in COUNTED:
        for output in actions[mnemonic]:
            print(f"  {mnemonic}: {output}")
    print(f"editing one entry: {counted} generate and compile actions "
          f"(at most {LIMIT})")
    sys.exit(0 if 0 < counted <= LIMIT else 1)


main()
