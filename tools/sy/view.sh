#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# view MODEL [-o FILE.html] [--input x=photo.npy] [--profile]: writes a page to look at: graph, kernels, stages, memory
#
# MODEL is the folder or the file of a saved program, an ONNX model or a PaddlePaddle model. The page is one file for any
# browser and asks no network (docs/view.md): view.html unless -o says otherwise.
#
#   -o, --output FILE.html  where the page goes
#   --input NAME=FILE.npy   an input, whose extents decide which kernels run; its name may be left out if there is one
#   --lod NAME=2,1,3        lengths of an input's sequences; again for each further level
#   --profile               run the model on the inputs, and say what each step took
#   --weights, --prefer, --relaxed, --precision, --exact, --without, --traceback: as of ./sy run
source tools/sy/lib.bash

package_command view "$@"
