# SPDX-License-Identifier: Apache-2.0
"""Reads the operator cases of @shared_data//:optest; its README has the format."""
import functools
import json
import lzma
import pathlib

import numpy as np

FOLDER = pathlib.Path("external/shared_data/optest")
# Dtypes that some operators have kernels for: where one has none, a case of them
# is not applicable, and counted.
RARE = {"complex64", "complex128", "int16"}
# Attributes that real Paddle declares for no operator, but whose kernel reads them:
# the expected results are of these values. oneDNN's kernels read the scales of bytes, and
# its resampling computes something else than Paddle's own.
_SCALES = ("Scale_in", "Scale_out", "Scale_weights", "Scale_in_eltwise", "force_fp32_output",
           "Scale_data", "Shift_data", "fuse_alpha", "fuse_beta")
READ_BY_KERNELS = {
    ("nce", "custom_neg_classes"),
    *((kind, "use_mkldnn") for kind in (
        "bilinear_interp", "bilinear_interp_v2", "nearest_interp", "nearest_interp_v2")),
    *((kind, name) for kind in ("fc", "fused_conv2d", "fusion_gru", "fusion_lstm")
      for name in _SCALES)}


def load():
    """All cases in the order of their modules; each knows its module."""
    cases = []
    for path in sorted(FOLDER.glob("*/cases.jsonl")):
        for line in path.read_text().splitlines():
            case = json.loads(line)
            case["module"] = path.parent.name
            cases.append(case)
    return cases


@functools.lru_cache(maxsize=4)
def _blob(module):
    return lzma.open(FOLDER / module / "tensors.bin.xz").read()


def array(case, entry):
    """The elements of one of the case's arrays."""
    dtype = np.dtype(entry["dtype"])
    count = int(np.prod(entry["shape"], dtype=np.int64))
    flat = np.frombuffer(_blob(case["module"]), dtype, count, entry["offset"])
    return flat.reshape(entry["shape"])


def entries(slots):
    """[(slot, entry)] of inputs or outputs."""
    return [(slot, entry) for slot, row in slots.items() for entry in row]


def attributes(case):
    """{name: value}; those that real Paddle does not declare are left out."""
    numbers = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}

    def value(attr):
        if attr["type"].startswith("FLOAT"):
            if isinstance(attr["value"], list):
                return [float(numbers.get(v, v)) for v in attr["value"]]
            return float(numbers.get(attr["value"], attr["value"]))
        return attr["value"]
    return {name: value(attr) for name, attr in case["attrs"].items()
            if not attr.get("undeclared")
            or (case["op_type"], name) in READ_BY_KERNELS}


def is_rare(case):
    """Whether the case has tensors of a dtype that few kernels take."""
    return any(entry["dtype"] in RARE
               for slots in (case["inputs"], case["outputs"])
               for _, entry in entries(slots))
