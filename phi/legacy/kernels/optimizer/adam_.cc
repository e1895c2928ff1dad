// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of adam on the CPU, with dense gradients and with
// rows. An output may be in the memory of its input: each element is read
// before it is written.
#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "framework/types/float16.h"
#include "phi/core/signatures/adam_.gen.h"
#include "phi/legacy/forms/adam_.gen.h"
#include "phi/legacy/kernels/register_legacy_kernel.h"

namespace switchyard::phi {
namespace fluid {

// The numbers that elements of T are computed in: float for the narrow ones.
template <typename T>
using Number = std::conditional_t<sizeof(T) == 2, float, T>;

// One step of Adam, with all that the operator has: AMSGrad, a master of the
// parameter in the state's dtype, and powers that somebody else advances.
// Subclasses say which elements are stepped, and with which gradient.
template <typename T>
class AdamStepper : public OpKernel<T> {
 protected:
  using N = Number<T>;

  // Makes the step: `each(step_one)` calls step_one(i, gradient of element i)
  // for the elements to step. `whole`: for all of them.
  template <typename Each>
  static absl::Status Run(const ExecutionContext& context, bool whole,
                          const Each& each) {
    SY_ASSIGN_OR_RETURN(const double beta1, context.Attr<double>("beta1"));
    SY_ASSIGN_OR_RETURN(const double beta2, context.Attr<double>("beta2"));
    SY_ASSIGN_OR_RETURN(const double epsilon, context.Attr<double>("epsilon"));
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
    if (!whole) KeepElements(context);
    if (!amsgrad) KeepOne<N>(context, "Moment2Max", "Moment2MaxOut");
    if (!multi_precision) KeepOne<N>(context, "MasterParam", "MasterParamOut");
    const Elements at = ElementsOf(context, amsgrad, multi_precision);
    each([&](int64_t i, N slope) { StepOne(at, step, i, slope); });
    Advance(context, "Beta1PowOut", pow1 * (global ? N{1} : N(beta1)));
    Advance(context, "Beta2PowOut", pow2 * (global ? N{1} : N(beta2)));
    return absl::OkStatus();
  }

  static bool IsSkipped(const ExecutionContext& context) {
    const DenseTensor* skip = context.Input("SkipUpdate");
    return skip != nullptr && *skip->data<bool>();
  }

  // Leaves everything as it is.
  static absl::Status Keep(const ExecutionContext& context) {
    KeepElements(context);
    KeepOne<N>(context, "Beta1Pow", "Beta1PowOut");
    KeepOne<N>(context, "Beta2Pow", "Beta2PowOut");
    return absl::OkStatus();
  }

 private:
  struct Step {
    N beta1, beta2, rate, epsilon;
  };
  // Those that are absent, or not of this step, are null.
  struct Elements {
    const T* p;
    const N *m1, *m2, *most, *master;
    T* p_out;
    N *m1_out, *m2_out, *most_out, *master_out;
  };

  static Elements ElementsOf(const ExecutionContext& context, bool amsgrad,
                             bool multi_precision) {
    return {context.Input("Param")->data<T>(),
            context.Input("Moment1")->data<N>(),
            context.Input("Moment2")->data<N>(),
            amsgrad ? context.Input("Moment2Max")->data<N>() : nullptr,
            multi_precision ? context.Input("MasterParam")->data<N>() : nullptr,
            Out<T>(context, "ParamOut"),
            Out<N>(context, "Moment1Out"),
            Out<N>(context, "Moment2Out"),
            amsgrad ? Out<N>(context, "Moment2MaxOut") : nullptr,
            multi_precision ? Out<N>(context, "MasterParamOut") : nullptr};
  }

