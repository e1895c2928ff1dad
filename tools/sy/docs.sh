#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs [-o DIR]: writes the pages that are made of the operators' entries: a page a family, and what kernels there are
#
# DIR (by default out/docs) gets a folder `ops` with a page a family, a page `coverage` and, where the shared
# data is beside the checkout, a page `optest`: how each operator does in PaddlePaddle's own tests, which are run
# for it. The wheel brings the first ones, too, in switchyard/docs. docs/operators.txt, which is checked in, has
# a line an operator.
source tools/sy/lib.bash

folder=$SY_ROOT/out/docs
while [[ $# -gt 0 ]]; do
  case $1 in
    -o)
      [[ $# -gt 1 ]] || die "docs: -o needs a folder"
      folder=$(cd "$SY_CALLER_DIR" && realpath -m "$2")
      shift 2
      ;;
    *) die "docs: no option '$1': ./sy help docs" ;;
  esac
done
build //docs/ops:pages
pages=$(bazel_bin)/docs/ops
mkdir -p "$folder/ops"
install -m 644 "$pages"/generated/*.md "$folder/ops/"
install -m 644 "$pages/coverage.md" "$folder/"
if repository_says shared_data PRESENT; then
  bazel_run run --ui_event_filters=-info --show_result=0 //tests/optest:update -- "$folder/optest.md" >&2
fi
say "docs: $folder, $(find "$folder" -name '*.md' | wc -l) pages"
