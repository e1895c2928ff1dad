# SPDX-License-Identifier: Apache-2.0
"""Measures Switchyard and its peers side by side; `./sy bench` calls it.

Each row's two sides take turns, so that whatever else the machine does meets
both; a figure is the median of the turns, and the ratio is of the medians.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import sys

import rows
import runners
from runners import Missing

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent.parent / "tools" / "sy"))

from progress import Progress  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(prog="./sy bench", description=__doc__)
    parser.add_argument("filter", nargs="*",
                        help="only rows whose name contains one of these")
    parser.add_argument("--bin", type=pathlib.Path, required=True,
                        help="where the build put its outputs")
    parser.add_argument("--peers", type=pathlib.Path, metavar="VENV",
                        help="a Python environment with torch and onnxruntime")
    parser.add_argument("--threads", default="1,2",
                        help="thread counts of the large rows (1,2)")
    parser.add_argument("--rounds", type=int, default=7,
                        help="turns of each side (7)")
    parser.add_argument("--seconds", type=float, default=0.05,
                        help="of one turn (0.05)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="write the figures there too")
    options = parser.parse_args()
    # ./sy changes the folder; what the caller names is relative to theirs.
    caller = pathlib.Path(os.environ.get("SY_CALLER_DIR", "."))
    for name in ("peers", "json"):
        if getattr(options, name) is not None:
            setattr(options, name, caller / getattr(options, name))
    return options


def make_runners(options):
    """Returns the runners by name; a peer that is not there is an exception in its place."""
    built = options.bin / "tests" / "benchmarks"
    package = options.bin / "python"
    made = {name: runners.GoogleBenchmark(built / name)
            for name in ("eager_benchmark", "kernels_benchmark",
                         "static_benchmark", "limit_benchmark")}
    made["start"] = runners.Start(built / "start_product", package)
    made["python"] = runners.Worker(
        [sys.executable, str(HERE / "switchyard_cases.py")],
        PYTHONPATH=str(package))
    for name, script in (("torch", "torch_cases.py"),
                         ("onnxruntime", "onnxruntime_cases.py")):
        if options.peers is None:
            made[name] = Missing("no --peers")
        else:
            made[name] = runners.Worker(
                [str(options.peers / "bin" / "python"),
                 str(HERE / "peers" / script)])
    return made


def runner_of(made, name, options):
    if name == "libtorch" and name not in made:
        # Compiled only for a row that asks for it: it takes a minute.
        made[name] = (Missing("no --peers") if options.peers is None
                      else runners.libtorch(options.peers, options.peers))
    if isinstance(made[name], Missing):
        raise made[name]
    return made[name]


def measure(row, made, options):
    """{"ours": [ns...], "peer": [ns...]} or what is missing, as text."""
    turns, missing = {"ours": [], "peer": []}, {}
    for _ in range(options.rounds):
        for side in ("ours", "peer"):
            what = getattr(row, side)
            if what is None or side in missing:
                continue
            name, case, divisor = what
            try:
                runner = runner_of(made, name, options)
                turns[side].append(
                    runner.measure(case, row.threads, options.seconds) /
                    divisor)
            except Missing as reason:
                missing[side] = str(reason)
    return turns, missing


def summary(row, turns, missing):
    scale = rows.UNITS[row.unit]
    result = {"name": row.name, "threads": row.threads, "unit": row.unit,
              "target": row.target, "missing": missing,
              "peer_name": row.peer[0] if row.peer else None}
    for side in ("ours", "peer"):
        if turns[side]:
            result[side] = statistics.median(turns[side]) / scale
            result[f"{side}_min"] = min(turns[side]) / scale
    if row.peer and turns["ours"] and turns["peer"]:
        result["ratio"] = result["ours"] / result["peer"]
    measured = result.get("ratio" if row.peer else "ours")
    if measured is not None and row.target is not None:
        result["met"] = measured <= row.target
    return result


def line_of(row, result):
    def number(key, pattern):
        return pattern.format(result[key]) if key in result else "-"
    peer = row.peer[0] if row.peer else ""
    verdict = {True: "ok", False: "over", None: ""}[result.get("met")]
    target = "" if row.target is None else f"{row.target:.2f}"
    if row.target is not None and not row.peer:
        target += f" {row.unit}"
    why = "; ".join(result["missing"].values())
    return (f"{row.label:<38}{number('ours', '{:>11.2f}')}"
            f"{number('peer', '{:>11.2f}'):>11} {row.unit}"
            f"{number('ratio', '{:>7.2f}'):>7}  {target:<9}{verdict:<5}"
            f"{peer}{'  ' + why if why else ''}").rstrip()


def main():
    options = arguments()
    threads = [int(count) for count in options.threads.split(",")]
    chosen = [row for row in rows.rows(threads)
              if not options.filter or
              any(part in row.label for part in options.filter)]
    if not chosen:
        sys.exit(f"bench: no row matches {options.filter}")
    print(f"{'row/threads':<38}{'ours':>11}{'peer':>11} unit"
          f"{'ratio':>6}  target  met  peer")
    made = make_runners(options)
    results = []
    progress = Progress(chosen, "bench")
    for row in progress:
        result = summary(row, *measure(row, made, options))
        results.append(result)
        progress.print(line_of(row, result))
    for runner in made.values():
        if not isinstance(runner, Missing):
            runner.close()
    if options.json:
        options.json.write_text(json.dumps(
            {"date": datetime.datetime.now().isoformat(timespec="seconds"),
             "cores": os.cpu_count(), "rounds": options.rounds,
             "rows": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
