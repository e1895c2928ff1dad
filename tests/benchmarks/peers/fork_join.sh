#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compiles fork_join_benchmark.cc with pthreadpool and oneTBB beside our pool and libgomp, and runs it, alone and beside a
# process that keeps one core busy: fork_join.sh [FOLDER]
#
# FOLDER holds what Debian's packages libpthreadpool-dev, libpthreadpool0, libtbb-dev and libtbb12 contain, unpacked
# (dpkg-deb -x); without it they are installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
peers=${1:-}
libraries=$peers/usr/lib/x86_64-linux-gnu
program=$(mktemp)
trap 'rm -f "$program"' EXIT
g++ -O2 -std=c++17 -fopenmp -DFORK_JOIN_PEERS -I. -I"$peers/usr/include" tests/benchmarks/fork_join_benchmark.cc \
  framework/device/cpu/parallel.cc framework/device/cpu/thread_pool.cc -o "$program" -L"$libraries" \
  -Wl,-rpath,"$libraries" -lbenchmark_main -lbenchmark -lpthreadpool -ltbb -pthread
echo "alone"
"$program" --benchmark_color=false
echo "beside a busy process on core 1"
taskset -c 1 sh -c 'while :; do :; done' &
busy=$!
"$program" --benchmark_color=false
kill "$busy"
