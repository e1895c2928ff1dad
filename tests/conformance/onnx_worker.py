# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX's backend tests, in the folders that standard input names, and
writes a line of JSON for each: whether it passes, and why not.

A test passes if each of its data sets, of which there is one at least, gives
the outputs by name with the dtype, the shape and the elements that its files
have, by the static and by the eager executor. Where a model draws random
numbers, elements may be others of the same mean: within five deviations of it.
"""

import json
import pathlib
import sys

import numpy as np
import onnx_tensors
import switchyard as sy

RELATIVE, ABSOLUTE = 1e-3, 1e-5
_SEQUENCE, _OPTIONAL = 4, 9  # The fields of TypeProto.
# Operators that draw random numbers.
_RANDOM = {"Bernoulli", "Dropout", "Multinomial", "RandomNormal",
           "RandomNormalLike", "RandomUniform", "RandomUniformLike"}


class Differs(Exception):
    """An output is not what it should be."""


def _value(path, kind, code):
    data = path.read_bytes()
    if kind == _SEQUENCE:
        return onnx_tensors.sequence(data)
    if kind == _OPTIONAL:
        return onnx_tensors.optional(data)
    array = onnx_tensors.tensor(data)[1]
    if code == onnx_tensors.BFLOAT16 and array.dtype == np.uint16:
        # The files have its bits, which are the upper half of a float32.
        return onnx_tensors.widened(array)
    return array


def _feed(path, kind, code):
    array = _value(path, kind, code)
    if code == onnx_tensors.STRING:
        return sy.strings.tensor(array)
    if code != onnx_tensors.BFLOAT16:
        return array
    return sy.tensor(array).astype("bfloat16")


def _distributed_as(got, wanted):
    """Whether the means differ by less than chance lets them."""
    a, b = got.astype(np.float64), wanted.astype(np.float64)
    if not np.isfinite(a).all() or a.size == 0:
        return False
    spread = np.sqrt((a.var() + b.var()) / a.size)
    return abs(a.mean() - b.mean()) <= 5 * spread


def _compare(name, got, wanted, random=False):
    if isinstance(wanted, list):
        if len(got) != len(wanted):
            raise Differs(f"{name}: {len(got)} elements, not {len(wanted)}")
        for i, (one, other) in enumerate(zip(got, wanted)):
            _compare(f"{name}[{i}]", np.asarray(one), other)
        return
    if got.shape != wanted.shape:
        raise Differs(f"{name}: shape {got.shape}, not {wanted.shape}")
    if got.dtype != wanted.dtype:
        raise Differs(f"{name}: {got.dtype}, not {wanted.dtype}")
    if wanted.dtype.kind in "fc":
        # float16 is compared in float32, where a difference has room.
        wide = np.result_type(wanted.dtype, np.float32)
        same = np.allclose(got.astype(wide), wanted.astype(wide), RELATIVE,
                           ABSOLUTE, equal_nan=True)
    else:
        same = np.array_equal(got, wanted)
    if not same and not (random and _distributed_as(got, wanted)):
        raise Differs(f"{name}: other elements")


def _plain(value):
    """A result as an array, or a sequence as a list of them."""
    kind = getattr(value, "kind", "dense")
    if kind == "strings":
        return np.array(value.tolist(), object).reshape(value.shape)
    if kind != "tensor_array":
        return np.asarray(value)
    return [sy.array_read(value, i).numpy()
            for i in range(int(sy.array_length(value).item()))]


def _run(model, feeds, eager):
    results = (model.run_eagerly if eager else model.run)(feeds)
    return {name: _plain(value) for name, value in results.items()}


def run(folder):
    """Raises unless the test in a folder passes."""
    path = folder / "model.onnx"
    data = path.read_bytes()
    inputs, outputs = onnx_tensors.value_infos(data)
    random = not _RANDOM.isdisjoint(onnx_tensors.node_types(data))
    model = sy.load(str(path))
    sets = sorted(folder.glob("test_data_set_*"))
    if not sets:
        raise Differs("no data set")
    for folder in sets:
        feeds = {name: _feed(folder / f"input_{i}.pb", kind, code)
                 for i, (name, kind, code) in enumerate(inputs)}
        for eager in (False, True):
            results = _run(model, feeds, eager)
            if list(results) != [name for name, _, _ in outputs]:
                raise Differs("other names of outputs")
            for i, (name, kind, code) in enumerate(outputs):
                _compare(name, results[name],
                         _value(folder / f"output_{i}.pb", kind, code), random)


def outcome(folder):
    try:
        run(folder)
    except Exception as error:  # Each failure is an answer.
        return {"passed": False, "reason": f"{type(error).__name__}: {error}"}
    return {"passed": True}


def main():
    for line in sys.stdin:
        print(json.dumps(outcome(pathlib.Path(line.strip()))), flush=True)


if __name__ == "__main__":
    main()
