# SPDX-License-Identifier: Apache-2.0
"""The static graph: tracing, training steps, saved programs."""

from switchyard._core import State, Symbol, Value
from switchyard.static.control_flow import cond, while_loop
from switchyard.static.program import Program, load, save
from switchyard.static.tracing import InputSpec, trace
from switchyard.static.train_step import TrainStep, train_step

__all__ = ["InputSpec", "Program", "State", "Symbol", "TrainStep",
           "Value", "cond", "load", "save", "trace", "train_step", "while_loop"]
