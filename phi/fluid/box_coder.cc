// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of box_coder on the CPU.
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/box_coder.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/box_coder.gen.h"

namespace switchyard::phi {
namespace fluid {

// OutputBox: [targets, priors, 4]: where a target lies and how large it is,
// relative to a prior (encode), or back (decode).
template <typename T>
class BoxCoderCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const std::string_view code_type,
                        context.Attr<std::string_view>("code_type"));
    SY_ASSIGN_OR_RETURN(const bool normalized,
                        context.Attr<bool>("box_normalized"));
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("axis"));
    SY_ASSIGN_OR_RETURN(const absl::Span<const float> variance,
                        context.Attr<absl::Span<const float>>("variance"));
    const DenseTensor* variances = context.Input("PriorBoxVar");
    const bool encode = code_type == "encode_center_size";
    DenseTensor* out = context.Output("OutputBox");
    const int64_t columns = out->extent(1);
    const T longer = normalized ? 0 : 1;
    const T* const priors = context.Input("PriorBox")->template data<T>();
    const T* const targets = context.Input("TargetBox")->template data<T>();
    T* const to = out->mutable_data<T>();
    T shared[4] = {1, 1, 1, 1};
    if (!variance.empty()) std::copy_n(variance.data(), 4, shared);
    ParallelFor(0, out->numel() / 4, 2048, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = i / columns;
        const int64_t prior = encode || axis == 0 ? i % columns : row;
        const T* scale = variances == nullptr
                             ? shared
                             : variances->template data<T>() + prior * 4;
        const Centred box(priors + prior * 4, longer);
        if (encode) {
          box.Encode(targets + row * 4, longer, scale, to + i * 4);
        } else {
          box.Decode(targets + i * 4, longer, scale, to + i * 4);
        }
      }
    });
    context.ShareLod(!encode && axis == 1 ? "PriorBox" : "TargetBox",
                     "OutputBox");
    return absl::OkStatus();
  }

 private:
  // A prior box by its centre and its sides.
  struct Centred {
    T x, y, width, height;

    Centred(const T* box, T longer)
        : width(box[2] - box[0] + longer), height(box[3] - box[1] + longer) {
      x = box[0] + width / 2;
      y = box[1] + height / 2;
    }
    void Encode(const T* target, T longer, const T* scale, T* code) const {
      code[0] = ((target[0] + target[2]) / 2 - x) / width / scale[0];
      code[1] = ((target[1] + target[3]) / 2 - y) / height / scale[1];
      const T across = (target[2] - target[0] + longer) / width;
      const T down = (target[3] - target[1] + longer) / height;
      code[2] = std::log(std::fabs(across)) / scale[2];
      code[3] = std::log(std::fabs(down)) / scale[3];
    }
    void Decode(const T* code, T longer, const T* scale, T* box) const {
      const T mid_x = scale[0] * code[0] * width + x;
      const T mid_y = scale[1] * code[1] * height + y;
      const T half_width = std::exp(scale[2] * code[2]) * width / 2;
      const T half_height = std::exp(scale[3] * code[3]) * height / 2;
      box[0] = mid_x - half_width;
      box[1] = mid_y - half_height;
      box[2] = mid_x + half_width - longer;
      box[3] = mid_y + half_height - longer;
    }
  };
};

}  // namespace fluid

constexpr auto kSpec = KernelSpec<BoxCoderSignature>();
SY_REGISTER_FLUID_KERNEL(box_coder, cpu, fluid::BoxCoderCpuKernel,
                         legacy_box_coder, kSpec, float32, float64);

}  // namespace switchyard::phi
