#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# models FOLDER... --peers VENV [--write PAGE.md]: runs every model of a folder here and in PaddlePaddle or ONNX Runtime, and shows the differences
#
# A FOLDER is a model (a folder, or an ONNX file), or holds some. Inputs are made: open extents at several sizes and batches,
# sequences with an empty one and with one of one element. Fails if a difference exceeds 1e-4 of the largest
# magnitude, or if the peer runs a case that does not run here.
#
#   --peers VENV     a virtual environment with paddlepaddle or onnxruntime; a second one runs the models that the first refuses
#   --only NAME      only the models of these names; other rows of PAGE.md stay as they are
#   --write PAGE.md  write the table too
source tools/sy/lib.bash

package=$(built //python/switchyard:switchyard python)
PYTHONPATH=$package${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
cd "$SY_CALLER_DIR"
exec /usr/bin/python3 -B "$SY_ROOT/tools/models/compare_models.py" "$@"
