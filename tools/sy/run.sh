#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run MODEL [--input x=photo.npy] [OPTIONS]: runs a saved program or a PaddlePaddle model
#
# MODEL is a folder or a file. Without --input it shows what the model takes and returns.
#
#   --weights FILE         the file of the weights, if it lies elsewhere
#   --input NAME=FILE.npy  an input; its name may be left out if there is one
#   --lod NAME=2,1,3       lengths of an input's sequences; again for each further level
#   --output DIR           write each result to DIR/NAME.npy
#   --threads N            the number of threads
#   --executor NAME        static, or eager: operator by operator; the same bits
#   --repeat N             run N times more and print the time of a run
#   --profile [TRACE.json] print time by operator and kernel; write a Chrome trace (DIR/trace.json, or trace.json here)
#   --prefer NAME,NAME     kernels of these backends and origins (legacy, onednn, cpu) first, where they fit
#   --relaxed CHOICES      what may be computed otherwise than the operators would, as denormals=flush,precision=int8
#   --precision NAME       short for --relaxed precision=NAME: bfloat16, bfloat16_emulated, int8 or exact
#   --exact                nothing of that: without the passes that round otherwise (docs/passes.md)
#   --without PASS,PASS    without these passes
#   --detect-anomaly       end at the first operator that makes NaN or infinity of finite numbers, and name it
#   --json                 print JSON
#   --traceback            where an error came from
#
# Exit codes: 1 for an error of the model or its inputs, 2 for wrong arguments, 70 for a fault of Switchyard.
source tools/sy/lib.bash

package_command run "$@"
