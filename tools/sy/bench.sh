#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench [programs | growth | author | distributed | collectives | models | gpu] [--peers VENV] [--threads 1,2] [--json FILE] [FILTER...]: measures Switchyard beside PyTorch, ONNX Runtime, oneDNN and PaddlePaddle
#
# FILTERs are words in the names of cases; without any, all run.
#
#   --peers VENV     a virtual environment with the systems to compare with
#   --threads 1,2    the numbers of threads
#   --json FILE      writes the figures as JSON too
#
#   programs [NODES...]   CPU time and memory of programs of NODES operations (1000 to 1000000)
#   author --peers VENV [NAME...]   the steps of examples/recipes, eager and static, beside PyTorch's;
#       prefill and decode, where they are named: tokens of a model of GPT-2's small shape
#   distributed --peers VENV [NAME...]   CPU time of steps of two processes, beside PyTorch's over Gloo
#   collectives [--model]   collective calls of processes of this machine, beside what their model predicts
#   growth [N] [--cold]   what N further operators cost to build, link, start and import; without N the package of 733
#   models [NAME...]      whole models beside PaddlePaddle, ONNX Runtime and OpenVINO: latency, load, first run, memory
#   gpu [--peer PYTHON]   operators on a GPU, beside PyTorch of that interpreter
source tools/sy/lib.bash

if [[ ${1:-} == programs ]]; then
  shift
  build //tests/budgets:program_costs //python/switchyard:switchyard
  exec /usr/bin/python3 tests/benchmarks/programs.py --costs "$(bazel_bin)/tests/budgets/program_costs" \
    --package "$(bazel_bin)/python" "$@"
fi
if [[ ${1:-} == author ]]; then
  shift
  build //python/switchyard:switchyard
  exec /usr/bin/python3 -B tests/benchmarks/author.py --package "$(bazel_bin)/python" "$@"
fi
if [[ ${1:-} == distributed ]]; then
  shift
  build //python/switchyard:switchyard
  exec /usr/bin/python3 -B tests/benchmarks/distributed.py --package "$(bazel_bin)/python" "$@"
fi
if [[ ${1:-} == collectives ]]; then
  shift
  build //python/switchyard:switchyard
  exec /usr/bin/python3 -B tests/benchmarks/collectives.py --package "$(bazel_bin)/python" "$@"
fi
if [[ ${1:-} == growth ]]; then
  shift
  build //python/switchyard:switchyard
  exec /usr/bin/python3 -B tests/benchmarks/growth.py "$@"
fi
if [[ ${1:-} == models ]]; then
  shift
  build //python/switchyard:switchyard
  exec /usr/bin/python3 tests/benchmarks/models.py --package "$(bazel_bin)/python" "$@"
fi
if [[ ${1:-} == gpu ]]; then
  shift
  build --config=cuda //python/switchyard:switchyard
  PYTHONPATH="$(bazel_bin)/python" exec /usr/bin/python3 -B tests/benchmarks/gpu.py "$@"
fi
build //tests/benchmarks:all //python/switchyard:switchyard
exec /usr/bin/python3 tests/benchmarks/bench.py --bin "$(bazel_bin)" "$@"
