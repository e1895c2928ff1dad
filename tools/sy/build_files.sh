#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# build_files [--check] [FOLDER...]: writes srcs, hdrs and deps of C++ libraries and tests from what their files include
#
#   --check   changes nothing, prints the BUILD files that would change, and fails if there are any
#   FOLDER    the BUILD files below these folders alone, such as static_graph/ir
#
# tools/build_files/README.md says which rules it writes. A line with `# keep: why` stays.
source tools/sy/lib.bash

exec /usr/bin/python3 -B tools/build_files/build_files.py "$@"
