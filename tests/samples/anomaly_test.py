# SPDX-License-Identifier: Apache-2.0
"""sy.detect_anomaly over all operators that have a gradient: samples with a large number, an infinity
or NaN in a tensor, and in what backward is given. The operator that made the first NaN or infinity of
finite numbers, or NaN of none, is named, in eager code and programs; no other call is an error."""
import collections
import itertools
import json
import os
import pathlib
import re
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy

NUMBERS = {"large": 3e38, "infinite": np.inf, "NaN": np.nan}
# Their gradients are those of the operators that they are made of, whose names errors have.
OF_PARTS = {"cross_entropy2", "elementwise_div", "elementwise_max", "elementwise_min", "elementwise_mul",
            "frobenius_norm", "huber_loss", "legacy_elementwise_pow", "log_loss", "p_norm",
            "smooth_l1_loss"}
# They refuse matrices of such numbers.
REFUSED = {(name, kind) for name in ("cholesky", "eig", "eigh", "eigvals", "eigvalsh", "svd", "svdvals")
           for kind in ("infinite", "NaN")} | {("cholesky", "large")}
# The variance, an output for the gradient alone, is infinite, and the gradient reads it.
READS_INFINITY = {("layer_norm", "x large")}
# One of complex and one of real numbers, whose gradient has a part that is dropped.
DROPPED = {("subtract", 17)}


def operators():
    """The forward operators that have a gradient."""
    return [op for path in sorted(pathlib.Path("docs/ops/generated").glob("*.json"))
            for op in json.loads(path.read_text()) if op["backward"] and not op["forward"]]


