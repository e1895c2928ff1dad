# SPDX-License-Identifier: Apache-2.0
"""The facts of ONNX's schemas, and draws of shapes, dtypes, elements and
attributes for one version of an operator. A draw depends on the seed alone."""

import numpy as np

# The letters of schema_facts.txt that arrays of NumPy have here.
DTYPES = {"f": "float32", "d": "float64", "h": "float16", "1": "int8",
          "2": "int16", "4": "int32", "8": "int64", "u": "uint8", "t": "bool"}
_SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, 1.5, -2.5)


class Case:
    """Inputs (None where one is left out, a list for a sequence), attributes,
    the outputs (how many, or their names, "" for one that is left out), which
    inputs the model itself holds, and which are optionals. Of `random` ones
    results are compared by shape and dtype."""

    def __init__(self, inputs, attributes=None, outputs=1, const=(),
                 optional=(), random=False):
        self.inputs = inputs
        self.attributes = attributes or {}
        self.outputs = outputs
        self.const = set(const)
        self.optional = set(optional)
        self.random = random


def read_facts(path):
    """{operator: [(version, letters of inputs, attributes)]}; operators of other
    domains than ai.onnx are called DOMAIN.NAME."""
    facts = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        domain, name, version, inputs, _, attributes = line.split("|")
        name = f"{domain}.{name}" if domain else name
        letters = [port.split(":")[1].rstrip("?*") for port in inputs.split()]
        known = {one.split(":")[0] for one in attributes.split()}
        facts.setdefault(name, []).append((int(version), letters, known))
    return facts


class Draws:

    def __init__(self, version, letters, known, seed):
        self.version = version
        self.letters = letters
        self.known = known  # Names of attributes.
        self.random = np.random.default_rng(seed)

    def pick(self, *things):
        return things[int(self.random.integers(len(things)))]

    def chance(self, probability=0.5):
        return self.random.random() < probability

    def dtype(self, port=0, only=None):
        """One that the version allows for an input."""
        return DTYPES[self.pick(*(
            letter for letter in self.letters[port]
            if letter in DTYPES and (only is None or letter in only)))]

    def shape(self, low=0, high=4, zeros=True):
        """Draws `low` to `high` extents, rarely one of 0."""
        odds = [0.04, 0.2, 0.2, 0.2, 0.2, 0.16] if zeros else [0] + [0.2] * 5
        rank = int(self.random.integers(low, high + 1))
        return tuple(int(self.random.choice(6, p=odds)) for _ in range(rank))

    def array(self, shape, dtype, special=0.25, low=None, high=None):
        """`special`: how often infinities, NaN or the ends of the range are
        among the elements."""
        kind = np.dtype(dtype).kind
        if kind == "b":
            return np.asarray(self.random.random(shape) < 0.5)
        if kind == "f":
            return self._floats(shape, dtype, special, low, high)
        ends = np.iinfo(dtype)
        if low is None:
            low, high = max(ends.min, -9), min(ends.max, 9) + 1
            if special and self.chance(special / 2):
                low, high = ends.min, ends.max
        return np.asarray(self.random.integers(low, high, shape, dtype=dtype))

    def _floats(self, shape, dtype, special, low, high):
        array = self.random.standard_normal(shape) * self.pick(1, 1, 3)
        if low is not None:
            array = self.random.uniform(low, high, shape)
        array = np.array(array, dtype)
        if special and array.size and self.chance(special):
            flat = array.reshape(-1)
            for _ in range(int(self.random.integers(1, 3))):
                flat[int(self.random.integers(flat.size))] = self.pick(
                    *_SPECIAL)
        return array

    def attr(self, **values):
        """Those that the version has."""
        return {name: value for name, value in values.items()
                if name in self.known and value is not None}

    def extent(self):
        return int(self.random.integers(1, 6))

    def fraction(self, low, high):
        """A number that a float32 holds."""
        return float(np.float32(self.random.uniform(low, high)))

    def axis(self, rank):
        return int(self.random.integers(-rank, rank)) if rank else 0

    def axes(self, rank, count=None, neg=True):
        if count is None:
            count = int(self.random.integers(1, rank + 1))
        order = [int(axis) for axis in self.random.permutation(rank)[:count]]
        return [axis - rank if neg and self.chance(0.3) else axis
                for axis in order]
