#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# export MODEL [-o FILE.onnx] [--opset N]: writes a saved program or a PaddlePaddle model as an ONNX model
#
# MODEL is a folder or a file. The model is written without its training (docs/onnx_export.md): model.onnx unless -o says
# otherwise. Calls that ONNX has no operator for are all named in one error.
#
#   -o, --output FILE.onnx  where the model goes
#   --opset N               17 to 28; 20 unless given
#   --axis NAME:AXIS=WORD   the name of an open extent of an input or output, such as x:0=batch
#   --external-data         weights go to a file of their own, FILE.onnx.data
#   --weights FILE          the file of the weights, if it lies elsewhere
#   --traceback             where an error came from
source tools/sy/lib.bash

package_command export "$@"
