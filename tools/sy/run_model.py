# SPDX-License-Identifier: Apache-2.0
"""Runs a saved program or a PaddlePaddle model on arrays of .npy files.

Without --input it shows what the model takes and returns.
"""
import argparse
import json
import math
import os
import pathlib
import re
import statistics
import sys
import time

import numpy as np
import switchyard as sy

FEW = 16  # Elements of a result that are printed.


def count(least):
    """The type of an option that is a whole number of at least `least`."""
    def read(word):
        if not re.fullmatch(r"\d+", word) or int(word) < least:
            raise argparse.ArgumentTypeError(f"expected a whole number of at least {least}, got '{word}'")
        return int(word)
    return read


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./sy run", add_help=False)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--weights", metavar="FILE")
    parser.add_argument("--input", metavar="NAME=FILE.npy", action="append", default=[])
    parser.add_argument("--lod", metavar="NAME=2,1,3", action="append", default=[])
    parser.add_argument("--output", metavar="DIR")
    parser.add_argument("--threads", metavar="N", type=count(1))
    parser.add_argument("--executor", choices=("static", "eager"), default="static")
    parser.add_argument("--repeat", metavar="N", type=count(0), default=0)
    parser.add_argument("--profile", metavar="TRACE.json", nargs="?", const="")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--without", metavar="PASS,PASS", default="")
    parser.add_argument("--relaxed", metavar="CHOICES")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def name_and_value(word, model, option):
    """NAME=VALUE, or VALUE of the one input."""
    name, equals, value = word.partition("=")
    if not equals:
        if len(model.feeds) != 1:
            raise ValueError(f"{option}: expected NAME=..., with a name of "
                             f"{', '.join(model.feeds)}; got '{word}'")
        name, value = model.feeds[0], word
    if name not in model.feeds:
        raise ValueError(f"{option}: expected a name of {', '.join(model.feeds)}, got '{name}'")
    return name, value


def array_of(path):
    """The array of a .npy file."""
    try:
        array = np.load(path, allow_pickle=False)
    except OSError:
        raise
    except (ValueError, EOFError) as error:
        raise ValueError(f"--input: {path}: expected a .npy file of numbers: {error}") from None
    if not isinstance(array, np.ndarray):
        raise ValueError(f"--input: {path}: expected a .npy file of one array, got an archive of several")
    return array


def feeds_of(model, arguments):
    arrays, lods = {}, {}
    for word in arguments.input:
        name, path = name_and_value(word, model, "--input")
        if name in arrays:
            raise ValueError(f"--input: expected each input once, got '{name}' twice")
        arrays[name] = array_of(path)
    for word in arguments.lod:
        name, lengths = name_and_value(word, model, "--lod")
        if not re.fullmatch(r"\d+(,\d+)*", lengths):
            raise ValueError(f"--lod: expected lengths as 2,1,3; got '{lengths}'")
        lods.setdefault(name, []).append([int(length) for length in lengths.split(",")])
    for name in lods:
        if name not in arrays:
            raise ValueError(f"--lod: expected --input {name}=FILE.npy too, got none")
    return {name: sy.tensor(array, lod=lods[name]) if name in lods else array
            for name, array in arrays.items()}


def port_text(port):
    shape = ", ".join("?" if extent < 0 else str(extent) for extent in port.shape)
    lod = f", {port.lod_levels} level(s) of sequences" if port.lod_levels else ""
    return f"{port.name}: {'' if port.kind == 'dense' else port.kind + ' '}{port.dtype}[{shape}]{lod}"


def as_json_text(report):
    """JSON, which has no numbers that are not finite: they become texts."""
    def plain(value):
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        if isinstance(value, complex):
            return [plain(value.real), plain(value.imag)]
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        return value
    return json.dumps(plain(report), indent=2, allow_nan=False)


def show_ports(model, as_json):
    if as_json:
        print(json.dumps({"inputs": [port._asdict() for port in model.inputs],
                          "outputs": [port._asdict() for port in model.outputs]}, indent=2))
        return
    for title, ports in (("inputs", model.inputs), ("outputs", model.outputs)):
        print(title)
        for port in ports:
            print(f"  {port_text(port)}")


def facts_of(name, tensor, folder):
    """Returns what is said of a result; writes it to `folder` if there is one."""
    facts = {"name": name, "kind": tensor.kind, "dtype": str(tensor.dtype), "shape": list(tensor.shape)}
    if tensor.kind != "dense":
        return facts
    array = tensor.numpy()
    if tensor.lod is not None:
        facts["lod"] = tensor.lod
    if folder is not None:
        path = pathlib.Path(folder, re.sub(r"[^\w.@-]", "_", name) + ".npy")
        np.save(path, array)
        facts["file"] = str(path)
    if array.size <= FEW:
        facts["values"] = array.tolist()
    elif array.dtype.kind in "fiu":
        facts.update(min=array.min().item(), mean=array.mean().item(), max=array.max().item())
    return facts


def result_text(facts):
    shape = ", ".join(map(str, facts["shape"]))
    kind = "" if facts["kind"] == "dense" else facts["kind"] + " "
    text = f"{facts['name']}: {kind}{facts['dtype']}[{shape}]"
    for key in ("lod", "values", "file"):
        if key in facts:
            text += f" {key} {facts[key]}"
    if "mean" in facts:
        text += " from {min:.6g} to {max:.6g}, mean {mean:.6g}".format(**facts)
    return text


def main():
    arguments = parse_arguments()
    without = [name for name in arguments.without.split(",") if name]
    model = sy.load(arguments.model, weights=arguments.weights, relaxed=arguments.relaxed, exact=arguments.exact,
                    without=without)
    if not arguments.input and not arguments.lod and model.feeds:
        show_ports(model, arguments.json)
        return
    if arguments.output is not None:
        os.makedirs(arguments.output, exist_ok=True)
    if arguments.threads is not None:
        sy.set_num_threads(arguments.threads)
    feeds = feeds_of(model, arguments)
    eager = arguments.executor == "eager"
    run = model.run_eagerly if eager else model.run
    fetched = run(feeds, tensors=True)
    report = {"outputs": [facts_of(name, fetched[name], arguments.output) for name in model.fetches]}
    times = []
    for _ in range(arguments.repeat):
        start = time.perf_counter()
        run(feeds, tensors=True)
        times.append((time.perf_counter() - start) * 1e3)
    if times:
        report["milliseconds"] = {"median": statistics.median(times), "least": min(times), "runs": len(times)}
    if arguments.profile is not None:
        profile = (model.profile_eagerly if eager else model.profile)(feeds)
        report["profile"] = [row._asdict() for row in profile.rows()]
        report["trace"] = arguments.profile or os.path.join(arguments.output or "", "trace.json")
        profile.save(report["trace"])
    if arguments.json:
        print(as_json_text(report))
        return
    for facts in report["outputs"]:
        print(result_text(facts))
    if times:
        print("milliseconds: median {median:.3f}, least {least:.3f} of {runs} runs".format(
            **report["milliseconds"]))
    if arguments.profile is not None:
        print(profile)
        print(f"trace: {report['trace']}, for chrome://tracing")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(1)
    except OSError as error:
        sys.exit("sy: run: " + (f"{error.filename}: {error.strerror}" if error.strerror else str(error)))
    except (ValueError, TypeError, RuntimeError, NotImplementedError, MemoryError) as error:
        sys.exit(f"sy: run: {error}")
