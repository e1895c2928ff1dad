# SPDX-License-Identifier: Apache-2.0
"""legacy_networks.py DATA: runs every network of DATA/models that DATA/golden has results of on
legacy kernels, where there are any, and prints a table like that of docs/parity_networks.md:

    ./sy python tools/models/legacy_networks.py ../shared/data
"""
import json
import pathlib
import sys

import numpy as np

import case_files
import compare
import switchyard as sy

POLICY = sy.policy(prefer=["legacy"])
SUFFIXES = {".f16": np.float16, ".f32": np.float32, ".f64": np.float64, ".i32": np.int32, ".i64": np.int64,
            ".bool": np.bool_}


def read(folder, stem, shape):
    path, = (path for path in folder.iterdir() if path.stem == stem)
    return np.fromfile(path, SUFFIXES[path.suffix]).reshape(shape)


def fed(folder, shapes, name):
    array = read(folder, f"input_{name}", shapes[name])
    lengths = shapes.get("lod", {}).get(name)
    return array if lengths is None else sy.tensor(array, lod=[lengths])


def inference(model, golden):
    """(calls, legacy calls, largest difference) of a network that trains nothing."""
    program = sy.load(model, policy=POLICY)
    worst = 0.0
    for case in sorted(golden.glob("case*")) or [golden]:
        shapes = json.loads((case / "shapes.json").read_text())
        feeds = {name: fed(case, shapes, name) for name in program.feeds}
        results = list(program.run(feeds, tensors=True).values())
        for i, (name, shape) in enumerate(shapes["outputs"].items()):
            lengths = shapes.get("output_lod", {}).get(name)
            theirs = case_files.NamedArray(name, read(case, f"output_{i}", shape), lengths and [lengths])
            ours = case_files.NamedArray(name, results[i].numpy(), results[i].lod)
            worst = max(worst, compare.difference(ours, theirs))
    return *count(program.selections(feeds)), worst


def training(model, golden):
    """(calls, legacy calls, largest difference) of losses and last states of a training program."""
    program = sy.load(model, weights=model / "init", policy=POLICY)
    about = json.loads((model / "variables.json").read_text())
    shapes = json.loads((golden / "shapes.json").read_text())
    batches = {name: read(golden, f"input_{name}", shapes[name]) for name in about["feeds"]}
    feeds = [{name: every[step] for name, every in batches.items()} for step in range(shapes["steps"])]
    calls = count(program.selections(feeds[0]))
    losses = np.array([program.run(one)[about["fetch"]] for one in feeds])
    worst = compare.relative(losses, read(golden, "output_0", losses.shape))
    for name, shape in shapes["final"].items():
        worst = max(worst, compare.relative(program.state[name].numpy(), read(golden, f"final_{name}", shape)))
    return *calls, worst


def count(lines):
    return len(lines), sum(" -> fluid " in line for line in lines)


def main(data):
    print("| network | calls | legacy | largest difference |\n|---|---|---|---|")
    for model in sorted((data / "models").iterdir()):
        golden = data / "golden" / model.name.removesuffix("_pir")
        if not golden.is_dir():
            continue
        run = training if (model / "variables.json").exists() else inference
        calls, legacy, worst = run(model, golden)
        print(f"| {model.name} | {calls} | {legacy} | {worst:.1e} |", flush=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
