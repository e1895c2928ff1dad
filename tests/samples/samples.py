# SPDX-License-Identifier: Apache-2.0
"""Reads the sample lists (README.md) and makes arrays of them."""
import collections
import dataclasses
import os
import pathlib
import re
import sys
import zlib

import numpy as np
import yaml

sys.path.insert(0, "tests/reference_package")

FOLDER = pathlib.Path("tests/samples")
TENSOR = re.compile(r"^(bool|u?int\d+|b?float\d+(?:_\w+)?|complex\d+)\[([\d, ]*)\]((?: .*)?)$")
COMPLEX_NUMBER = re.compile(r"^complex\((.*), (.*)\)$")
RANGE = re.compile(r"in\((-?\d+), (-?\d+)\)")


class BFloat16Array(np.ndarray):
    """float32 numbers that bfloat16 has, which NumPy knows no dtype for."""


# The bits of an element of the storage types.
STORED = {"float8_e4m3fn": 8, "float8_e4m3fnuz": 8, "float8_e5m2": 8, "float8_e5m2fnuz": 8,
          "float8_e8m0fnu": 8, "float4_e2m1fn": 4, "int4": 4, "uint4": 4, "int2": 2, "uint2": 2}
# Arrays of codes as uint8, a class for each storage type.
CODES = {name: type(name, (np.ndarray,), {}) for name in STORED}


def dtype_of(array):
    """The name of the dtype that an array stands for."""
    if type(array) in CODES.values():
        return type(array).__name__
    return ("bfloat16" if isinstance(array, BFloat16Array)
            else str(array.dtype))


def as_bfloat16(array):
    """Cut to what bfloat16 holds: the upper half of a float32's bits."""
    bits = np.asarray(array, np.float32).view(np.uint32) & 0xffff0000
    return bits.view(np.float32).view(BFloat16Array)


def tensor(array, sy):
    """An eager tensor of what the array stands for."""
    return sy.tensor(np.asarray(array), dtype=dtype_of(array))


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """One input as the list writes it."""
    dtype: str
    shape: tuple
    words: str

    @property
    def meta(self):
        return "meta" in self.words


@dataclasses.dataclass(frozen=True)
class Sample:
    """A call: arguments by name, TensorSpecs where they are tensors."""
    op: str
    number: int
    arguments: dict
    gradient: bool = True
    known: bool = False  # Not to be traced with unknown extents.
    argument: str = ""  # Of an invalid one: what the error must name,
    code: str = ""  # and its kind.

    def __str__(self):
        return f"{self.op} #{self.number} {self.arguments}"

    def tensors(self):
        """{name: spec or list of specs} of the tensor arguments."""
        return {name: value for name, value in self.arguments.items()
                if is_tensor(value)}

    def attributes(self):
        return {name: value for name, value in self.arguments.items()
                if not is_tensor(value)}


def is_tensor(value):
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], TensorSpec)
    return isinstance(value, TensorSpec)


def parse_value(value):
    if isinstance(value, list):
        return [parse_value(item) for item in value]
    if not isinstance(value, str):
        return value
    number = COMPLEX_NUMBER.match(value)
    if number is not None:
        return complex(float(number[1]), float(number[2]))
    match = TENSOR.match(value)
    if match is None:
        return value
    dtype, dims, words = match.groups()
    shape = tuple(int(dim) for dim in dims.split(",")) if dims.strip() else ()
    return TensorSpec(dtype, shape, words)


def parse_call(call):
    return {name: parse_value(value) for name, value in call.items()}


# `./sy test --op OP`: the operators whose samples alone are run, with commas between them.
ONLY = os.environ.get("SY_OP")


def wanted(op):
    return ONLY is None or op in ONLY.split(",")


def check_count(test, count, least):
    """Checks that more than `least` operators were checked, so that none is skipped in silence."""
    if ONLY is None:
        test.assertGreater(count, least)


def entries():
    """(path, entry) of every operator of the lists, with the rows of the sets (sets.yaml) in place
    of their names."""
    sets = yaml.safe_load((FOLDER / "sets.yaml").read_text())
    for path in sorted(FOLDER.glob("*.yaml")):
        if path.name == "sets.yaml":
            continue
        for entry in yaml.safe_load(path.read_text()):
            for kind in ("valid", "invalid"):
                entry[kind] = [row for item in entry[kind]
                               for row in (sets[item] if isinstance(item, str) else [item])]
            yield path, entry


