# SPDX-License-Identifier: Apache-2.0
"""The static graph: tracing, training steps, saved programs."""

from switchyard._core import State, Symbol, Value
from switchyard.static.control_flow import cond, while_loop
from switchyard.static.profile import Profile
from switchyard.static.program import (Port, Program, load, save,
                                       stages)
from switchyard.static.tracing import InputSpec, trace
from switchyard.static.train_function import TrainFunction, train_function
from switchyard.static.train_step import TrainStep, train_step

__all__ = ["InputSpec", "Port", "Profile", "Program", "State", "Symbol",
           "TrainFunction", "TrainStep", "Value", "cond", "load", "save", "stages",
           "trace", "train_function", "train_step", "while_loop"]
