# SPDX-License-Identifier: Apache-2.0
"""Runs one operator case by its legacy names and compares it with what the case
and real Paddle expect. Rules of comparison: README of the data."""
import re

import numpy as np

import switchyard as sy
from tests.optest import cases


class Mismatch(Exception):
    """The case ran and gave something else."""


def _tensors(case, wanted=(), arrays=None):
    """({slot: tensor or list}, {name: tensor}); `wanted` names get gradients."""
    slots, by_name = {}, {}
    for slot, entry in cases.entries(case["inputs"]):
        name = entry["name"]
        data = (arrays or {}).get(name)
        if data is None:
            data = cases.array(case, entry)
        tensor = sy.tensor(data, requires_grad=name in wanted,
                           lod=entry.get("lod"))
        by_name[name] = tensor
        slots.setdefault(slot, []).append(tensor)
    lists = case["list_slots"]["inputs"]
    return {slot: row if slot in lists else row[0]
            for slot, row in slots.items()}, by_name


def _run(case, slots):
    """{name: tensor} of the outputs that the case knows."""
    results = sy.legacy.run(case["op_type"], slots, cases.attributes(case))
    by_name = {}
    for slot, row in case["outputs"].items():
        found = results.get(slot)
        found = found if isinstance(found, list) else [found]
        for entry, tensor in zip(row, found):
            by_name[entry["name"]] = tensor
    return by_name


# The message of an operator that has no kernel for a dtype.
NO_KERNEL = re.compile(r"must be [a-z].*, got (complex64|complex128|int16)$")


def has_kernel(case):
    """False if the operator refuses the case for its complex or int16 tensors."""
    if not cases.is_rare(case):
        return True
    try:
        _run(case, _tensors(case)[0])
    except TypeError as error:
        return NO_KERNEL.search(str(error)) is None
    except Exception:  # The case will fail of it.
        return True
    return True


def check_outputs(case):
    """Raises Mismatch unless every compared output is as expected."""
    rule = case["output_check"]
    if rule is None:
        return
    results = _run(case, _tensors(case)[0])
    for slot, entry in cases.entries(case["outputs"]):
        name = entry["name"]
        if name in rule.get("no_check", ()) or entry.get("check") is False:
            continue
        tensor = results.get(name)
        if tensor is None:
            raise Mismatch(f"{slot} ({name}) is missing")
        actual, expected = tensor.numpy(), cases.array(case, entry)
        if actual.shape != expected.shape:
            raise Mismatch(f"{name}: shape must be {expected.shape}, got "
                           f"{actual.shape}")
        if rule["kind"] == "compare":
            _compare(name, actual, expected, rule)


def _wide(array):
    """The elements as float64, or complex128 if they are complex."""
    return np.asarray(array, np.complex128 if np.iscomplexobj(array)
                      else np.float64)


def _compare(name, actual, expected, rule):
    a, e = (_wide(x) for x in (actual, expected))
    same = np.isclose(a, e, rtol=rule["rtol"], atol=rule["atol"],
                      equal_nan=rule.get("equal_nan", False))
    if same.all():
        return
    where = tuple(int(i) for i in np.argwhere(~same)[0])
    raise Mismatch(f"{name}: {np.count_nonzero(~same)} of {same.size} elements "
                   f"differ; at {where} expected {e[where]!r}, got {a[where]!r}")


def applicable(check):
    """Whether a gradient check is one that real Paddle passes or did not run."""
    return check["paddle_ok"] not in (False, "error")


def check_gradient(case, check):
    """Raises Mismatch unless the gradients are the expected ones: the case's
    own, else real Paddle's, else central differences of the operator. Outputs
    that the case does not compare are the operator's own choice (the signs of
    singular vectors), and so are their gradients."""
    slots, by_name = _tensors(case, check["inputs"])
    results = _run(case, slots)
    outputs = [results[name] for name in check["outputs"]]
    if "output_grads" in check:
        seeds = [cases.array(case, entry) for entry in check["output_grads"]]
    else:
        seeds = [np.full(out.shape, 1.0 / (max(out.numpy().size, 1) *
                                           len(outputs)), out.numpy().dtype)
                 for out in outputs]
    seeds = [sy.tensor(seed) for seed in seeds]
    # An output that no checked input leads to adds nothing.
    reached = [i for i, out in enumerate(outputs) if out.requires_grad]
    grads = sy.grad([outputs[i] for i in reached],
                    [by_name[name] for name in check["inputs"]],
                    [seeds[i] for i in reached])
    stored = check.get("given_grads")
    chosen = {entry["name"] for _, entry in cases.entries(case["outputs"])
              if entry.get("check") is False}
    if (stored is None and check["paddle_ok"] is True
            and not chosen & set(check["outputs"])):
        stored = check.get("paddle_grads")
    for i, name in enumerate(check["inputs"]):
        actual = grads[i].numpy()
        if stored is not None:
            expected = cases.array(case, stored[i])
        else:
            expected = _central_difference(case, check, name)
        _compare_gradient(name, actual, expected, check["max_relative_error"])


def _compare_gradient(name, actual, expected, bound):
    if actual.shape != expected.shape:
        raise Mismatch(f"{name}@GRAD: shape must be {expected.shape}, got "
                       f"{actual.shape}")
    if not actual.size:
        return
    a, b = (_wide(x) for x in (expected, actual))
    scale = np.abs(a)
    if bound == 1e-7:
        scale = np.select([scale < 1e-10, scale <= 1e-8, scale <= 1e-6],
                          [1e-3, scale * 1e4, scale * 1e2], scale)
    else:
        scale = np.where(scale < 1e-3, 1.0, scale)
    error = np.abs(a - b) / scale
    if not (error <= bound).all():  # A NaN is no agreement.
        where = np.unravel_index(np.nanargmax(error) if np.isfinite(error).any()
                                 else 0, error.shape)
        raise Mismatch(f"{name}@GRAD: relative error {error.max():.3g} over "
                       f"{bound:g}; at {tuple(map(int, where))} expected "
                       f"{a[where]!r}, got {b[where]!r}")


def _objective(case, check, arrays):
    with sy.no_grad():
        results = _run(case, _tensors(case, arrays=arrays)[0])
    outputs = [_wide(results[name].numpy()) for name in check["outputs"]]
    if "output_grads" in check:
        return sum(float(np.real(np.conj(cases.array(case, entry)) * out).sum())
                   for out, entry in zip(outputs, check["output_grads"]))
    return sum(float(np.real(out).mean()) for out in outputs) / len(outputs)


def _central_difference(case, check, name):
    entry = next(e for _, e in cases.entries(case["inputs"])
                 if e["name"] == name)
    moved = cases.array(case, entry).copy()
    expected = np.zeros_like(_wide(moved))
    units = (1, 1j) if np.iscomplexobj(moved) else (1,)
    for where in np.ndindex(moved.shape):
        before = moved[where]
        for unit in units:
            sides = []
            for step in (check["delta"], -check["delta"]):
                moved[where] = before + unit * step
                sides.append(_objective(case, check, {name: moved}))
            moved[where] = before
            difference = (sides[0] - sides[1]) / (2 * check["delta"])
            expected[where] += unit * difference
    return expected
