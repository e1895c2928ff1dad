#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the plugins of examples/, each a workspace of its own, and uses them: which kernel runs is read from what the
# programs print.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/../.."
root=$PWD

# built EXAMPLE TARGET: builds a plugin and prints where it is.
built() {
  cd "$root/examples/$1"
  bazel build --ui_event_filters=-info --show_result=0 "//:$2" >&2
  echo "$(bazel info bazel-bin 2>/dev/null)/$2"
  cd "$root"
}

# links_nothing_of_ours PLUGIN
links_nothing_of_ours() {
  local undefined
  undefined=$(nm -DC --undefined-only "$1" | grep -E 'switchyard|absl' || true)
  [[ -z $undefined ]] || { echo "$1 must link nothing of Switchyard, needs $undefined"; exit 1; }
}

# says TEXT PATTERN: some line of the text is as the pattern says.
says() {
  grep -qE -- "$2" <<<"$1" || { echo "expected a line like '$2' in"; echo "$1"; exit 1; }
}

plugin=$(built custom_kernel short_softmax.so)
links_nothing_of_ours "$plugin"
checked=$(./sy plugin check "$plugin")
says "$checked" "^short_softmax 1\.0, for version 1\.3 of the interface$"
says "$checked" "^  kernel softmax short_softmax on short_rows for float64 \(short_softmax.cc:[0-9]+\)$"
shown=$(./sy python examples/custom_kernel/demo.py "$plugin")
says "$shown" "^eager, 10 columns: softmax .*-> short_rows float32 short_softmax \(short_softmax.cc:"
says "$shown" "^eager, 100 columns: softmax .*-> cpu float32"
says "$shown" "^eager, axis 1: softmax .*-> short_rows float32 short_softmax"
says "$shown" "^eager, axis 1 of 3: softmax .*-> cpu float32"
says "$shown" "^eager, axis 0: softmax .*-> cpu float32"
says "$shown" "^eager, without it: softmax .*-> cpu float32"
says "$shown" "^compiled before: softmax .*-> cpu float32"
says "$shown" "^compiled after: softmax .*-> short_rows float32"
says "$shown" "refused: extent\(x, -1\) must be at most 32, got 100"
says "$shown" "^all agree$"

plugin=$(built custom_operator distances.so)
links_nothing_of_ours "$plugin"
says "$(./sy plugin check "$plugin")" "^  operator squared_distances_grad$"
shown=$(./sy python examples/custom_operator/demo.py "$plugin")
says "$shown" "^gradients agree$"
says "$shown" "^eager and static agree bit by bit$"
says "$shown" "^chosen: distances float64 \(distances.cc:"

# A file that is cut off, one that is no library.
broken=$(mktemp -d)
trap 'rm -r "$broken"' EXIT
head -c 2000 "$plugin" >"$broken/cut.so"
echo "no library" >"$broken/text.so"
for name in cut text; do
  if ./sy plugin check "$broken/$name.so" 2>"$broken/said"; then
    echo "$name.so must be refused"; exit 1
  fi
  says "$(<"$broken/said")" "^sy: plugin: ValueError: plugin .*/$name.so: the file (is cut off|must be a shared library)"
done
