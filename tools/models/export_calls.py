# SPDX-License-Identifier: Apache-2.0
"""Exports calls of operators that the shared cases lack, with PaddlePaddle 2.6.2: `python export_calls.py FOLDER`.

FOLDER/calls.json has a list of calls, each with `op`, `attrs`, `inputs` {slot: lengths of its sequences, or null} and
`outputs` {slot: the same}; call N's tensors are `N.in.SLOT` and `N.out.SLOT` of FOLDER/tensors.npz. Made for
tests/paddle_programs/exported_calls.
"""
import json
import pathlib
import sys

import numpy as np
import paddle
from paddle import static
from paddle.base import core

OUTPUTS = {"multiclass_nms": ["Out"], "multiclass_nms2": ["Out", "Index"],
           "multiclass_nms3": ["Out", "Index", "NmsRoisNum"]}
IMAGES = 3
random = np.random.RandomState(5)


def run(op, inputs, lengths, attrs):
    """{slot: (array, lengths of its sequences)} of the outputs."""
    main = static.Program()
    block = main.global_block()
    feeds = {}
    for slot, array in inputs.items():
        block.create_var(name=slot, shape=array.shape, dtype=str(array.dtype), lod_level=int(slot in lengths))
        feeds[slot] = core.LoDTensor()
        feeds[slot].set(array, paddle.CPUPlace())
        if slot in lengths:
            feeds[slot].set_recursive_sequence_lengths([lengths[slot]])
    outputs = {slot: [block.create_var(name="o_" + slot).name] for slot in OUTPUTS[op]}
    block.append_op(type=op, inputs={slot: [slot] for slot in inputs}, outputs=outputs, attrs=dict(attrs))
    with static.scope_guard(static.Scope()):
        results = static.Executor().run(main, feed=feeds, fetch_list=[name for name, in outputs.values()],
                                        return_numpy=False)
    return {slot: (np.array(result), [[int(n) for n in level] for level in result.recursive_sequence_lengths()])
            for slot, result in zip(outputs, results)}


def boxes(*extents):
    corner, sides = random.uniform(0, 8, (*extents, 2)), random.uniform(0.5, 6, (*extents, 2))
    return np.concatenate([corner, corner + sides], -1).astype("float32")


def nms_calls(own_boxes, threshold):
    """One call of each of the three operators, on images whose classes share their boxes or have their own."""
    count, classes = random.randint(4, 12), random.randint(2, 5)
    attrs = {"score_threshold": threshold, "nms_top_k": int(random.choice([-1, 3, 100])),
             "keep_top_k": int(random.choice([-1, 2, 100])), "nms_threshold": float(random.choice([0.1, 0.3, 0.6])),
             "normalized": bool(random.randint(2)), "nms_eta": float(random.choice([1.0, 0.7])),
             "background_label": int(random.choice([-1, 0, 1]))}
    of_image = np.bincount(random.randint(0, IMAGES, count), minlength=IMAGES).tolist()
    inputs = ({"BBoxes": boxes(count, classes), "Scores": random.rand(count, classes).astype("float32")} if own_boxes
              else {"BBoxes": boxes(IMAGES, count), "Scores": random.rand(IMAGES, classes, count).astype("float32")})
    for op in OUTPUTS:
        if own_boxes and op == "multiclass_nms3":
            yield op, {**inputs, "RoisNum": np.array(of_image, "int32")}, {}, attrs
        else:
            yield op, inputs, {slot: of_image for slot in inputs} if own_boxes else {}, attrs


def main(folder):
    calls, tensors = [], {}
    for own_boxes in (False, True):
        for threshold in (0.0, 0.3, 0.3, 0.6, 0.9, 1.5):
            for op, inputs, lengths, attrs in nms_calls(own_boxes, threshold):
                number, outputs = len(calls), run(op, inputs, lengths, attrs)
                calls.append({"op": op, "attrs": attrs,
                              "inputs": {slot: [lengths[slot]] if slot in lengths else None for slot in inputs},
                              "outputs": {slot: lod or None for slot, (_, lod) in outputs.items()}})
                tensors.update({f"{number}.in.{slot}": array for slot, array in inputs.items()})
                tensors.update({f"{number}.out.{slot}": array for slot, (array, _) in outputs.items()})
    folder.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(map(json.dumps, calls))
    (folder / "calls.json").write_text(f"[{lines}]\n")
    np.savez_compressed(folder / "tensors.npz", **tensors)


if __name__ == "__main__":
    paddle.enable_static()
    main(pathlib.Path(sys.argv[1]))
