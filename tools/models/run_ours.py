# SPDX-License-Identifier: Apache-2.0
"""Runs a model in Switchyard on the cases of a folder, or says what its ports are.

    python3 run_ours.py MODEL (--ports | --cases CASES)

The results of each case are written as <case>/ours, one case after another.
"""
import argparse
import json
import pathlib
import re

import switchyard as sy

import case_files

_MOST_IDS = 1000  # Enough to tell rows of a table apart.


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--cases", type=pathlib.Path)
    parser.add_argument("--weights", metavar="FILE")
    parser.add_argument("--ports", action="store_true")
    return parser.parse_args()


def integers_below(model):
    """A bound for integers that are fed: the fewest rows of a table that is looked up in."""
    text = model.text()
    rows = dict(re.findall(r'(%[^\s:]+): state "[^"]*" tensor<\w+\[(\d+)', text))
    found = [int(rows[value]) for operands in re.findall(r"op\.embedding\w*\(([^)]*)\)", text)
             for value in re.findall(r"%[^\s,]+", operands) if value in rows]
    return min([_MOST_IDS, *found]) if found else 2


def ports_of(model):
    limit = integers_below(model)
    return [[port.name, port.dtype, list(port.shape), port.lod_levels, limit] for port in model.inputs]


def results(model, feeds):
    arrays = {one.name: one.array if one.lod is None else sy.tensor(one.array, lod=one.lod) for one in feeds}
    fetched = model.run(arrays, tensors=True)
    return [case_files.NamedArray(name, fetched[name].numpy(), fetched[name].lod) for name in model.fetches]


def main():
    arguments = parse_arguments()
    try:
        model = sy.load(arguments.model, weights=arguments.weights)
    except Exception as error:  # Whatever it throws is the row's reason.
        if arguments.ports:
            print(json.dumps({"error": str(error)}))
        else:
            case_files.write_reason(arguments.cases, "ours", error)
        return
    if arguments.ports:
        print(json.dumps({"feeds": ports_of(model), "fetches": list(model.fetches)}))
        return
    for case in case_files.cases_in(arguments.cases):
        try:
            case_files.write(case / "ours", results(model, case_files.read(case / "feeds")))
        except Exception as error:
            case_files.write_reason(case, "ours", error)


if __name__ == "__main__":
    main()
