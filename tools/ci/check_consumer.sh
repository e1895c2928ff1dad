#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the programs of examples/consumer, a workspace of its own, and runs them: one links softmax
# alone, and nm says that no kernel is inside but softmax's and the transforms'; one trains, and compiles
# the operators that it reaches, not all; one saves, loads and runs a program; one links a backend of its
# own, which eager calls and programs choose and explain names; one adds a dialect. At the end the files that
# docs/cpp.md shows are built in an empty folder. Nothing here is
# measured, so that -O1 will do, which compiles faster.
# Compilations run without a sandbox, as in the workspace that these programs use (.bazelrc there).
set -euo pipefail
cd "$(dirname "$0")/../../examples/consumer"

bazel build --copt=-O1 --strategy=CppCompile=local --ui_event_filters=-info --show_result=0 \
  //:choices //:deploy //:softmax //:regression //mesh:mesh_opt
shards() {  # How many compilations of generated eager operators a target needs.
  bazel query --noshow_progress "kind(cc_objects, deps($1))" 2>/dev/null | grep -c "^@switchyard//eager/ops:" || true
}
reached=$(shards //:regression) all=$(shards @switchyard//eager/ops:operators)
echo "regression compiles $reached of $all shards of eager operators"
((0 < reached && 2 * reached < all)) || { echo "expected less than half of them: an operator needs those that it calls"; exit 1; }

product=$(bazel info bazel-bin 2>/dev/null)/softmax
trained=$("$(dirname "$product")/regression" | tail -1)
[[ $trained == "w 2.000 b 1.000" ]] || { echo "regression: expected w 2.000 b 1.000, got $trained"; exit 1; }

saved=$(mktemp)
deployed=$("$(dirname "$product")/deploy" "$saved")
rm "$saved"
[[ $deployed == $'out: 5.5 0\nout: 5.5 0 5.5 4' ]] || { echo "deploy: expected 5.5 0 and 5.5 0 5.5 4, got $deployed"; exit 1; }

../../tools/ci/check_mesh.sh "$(dirname "$product")/mesh/mesh_opt"

choices=$("$(dirname "$product")/choices")
chosen() {  # The heading of a part of the output, and what it must contain.
  awk -v "heading=== $1" '/^== / { on = $0 == heading } on' <<<"$choices" | grep -F -- "$2" >/dev/null ||
    { echo "choices: '$1' must contain '$2', got"; echo "$choices"; exit 1; }
}
chosen "eager" "-> fast float32 (fast_relu.cc:"
chosen "eager, small" "-> cpu float32"
chosen "eager, without fast" "-> cpu float32"
chosen "program" "chosen: fast float32"
chosen "program, without fast" "chosen: cpu float32"
[[ $(grep -c "^values: 0 2 0 4$" <<<"$choices") == 4 ]] ||
  { echo "choices: expected 0 2 0 4 four times, got"; echo "$choices"; exit 1; }

got=$("$product" 0 0 | tr '\n' ' ')
[[ $got == "0.5 0.5 " ]] || { echo "softmax of 0 0: expected 0.5 0.5, got $got"; exit 1; }

kernels=$(nm -C "$product" | sed -n 's/^.* switchyard::phi::kernel_//p' | sort -u)
echo "kernels in the product:"
while IFS= read -r kernel; do echo "  $kernel"; done <<<"$kernels"
foreign=$(grep -v -E '^(softmax|cast|copy(_selected_rows)?|contiguous|reorder)_cpu_' <<<"$kernels" || true)
[[ -n $kernels && -z $foreign ]] || { echo "these do not belong there: $foreign"; exit 1; }

# docs/cpp.md, followed in an empty folder. Its outputs lie in this workspace's output base, so that what both need
# is compiled once.
root=$(cd ../.. && pwd)
page=$(mktemp -d)
trap 'rm -rf "$page"' EXIT
echo "files of docs/cpp.md: $(/usr/bin/python3 "$root/tools/ci/page_files.py" "$root/docs/cpp.md" "$page")"
diff <(grep -v SPDX .bazelrc) "$page/.bazelrc" || { echo "docs/cpp.md: expected the .bazelrc of examples/consumer"; exit 1; }
sed -i "s|/path/to/switchyard|$root|" "$page/WORKSPACE"
base=$(bazel info output_base 2>/dev/null)
cd "$page"
bazel --output_base="$base" build --copt=-O1 --strategy=CppCompile=local --ui_event_filters=-info --show_result=0 //:first
diff printed <("$(bazel --output_base="$base" info bazel-bin 2>/dev/null)/first") ||
  { echo "docs/cpp.md: its program prints something else"; exit 1; }
