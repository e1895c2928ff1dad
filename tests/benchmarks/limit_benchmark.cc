// SPDX-License-Identifier: Apache-2.0
// The practical limit of the cases of kernels_benchmark.cc: oneDNN's primitives
// by themselves, in the layout that they like best, and plain loops over
// memory. OMP_NUM_THREADS says how many threads.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>

#include "benchmark/benchmark.h"
#include "dnnl.hpp"
#include "framework/device/cpu/parallel.h"

namespace switchyard {
namespace {

using dnnl::memory;
using Arguments = std::unordered_map<int, memory>;

const dnnl::engine& Engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

memory Filled(const memory::desc& desc) {
  memory filled(desc, Engine());
  auto* data = static_cast<float*>(filled.get_data_handle());
  for (size_t i = 0; i < desc.get_size() / sizeof(float); ++i) {
    data[i] = static_cast<float>(i % 13) * 0.1f - 0.6f;
  }
  return filled;
}

memory::desc Dense(const memory::dims& dims) {
  memory::dims strides(dims.size());
  int64_t next = 1;
  for (size_t axis = dims.size(); axis-- > 0; next *= dims[axis]) {
    strides[axis] = next;
  }
  return memory::desc(dims, memory::data_type::f32, strides);
}

// The last two axes the other way round in memory.
memory::desc Transposed(memory::dims dims) {
  std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  const memory::desc desc = Dense(dims);
  std::vector<int> order(dims.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return desc.permute_axes(order);
}

void RunPrimitive(benchmark::State& state, const dnnl::primitive& primitive,
                  const Arguments& arguments) {
  dnnl::stream stream(Engine());
  primitive.execute(stream, arguments);  // The first one compiles code.
  stream.wait();
  for (auto _ : state) {
    primitive.execute(stream, arguments);
    stream.wait();
  }
}

dnnl::matmul Product(const memory::desc& a, const memory::desc& b,
                     const memory::desc& out) {
  return dnnl::matmul(
      dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, b, out), Engine()));
}

Arguments ProductArguments(const memory::desc& a, const memory::desc& b,
                           const memory::desc& out) {
  return {{DNNL_ARG_SRC, Filled(a)},
          {DNNL_ARG_WEIGHTS, Filled(b)},
          {DNNL_ARG_DST, Filled(out)}};
}

void BM_Matmul(benchmark::State& state) {
  const int64_t n = state.range(0);
  const memory::desc x = Dense({n, n});
  RunPrimitive(state, Product(x, x, x), ProductArguments(x, x, x));
  state.SetItemsProcessed(state.iterations() * 2 * n * n * n);
}
BENCHMARK(BM_Matmul)->Arg(512)->Arg(1024);

void BM_MatmulTransposed(benchmark::State& state) {
  const int64_t n = state.range(0);
  const memory::desc x = Dense({n, n}), t = Transposed({n, n});
  const dnnl::matmul first = Product(t, x, x), second = Product(x, t, x);
  const Arguments of_first = ProductArguments(t, x, x);
  const Arguments of_second = ProductArguments(x, t, x);
  dnnl::stream stream(Engine());
  first.execute(stream, of_first);  // The first ones compile code.
  second.execute(stream, of_second);
  stream.wait();
  for (auto _ : state) {
    first.execute(stream, of_first);
    second.execute(stream, of_second);
    stream.wait();
  }
  state.SetItemsProcessed(state.iterations() * 4 * n * n * n);
}
BENCHMARK(BM_MatmulTransposed)->Arg(512)->Arg(1024);

void BM_MatmulStack(benchmark::State& state) {
  const memory::desc x = Dense({32, 128, 64}), t = Transposed({32, 64, 128});
  const memory::desc out = Dense({32, 128, 128});
  RunPrimitive(state, Product(x, t, out), ProductArguments(x, t, out));
}
BENCHMARK(BM_MatmulStack);

struct Conv {
  const char* name;
  int64_t n, in, size, out, kernel, stride, pad, groups;
};
// The set of kernels_benchmark.cc.
const Conv kConvs[] = {{"mobile3x3s2", 1, 16, 320, 16, 3, 2, 1, 1},
                       {"depthwise5x5", 1, 120, 40, 120, 5, 1, 2, 120},
                       {"pointwise40to120", 1, 40, 80, 120, 1, 1, 0, 1},
                       {"residual64", 1, 64, 56, 64, 3, 1, 1, 1}};

// Activations and weights in the layout that the primitive asks for.
void BM_Conv(benchmark::State& state) {
  const Conv& c = kConvs[state.range(0)];
  state.SetLabel(c.name);
  const int64_t size = (c.size + 2 * c.pad - c.kernel) / c.stride + 1;
  const auto any = [](const memory::dims& dims) {
    return memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
  };
  memory::dims weights = {c.out, c.in, c.kernel, c.kernel};
  if (c.groups > 1) {
    weights = {c.groups, c.out / c.groups, c.in / c.groups, c.kernel, c.kernel};
  }
  const dnnl::convolution_forward::primitive_desc primitive(
      dnnl::convolution_forward::desc(
          dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto,
          any({c.n, c.in, c.size, c.size}), any(weights),
          any({c.n, c.out, size, size}), {c.stride, c.stride}, {c.pad, c.pad},
          {c.pad, c.pad}),
      Engine());
  RunPrimitive(state, dnnl::convolution_forward(primitive),
               ProductArguments(primitive.src_desc(), primitive.weights_desc(),
                                primitive.dst_desc()));
}
BENCHMARK(BM_Conv)->DenseRange(0, 3);

struct Pool {
  const char* name;
  int64_t n, channels, size, kernel, stride, pad;
};
// The set of kernels_benchmark.cc.
const Pool kPools[] = {{"stem112k3s2", 8, 64, 112, 3, 2, 1},
                       {"wide56k2s2", 8, 64, 56, 2, 2, 0},
                       {"narrow7k3s1", 8, 512, 7, 3, 1, 1},
                       {"narrow10k2s2", 64, 16, 10, 2, 2, 0}};

// In planes, as kernels_benchmark.cc has them: a pooling is too cheap to pay
// for another layout. oneDNN passes over NaN, which ours keeps.
void BM_MaxPool(benchmark::State& state) {
  const Pool& p = kPools[state.range(0)];
  state.SetLabel(p.name);
  const int64_t size = (p.size + 2 * p.pad - p.kernel) / p.stride + 1;
  const memory::desc x = Dense({p.n, p.channels, p.size, p.size});
  const memory::desc out = Dense({p.n, p.channels, size, size});
  const dnnl::pooling_forward::primitive_desc primitive(
      dnnl::pooling_forward::desc(dnnl::prop_kind::forward_inference,
                                  dnnl::algorithm::pooling_max, x, out,
                                  {p.stride, p.stride}, {p.kernel, p.kernel},
                                  {p.pad, p.pad}, {p.pad, p.pad}),
      Engine());
  RunPrimitive(state, dnnl::pooling_forward(primitive),
               {{DNNL_ARG_SRC, Filled(x)}, {DNNL_ARG_DST, Filled(out)}});
}
BENCHMARK(BM_MaxPool)->DenseRange(0, 3);

void BM_Softmax(benchmark::State& state) {
  const memory::desc x = Dense({128, 1000});
  const dnnl::softmax_forward::primitive_desc primitive(
      dnnl::softmax_forward::desc(dnnl::prop_kind::forward_inference, x, 1),
      Engine());
  RunPrimitive(state, dnnl::softmax_forward(primitive),
               {{DNNL_ARG_SRC, Filled(x)}, {DNNL_ARG_DST, Filled(x)}});
}
BENCHMARK(BM_Softmax);

void BM_LayerNorm(benchmark::State& state) {
  const memory::desc x = Dense({1024, 768}), scale = Dense({768});
  const dnnl::layer_normalization_forward::primitive_desc primitive(
      dnnl::layer_normalization_forward::desc(
          dnnl::prop_kind::forward_inference, x, 1e-5f,
          dnnl::normalization_flags::use_scale |
              dnnl::normalization_flags::use_shift),
      Engine());
  RunPrimitive(state, dnnl::layer_normalization_forward(primitive),
               {{DNNL_ARG_SRC, Filled(x)},
                {DNNL_ARG_DST, Filled(x)},
                {DNNL_ARG_SCALE, Filled(scale)},
                {DNNL_ARG_SHIFT, Filled(scale)}});
}
BENCHMARK(BM_LayerNorm);

void BM_Relu(benchmark::State& state) {
  const memory::desc x = Dense({1000000});
  const dnnl::eltwise_forward::primitive_desc primitive(
      dnnl::eltwise_forward::desc(dnnl::prop_kind::forward_inference,
                                  dnnl::algorithm::eltwise_relu, x, 0.f, 0.f),
      Engine());
  RunPrimitive(state, dnnl::eltwise_forward(primitive),
               {{DNNL_ARG_SRC, Filled(x)}, {DNNL_ARG_DST, Filled(x)}});
}
BENCHMARK(BM_Relu);

void BM_Add(benchmark::State& state) {
  const memory::desc x = Dense({1000000});
  const dnnl::binary::primitive_desc primitive(
      dnnl::binary::desc(dnnl::algorithm::binary_add, x, x, x), Engine());
  RunPrimitive(state, dnnl::binary(primitive),
               {{DNNL_ARG_SRC_0, Filled(x)},
                {DNNL_ARG_SRC_1, Filled(x)},
                {DNNL_ARG_DST, Filled(x)}});
}
BENCHMARK(BM_Add);

// Reading a million floats, one addition each, in eight sums that do not wait
// for each other: what a sum can cost at least.
void BM_Sum(benchmark::State& state) {
  const memory x = Filled(Dense({1000000}));
  const auto* data = static_cast<const float*>(x.get_data_handle());
  constexpr int64_t kChunk = 40000;
  float sums[25];
  using Vec = float __attribute__((vector_size(16)));
  for (auto _ : state) {
    ParallelFor(0, 1000000, kChunk, [&](int64_t begin, int64_t end) {
      Vec sum[8] = {};
      for (int64_t i = begin; i + 32 <= end; i += 32) {
        for (int j = 0; j < 8; ++j) {
          Vec v;
          std::memcpy(&v, data + i + 4 * j, sizeof(v));
          sum[j] += v;
        }
      }
      for (int j = 1; j < 8; ++j) sum[0] += sum[j];
      sums[begin / kChunk] = sum[0][0] + sum[0][1] + sum[0][2] + sum[0][3];
    });
    benchmark::DoNotOptimize(sums);
  }
}
BENCHMARK(BM_Sum);

}  // namespace
}  // namespace switchyard
