# SPDX-License-Identifier: Apache-2.0
"""A shard's loss and gradients as one program."""

from __future__ import annotations

from functools import partial
from types import FunctionType
import weakref

import numpy as np

from switchyard import amp
from switchyard._core.ops import cast
from switchyard.autograd import grad
from switchyard.static.guards import Cache
from switchyard.static.training_function import TrainFunction, train_function
from switchyard.static.updates import hooked


def check_loss(loss):
    """ValueError unless it is a scalar."""
    if getattr(loss, "shape", None) is None or any(each != 1 for each in loss.shape):
        raise ValueError("backward: compute must return a scalar tensor, the mean over "
                         "its rows")


def _is_same(function, other):
    """Whether two functions are one: a lambda in a loop is made again each time, of
    the same code over the same cells, which a program compares itself."""
    if function is other:
        return True
    if not all(isinstance(each, FunctionType) and not each.__dict__
               for each in (function, other)):
        return False
    return (function.__code__ is other.__code__
            and function.__globals__ is other.__globals__
            and _are_same(function.__closure__, other.__closure__)
            and _are_same(function.__defaults__, other.__defaults__)
            and not function.__kwdefaults__ and not other.__kwdefaults__)


def _are_same(things, others):
    things, others = things or (), others or ()
    return len(things) == len(others) and all(
        each is other for each, other in zip(things, others))


class StaticShard(Cache):
    """Computes the shards of a model by programs: of one shard, or of all of this
    process (``merged_shards``), where ``mode`` is not "shard" and that can be.

    ``reason`` says why the shards of the last step were not merged; it is None if
    they were.
    """

    MERGED = 8  # Programs of all shards for one of a shard: lengths may vary.

    def __init__(self, module, mode):
        self._module, self._mode = module, mode
        self.reason = "no step was taken"
        self._merged = weakref.WeakKeyDictionary()
        self._program = train_function(self._traced, [module], [])
        self._functions = []  # Of _traced and a compute, the last ones.

    def run(self, compute, rows, share):
        """The loss of ``compute(*rows)`` and the gradients of ``share`` times it, by
        the numbers of the trainable parameters that have one."""
        self._program.function = self._function_of(compute)
        loss, gradients = self._program(np.asarray(share), *rows)
        return loss, {int(number): each for number, each in gradients.items()}

    def merged(self, compute, rows, *facts):
        """The MergedShards of these facts of the shards, the rows of all of which are
        ``rows``; None where each is to be computed alone."""
        if self._mode == "shard":
            self.reason = "mode is 'shard'"
            return None
        self._program.function = self._function_of(compute)
        program, _ = self._program.program_for((np.asarray(1.0), *rows))
        made = self._made(program, tuple(tuple(each) for each in facts))
        self.reason = made if isinstance(made, str) else None
        if self.reason is None:
            return made
        if self._mode == "merged":
            raise ValueError(f"backward: shards must be merged, and {self.reason}")
        return None

    def apart(self):
        """Says that the shards of a step are computed alone, whose gradients are kept."""
        self.reason = "no_sync keeps the gradients of each shard"
        if self._mode == "merged":
            raise ValueError(f"backward: shards must be merged, and {self.reason}")

    def _made(self, program, facts):
        from switchyard.distributed.merged_shards import MergedShards, NotMerged
        known = self._merged.setdefault(program, {})
        if facts not in known:
            if len(known) == self.MERGED and self._mode != "merged":
                return f"batches have more than {self.MERGED} numbers of rows"
            try:
                known[facts] = MergedShards(program, *facts)
            except NotMerged as reason:
                known[facts] = str(reason)
        return known[facts]

    def _function_of(self, compute):
        for each in self._functions:
            if _is_same(each.args[0], compute):
                return each
        made = partial(self._traced, compute)
        self._functions = [*self._functions, made][-TrainFunction.KEPT:]
        return made

    def _traced(self, compute, share, *rows):
        loss = compute(*rows)
        check_loss(loss)
        start = cast(share, loss.dtype).reshape(loss.shape)
        parameters = [each for each in self._module.parameters() if each.requires_grad]
        gradients = grad([loss], parameters, [start], allow_unused=True)
        with amp.autocast(enabled=False):
            return loss, {str(number): hooked(each, gradient)
                          for number, (each, gradient) in enumerate(zip(
                              parameters, gradients))
                          if gradient is not None}