def load(kind, also=()):
    """All samples of `kind` ("valid" or "invalid"), by operator. `also`: operators whose samples
    are given though another test runs them."""
    result = collections.OrderedDict()
    for path, entry in entries():
        op = entry["op"]
        if not wanted(op):
            continue
        if op in result:
            raise ValueError(f"{path}: {op} is there twice")
        result[op] = []
        if "run_by" in entry and op not in also:  # Another test runs it.
            continue
        for number, row in enumerate(entry[kind]):
            if kind == "valid":
                call = dict(row)
                gradient = call.pop("gradient", True)
                known = call.pop("known", False)
                sample = Sample(op, number, parse_call(call), gradient, known)
            else:
                sample = Sample(op, number, parse_call(row["call"]), False, False,
                                row["argument"], row["code"])
            result[op].append(sample)
    return result


FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
DIFFERENTIABLE = (*FLOATS, *COMPLEX)
DTYPES = (*DIFFERENTIABLE, "bool", "int8", "uint8", "int16", "int32", "int64",
          "uint16", "uint32", "uint64")
# The operators that take storage types.
MOVERS = frozenset((
    "assign", "cast", "concat", "contiguous", "copy", "detach", "expand", "expand_as", "flatten",
    "flip", "gather", "gather_nd", "index_select", "reshape", "slice", "split", "squeeze", "stack",
    "step_slice", "tile", "transpose", "unsqueeze", "view_dtype", "view_shape"))


def variants(sample):
    """The sample in each dtype, if its floating tensors are of float32 alone;
    else the sample as it is. What indexes, and a dtype that an attribute names,
    stays. Operators refuse dtypes that they have no kernel for."""
    specs = [spec for value in sample.tensors().values() for spec in flat(value)]
    floats = {spec.dtype for spec in specs if spec.dtype in FLOATS}
    if floats != {"float32"}:
        return [sample]
    stored = STORED if sample.op in MOVERS else ()
    return [with_dtype(sample, dtype) for dtype in (*DTYPES, *stored)]


def with_dtype(sample, dtype):
    """The sample with its float32 tensors of another dtype."""
    def changed(value):
        if isinstance(value, list):
            return [changed(item) for item in value]
        return (dataclasses.replace(value, dtype=dtype)
                if value.dtype == "float32" else value)

    return dataclasses.replace(sample, arguments={
        name: changed(value) if is_tensor(value) else value
        for name, value in sample.arguments.items()})


def array_of(spec, seed_text):
    """The elements that a spec stands for; the same ones every time."""
    if spec.dtype in COMPLEX and "definite" in spec.words:
        words = spec.words.replace("definite", "")
        array = array_of(dataclasses.replace(spec, words=words), seed_text)
        array = array @ np.conj(np.swapaxes(array, -1, -2)) + np.eye(spec.shape[-1])
        return array.astype(spec.dtype)
    if spec.dtype in COMPLEX:
        parts = [array_of(dataclasses.replace(spec, dtype="float64"),
                          seed_text + part) for part in ("", " imaginary")]
        return np.asarray(parts[0] + 1j * parts[1]).astype(spec.dtype)
    rng = np.random.default_rng(zlib.crc32(seed_text.encode()))
    shape = spec.shape
    if "strided" in spec.words:  # Made transposed and wider, cut below.
        shape = tuple(reversed((*spec.shape[:-1], spec.shape[-1] + 2)))
    span = RANGE.search(spec.words)
    if spec.dtype == "bool":
        array = rng.integers(0, 2, shape).astype(bool)
    elif spec.dtype in STORED:
        array = rng.integers(0, 2**STORED[spec.dtype], shape)
    elif span is not None:
        array = rng.integers(int(span[1]), int(span[2]), shape)
    elif "positive" in spec.words:
        array = (rng.integers(1, 4, shape) if "int" in spec.dtype
                 else rng.uniform(0.5, 2.0, shape))
    elif "fraction" in spec.words:
        array = rng.uniform(0.25, 0.75, shape)
    elif "distinct" in spec.words:
        count = int(np.prod(shape, dtype=np.int64))
        array = (rng.permutation(count) * 0.37 - count * 0.15).reshape(shape)
    elif "zero" in spec.words:
        array = np.zeros(shape)
    else:
        array = rng.uniform(-2.0, 2.0, shape)
    if "definite" in spec.words:
        array = array @ np.swapaxes(array, -1, -2) + np.eye(shape[-1])
    if spec.dtype == "bfloat16":
        array = as_bfloat16(np.atleast_1d(array)).reshape(shape)
    elif spec.dtype in STORED:
        array = np.asarray(array, np.uint8).view(CODES[spec.dtype])
    else:
        array = np.asarray(array).astype(spec.dtype)
    if "strided" in spec.words:
        array = array.T[..., 1:-1]
    return array


