# SPDX-License-Identifier: Apache-2.0
"""Operators by their old names against what PaddlePaddle 2.6.2 gave (tools/models/export_calls.py): numbers of boxes,
sequences and all elements are the same."""
import collections
import json
import pathlib
import unittest

import numpy as np

import switchyard as sy

FOLDER = pathlib.Path(__file__).parent / "exported_calls"


class ExportedCallsTest(unittest.TestCase):

    def test_agree_with_paddle(self):
        calls = json.loads((FOLDER / "calls.json").read_text())
        self.assertEqual(collections.Counter(call["op"] for call in calls),
                         {"multiclass_nms": 12, "multiclass_nms2": 12, "multiclass_nms3": 12})
        with np.load(FOLDER / "tensors.npz") as tensors:
            for number, call in enumerate(calls):
                with self.subTest(number=number, op=call["op"]):
                    inputs = {slot: sy.tensor(tensors[f"{number}.in.{slot}"], lod=lod)
                              for slot, lod in call["inputs"].items()}
                    results = sy.legacy.run(call["op"], inputs, call["attrs"])
                    for slot, lod in call["outputs"].items():
                        want = tensors[f"{number}.out.{slot}"]
                        self.assertEqual(results[slot].lod, lod, slot)
                        np.testing.assert_array_equal(results[slot].numpy(), want, slot, strict=True)


if __name__ == "__main__":
    unittest.main()
