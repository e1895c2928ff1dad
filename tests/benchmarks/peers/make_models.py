# SPDX-License-Identifier: Apache-2.0
"""Makes with the peers' Python what `./sy bench models` measures and nobody stores.

    make_models.py encoder FOLDER          the encoder block of ../shared/peers, exported by PaddlePaddle
    make_models.py onnx PROGRAM WEIGHTS FILE.onnx    a program of PaddlePaddle, by paddle2onnx
"""
import pathlib
import sys


def encoder(folder):
    import paddle
    from paddle import nn
    paddle.seed(0)
    # Post-norm, relu, no dropout.
    block = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0)
    block.eval()
    spec = [paddle.static.InputSpec([-1, 128, 256], "float32", "x")]
    paddle.jit.save(paddle.jit.to_static(block, input_spec=spec, full_graph=True),
                    str(pathlib.Path(folder, "inference")))


def onnx(program, weights, file):
    import paddle2onnx
    paddle2onnx.export(program, weights, file, opset_version=17, verbose=False)


if __name__ == "__main__":
    {"encoder": encoder, "onnx": onnx}[sys.argv[1]](*sys.argv[2:])
