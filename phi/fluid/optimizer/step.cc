// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of adam on the CPU. An output may be in the memory of
// its input: each element is read before it is written.
#include <algorithm>
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/adam_.gen.h"
#include "phi/fluid/elementwise/map.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/adam_.gen.h"

namespace switchyard::phi {
namespace fluid {

// One step of Adam, with all that the operator has: AMSGrad, a master of the
// parameter in the state's dtype, and powers that somebody else advances.
template <typename T>
class AdamKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor* skip = context.Input("SkipUpdate");
    if (skip != nullptr && *skip->data<bool>()) return Keep(context);
    SY_ASSIGN_OR_RETURN(const float beta1, context.Attr<float>("beta1"));
    SY_ASSIGN_OR_RETURN(const float beta2, context.Attr<float>("beta2"));
    SY_ASSIGN_OR_RETURN(const float epsilon, context.Attr<float>("epsilon"));
    SY_ASSIGN_OR_RETURN(const bool global,
                        context.Attr<bool>("use_global_beta_pow"));
    SY_ASSIGN_OR_RETURN(const bool amsgrad, context.Attr<bool>("amsgrad"));
    SY_ASSIGN_OR_RETURN(const bool multi_precision,
                        context.Attr<bool>("multi_precision"));
    const N rate = *context.Input("LearningRate")->data<N>();
    const N pow1 = *context.Input("Beta1Pow")->data<N>();
    const N pow2 = *context.Input("Beta2Pow")->data<N>();
    const N correction = std::sqrt(N{1} - pow2);
    const Step step = {N(beta1), N(beta2), rate * correction / (N{1} - pow1),
                       N(epsilon) * correction};
    if (!amsgrad) KeepOne<N>(context, "Moment2Max", "Moment2MaxOut");
    if (!multi_precision) KeepOne<N>(context, "MasterParam", "MasterParamOut");
    Run(context, step, amsgrad, multi_precision);
    Advance(context, "Beta1PowOut", pow1 * (global ? N{1} : N(beta1)));
    Advance(context, "Beta2PowOut", pow2 * (global ? N{1} : N(beta2)));
    return absl::OkStatus();
  }

 private:
  using N = Number<T>;
  struct Step {
    N beta1, beta2, rate, epsilon;
  };

  static void Run(const ExecutionContext& context, const Step& step,
                  bool amsgrad, bool multi_precision) {
    const DenseTensor& param = *context.Input("Param");
    const T* p = param.data<T>();
    const T* g = context.Input("Grad")->data<T>();
    const N* m1 = context.Input("Moment1")->data<N>();
    const N* m2 = context.Input("Moment2")->data<N>();
    const N* most = amsgrad ? context.Input("Moment2Max")->data<N>() : nullptr;
    const N* master =
        multi_precision ? context.Input("MasterParam")->data<N>() : nullptr;
    T* p_out = Out<T>(context, "ParamOut");
    N* m1_out = Out<N>(context, "Moment1Out");
    N* m2_out = Out<N>(context, "Moment2Out");
    N* most_out = Out<N>(context, "Moment2MaxOut");
    N* master_out = Out<N>(context, "MasterParamOut");
    for (int64_t i = 0; i < param.numel(); ++i) {
      const N slope = static_cast<N>(g[i]);
      const N first = step.beta1 * m1[i] + (N{1} - step.beta1) * slope;
      const N second = step.beta2 * m2[i] + (N{1} - step.beta2) * slope * slope;
      const N square = most == nullptr ? second : std::max(second, most[i]);
      const N from = master == nullptr ? static_cast<N>(p[i]) : master[i];
      const N to =
          from - step.rate * (first / (std::sqrt(square) + step.epsilon));
      m1_out[i] = first;
      m2_out[i] = second;
      if (most != nullptr && most_out != nullptr) most_out[i] = square;
      if (master != nullptr && master_out != nullptr) master_out[i] = to;
      p_out[i] = static_cast<T>(to);
    }
  }

  template <typename E>
  static E* Out(const ExecutionContext& context, std::string_view slot) {
    DenseTensor* out = context.Output(slot);
    return out == nullptr ? nullptr : out->mutable_data<E>();
  }
  static void Advance(const ExecutionContext& context, std::string_view slot,
                      N power) {
    if (N* out = Out<N>(context, slot)) *out = power;
  }
  template <typename E>
  static void KeepOne(const ExecutionContext& context, std::string_view in,
                      std::string_view out) {
    const DenseTensor* from = context.Input(in);
    E* to = Out<E>(context, out);
    if (to == nullptr || from == nullptr || to == from->data<E>()) return;
    std::copy_n(from->data<E>(), from->numel(), to);
  }
  static absl::Status Keep(const ExecutionContext& context) {
    KeepOne<T>(context, "Param", "ParamOut");
    KeepOne<N>(context, "Moment1", "Moment1Out");
    KeepOne<N>(context, "Moment2", "Moment2Out");
    KeepOne<N>(context, "Moment2Max", "Moment2MaxOut");
    KeepOne<N>(context, "Beta1Pow", "Beta1PowOut");
    KeepOne<N>(context, "Beta2Pow", "Beta2PowOut");
    KeepOne<N>(context, "MasterParam", "MasterParamOut");
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kAdamSpec =
    KernelSpec<AdamSignature>()
        .Input(AdamSignature::kLearningRate, AnyDtype())
        .Input(AdamSignature::kMoment1, AnyDtype())
        .Input(AdamSignature::kMoment2, AnyDtype())
        .Input(AdamSignature::kBeta1Pow, AnyDtype())
        .Input(AdamSignature::kBeta2Pow, AnyDtype())
        .Input(AdamSignature::kMoment2Max, AnyDtype())
        .Input(AdamSignature::kMasterParam, AnyDtype())
        .Input(AdamSignature::kSkipUpdate,
               OnHost(fluid::KernelTypeOf(DataType::kBool)));
SY_REGISTER_FLUID_KERNEL(adam, cpu, fluid::AdamKernel, legacy_adam, kAdamSpec,
                         float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
