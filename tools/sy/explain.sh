#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# explain OPERATOR|MODEL [OPTIONS]: says which kernel runs for these inputs, and why
#
# MODEL is the folder or the file of a saved program or a PaddlePaddle model: why each of its operators has its
# kernel, without running it; --op NAME shows the calls of one operator, --weights FILE says where weights are,
# --prefer NAME,NAME which kernels come first, --json prints a list with an object for each call; --relaxed CHOICES,
# --precision NAME, --exact and --without PASS,PASS are those of ./sy run.
OWN_HELP=1
source tools/sy/lib.bash

if [[ $# -gt 0 && -e $(cd "$SY_CALLER_DIR" && realpath -m -- "$1") ]]; then
  package_command explain "$@"
fi

# Help does not wait for a build, which takes minutes the first time.
if [[ ${1:-} == --help || ${1:-} == -h ]] && [[ ! -e $(stamp_of //tools/explain) ]]; then
  help_of "$0"
  say "./sy explain builds the program and prints its options"
  exit 0
fi

binary=$(built //tools/explain tools/explain/explain)
cd "$SY_CALLER_DIR"
exec "$binary" "$@"
