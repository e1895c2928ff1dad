#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# profile MODEL [--input x=photo.npy] [--trace FILE]: runs a model and says what each step took
#
# MODEL is a folder or a file. Prints the results and the time by operator and kernel, the slowest first, and writes
# a Chrome trace (DIR/trace.json, or trace.json here).
#
#   --trace TRACE.json     where the trace goes
#   --weights, --input, --lod, --output, --threads, --executor, --repeat, --prefer, --exact, --without, --relaxed,
#   --precision, --detect-anomaly, --json, --traceback: as of ./sy run
source tools/sy/lib.bash

package_command profile "$@"
