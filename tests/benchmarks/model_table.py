# SPDX-License-Identifier: Apache-2.0
"""Prints what `./sy bench models --json FILE` wrote as tables of docs/performance_models.md.

usage: model_table.py FILE
"""
import json
import math
import sys

import numpy as np

import model_list

RATIOS = ("ms", "cpu_ms", "first_ms", "first_cpu_ms", "load_ms", "load_cpu_ms", "peak_mib")
HEAD = ("| model | class | batch | threads | ours, ms | peer, ms | peer | ratio | of CPU time | first run | load | "
        "load, CPU | memory | difference | best peer | to the best |\n" + "|---" * 16 + "|")


def difference(ours, theirs):
    """max|a-b| over max|b|; infinite where shapes differ."""
    if ours.shape != theirs.shape:
        return math.inf
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    largest = np.abs(theirs).max(initial=0)
    worst = np.abs(ours - theirs).max(initial=0)
    return float(worst / largest) if largest else float(worst)


def peer_of(row):
    """The system that a row's ratios are of: ONNX Runtime, or the faster PaddlePaddle."""
    measured = {name: one for name, one in row["figures"].items() if "ms" in one}
    if "onnxruntime" in measured:
        return "onnxruntime"
    paddles = [name for name in ("paddle", "paddle+onednn") if name in measured]
    return min(paddles, key=lambda name: measured[name]["ms"], default=None)


def best_of(row):
    """The peer with the least latency, or None."""
    measured = {name: one["ms"] for name, one in row["figures"].items() if name != "ours" and "ms" in one}
    return min(measured, key=measured.get, default=None)


def with_ratios(row):
    """The row, with its peer, our figures over its, and the best of the peers."""
    if "missing" in row:
        return row
    best = best_of(row)
    peer = peer_of(row) or best
    if peer is None:
        reasons = [one.get("missing", "") for one in row["figures"].values()]
        return {**row, "missing": "; ".join(filter(None, reasons))}
    ours, theirs = row["figures"]["ours"], row["figures"][peer]
    ratios = {key: ours[key] / theirs[key] for key in RATIOS}
    ratios["best"] = ours["ms"] / row["figures"][best]["ms"]
    return {**row, "peer": peer, "best": best, "ratios": ratios}


def line(row):
    if "missing" in row:
        return "| %s | %s | %d | %d | not run: %s |" % (
            row["name"], row["class"], row["batch"], row["threads"], row["missing"])
    ours, theirs, ratios = row["figures"]["ours"], row["figures"][row["peer"]], row["ratios"]
    target = row["target"] if row["threads"] == 1 and row["peer"] == "onnxruntime" else None
    missed = " (missed)" if target and ratios["ms"] > target else ""
    return "| %s | %s | %d | %d | %.3g | %.3g | %s | %.2f%s | %.2f | %.2f | %.2f | %.2f | %.2f | %.0e | %s | %.2f |" % (
        row["name"], row["class"], row["batch"], row["threads"], ours["ms"], theirs["ms"], row["peer"], ratios["ms"],
        missed, ratios["cpu_ms"], ratios["first_ms"], ratios["load_ms"], ratios["load_cpu_ms"],
        ratios["peak_mib"], row["differences"].get(row["peer"], math.nan), row["best"], ratios["best"])


def _mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def _verdict(value, target):
    return "%.2f of at most %.2f%s" % (value, target, "" if value <= target else " (missed)")


def summary(result):
    """The sentences on each class."""
    yield "%s; load averages %s; medians of %d turns." % (
        result["cpu"], ", ".join("%.1f" % one for one in result["load"]), result["rounds"])
    measured = [row for row in result["rows"] if "ratios" in row]
    # OpenVINO alone, where neither of the others ran, has no targets of its own.
    rows = [row for row in measured if row["peer"] != "openvino"]
    for kind, targets in model_list.CLASS_TARGETS.items():
        if result.get("better_twins"):
            targets = (1.0, 1.0)
        for twin, target in zip((True, False), targets):
            for threads in sorted({row["threads"] for row in rows}):
                ratios = [row["ratios"]["ms"] for row in rows if row["class"] == kind and
                          row["batch"] == 1 and row["threads"] == threads and (row["peer"] == "onnxruntime") == twin]
                if ratios:
                    yield "%s, %d threads, %s: geometric mean %s, largest %.2f" % (
                        kind, threads, "ONNX Runtime" if twin else "Paddle alone",
                        _verdict(_mean(ratios), target), max(ratios))
    for batch, threads in sorted({(row["batch"], row["threads"]) for row in measured}):
        ratios = [row["ratios"]["best"] for row in measured if (row["batch"], row["threads"]) == (batch, threads)]
        yield "the best of all peers, batch %d, %d threads: geometric mean %.2f, largest %.2f" % (
            batch, threads, _mean(ratios), max(ratios))
    for what, key, targets in (("load", "load_ms", model_list.LOAD_TARGETS),
                               ("peak memory", "peak_mib", model_list.MEMORY_TARGETS)):
        for twin, target in zip((True, False), targets):
            ratios = [row["ratios"][key] for row in rows
                      if row["batch"] == row["threads"] == 1 and (row["peer"] == "onnxruntime") == twin]
            if ratios:
                yield "%s, %s: geometric mean %s, largest %.2f" % (
                    what, "ONNX Runtime" if twin else "Paddle alone", _verdict(_mean(ratios), target),
                    max(ratios))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        result = json.load(file)
    print(HEAD)
    for row in result["rows"]:
        print(line(row))
    print()
    print("\n".join(summary(result)))


if __name__ == "__main__":
    main()
