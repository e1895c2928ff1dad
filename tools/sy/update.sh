#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# update: writes again all texts that are checked in and that a test compares with what the code says
#
# These are docs/operators.txt, the generator's goldens, the table of selection, the answers of the passes' cases,
# the sums of PaddlePaddle's operator tests (with the shared data) and docs/parity.md. Read the difference
# before you commit it: git diff. Budgets of instructions are figures; they have an update of their own:
# bazel run //tests/budgets:update
source tools/sy/lib.bash

[[ $# == 0 ]] || die "update: no argument '$1': ./sy help update"
targets=(//docs/ops:update //ops_gen/golden:update //phi/selection:selection_table_update
  //static_graph/tools:update_pass_cases)
repository_says shared_data PRESENT && targets+=(//tests/optest:update)
build "${targets[@]}" //tests/parity:ledger
for target in "${targets[@]}"; do
  say "update: $target"
  bazel_run run --ui_event_filters=-info --show_result=0 "$target" >&2
done
say "update: docs/parity.md"
bash tools/sy/ledger.sh --update >/dev/null
git diff --stat
