# SPDX-License-Identifier: Apache-2.0
"""./sy bench author: the steps of examples/recipes beside PyTorch's.

    author.py --package FOLDER --peers VENV [--threads N] [--json FILE] [NAME...]

The three sides of a row, ours eager, ours static and PyTorch's, take turns; a
figure is the median of the turns, a ratio that of ours to PyTorch's, and the
last line their geometric means. Targets: 0.8 eager, 0.7 static.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import sys

import runners

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ("mnist_cnn", "quantiles", "vae", "char_lstm", "gpt", "dcgan",
         "dcgan_generator", "actor_critic", "unet", "accumulation",
         "serving")
# A model of GPT-2's small shape reads 512 tokens at once, and one after 512. These are
# no recipes and count in no mean of them: they run where they are named.
TOKENS = ("prefill", "decode")
TARGETS = {"eager": 0.8, "static": 0.7}


def arguments():
    parser = argparse.ArgumentParser(prog="./sy bench author")
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*NAMES, *TOKENS, []])
    parser.add_argument("--package", type=pathlib.Path, required=True)
    parser.add_argument("--peers", type=pathlib.Path, required=True,
                        metavar="VENV", help="a Python environment with torch")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7,
                        help="turns of each side (7)")
    parser.add_argument("--seconds", type=float, default=0.2,
                        help="of one turn (0.2)")
    parser.add_argument("--cpu", action="store_true",
                        help="the processor's time, for a machine that is busy "
                        "with others; with one thread")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    # ./sy changes the folder; what the caller names is relative to theirs.
    caller = pathlib.Path(os.environ.get("SY_CALLER_DIR", "."))
    options.peers = caller / options.peers
    options.json = options.json and caller / options.json
    return options


def measure(ours, torch, name, options):
    """{side: median nanoseconds}; a side that can't be measured says why."""
    sides = {"torch": (torch, name), "eager": (ours, f"{name} eager"),
             "static": (ours, f"{name} static")}
    turns = {side: [] for side in sides}
    for _ in range(options.rounds):
        for side, (worker, case) in sides.items():
            turns[side].append(worker.measure(case, options.threads,
                                              options.seconds))
    return {side: statistics.median(each) for side, each in turns.items()}


def main():
    options = arguments()
    clock = "cpu" if options.cpu else "wall"
    path = f"{options.package}:{HERE.parent.parent / 'examples/recipes'}"
    ours = runners.Worker([sys.executable, str(HERE / "author_cases.py")],
                          PYTHONPATH=path, BENCH_CLOCK=clock)
    torch = runners.Worker([str(options.peers / "bin" / "python"),
                            str(HERE / "peers" / "torch_author_cases.py")],
                           PYTHONPATH="", BENCH_CLOCK=clock)
    print(f"{'recipe':<18}{'PyTorch':>11}{'eager':>11}{'static':>11} us"
          f"{'eager':>9}{'static':>8}")
    rows = []
    for name in options.names or NAMES:
        try:
            times = measure(ours, torch, name, options)
        except runners.Missing as reason:
            print(f"{name:<18}{reason}", flush=True)
            continue
        ratios = {side: times[side] / times["torch"] for side in TARGETS}
        rows.append({"name": name, "ns": times, "ratios": ratios})
        print(f"{name:<18}" + "".join(
            f"{times[side] / 1000:>11.1f}" for side in (
                "torch", "eager", "static")) + "   " + "".join(
                    f"{ratios[side]:>9.2f}"[-9 + (side == 'static'):]
                    for side in TARGETS), flush=True)
    if rows:
        means = {side: statistics.geometric_mean(
            row["ratios"][side] for row in rows) for side in TARGETS}
        print("geometric mean: " + ", ".join(
            f"{side} {means[side]:.2f} (at most {TARGETS[side]})"
            for side in TARGETS))
    for worker in (ours, torch):
        worker.close()
    if options.json:
        options.json.write_text(json.dumps(
            {"date": datetime.datetime.now().isoformat(timespec="seconds"),
             "threads": options.threads, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
