# SPDX-License-Identifier: Apache-2.0
"""run and profile: a saved program or a PaddlePaddle model on arrays of .npy
files. Without --input run shows what the model takes and returns."""

import argparse
import json
import math
import os
import re
import statistics
import time

import numpy as np

from switchyard import _core, strings
from switchyard.commands import COMMANDS, program_of
from switchyard.commands.choosing import add_choices, loaded
from switchyard.commands.faults import WrongArgument
from switchyard.commands.ports import print_ports
from switchyard.commands.preferring import add_prefer
from switchyard.file_kinds import describe, kind_of

FEW = 16  # Elements of a result that are printed.


def count_from(least):
    """The type of an option that is a whole number of at least ``least``."""
    def read(word):
        if not re.fullmatch(r"\d{1,18}", word) or int(word) < least:
            raise argparse.ArgumentTypeError(
                f"expected a whole number of at least {least}, got '{word}'")
        return int(word)
    return read


def _parser(command):
    parser = argparse.ArgumentParser(
        prog=program_of(command), description=COMMANDS[command][1],
        allow_abbrev=False)
    add = parser.add_argument
    add("model", metavar="MODEL", help="a folder or a file")
    add("--weights", metavar="FILE",
        help="the file of the weights, if it lies elsewhere")
    add("--input", metavar="NAME=FILE.npy", action="append", default=[],
        help="an input; its name may be left out if there is one")
    add("--lod", metavar="NAME=2,1,3", action="append", default=[],
        help="lengths of an input's sequences; again for each further level")
    add("--output", metavar="DIR", help="write each result to DIR/NAME.npy")
    add("--threads", metavar="N", type=count_from(1), help="the number of threads")
    add("--executor", choices=("static", "eager"), default="static",
        help="eager: operator by operator; the same bits")
    add("--repeat", metavar="N", type=count_from(0), default=0,
        help="run N times more and print the time of a run")
    if command == "run":
        add("--profile", metavar="TRACE.json", nargs="?", const="",
            help="print time by operator and kernel; write a Chrome trace")
    else:
        add("--trace", metavar="TRACE.json", dest="profile", default="",
            help="where the Chrome trace goes: trace.json in DIR or here")
    add_prefer(parser)
    add_choices(parser)
    add("--detect-anomaly", action="store_true",
        help="end at the first operator that makes NaN or infinity of finite "
             "numbers, and name it")
    add("--json", action="store_true", help="print JSON")
    return parser


def _name_and_value(word, model, option):
    """NAME=VALUE, or VALUE of the one input."""
    name, equals, value = word.partition("=")
    if not equals:
        if len(model.feeds) != 1:
            raise WrongArgument(f"{option}: expected NAME=..., with a name of "
                                f"{', '.join(model.feeds)}; got '{word}'")
        name, value = model.feeds[0], word
    if name not in model.feeds:
        raise WrongArgument(f"{option}: expected a name of "
                            f"{', '.join(model.feeds)}, got '{name}'")
    return name, value


def _array_of(path):
    """The array of a .npy file; of texts a tensor of them."""
    try:
        array = np.load(path, allow_pickle=False)
    except OSError:
        raise
    except MemoryError:
        raise MemoryError(f"--input: {path}: no memory for the array that its "
                          "header describes") from None
    except Exception as error:  # NumPy's reader raises what it meets.
        kind = describe(path, "array")
        got = f"got {kind}" if kind else str(error).split("\n")[0]
        raise ValueError(f"--input: {path}: expected a .npy file of numbers, "
                         f"{got}") from None
    if not isinstance(array, np.ndarray):
        raise ValueError(f"--input: {path}: expected a .npy file of one array, "
                         "got an archive of several")
    if array.dtype.hasobject or array.dtype.names is not None:
        raise ValueError(f"--input: {path}: expected a .npy file of numbers, "
                         f"got elements of {array.dtype}")
    return strings.tensor(array) if array.dtype.kind == "U" else array


