// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of sequence_mask on the CPU.
#include <algorithm>
#include <cstdint>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_mask.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/sequence_mask.gen.h"

namespace switchyard::phi {
namespace fluid {

// Y: X's shape and after it maxlen (negative: the greatest length), elements
// of which the first X[i] are 1 and the others 0.
template <typename T>
class SequenceMaskCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(int64_t maxlen, context.Attr<int64_t>("maxlen"));
    SY_ASSIGN_OR_RETURN(const DataType dtype,
                        context.Attr<DataType>("out_dtype"));
    const T* lengths = x.data<T>();
    if (maxlen < 0) {
      maxlen = 0;
      for (int64_t i = 0; i < x.numel(); ++i) {
        maxlen = std::max<int64_t>(maxlen, lengths[i]);
      }
    }
    Shape shape = x.shape();
    shape.push_back(maxlen);
    SY_RETURN_IF_ERROR(context.Allocate("Y", dtype, shape));
    DenseTensor* y = context.Output("Y");
    switch (ElementSize(dtype)) {
      case 1:
        return Fill<uint8_t>(lengths, x.numel(), maxlen, 1, y);
      case 2:
        return Fill<uint16_t>(lengths, x.numel(), maxlen, OneIn16(dtype), y);
      case 4:
        return dtype == DataType::kFloat32
                   ? Fill<float>(lengths, x.numel(), maxlen, 1, y)
                   : Fill<int32_t>(lengths, x.numel(), maxlen, 1, y);
      default:
        return dtype == DataType::kFloat64
                   ? Fill<double>(lengths, x.numel(), maxlen, 1, y)
                   : Fill<int64_t>(lengths, x.numel(), maxlen, 1, y);
    }
  }

 private:
  // The bits of 1 in a dtype of two bytes.
  static uint16_t OneIn16(DataType dtype) {
    if (dtype == DataType::kFloat16) return 0x3c00;
    return dtype == DataType::kBFloat16 ? 0x3f80 : 1;
  }

  template <typename Element>
  static absl::Status Fill(const T* lengths, int64_t count, int64_t maxlen,
                           Element one, DenseTensor* y) {
    auto* to = static_cast<Element*>(y->mutable_data<void>());
    for (int64_t i = 0; i < count; ++i) {
      const int64_t ones = std::clamp<int64_t>(lengths[i], 0, maxlen);
      to = std::fill_n(to, ones, one);
      to = std::fill_n(to, maxlen - ones, Element{0});
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceMaskSpec = KernelSpec<SequenceMaskSignature>().Output(
    SequenceMaskSignature::kY, SelfAllocated(AnyDtype()));
SY_REGISTER_FLUID_KERNEL(sequence_mask, cpu, fluid::SequenceMaskCpuKernel,
                         legacy_sequence_mask, kSequenceMaskSpec, int32, int64);

}  // namespace switchyard::phi
