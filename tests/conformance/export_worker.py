# SPDX-License-Identifier: Apache-2.0
"""Exports cases, recipes and models, and compares ONNX Runtime's answers and those
of the model loaded again with the ones of this executor. Run by export_conformance.py
in an environment with onnxruntime.

Prints a line of JSON a case: {"kind", "name", "opset", "ort", "again", "why"}; the two
numbers are the greatest difference over the largest magnitude.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

import numpy as np
import onnxruntime

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent.parent / "python" / "tests"),
             str(HERE.parent.parent / "examples" / "recipes")]

import export_cases  # noqa: E402

import switchyard as sy  # noqa: E402

SUFFIXES = {".f16": np.float16, ".f32": np.float32, ".f64": np.float64, ".i32": np.int32,
            ".i64": np.int64, ".bool": np.bool_}
LIMIT = 1e-4


def recipes():
    """{name: (network, inputs)} of each recipe that has one."""
    import accumulation
    import actor_critic
    import char_lstm
    import dcgan
    import gpt
    import mnist_cnn
    import quantiles
    import serving
    import unet
    import vae
    floats, whole = export_cases.floats, export_cases.whole
    return {
        "accumulation": (accumulation.network(), [floats(2, 1, 8, 8)]),
        "actor_critic": (actor_critic.network(), [floats(2, 4)]),
        "char_lstm": (char_lstm.CharLSTM(20, batch=2), [whole(2, 12)]),
        "dcgan generator": (dcgan.generator(), [floats(2, 32, 1, 1)]),
        "dcgan discriminator": (dcgan.discriminator(), [floats(2, 1, 32, 32)]),
        "gpt": (gpt.GPT(20), [whole(2, 12)]),
        "mnist_cnn": (mnist_cnn.network(), [floats(2, 1, 28, 28)]),
        "quantiles": (quantiles.network(), [floats(4, 1)]),
        "serving": (serving.network(), [floats(2, 64)]),
        "unet": (unet.UNet(), [floats(2, 1, 32, 32)]),
        "vae decoder": (vae.VAE().decoder, [floats(2, 8)]),
    }


def flat(results):
    if isinstance(results, (tuple, list)):
        return [one for part in results for one in flat(part)]
    return [results.numpy()]


def difference(want, got):
    """Over the largest magnitude; infinite where shapes, dtypes or integers differ."""
    want, got = np.asarray(want), np.asarray(got)
    if want.shape != got.shape or want.dtype != got.dtype:
        return float("inf")
    if want.dtype.kind not in "fc":
        return 0.0 if np.array_equal(want, got) else float("inf")
    both = np.isnan(want) & np.isnan(got)
    apart = np.abs(np.where(both, 0, got.astype(np.float64) - want))
    largest = np.max(np.abs(np.where(both, 0, want)), initial=1e-6)
    return float(np.max(apart, initial=0) / largest)


def compared(path, cases):
    """(greatest difference of ONNX Runtime, of the round trip) of cases: feeds and results
    by name."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    again = sy.load(path, exact=True)
    ort = trip = 0.0
    for feeds, want in cases:
        theirs = dict(zip(names, session.run(None, feeds)))
        back = again.run(feeds)
        for name, expected in want.items():
            ort = max(ort, difference(expected, theirs[name]))
            trip = max(trip, difference(expected, back[name]))
    return ort, trip


def of_module(name, model, arrays, path, opset):
    rows = {array.shape[0] for array in arrays}
    open_rows = name not in export_cases.FIXED and len(rows) == 1
    specs = [sy.static.InputSpec(["rows" if open_rows else array.shape[0], *array.shape[1:]],
                                 str(array.dtype)) for array in arrays]
    sy.export_onnx(model, path, opset=opset, inputs=specs)
    if isinstance(model, sy.nn.Module):
        model.eval()
    results = flat(model(*[sy.tensor(array) for array in arrays]))
    want = dict(zip(sy.load(path, exact=True).fetches, results))
    return compared(path, [({f"x{i}": array for i, array in enumerate(arrays)}, want)])


def of_model(name, folder, path, opset):
    """A folder of models, whose inputs are in golden/ beside it."""
    program = sy.load(str(folder / name), exact=True)
    sy.export_onnx(program, path, opset=opset)
    golden = folder.parent / "golden" / name.replace("_pir", "")
    if not golden.exists():
        golden = folder.parent / "golden" / name
    program = program.export(program.fetches)
    if not golden.exists():
        feeds = {port.name: export_cases.floats(*(2 if n < 0 else n for n in port.shape))
                 for port in program.inputs}
        results = program.run(feeds)
        return compared(path, [(feeds, results)])
    cases = []
    for case in sorted(golden.glob("case*")) or [golden]:
        shapes = json.loads((case / "shapes.json").read_text())
        feeds = {}
        for feed in program.feeds:
            file, = (one for one in case.glob("input_*") if one.stem == f"input_{feed}")
            feeds[feed] = np.fromfile(file, SUFFIXES[file.suffix]).reshape(shapes[feed])
            if "train" in name:  # A batch for each step.
                feeds[feed] = feeds[feed][0]
        lengths = shapes.get("lod", {})
        results = program.run({feed: sy.tensor(array, lod=[lengths[feed]])
                               if feed in lengths else array for feed, array in feeds.items()})
        feeds.update({f"{feed}.lengths": np.array(rows, np.int64)
                      for feed, rows in lengths.items()})
        cases.append((feeds, {fetch: results[fetch] for fetch in program.fetches}))
    return compared(path, cases)


def report(kind, name, opset, function):
    row = {"kind": kind, "name": name, "opset": opset, "ort": None, "again": None, "why": ""}
    try:
        row["ort"], row["again"] = function()
        if max(row["ort"], row["again"]) > LIMIT:
            row["why"] = "values differ"
    except Exception as error:  # Whatever it is, it is the outcome.
        row["why"] = f"{type(error).__name__}: {error}"
    print(json.dumps(row), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opset", type=int, default=20)
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(3)
    opset = options.opset

    def chosen(name):
        return not options.names or name in options.names

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        sy.seed(3)
        for name, (make, examples) in export_cases.CASES.items():
            if chosen(name):
                report("case", name, opset, lambda: of_module(name, make(), examples(), path, opset))
        for name, (model, arrays) in recipes().items():
            if chosen(name):
                report("recipe", name, opset, lambda: of_module(name, model, arrays, path, opset))
        for name in sorted(os.listdir(options.models)) if options.models else []:
            if chosen(name):
                report("model", name, opset, lambda: of_model(name, options.models, path, opset))


if __name__ == "__main__":
    main()
