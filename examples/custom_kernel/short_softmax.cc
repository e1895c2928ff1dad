// SPDX-License-Identifier: Apache-2.0
// A kernel for softmax over the last axis, where rows are short. It has a rank
// above Switchyard's own backends, so that it is asked first; its conditions
// leave long rows and other axes to them.
#include <cmath>
#include <cstdint>

#include "phi/capi/plugin_cc.h"

namespace {

using sy::plugin::AttrEquals;
using sy::plugin::Call;
using sy::plugin::ExtentAtMost;
using sy::plugin::Input;
using sy::plugin::Kernel;
using sy::plugin::RankAtLeast;
using sy::plugin::RankAtMost;
using sy::plugin::Registry;
using sy::plugin::Run;

template <typename T>
void ShortSoftmax(Call& call) {
  const Input x = call.input(0);
  T* const out = call.output<T>(0);
  const T* const from = x.data<T>();
  const int64_t columns = x.extent(-1);
  // It is not called without elements: `columns` is not 0.
  for (int64_t row = 0; row < x.numel(); row += columns) {
    T largest = from[row];
    for (int64_t i = 1; i < columns; ++i) {
      if (from[row + i] > largest) largest = from[row + i];
    }
    // `out` may be x: each element is read before it is written.
    T sum = 0;
    for (int64_t i = 0; i < columns; ++i) {
      out[row + i] = std::exp(from[row + i] - largest);
      sum += out[row + i];
    }
    for (int64_t i = 0; i < columns; ++i) out[row + i] /= sum;
  }
}

template <typename T>
void Add(Registry& registry, const char* dtype) {
  registry.Add(Kernel("softmax", "short_rows", dtype, Run<&ShortSoftmax<T>>)
                   .Named("short_softmax")
                   .When(RankAtLeast("x", 1))
                   .When(ExtentAtMost("x", -1, 32))
                   // Over the last axis: -1, or 1 of a matrix.
                   .WhenAnyOf({AttrEquals("axis", -1), AttrEquals("axis", 1)})
                   .WhenAnyOf({AttrEquals("axis", -1), RankAtMost("x", 2)}));
}

void AddAll(Registry& registry) {
  registry.AddBackend({"short_rows", /*rank=*/250});
  Add<float>(registry, "float32");
  Add<double>(registry, "float64");
}

}  // namespace

SY_PLUGIN("short_softmax", "1.0", AddAll)
