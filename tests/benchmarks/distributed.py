# SPDX-License-Identifier: Apache-2.0
"""./sy bench distributed: steps of two processes beside PyTorch's DistributedDataParallel.

    distributed.py --package FOLDER --peers VENV [--rounds N] [--json FILE] [NAME...]

A figure is the CPU time that all processes of a job take a step, of all their threads: a busy
neighbour bends it little, and who spins pays. Each job has one thread a process and warms up
before it counts; the sides of a row take turns, and the least of the rounds counts. A ratio is that
to the undivided step of one process of the same system. PyTorch's processes exchange by Gloo, ours
by sockets and by Gloo.
"""

import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# (name, model, rows of the whole batch, steps that are counted).
ROWS = (
    ("MLP 235 k, 64", "mlp", 64, 300),
    ("MLP 235 k, 512", "mlp", 512, 80),
    ("LeNet, 64", "lenet", 64, 60),
    ("LeNet, 256", "lenet", 256, 20),
    ("MLP 2.1 M, 128", "wide", 128, 40),
)
# (name, whose, processes, logical shards (0: undivided), transport; "static": by programs).
SIDES = (
    ("torch 1", "torch", 1, 0, ""),
    ("torch 2", "torch", 2, 0, "gloo"),
    ("ours 1", "ours", 1, 0, ""),
    ("ours 2 tcp", "ours", 2, 2, "tcp"),
    ("ours 2 static", "ours", 2, 2, "tcp", "static"),
    ("ours 2 gloo", "ours", 2, 2, "gloo"),
    ("ours 1, 8 shards", "ours", 1, 8, ""),
    ("8, static", "ours", 1, 8, "", "static"),
    ("ours 2, 8 shards", "ours", 2, 8, "tcp"),
)


def arguments():
    parser = argparse.ArgumentParser(prog="./sy bench distributed")
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="words in the names of rows")
    parser.add_argument("--package", type=pathlib.Path, required=True)
    parser.add_argument("--peers", type=pathlib.Path, required=True,
                        metavar="VENV", help="a Python environment with torch")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each side (5)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    # ./sy changes the folder; what the caller names is relative to theirs.
    caller = pathlib.Path(os.environ.get("SY_CALLER_DIR", "."))
    options.peers = caller / options.peers
    options.json = options.json and caller / options.json
    return options


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def microseconds(side, row, options):
    """The CPU time of a step of a job, of all its processes."""
    _, whose, processes, shards, transport, *static = side
    _, model, rows, steps = row
    ours = whose == "ours"
    python = sys.executable if ours else str(options.peers / "bin" / "python")
    script = HERE / ("distributed_case.py" if ours else "peers/torch_distributed_case.py")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "WORLD_SIZE": str(processes),
                   "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()),
                   "PYTHONPATH": str(options.package) if ours else ""}
    if transport:
        environment["SWITCHYARD_TRANSPORT"] = transport
    words = [python, str(script), model, str(rows), str(steps), str(shards), *static]
    started = [subprocess.Popen(words, env={**environment, "RANK": str(rank)},
                                stdout=subprocess.PIPE, text=True)
               for rank in range(processes)]
    said = [each.communicate()[0] for each in started]
    if any(each.returncode for each in started):
        raise SystemExit(f"{side[0]}: a process has failed")
    return sum(float(each) for each in said)


def measured(row, options):
    """{side: microseconds}."""
    turns = {side[0]: [] for side in SIDES}
    for _ in range(options.rounds):
        for side in SIDES:
            turns[side[0]].append(microseconds(side, row, options))
    return {name: min(each) for name, each in turns.items()}


def main():
    options = arguments()
    found = []
    print(f"{'CPU us a step':<16}" + "".join(f"{side[0]:>18}" for side in SIDES))
    for row in ROWS:
        if options.names and not any(word in row[0] for word in options.names):
            continue
        times = measured(row, options)
        found.append({"name": row[0], "us": times})
        cells = []
        for side in SIDES:
            alone = times["ours 1" if side[1] == "ours" else "torch 1"]
            cells.append(f"{times[side[0]]:>11.0f} ({times[side[0]] / alone:.2f})")
        print(f"{row[0]:<16}" + "".join(f"{each:>18}" for each in cells), flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
