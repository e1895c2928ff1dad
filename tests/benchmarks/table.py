# SPDX-License-Identifier: Apache-2.0
"""Prints what `./sy bench --json FILE` wrote as tables of docs/performance.md.

usage: table.py FILE
"""

import json
import sys

TITLES = {"c++": "Calls in C++", "python": "Calls from Python",
          "static": "Static programs", "start": "Start",
          "kernel": "Kernels", "train": "Training steps"}
PEERS = {"c++": "PyTorch", "python": "PyTorch", "static": "ONNX Runtime",
         "start": "", "kernel": "oneDNN, or memory",
         "train": "PyTorch, eager"}


def cell(row, key):
    if key not in row:
        return "-"
    value = row[key]
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def target(row):
    if row["target"] is None:
        return ""
    value = f"{row['target']:.2f}" if row["peer_name"] else (
        f"{row['target']:g} {row['unit']}")
    return value if row.get("met", True) else f"{value} (missed)"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    for group, title in TITLES.items():
        chosen = [row for row in rows if row["name"].startswith(group + "/")]
        if not chosen:
            continue
        print(f"### {title}\n")
        print(f"| row | threads | ours | {PEERS[group] or 'peer'} | unit | "
              "ratio | target |")
        print("|---|---|---|---|---|---|---|")
        for row in chosen:
            print(f"| {row['name'].partition('/')[2]} | {row['threads']} | "
                  f"{cell(row, 'ours')} | {cell(row, 'peer')} | {row['unit']} "
                  f"| {cell(row, 'ratio')} | {target(row)} |")
        print()


if __name__ == "__main__":
    main()
