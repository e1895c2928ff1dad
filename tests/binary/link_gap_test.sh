#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Links a kernel table without any kernel: the linker must name what is missing.
set -u

archive=$1
main=$TEST_TMPDIR/main.cc
cat >"$main" <<'EOF'
namespace switchyard::phi {
class OpSlot;
extern OpSlot kernels_softmax;
}  // namespace switchyard::phi
const void* volatile table;
int main() { table = &switchyard::phi::kernels_softmax; }
EOF

if messages=$("${CXX:-g++}" -std=c++17 "$main" "$archive" \
  -o "$TEST_TMPDIR/binary" 2>&1); then
  echo "FAILED: a table without kernels must not link" >&2
  exit 1
fi
wanted="undefined reference to \`switchyard::phi::kernel_softmax_cpu_float32'"
if ! grep -qF "$wanted" <<<"$messages"; then
  echo "FAILED: the linker's message lacks: $wanted" >&2
  echo "$messages" >&2
  exit 1
fi
