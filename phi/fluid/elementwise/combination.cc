// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels that combine two tensors on the CPU.
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/fmax.gen.h"
#include "phi/core/signatures/fmin.gen.h"
#include "phi/fluid/axis_alignment.h"
#include "phi/fluid/elementwise/function_kernel.h"
#include "phi/legacy/fmax.gen.h"
#include "phi/legacy/fmin.gen.h"

namespace switchyard::phi {
namespace fluid {

// Out = f(X, Y), both repeated to the result's shape.
template <typename T, typename Function>
class PairKernel : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& y = *context.Input("Y");
    DenseTensor* out = context.Output("Out");
    const AxisAlignment in_x = Align(out->shape(), x.shape(), -1);
    const AxisAlignment in_y = Align(out->shape(), y.shape(), -1);
    AlignedIndex at_x(in_x), at_y(in_y);
    const T* a = x.data<T>();
    const T* b = y.data<T>();
    T* to = out->template mutable_data<T>();
    for (int64_t i = 0; i < out->numel(); ++i) {
      to[i] =
          static_cast<T>(Function()(static_cast<Number<T>>(a[at_x.offset()]),
                                    static_cast<Number<T>>(b[at_y.offset()])));
      at_x.Next();
      at_y.Next();
    }
    return absl::OkStatus();
  }
};

struct Larger {
  template <typename N>
  N operator()(N a, N b) const {
    if (std::isnan(a)) return b;
    return std::isnan(b) || a >= b ? a : b;
  }
};
template <typename T>
using FmaxKernel = PairKernel<T, Larger>;

struct Smaller {
  template <typename N>
  N operator()(N a, N b) const {
    if (std::isnan(a)) return b;
    return std::isnan(b) || a <= b ? a : b;
  }
};
template <typename T>
using FminKernel = PairKernel<T, Smaller>;

}  // namespace fluid

SY_FLUID_ELEMENTWISE_KERNEL(fmax, Fmax, legacy_elementwise_fmax);
SY_FLUID_ELEMENTWISE_KERNEL(fmin, Fmin, legacy_elementwise_fmin);

}  // namespace switchyard::phi
