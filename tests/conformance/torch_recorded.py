# SPDX-License-Identifier: Apache-2.0
"""Reads recorded calls of PyTorch, made with another NumPy than this one."""

import pickle


class _Unpickler(pickle.Unpickler):
    """NumPy 2 calls its core numpy._core, NumPy 1 numpy.core."""

    def find_class(self, module, name):
        try:
            return super().find_class(module, name)
        except ModuleNotFoundError:
            if not module.startswith("numpy._core"):
                raise
        return super().find_class(module.replace("_core", "core", 1), name)


def calls_in(path):
    """The calls of one operator: a list of plain_data.Call."""
    with open(path, "rb") as file:
        return _Unpickler(file).load()
