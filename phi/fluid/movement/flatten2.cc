// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of flatten2 on the CPU, which makes a view. XShape is
// as in view.cc.
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/flatten2.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/flatten2.gen.h"

namespace switchyard::phi {
namespace fluid {

// The axes before `axis` are the rows of Out, the others its columns.
template <typename T>
class Flatten2Kernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    DenseTensor* out = context.Output("Out");
    SY_ASSIGN_OR_RETURN(const int given, context.Attr<int>("axis"));
    if (x.rank() == 0) {  // A list of one element.
      out->SetView(x, Shape({1}), Strides{1}, x.offset());
      return absl::OkStatus();
    }
    const int axis = given < 0 ? given + x.rank() : given;
    int64_t rows = 1, columns = 1;
    for (int i = 0; i < x.rank(); ++i) {
      // A product of an empty tensor's extents might not fit int64.
      if (x.numel() > 0) (i < axis ? rows : columns) *= x.extent(i);
    }
    const Shape shape = x.numel() > 0 ? Shape({rows, columns}) : out->shape();
    out->SetView(x, shape, Strides{columns, 1}, x.offset());
    return absl::OkStatus();
  }
};

}  // namespace fluid

#define SY_FLATTEN2(...)                                         \
  SY_REGISTER_FLUID_KERNEL(flatten2, cpu, fluid::Flatten2Kernel, \
                           legacy_flatten2, kFlatten2Spec, __VA_ARGS__)
constexpr auto kFlatten2Spec = KernelSpec<Flatten2Signature>();
SY_FLATTEN2(bool, uint8, int8, int16);
SY_FLATTEN2(int32, int64, float16, bfloat16);
SY_FLATTEN2(float32, float64, complex64, complex128);

}  // namespace switchyard::phi
