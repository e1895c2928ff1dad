# SPDX-License-Identifier: Apache-2.0
"""Programs that the tests save, and the library that they load."""
import pathlib

import switchyard as sy
from switchyard_c import Library

BINARY = pathlib.Path("library/libswitchyard.so.1")
HEADER = pathlib.Path("library/include/switchyard.h")


def library():
    return Library(BINARY.resolve(), HEADER)


def spec(name, *extents, dtype="float32", kind="dense"):
    return sy.static.InputSpec(list(extents), name=name, dtype=dtype, kind=kind)


def saved(path, function, *specs):
    """The path of a file with a function's program."""
    sy.static.trace(function, *specs).save(str(path))
    return str(path)


def counting_model():
    """A model with states that each run changes, and random numbers."""
    sy.seed(3)
    model = sy.nn.Sequential(sy.nn.Linear(3, 4), sy.nn.BatchNorm1D(4), sy.nn.Dropout(0.5))
    model.train()
    return model
