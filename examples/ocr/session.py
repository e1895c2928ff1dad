# SPDX-License-Identifier: Apache-2.0
"""Session: a model as packages for OCR call it, an array in and a list of arrays out.

It stands in for a session of PaddlePaddle or of ONNX Runtime.
"""
import switchyard as sy


class Session:
    def __init__(self, folder):
        self._model = sy.load(folder)

    def __call__(self, images):
        return list(self._model.run({self._model.feeds[0]: images}).values())