  static void StepOne(const Elements& at, const Step& step, int64_t i,
                      N slope) {
    const N first = step.beta1 * at.m1[i] + (N{1} - step.beta1) * slope;
    const N second =
        step.beta2 * at.m2[i] + (N{1} - step.beta2) * slope * slope;
    const N square = at.most == nullptr ? second : std::max(second, at.most[i]);
    const N from =
        at.master == nullptr ? static_cast<N>(at.p[i]) : at.master[i];
    const N to =
        from - step.rate * (first / (std::sqrt(square) + step.epsilon));
    at.m1_out[i] = first;
    at.m2_out[i] = second;
    if (at.most_out != nullptr) at.most_out[i] = square;
    if (at.master_out != nullptr) at.master_out[i] = to;
    at.p_out[i] = static_cast<T>(to);
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
  static void KeepElements(const ExecutionContext& context) {
    KeepOne<T>(context, "Param", "ParamOut");
    KeepOne<N>(context, "Moment1", "Moment1Out");
    KeepOne<N>(context, "Moment2", "Moment2Out");
    KeepOne<N>(context, "Moment2Max", "Moment2MaxOut");
    KeepOne<N>(context, "MasterParam", "MasterParamOut");
  }
};

template <typename T>
class AdamKernel final : public AdamStepper<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    if (this->IsSkipped(context)) return this->Keep(context);
    const DenseTensor& grad = *context.Input("Grad");
    const T* g = grad.data<T>();
    return this->Run(context, /*whole=*/true, [&](const auto& step_one) {
      for (int64_t i = 0; i < grad.numel(); ++i) {
        step_one(i, static_cast<Number<T>>(g[i]));
      }
    });
  }
};

// Steps with the matrix that the rows of Grad stand for; with `lazy_mode` these
// rows alone. A row that is there twice has the sum.
template <typename T, typename DeviceContext>
class AdamSelectedRowsKernel final : public AdamStepper<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const bool lazy, context.Attr<bool>("lazy_mode"));
    const DenseTensor& param = *context.Input("Param");
    const SelectedRows& grad = *context.InputRows("Grad");
    const int64_t height = param.rank() == 0 ? 1 : param.extent(0);
    const int64_t width = height == 0 ? 0 : param.numel() / height;
    SY_RETURN_IF_ERROR(Check(grad, height, width));
    if (this->IsSkipped(context) || grad.rows().empty()) {
      return this->Keep(context);
    }
    SY_ASSIGN_OR_RETURN(
        DenseTensor sums,
        DenseTensor::Allocate(param.dtype(), param.shape(),
                              context.device<DeviceContext>().allocator()));
    T* const matrix = sums.template mutable_data<T>();
    std::fill_n(matrix, param.numel(), T{0});
    std::vector<bool> present(static_cast<size_t>(height), false);
    const T* g = grad.values().data<T>();
    for (const int64_t row : grad.rows()) {
      present[static_cast<size_t>(row)] = true;
      for (int64_t j = 0; j < width; ++j) matrix[row * width + j] += *g++;
    }
    return this->Run(context, !lazy, [&](const auto& step_one) {
      for (int64_t row = 0; row < height; ++row) {
        if (lazy && !present[static_cast<size_t>(row)]) continue;
        for (int64_t i = row * width; i < (row + 1) * width; ++i) {
          step_one(i, matrix[i]);
        }
      }
    });
  }

 private:
  static absl::Status Check(const SelectedRows& grad, int64_t height,
                            int64_t width) {
    for (const int64_t row : grad.rows()) {
      if (row >= 0 && row < height) continue;
      return RangeError("grad", "rows in [0, " + std::to_string(height) + ")",
                        std::to_string(row));
    }
    const int64_t count = static_cast<int64_t>(grad.rows().size()) * width;
    if (grad.values().numel() == count) return absl::OkStatus();
    return ArgumentError("grad", "of " + std::to_string(count) + " values",
                         std::to_string(grad.values().numel()));
  }
};

}  // namespace fluid

template <typename S>
constexpr auto kAdamSpec =
    KernelSpec<S>()
        .Inputs({S::kLearningRate, S::kMoment1, S::kMoment2, S::kBeta1Pow,
                 S::kBeta2Pow, S::kMoment2Max, S::kMasterParam},
                AnyDtype())
        .Input(S::kSkipUpdate, OnHost(fluid::KernelTypeOf(DataType::kBool)));
constexpr auto kAdamSelectedRowsSpec =
    kAdamSpec<AdamSelectedRowsSignature>.Here();
SY_REGISTER_LEGACY_KERNEL(adam, cpu, fluid::AdamKernel, legacy_adam,
                          kAdamSpec<AdamSignature>, float16, bfloat16, float32,
                          float64);
SY_REGISTER_LEGACY_KERNEL(adam_selected_rows, cpu,
                          fluid::AdamSelectedRowsKernel, legacy_adam,
                          kAdamSelectedRowsSpec, float32, float64);

}  // namespace switchyard::phi
