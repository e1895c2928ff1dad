#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sy_opt as a command: what it reads, prints and returns.
set -u
opt=$1
failed=0

# expect CODE TEXT ARGUMENTS...: runs it on $program; TEXT is somewhere in what it says.
expect() {
  local code=$1 text=$2 said rc=0
  shift 2
  said=$("$opt" "$@" <<<"$program" 2>&1) || rc=$?
  [[ $rc == "$code" && $said == *"$text"* ]] && return
  echo "sy_opt $*: expected code $code and '$text', got code $rc and:"
  echo "$said"
  failed=1
}

program='program @p {
  ^entry(%x: feed "x" tensor<float32[2]>):
    %0 = op.relu(%x) : tensor<float32[2]>
    %1 = op.relu(%x) : tensor<float32[2]>
    builtin.return("out" = %1)
}'
expect 0 '%1 = op.relu(%x)'
expect 0 'builtin.return("out" = %0)' --passes=dead_code_elimination
expect 0 'kernel = "relu_cpu_float32"' --passes=lower
expect 0 '// after identity_elimination, which changed nothing' --each --passes=identity_elimination
expect 0 'dead_code_elimination         3         2 ' --statistics --passes=dead_code_elimination
expect 0 '## scale_fusion' --list
expect 1 'pass must be one of to_value_form' --passes=polish
expect 1 'pass must be exact, got the relaxed scale_fusion' --exact --passes=scale_fusion
expect 1 'nowhere.ir: the file can'"'"'t be read' nowhere.ir
expect 1 'sy_opt: / must be a regular file' /
expect 2 'usage: sy_opt' --fast
program='program @p {'
expect 1 'sy_opt: <stdin>: '
exit $failed
