# SPDX-License-Identifier: Apache-2.0
"""Calls of operators on sequences (LoD): values against NumPy, gradients against central
differences, invalid samples, and which kernels ran."""
import dataclasses
import json
import pathlib
import re

import numpy as np
import yaml

from tests.samples import samples
import switchyard as sy

CHOICE = re.compile(r"(\w+) .*-> (fluid )?(\w+) (\w+)(?: (\w+))? \(")
RAISES = {"invalid_argument": ValueError, "type_error": TypeError, "out_of_range": IndexError}
# Lengths of sequences: some, empty ones at the ends and in between, one of one row, none at all.
LENGTHS = ([2, 1, 3], [0, 3, 0, 2, 0], [1], [0], [])


@dataclasses.dataclass
class Seq:
    """An array whose rows are sequences; `lod` holds lengths by level."""
    array: np.ndarray
    lod: list


def values(*shape, seed=1, dtype=np.float64):
    array = np.random.default_rng(seed).normal(size=shape)
    return (4 * array).astype(dtype) if np.dtype(dtype).kind in "iu" else array.astype(dtype)


def sequences(lengths, *row, seed=1, dtype=np.float64):
    return Seq(values(sum(lengths), *row, seed=seed, dtype=dtype), [list(lengths)])


def parts(seq):
    """The sequences of the last level."""
    ends = np.cumsum(seq.lod[-1], dtype=int)
    return [seq.array[end - length:end] for end, length in zip(ends, seq.lod[-1])]


def joined(rows, like):
    """Sequences as one array with rows like those of `like`."""
    return np.concatenate([like[:0], *rows])


def _tensor(value, leaf=False):
    if isinstance(value, Seq):
        return sy.tensor(value.array, lod=value.lod, requires_grad=leaf)
    if isinstance(value, np.ndarray):
        return sy.tensor(value, requires_grad=leaf)
    if isinstance(value, list) and value and isinstance(value[0], Seq):
        return [_tensor(one, leaf) for one in value]
    return value


def run(op, call, leaves=()):
    """([outputs], {name: tensor})"""
    arguments = {name: _tensor(value, name in leaves) for name, value in call.items()}
    outputs = getattr(sy.ops, op)(**arguments)
    return samples.flat(outputs), arguments


def check(test, op, call, *wanted, tolerance=1e-12):
    """Compares outputs with arrays or Seqs, shapes, dtypes and sequences too."""
    outputs, _ = run(op, call)
    test.assertEqual(len(outputs), len(wanted))
    for output, want in zip(outputs, wanted):
        lod = want.lod if isinstance(want, Seq) else None
        array = want.array if isinstance(want, Seq) else want
        got = output.numpy()
        test.assertEqual((got.shape, got.dtype), (array.shape, array.dtype))
        np.testing.assert_allclose(got, array, rtol=tolerance, atol=tolerance)
        test.assertEqual(output.lod, lod)


def check_gradient(test, op, call, names):
    """Compares gradients of a weighted sum of the outputs with central differences."""
    outputs, tensors = run(op, call, names)
    reached = [i for i, out in enumerate(outputs) if out.requires_grad]
    weights = {i: values(*outputs[i].shape, seed=40 + i) for i in reached}
    leaves = samples.flat([tensors[name] for name in names])
    grads = sy.grad([outputs[i] for i in reached], leaves,
                    [sy.tensor(weights[i]) for i in reached])

    def objective():
        with sy.no_grad():
            results, _ = run(op, call)
        return sum((results[i].numpy() * weights[i]).sum() for i in reached)

    arrays = [one.array if isinstance(one, Seq) else one
              for name in names
              for one in (call[name] if isinstance(call[name], list) else [call[name]])]
    test.assertEqual(len(arrays), len(grads))
    for array, grad in zip(arrays, grads):
        numeric = np.zeros_like(array)
        for at in np.ndindex(array.shape):
            sides = []
            for step in (1e-6, -1e-6):
                kept, array[at] = array[at], array[at] + step
                sides.append(objective())
                array[at] = kept
            numeric[at] = (sides[0] - sides[1]) / 2e-6
        np.testing.assert_allclose(grad.numpy(), numeric, rtol=1e-6, atol=1e-6)


def check_invalid(test, family):
    """Each invalid sample of a family is an error that names the argument."""
    count = 0
    for entry in yaml.safe_load((samples.FOLDER / f"{family}.yaml").read_text()):
        for row in entry["invalid"]:
            arguments = {name: _argument(value) for name, value in row["call"].items()}
            with test.subTest(row=row), test.assertRaisesRegex(
                    RAISES[row["code"]],
                    rf"^{entry['op']}: {row['argument']}\b.* must .*, got "):
                getattr(sy.ops, entry["op"])(**arguments)
            count += 1
    return count


def check_sequences_are_needed(test, family, ops):
    """The first valid sample of these operators is refused without its sequences."""
    for entry in yaml.safe_load((samples.FOLDER / f"{family}.yaml").read_text()):
        if entry["op"] not in ops:
            continue
        arguments = {name: _argument(value) for name, value in entry["valid"][0].items()}
        with test.subTest(op=entry["op"]), test.assertRaisesRegex(
                ValueError, rf"^{entry['op']}: \w+ must be of sequences \(with a LoD\), got "):
            getattr(sy.ops, entry["op"])(**arguments)


def _argument(value):
    if isinstance(value, list) and value and isinstance(value[0], str):
        return [_argument(one) for one in value]
    if not isinstance(value, str) or "[" not in value:
        return value
    return samples.tensor(samples.array_of(samples.parse_value(value), "invalid"), sy)


def missing_kernels(family, calls):
    """Kernels of a family on the CPU that none of [(op, call, names of leaves)] runs."""
    lines = []
    for op, call, leaves in calls:
        with sy.record_selections() as log:
            outputs, tensors = run(op, call, leaves)
            outs = [out for out in outputs if out.requires_grad]
            if outs:
                sy.grad(outs, samples.flat([tensors[name] for name in leaves]),
                        [sy.tensor(np.ones(out.shape), dtype=out.dtype) for out in outs])
        lines += log
    return kernels_missing_in(family, lines)


def kernels_missing_in(family, log):
    """Kernels of a family on the CPU that recorded selections don't have, and how many it has: of an operator with
    a legacy kernel alone that, else ours. Operators that a test of samples runs are left out."""
    ran = set()
    for line in log:
        name, fluid, backend, dtype, kernel = CHOICE.match(line).groups()
        ran.add((kernel or name, ("fluid/" if fluid else "") + backend, dtype))
    entries = json.loads(pathlib.Path(f"docs/ops/generated/{family}.json").read_text())
    sampled = set()
    for entry in yaml.safe_load((samples.FOLDER / f"{family}.yaml").read_text()):
        if "run_by" not in entry:
            sampled.update((entry["op"], entry["op"] + "_grad"))
    wanted = {(kernel, backend, dtype) for op in entries
              for kernel, coverage in op["kernels"].items()
              for backend, dtypes in coverage.items() for dtype in dtypes
              if backend == "cpu" and op["name"] not in sampled or
              backend == "fluid/cpu" and dtype not in coverage.get("cpu", ())}
    return sorted(wanted - ran), len(wanted)