def spoilt(array, number):
    """The array with ``number`` in one place."""
    array = np.array(array, order="C")
    if array.size:
        array.reshape(-1)[array.size // 2] = number
    return array


def state(tensors):
    """0 where all numbers are finite, 1 where some are infinite, 2 where some are NaN."""
    found = 0
    for tensor in samples.flat(tensors):
        if tensor.kind == "dense" and ("float" in tensor.dtype or "complex" in tensor.dtype):
            wide = "complex128" if "complex" in tensor.dtype else "float64"
            numbers = sy.ops.cast(tensor.detach(), wide).numpy()
            found = max(found, 2 if np.isnan(numbers).any() else int(np.isinf(numbers).any()))
    return found


def is_anomaly(read, written):
    return written > 0 and read == 0 or written == 2 and read < 2


def calls(sample):
    """(what is spoilt, {name: array or list}) of the sample as it is, and with each number in each of
    its tensors of float32."""
    arrays = samples.arrays_of(sample)
    yield "", arrays
    for name, spec in sample.tensors().items():
        specs = samples.flat(spec)
        if any(s.dtype != "float32" for s in specs):
            continue
        for kind, number in NUMBERS.items():
            whole = arrays[name]
            changed = ([*whole[:-1], spoilt(whole[-1], number)] if isinstance(whole, list)
                       else spoilt(whole, number))
            yield f"{name} {kind}", {**arrays, name: changed}


class Call:
    """A sample's call."""

    def __init__(self, sample, arrays):
        self.sample, self.arrays = sample, arrays
        self.inputs, self.leaves = {}, []
        self.live = []  # Whether an output takes a gradient, for each.

    def forward(self):
        """The outputs."""
        sy.seed(2)
        self.inputs = samples.tensors_of(self.sample, self.arrays, sy)
        self.leaves = [x for x in samples.flat(list(self.inputs.values())) if x.dtype == "float32"]
        for x in self.leaves:
            x.requires_grad = True
        outputs = self.outputs(self.inputs)
        self.live = [x.requires_grad and x.kind == "dense" for x in outputs]
        return outputs

    def outputs(self, inputs):
        function = getattr(sy.ops, self.sample.op)
        return samples.flat(function(**inputs, **self.sample.attributes()))  # The call.

    def backward(self, outputs, leaves, number):
        """(what it is given, the gradients), with ``number`` in the former."""
        outputs = [x for x, live in zip(outputs, self.live) if live]
        given = [sy.tensor(spoilt(samples.weights_for(x), number), x.dtype) for x in outputs]
        found = sy.grad(outputs, leaves, given, allow_unused=True) if given else []
        return given, [gradient for gradient in found if gradient is not None]

    def run_program(self, number=None):
        """The call as a program, with its gradients where ``number`` is given."""
        def function(*values):
            sy.seed(2)
            outputs = self.outputs(dict(zip(self.arrays, values)))
            if number is None:
                return outputs
            leaves = [x for x in values if x.dtype == "float32"]
            return self.backward(outputs, leaves, number)[1]
        values = list(self.inputs.values())
        specs = [sy.static.InputSpec(x.shape, x.dtype) for x in values]
        sy.static.trace(function, *specs, detect_anomaly=True)(*values)


def error_of(call, *arguments):
    """The anomaly's message; empty where there is none."""
    try:
        call(*arguments)
    except FloatingPointError as error:
        return str(error)
    return ""


def error_in_eager_code(call, *arguments):
    with sy.detect_anomaly():
        return error_of(call, *arguments)


def is_traced(sample):
    """Whether the call can be a program: of tensors, each of which is an argument."""
    return not any(isinstance(value, list) for value in sample.tensors().values())


class AnomalyTest(unittest.TestCase):

    def setUp(self):
        self.found = collections.Counter()
        with open(__file__, encoding="utf-8") as file:
            line = next(i for i, line in enumerate(file, 1) if line.endswith("# The call.\n"))
        self.place = rf" \(at .*{os.path.basename(__file__)}:{line}\)$"

    def check(self, what, expected, error, name):
        self.assertEqual(bool(error), expected, error)
        if error and name is not None:
            self.assertRegex(error, rf"^{name}: \w+(\[\d+\])? has (NaN|infinity)")
        self.found[what] += bool(error)

    def check_program(self, what, call, *arguments):
        """An error of eager code is one of the program, which names the line of the call."""
        if is_traced(call.sample):
            error = error_of(call.run_program, *arguments)
            self.assertRegex(error, self.place)
            self.found[what] += 1
            return error
        return None

    def check_gradients(self, call, op):
        for number in NUMBERS.values():
            outputs = call.forward()
            live = [x.detach() for x, live in zip(outputs, call.live) if live]
            given, found = call.backward(outputs, call.leaves, number)
            read = state([list(call.inputs.values()), outputs, given])
            outputs = call.forward()
            error = error_in_eager_code(call.backward, outputs, call.leaves, number)
            name = None if op["name"] in OF_PARTS else op["backward"]
            self.check("gradients", is_anomaly(read, state(found)), error, name)
            # In programs sy.grad multiplies both, and adds up what that gives.
            products = [sy.multiply(x, y) for x, y in zip(live, given)]
            totals = list(itertools.accumulate(map(sy.sum, products)))
            real = all("float" in x.dtype for x in live)
            if error and real and state([products, totals]) <= state(given):
                self.check_program("gradients of programs", call, number)

    def check_values(self, call, op):
        """Returns whether all that the gradient may read is finite."""
        outputs = call.forward()
        read, written = state(list(call.inputs.values())), state(outputs)
        error = error_in_eager_code(call.forward)
        self.check("values", is_anomaly(read, written), error, op["name"])
        if error and op["kernels"]:
            again = self.check_program("programs", call)
            if again is not None:
                self.assertEqual(again.split(" has ")[0], "traced: " + error.split(" has ")[0])
        return not error and read == 0 and written == 0

    def test_operators(self):
        valid = samples.load("valid")
        for op in operators():
            name = op["name"]
            for sample in valid.get(name, []):
                for what, arrays in calls(sample):
                    if (name, what.split(" ")[-1]) in REFUSED:
                        continue
                    with self.subTest(str(sample), spoilt=what):
                        call = Call(sample, arrays)
                        finite = self.check_values(call, op)
                        if finite and sample.gradient and (name, what) not in READS_INFINITY and (
                                (name, sample.number) not in DROPPED):
                            self.check_gradients(call, op)
        for what, least in (("values", 300), ("gradients", 500), ("programs", 250),
                            ("gradients of programs", 200)):
            samples.check_count(self, self.found[what], least)


if __name__ == "__main__":
    unittest.main()