def arrays_of(sample, dtype=None):
    """{name: array or list of arrays}; floats as `dtype` if given, complex numbers
    then as complex128."""
    def make(name, spec):
        if isinstance(spec, list):
            return [make(f"{name}.{i}", item) for i, item in enumerate(spec)]
        array = array_of(spec, f"{sample.op} {sample.number} {name}")
        if dtype is not None and np.issubdtype(array.dtype, np.floating):
            array = np.asarray(array).astype(dtype)
        if dtype is not None and np.iscomplexobj(array):
            array = np.asarray(array).astype(np.complex128)
        return array
    return {name: make(name, spec) for name, spec in sample.tensors().items()}


def tensors_of(sample, arrays, sy):
    """Eager tensors; a "strided" one is a view of a larger, transposed one."""
    def make(spec, array):
        if isinstance(spec, list):
            return [make(s, a) for s, a in zip(spec, array)]
        if "strided" not in spec.words:
            return tensor(array, sy)
        wide = np.zeros((*array.shape[:-1], array.shape[-1] + 2), array.dtype)
        wide[..., 1:-1] = array
        rank = array.ndim
        stored = sy.tensor(np.ascontiguousarray(wide.T), dtype=dtype_of(array))
        turned = sy.ops.transpose(stored, list(reversed(range(rank))))
        return sy.ops.slice(turned, [rank - 1], [1], [1 + array.shape[-1]])
    return {name: make(spec, arrays[name])
            for name, spec in sample.tensors().items()}


def flat(value):
    """Outputs of a call as a flat list, without those that are not there."""
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flat(part)]
    return [value]


def weights_for(tensor, seed=3):
    """Returns the weights that a gradient check gives a tensor's elements, complex
    ones for a complex tensor."""
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 1.5, tensor.shape)
    if tensor.dtype in COMPLEX:
        weights = weights + 1j * rng.uniform(0.5, 1.5, tensor.shape)
    return weights


def weighed(tensor, seed=3):
    """The real number whose gradient by `tensor` is its weights: of complex
    elements w = u + iv, z = x + iy it is the sum of u x + v y."""
    return float(np.sum(np.real(np.conj(weights_for(tensor, seed))
                                * tensor.numpy())))


class FloatCall:
    """A sample's call in float64, which may be repeated: gradient checks
    change the elements of `variables` in between."""

    def __init__(self, sample, sy):
        self.sample = sample
        self.sy = sy
        self.arrays = arrays_of(sample, np.float64)
        self.variables = [a for value in self.arrays.values()
                          for a in flat(value)
                          if np.issubdtype(a.dtype, np.inexact)]
        # The ids of symmetric, or of complex numbers Hermitian, matrices.
        self.symmetric = {id(array) for name, spec in sample.tensors().items()
                          for s, array in zip(flat(spec), flat(self.arrays[name]))
                          if "definite" in s.words}

    def numeric_gradient(self, array, step):
        """Central differences of value() by the elements of a variable. An
        element of a symmetric matrix moves half a step, its mirror image the
        other half (the conjugate): what takes such matrices may read one triangle.
        A complex element x + iy gives the difference by x plus i times that by
        y."""
        numeric = np.zeros(array.shape, array.dtype)
        for index in np.ndindex(array.shape):
            mirror = (*index[:-2], *reversed(index[-2:]))
            moves = ([(index, step / 2), (mirror, step / 2)]
                     if id(array) in self.symmetric else [(index, step)])
            for unit in (1, 1j) if np.iscomplexobj(array) else (1,):
                kept = array.copy()
                sides = []
                for sign in (1, -1):
                    for number, (where, size) in enumerate(moves):
                        turned = np.conj(unit) if number else unit
                        array[where] += turned * sign * size
                    sides.append(self.value())
                    array[...] = kept
                numeric[index] += unit * (sides[0] - sides[1]) / (2 * step)
        return numeric

    def comparable(self, array, gradient):
        """An analytic gradient of a variable as numeric_gradient() has it."""
        if id(array) not in self.symmetric:
            return gradient
        return (gradient + np.conj(np.swapaxes(gradient, -1, -2))) / 2

    def outputs(self, requires_grad):
        """(a leaf for each variable, the outputs)."""
        self.sy.seed(2)
        leaves = []

        def tensor(array):
            if isinstance(array, list):
                return [tensor(item) for item in array]
            result = self.sy.tensor(array)
            if np.issubdtype(array.dtype, np.inexact):
                result.requires_grad = requires_grad
                leaves.append(result)
            return result

        inputs = {name: tensor(a) for name, a in self.arrays.items()}
        function = getattr(self.sy.ops, self.sample.op)
        return leaves, flat(function(**inputs, **self.sample.attributes()))
