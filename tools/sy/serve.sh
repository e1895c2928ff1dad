#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# serve MODEL [--batch 8] [--delay-ms 2]: answers requests over HTTP by a saved program or a PaddlePaddle model
#
# MODEL is a folder or a file. On this machine alone unless --host says otherwise; SIGTERM ends it when all is
# answered. docs/python/serving.md has the requests.
#
#   --weights FILE         the file of the weights, if it lies elsewhere
#   --host ADDRESS         where to listen (127.0.0.1)
#   --port N               0 for any that is free (8000)
#   --batch ROWS           how many rows of the first axis requests may share a run with (8)
#   --delay-ms MS          how long a request waits for others (2)
#   --queue N              how many requests may wait (128)
#   --connections N        how many clients may be connected (256)
#   --body-mib N           the largest body (64); all that are held: four times that
#   --header-seconds N     how long a header may take to come (10)
#   --drain-seconds N      how long an end by SIGTERM waits for answers (30)
#   --threads N            the number of threads
#   --prefer NAME,NAME     kernels of these backends and origins (legacy, onednn, cpu) first, where they fit
#   --relaxed CHOICES      what may be computed otherwise than the operators would, as denormals=flush,precision=int8
#   --precision NAME       short for --relaxed precision=NAME: bfloat16, bfloat16_emulated, int8 or exact
#   --exact                nothing of that: without the passes that round otherwise (docs/passes.md)
#   --without PASS,PASS    without these passes
#   --traceback            where an error came from
#
# Exit codes: 1 for an error of the model, or where requests were cut off at the end; 2 for wrong arguments;
# 70 for a fault of Switchyard.
source tools/sy/lib.bash

package_command serve "$@"
