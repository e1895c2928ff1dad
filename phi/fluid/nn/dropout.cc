// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of dropout and its gradient on the CPU. Their random
// numbers are those of framework/random/philox.h, as every kernel's.
#include "framework/device/cpu/cpu_context.h"
#include "framework/random/philox.h"
#include "phi/core/signatures/dropout.gen.h"
#include "phi/core/signatures/dropout_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/dropout.gen.h"
#include "phi/legacy/dropout_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// The factor of the elements that stay.
inline absl::StatusOr<double> FactorOfKept(const ExecutionContext& context) {
  SY_ASSIGN_OR_RETURN(const double p, context.Attr<double>("dropout_prob"));
  SY_ASSIGN_OR_RETURN(const bool is_test, context.Attr<bool>("is_test"));
  SY_ASSIGN_OR_RETURN(const auto implementation,
                      context.Attr<std::string_view>("dropout_implementation"));
  const double stays = 1 - p;
  if (implementation == "upscale_in_train") {
    return is_test || stays <= 0 ? 1 : 1 / stays;
  }
  return is_test ? stays : 1;
}

// Out = X, where Mask is 1, times a factor; else 0.
template <typename T>
class DropoutKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const double factor, FactorOfKept(context));
    SY_ASSIGN_OR_RETURN(const double p, context.Attr<double>("dropout_prob"));
    SY_ASSIGN_OR_RETURN(const bool is_test, context.Attr<bool>("is_test"));
    SY_ASSIGN_OR_RETURN(const int64_t stream, context.Attr<int64_t>("stream"));
    // Old programs have no such input; a caller draws it.
    const DenseTensor* rng = context.Input("rng");
    if (!is_test && rng == nullptr) {
      return ArgumentError("rng", "a tensor in the training phase", "none");
    }
    // In the type of the draws.
    const double share = sizeof(T) == 4 ? double{static_cast<float>(p)} : p;
    const int64_t* state = is_test ? nullptr : rng->data<int64_t>();
    const PhiloxStream draws(is_test ? 0 : state[0], is_test ? 0 : state[1],
                             stream);
    const DenseTensor& x = *context.Input("X");
    DenseTensor* mask = context.Output("Mask");
    T* out = context.Output("Out")->template mutable_data<T>();
    for (int64_t i = 0; i < x.numel(); ++i) {
      const double draw = sizeof(T) == 4 ? double{UniformFloat(draws.Draw32(i))}
                                         : UniformDouble(draws.Draw64(i));
      const bool stays = is_test || draw >= share;
      const double v = stays ? double{x.data<T>()[i]} * factor : 0;
      if (mask != nullptr) mask->mutable_data<uint8_t>()[i] = stays;
      out[i] = static_cast<T>(v);
    }
    return absl::OkStatus();
  }
};

// X@GRAD = Out@GRAD, where Mask is 1, times the same factor; else 0.
template <typename T>
class DropoutGradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const double factor, FactorOfKept(context));
    SY_ASSIGN_OR_RETURN(const bool is_test, context.Attr<bool>("is_test"));
    const DenseTensor& grad = *context.Input("Out@GRAD");
    const uint8_t* mask = context.Input("Mask")->data<uint8_t>();
    T* x_grad = context.Output("X@GRAD")->template mutable_data<T>();
    for (int64_t i = 0; i < grad.numel(); ++i) {
      const bool stays = is_test || mask[i] != 0;
      x_grad[i] =
          static_cast<T>(stays ? double{grad.data<T>()[i]} * factor : 0);
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kDropoutSpec =
    KernelSpec<DropoutSignature>()
        .Input(DropoutSignature::kRng,
               OnHost(fluid::KernelTypeOf(DataType::kInt64)))
        .Output(DropoutSignature::kMask, Fixed(DataType::kUInt8));
SY_REGISTER_FLUID_KERNEL(dropout, cpu, fluid::DropoutKernel, legacy_dropout,
                         kDropoutSpec, float32, float64);
constexpr auto kDropoutGradSpec = KernelSpec<DropoutGradSignature>().Input(
    DropoutGradSignature::kMask, fluid::KernelTypeOf(DataType::kUInt8));
SY_REGISTER_FLUID_KERNEL(dropout_grad, cpu, fluid::DropoutGradKernel,
                         legacy_dropout_grad, kDropoutGradSpec, float32,
                         float64);

}  // namespace switchyard::phi
