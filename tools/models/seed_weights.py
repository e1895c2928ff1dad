#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Gives programs without weights seeded ones, in the format in which PaddlePaddle saves them.

    seed_weights.py PROGRAM.pdmodel... --into FOLDER

makes FOLDER/PROGRAM/inference.pdmodel and inference.pdiparams of each. Numbers are such that a
network neither dies nor explodes: matrices and filters by their fan-in, variances and scales
around 1, the rest small. The same program has the same weights everywhere.
"""
import argparse
import pathlib
import shutil
import struct
import zlib

import numpy as np

import program_desc

_DTYPES = {0: np.bool_, 1: np.int16, 2: np.int32, 3: np.int64, 4: np.float16, 5: np.float32, 6: np.float64,
           20: np.uint8, 21: np.int8}
# Slots whose numbers must be positive.
_POSITIVE = ("Variance", "Scale", "InScale", "Scales", "InState", "InAccum")


def uses_of(blocks):
    """The slots of operators that each variable is read through."""
    uses = {}
    for block in blocks:
        for op in block.ops:
            for slot, names in op.inputs.items():
                for name in names:
                    uses.setdefault(name, set()).add(slot)
    return uses


def numbers(variable, uses):
    """The values of a variable."""
    rng = np.random.default_rng(zlib.crc32(variable.name.encode()))
    shape, dtype = variable.dims, _DTYPES[variable.dtype]
    if np.dtype(dtype).kind not in "f":
        return np.zeros(shape, dtype)
    if uses & set(_POSITIVE):
        return rng.uniform(0.5, 1.5, shape).astype(dtype)
    if len(shape) < 2:
        return rng.normal(0, 0.1, shape).astype(dtype)
    # A filter is [out, in, ...], a matrix [in, out].
    fan_in = int(np.prod(shape[1:])) if len(shape) > 2 else shape[0]
    return rng.normal(0, (2 / max(1, fan_in)) ** 0.5, shape).astype(dtype)


def stream(array, dtype):
    """A tensor as PaddlePaddle writes it: versions, levels of sequences, description, elements."""
    description = program_desc.tensor_description(dtype, array.shape)
    return struct.pack("<IQIi", 0, 0, 0, len(description)) + description + array.tobytes()


def weights_of(data):
    """All persistable tensors of a program, sorted by name, as one file's bytes."""
    blocks = program_desc.read(data)
    uses = uses_of(blocks)
    variables = {variable.name: variable for block in blocks for variable in block.variables
                 if variable.persistable and variable.dims is not None}
    return b"".join(stream(numbers(variable, uses.get(name, set())), variable.dtype)
                    for name, variable in sorted(variables.items()))


def write_model(program, folder):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(program, folder / "inference.pdmodel")
    (folder / "inference.pdiparams").write_bytes(weights_of(program.read_bytes()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", metavar="PROGRAM", nargs="+", type=pathlib.Path)
    parser.add_argument("--into", metavar="FOLDER", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    for program in arguments.programs:
        write_model(program, arguments.into / program.stem)


if __name__ == "__main__":
    main()