def feeds_of(model, arguments):
    """The feeds of --input and --lod, by name."""
    arrays, lods = {}, {}
    for word in arguments.input:
        name, path = _name_and_value(word, model, "--input")
        if name in arrays:
            raise WrongArgument("--input: expected each input once, got "
                                f"'{name}' twice")
        arrays[name] = _array_of(path)
    for word in arguments.lod:
        name, lengths = _name_and_value(word, model, "--lod")
        if not re.fullmatch(r"\d{1,18}(,\d{1,18})*", lengths):
            raise WrongArgument("--lod: expected lengths as 2,1,3; got "
                                f"'{lengths}'")
        lods.setdefault(name, []).append(
            [int(length) for length in lengths.split(",")])
    for name in lods:
        if name not in arrays:
            raise WrongArgument(f"--lod: expected --input {name}=FILE.npy too, "
                                "got none")
    return {name: _core.tensor(array, lod=lods[name]) if name in lods else array
            for name, array in arrays.items()}


def _as_json_text(report):
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


def _show_ports(model, as_json):
    if as_json:
        print(json.dumps(
            {"inputs": [port._asdict() for port in model.inputs],
             "outputs": [port._asdict() for port in model.outputs]}, indent=2))
    else:
        print_ports(model)


def _facts_of(name, tensor, folder):
    """Returns the facts of a result; writes it to ``folder`` if there is one."""
    facts = {"name": name, "kind": tensor.kind, "dtype": str(tensor.dtype),
             "shape": list(tensor.shape)}
    if tensor.kind == "strings":
        array = np.array(tensor.tolist(), np.str_).reshape(tensor.shape)
    elif tensor.kind == "dense":
        array = tensor.numpy()
        if tensor.lod is not None:
            facts["lod"] = tensor.lod
    else:
        return facts
    if folder is not None:
        file = re.sub(r"[^\w.@-]", "_", name) + ".npy"
        facts["file"] = os.path.join(folder, file)
        np.save(facts["file"], array)
    if array.size <= FEW:
        facts["values"] = array.tolist()
    elif array.dtype.kind in "fiu":
        facts.update(min=array.min().item(), mean=array.mean().item(),
                     max=array.max().item())
    return facts


def _result_text(facts):
    shape = ", ".join(map(str, facts["shape"]))
    kind = "" if facts["kind"] == "dense" else facts["kind"] + " "
    text = f"{facts['name']}: {kind}{facts['dtype']}[{shape}]"
    for key in ("keys", "lod", "values", "file"):
        if key in facts:
            text += f" {key} {facts[key]}"
    if "mean" in facts:
        text += " from {min:.6g} to {max:.6g}, mean {mean:.6g}".format(**facts)
    return text


def _times(run, feeds, count):
    """Milliseconds of ``count`` runs."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        run(feeds, tensors=True)
        times.append((time.perf_counter() - start) * 1e3)
    return times


def main(command, words):
    """Runs the command; returns None or its exit code."""
    arguments = _parser(command).parse_args(words)
    model = loaded(arguments, detect_anomaly=arguments.detect_anomaly)
    given = arguments.input or arguments.lod
    if not given and model.feeds:
        if command == "profile":
            raise WrongArgument(f"--input: expected each of "
                                f"{', '.join(model.feeds)}, got none")
        _show_ports(model, arguments.json)
        return
    if arguments.output is not None:
        os.makedirs(arguments.output, exist_ok=True)
    if arguments.threads is not None:
        _core.set_num_threads(arguments.threads)
    _report(model, feeds_of(model, arguments), arguments)


def _report(model, feeds, arguments):
    """Runs the model and prints what it was asked for."""
    eager = arguments.executor == "eager"
    run = model.run_eagerly if eager else model.run
    fetched = run(feeds, tensors=True)
    report = {"outputs": [_facts_of(name, fetched[name], arguments.output)
                          for name in model.fetches]}
    for facts in report["outputs"]:
        if facts["name"] in model.maps:  # The columns of its rows.
            facts["keys"] = model.maps[facts["name"]]
    times = _times(run, feeds, arguments.repeat)
    if times:
        report["milliseconds"] = {"median": statistics.median(times),
                                  "least": min(times), "runs": len(times)}
    profile = None
    if arguments.profile is not None:
        profile = (model.profile_eagerly if eager else model.profile)(feeds)
        report["profile"] = [row._asdict() for row in profile.rows()]
        report["trace"] = arguments.profile or os.path.join(
            arguments.output or "", "trace.json")
        profile.save(report["trace"])
    if arguments.json:
        print(_as_json_text(report))
        return
    for facts in report["outputs"]:
        print(_result_text(facts))
    if times:
        print("milliseconds: median {median:.3f}, least {least:.3f} of {runs} "
              "runs".format(**report["milliseconds"]))
    if profile is not None:
        print(profile)
        print(f"trace: {report['trace']}, for chrome://tracing")
