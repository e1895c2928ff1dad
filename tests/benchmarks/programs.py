# SPDX-License-Identifier: Apache-2.0
"""CPU seconds and memory of what is done to programs, by number of operations; `./sy bench programs`
calls it.

    programs.py --costs PROGRAM_COSTS --package FOLDER [NODES...]

Models: "layers" and "chain" as tests/budgets/program_phases.h builds them, "train_step" that of
tests/budgets/training_costs.py, in Python. Fails where ten times the operations take more than 16 times
the time, from 10,000 on, or a million of them more than 8 GiB.
"""

import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SIZES = [1000, 10000, 100000, 1000000]
MOST_GROWTH = 16  # For ten times the size.
GROWTH_FROM = 10000
LEAST_SECONDS = 0.01  # A shorter time is noise.
MOST_MEMORY = 8 * 1024  # MiB.


def run(command, **environment):
    """{phase: CPU seconds, "memory": MiB} of a program that prints them as lines."""
    done = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE,
                          text=True, env=dict(os.environ, OMP_NUM_THREADS="1", **environment))
    return {name: float(value) for name, value in
            (line.split() for line in done.stdout.splitlines())}


def measure(options, model, nodes):
    if model == "train_step":
        script = HERE.parent / "budgets" / "training_costs.py"
        return run([sys.executable, script, "--time", nodes], PYTHONPATH=str(options.package))
    return run([options.costs, "--time", model, nodes])


def wrong_growth(model, sizes, figures):
    """The sentences of what grows faster than the program."""
    wrong = []
    for small, large in zip(sizes, sizes[1:]):
        if small < GROWTH_FROM:
            continue
        most = MOST_GROWTH * large / small / 10
        for phase, seconds in figures[large].items():
            before = max(figures[small][phase], LEAST_SECONDS)
            if phase != "memory" and seconds > most * before:
                wrong.append("%s %s must take at most %.0f times as long for %d operations as for "
                             "%d, got %.1f" % (model, phase, most, large, small, seconds / before))
    for nodes, figure in figures.items():
        if figure["memory"] > MOST_MEMORY:
            wrong.append("%s must take at most %d MiB for %d operations, got %.0f"
                         % (model, MOST_MEMORY, nodes, figure["memory"]))
    return wrong


def print_table(model, sizes, figures):
    print("\n| %s | %s |" % (model, " | ".join("%d" % nodes for nodes in sizes)))
    print("|---" * (len(sizes) + 1) + "|")
    for phase in figures[sizes[0]]:
        unit = "%.0f MiB" if phase == "memory" else "%.4f s"
        print("| %s | %s |" % (phase.replace("_", " "),
                               " | ".join(unit % figures[nodes][phase] for nodes in sizes)))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(prog="./sy bench programs", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nodes", nargs="*", type=int, default=SIZES,
                        help="numbers of operations (1000 to 1000000)")
    parser.add_argument("--costs", type=pathlib.Path, required=True,
                        help="the program //tests/budgets:program_costs")
    parser.add_argument("--package", type=pathlib.Path, required=True,
                        help="the folder that holds the package switchyard")
    parser.add_argument("--models", default="layers,chain,train_step")
    options = parser.parse_args()
    sizes = sorted(options.nodes)
    wrong = []
    for model in options.models.split(","):
        figures = {nodes: measure(options, model, nodes) for nodes in sizes}
        print_table(model, sizes, figures)
        wrong += wrong_growth(model, sizes, figures)
    for sentence in wrong:
        print("FAILED: " + sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
