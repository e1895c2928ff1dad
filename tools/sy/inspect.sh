#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# inspect MODEL [--ir STAGE] [--dot FILE]: shows what is in a saved program or a PaddlePaddle model
#
# MODEL is a folder or a file. Shows inputs, outputs, operators as they were saved, the kernels of each
# run and those that run once, and the sizes of the parameters.
#
#   --weights FILE  the file of the weights, if it lies elsewhere
#   --ir STAGE      the program's text: imported, after PASS, or lowered
#   --dot FILE      write the graph for Graphviz: dot -Tsvg FILE
#   --json          print JSON
#   --traceback     where an error came from
source tools/sy/lib.bash

package_command inspect "$@"
