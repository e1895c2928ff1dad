#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test [--op OP]: runs every test, the formatting check and the sanitizers; the last line says 'N passed, N failed'
#
#   --op OP   only the tests of that operator: its samples in C++, eager, static and Python, against the reference
#             kernels, numeric gradients, in batches, wrong calls, and PaddlePaddle's cases for its old names
#
# Suites: the Bazel tests of Python, of numbers and of binaries; the CUDA kernels where there is a toolkit; the
# formatting; the C++ tests under AddressSanitizer and UBSan, most of them there alone (tools/ci/suites.py); a
# workspace that uses this one. The report is in out/test; seconds.txt there has the seconds by target. To run
# some tests: bazel test //phi/selection/...
source tools/sy/lib.bash

bash tools/sy/setup.sh

if [[ ${1:-} == --op ]]; then
  op=${2:?"test: --op needs an operator's name"}
  grep -q "^- op: $op\$" ops_gen/ops/*.yaml || die "test: no operator '$op' (./sy ops)"
  targets=(//tests/samples/... -//tests/samples:coverage_test)
  repository_says shared_data PRESENT && targets+=(//tests/optest:optest_test)
  # The compiler would count the parameter that this names.
  /usr/bin/python3 -B tools/sy/kernel_parameters.py "$op" || exit 1
  say_if_waiting
  # .bazelrc has tests inherit it: an option here would discard the analysis of other commands.
  export SY_OP=$op
  exec bazel test --test_output=errors -- "${targets[@]}"
elif [[ $# != 0 ]]; then
  die "test: unknown argument '$1'"
fi

# One suite leaves NAME.rc, NAME.seconds, NAME.bep.json and NAME.profile.json here; summary.py reads them.
results=out/test
rm -rf "$results"
mkdir -p "$results"

say_if_waiting

# suite NAME BAZEL_ARGUMENTS...: goes on after a failure; summary.py counts it.
suite() {
  local name=$1 rc=0 start=$SECONDS
  shift
  say "test: suite '$name'"
  bazel_run test --keep_going \
    --build_event_json_file="$results/$name.bep.json" \
    --profile="$results/$name.profile.json" --noslim_profile \
    --experimental_profile_include_target_label \
    "$@" || rc=$?
  echo "$((SECONDS - start))" >"$results/$name.seconds"
  echo "$rc" >"$results/$name.rc"
}

# check NAME COMMAND...: a test that is no Bazel target. What it prints stays in NAME.log, too.
check() {
  local name=$1 rc=0 start=$SECONDS
  shift
  say "test: $name"
  "$@" > >(tee "$results/$name.log") 2>&1 || rc=$?
  echo "$((SECONDS - start))" >"$results/$name.seconds"
  echo "$rc" >"$results/$name.rc"
}

options=()
if ! repository_says shared_data PRESENT; then
  bazel query --noshow_progress 'attr(tags, shared_data, tests(//...))' >"$results/left_out.txt" 2>/dev/null
  say "test: no shared data beside the checkout; tests left out: $(wc -l <"$results/left_out.txt")"
  options+=(--build_tag_filters=-shared_data --test_tag_filters=-shared_data)
fi

for package in array_api_strict numpy_2; do
  repository_says "$package" PRESENT || say "test: pip can't download $package; the tests that need it are left out"
done

/usr/bin/python3 -B tools/ci/suites.py >"$results/plain.txt"
mapfile -t plain <"$results/plain.txt"
suite tests "${options[@]}" -- "${plain[@]}"
# With what the suite has built. Growth has a server of its own, which analyses on one core: beside the two
# others, in a process group of its own, so that it ends when this script is interrupted.
set -m
check growth /usr/bin/python3 -B tools/ci/count_growth.py &>/dev/null &
growth=$!
set +m
trap 'kill -INT -- "-$growth" 2>/dev/null || true' EXIT
say "test: growth, beside the next ones"
check actions /usr/bin/python3 tools/ci/count_actions.py
check libraries /usr/bin/python3 -B tools/ci/check_libraries.py
check mistakes /usr/bin/python3 -B tools/ci/check_mistakes.py
if repository_says local_cuda CUDA_FOUND; then
  say "test: the CUDA Toolkit is here: GPU kernels are compiled and linked"
  suite cuda --config=cuda //framework/device/gpu/... //phi/kernels/gpu/... //phi/kernels/gpudnn/... \
    //python/tests/gpu/...
fi
wait "$growth"
trap - EXIT
cat "$results/growth.log"
check formatting bash tools/sy/format.sh --check
check build_files /usr/bin/python3 -B tools/build_files/build_files.py --check
check parameters /usr/bin/python3 -B tools/sy/kernel_parameters.py
check sources /usr/bin/python3 tools/ci/check_sources.py
check headers /usr/bin/python3 tools/ci/check_headers.py
check classes /usr/bin/python3 -B tools/ci/check_classes.py
check english /usr/bin/python3 tools/ci/check_english.py
mapfile -t sanitized < <(grep -v -e '^#' -e '^$' tools/ci/sanitizer_targets.txt)
suite sanitizers --config=asan_ubsan -- "${sanitized[@]}"

check consumer bash tools/ci/check_consumer.sh
check plugins bash tools/ci/check_plugins.sh
check opencl bash tools/ci/check_opencl.sh

exec /usr/bin/python3 tools/ci/summary.py "$results"
