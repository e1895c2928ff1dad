// SPDX-License-Identifier: Apache-2.0
// The large kernels, as the eager C++ API chooses and runs them without
// gradients. limit_benchmark.cc has the same cases for oneDNN and for memory;
// OMP_NUM_THREADS says how many threads.
#include "benchmark/benchmark.h"
#include "eager/autograd/grad_mode.h"
#include "eager/ops/add.gen.h"
#include "eager/ops/conv2d.gen.h"
#include "eager/ops/depthwise_conv2d.gen.h"
#include "eager/ops/layer_norm.gen.h"
#include "eager/ops/matmul.gen.h"
#include "eager/ops/pool2d.gen.h"
#include "eager/ops/relu.gen.h"
#include "eager/ops/softmax.gen.h"
#include "eager/ops/sum.gen.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_table.h"

namespace switchyard {
namespace {

// Irregular numbers in [-0.6, 0.6].
eager::Tensor Numbers(const Shape& shape) {
  DenseTensor x = EmptyTensor(DataType::kFloat32, shape);
  for (int64_t i = 0; i < x.numel(); ++i) {
    x.mutable_data<float>()[i] = static_cast<float>(i % 13) * 0.1f - 0.6f;
  }
  return eager::Tensor(std::move(x));
}

void BM_Matmul(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const int64_t n = state.range(0);
  const eager::Tensor x = Numbers({n, n}), y = Numbers({n, n});
  for (auto _ : state) benchmark::DoNotOptimize(eager::matmul(x, y));
  state.SetItemsProcessed(state.iterations() * 2 * n * n * n);
}
BENCHMARK(BM_Matmul)->Arg(512)->Arg(1024);

// As the gradients of a product ask for it.
void BM_MatmulTransposed(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const int64_t n = state.range(0);
  const eager::Tensor x = Numbers({n, n}), y = Numbers({n, n});
  for (auto _ : state) {
    benchmark::DoNotOptimize(eager::matmul(x, y, true, false));
    benchmark::DoNotOptimize(eager::matmul(x, y, false, true));
  }
  state.SetItemsProcessed(state.iterations() * 4 * n * n * n);
}
BENCHMARK(BM_MatmulTransposed)->Arg(512)->Arg(1024);

// The products of attention: 32 stacks.
void BM_MatmulStack(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const eager::Tensor x = Numbers({32, 128, 64});
  for (auto _ : state) {
    benchmark::DoNotOptimize(eager::matmul(x, x, false, true));
  }
}
BENCHMARK(BM_MatmulStack);

struct Conv {
  const char* name;
  int64_t n, in, size, out, kernel, stride, pad, groups;
};
// The set of limit_benchmark.cc.
const Conv kConvs[] = {{"mobile3x3s2", 1, 16, 320, 16, 3, 2, 1, 1},
                       {"depthwise5x5", 1, 120, 40, 120, 5, 1, 2, 120},
                       {"pointwise40to120", 1, 40, 80, 120, 1, 1, 0, 1},
                       {"residual64", 1, 64, 56, 64, 3, 1, 1, 1}};

void BM_Conv(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const Conv& c = kConvs[state.range(0)];
  state.SetLabel(c.name);
  const eager::Tensor x = Numbers({c.n, c.in, c.size, c.size});
  const eager::Tensor filter =
      Numbers({c.out, c.in / c.groups, c.kernel, c.kernel});
  const int stride = static_cast<int>(c.stride), pad = static_cast<int>(c.pad);
  const int strides[] = {stride, stride}, paddings[] = {pad, pad};
  const int dilations[] = {1, 1};
  for (auto _ : state) {
    if (c.groups == 1) {
      benchmark::DoNotOptimize(
          eager::conv2d(x, filter, strides, paddings, "EXPLICIT", dilations));
    } else {
      benchmark::DoNotOptimize(
          eager::depthwise_conv2d(x, filter, strides, paddings, "EXPLICIT",
                                  static_cast<int>(c.groups), dilations));
    }
  }
}
BENCHMARK(BM_Conv)->DenseRange(0, 3);

struct Pool {
  const char* name;
  int64_t n, channels, size, kernel;
  int stride, pad;
};
// The set of limit_benchmark.cc: rows of many vectors and of less than one.
const Pool kPools[] = {{"stem112k3s2", 8, 64, 112, 3, 2, 1},
                       {"wide56k2s2", 8, 64, 56, 2, 2, 0},
                       {"narrow7k3s1", 8, 512, 7, 3, 1, 1},
                       {"narrow10k2s2", 64, 16, 10, 2, 2, 0}};

void BM_MaxPool(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const Pool& p = kPools[state.range(0)];
  state.SetLabel(p.name);
  const eager::Tensor x = Numbers({p.n, p.channels, p.size, p.size});
  const int64_t kernel[] = {p.kernel, p.kernel};
  const int strides[] = {p.stride, p.stride}, paddings[] = {p.pad, p.pad};
  for (auto _ : state) {
    benchmark::DoNotOptimize(eager::pool2d(x, kernel, strides, paddings));
  }
}
BENCHMARK(BM_MaxPool)->DenseRange(0, 3);

void BM_LayerNorm(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const eager::Tensor x = Numbers({1024, 768});
  const eager::Tensor scale = Numbers({768}), bias = Numbers({768});
  for (auto _ : state) {
    benchmark::DoNotOptimize(eager::layer_norm(x, scale, bias));
  }
}
BENCHMARK(BM_LayerNorm);

void BM_Softmax(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const eager::Tensor x = Numbers({128, 1000});
  for (auto _ : state) benchmark::DoNotOptimize(eager::softmax(x));
}
BENCHMARK(BM_Softmax);

void BM_Relu(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const eager::Tensor x = Numbers({1000000});
  for (auto _ : state) benchmark::DoNotOptimize(eager::relu(x));
}
BENCHMARK(BM_Relu);

void BM_Add(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const eager::Tensor x = Numbers({1000000}), y = Numbers({1000000});
  for (auto _ : state) benchmark::DoNotOptimize(eager::add(x, y));
}
BENCHMARK(BM_Add);

void BM_Sum(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const eager::Tensor x = Numbers({1000000});
  for (auto _ : state) benchmark::DoNotOptimize(eager::sum(x));
}
BENCHMARK(BM_Sum);

// Along the last axis (1), and the first (0).
void BM_SumAlong(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const eager::Tensor x = Numbers({1000, 1000});
  const int64_t axis[] = {state.range(0)};
  for (auto _ : state) benchmark::DoNotOptimize(eager::sum(x, axis));
}
BENCHMARK(BM_SumAlong)->Arg(0)->Arg(1);

}  // namespace
}  // namespace switchyard
