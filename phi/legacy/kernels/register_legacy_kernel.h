// SPDX-License-Identifier: Apache-2.0
// Registration of legacy class kernels: the adapter that makes an ordinary
// constant KernelDef of one, so that neither selection, nor an executor, nor
// autograd knows about legacy kernels beyond KernelDef::origin. The counterpart
// for kernels of our own is phi/core/register_kernel.h, whose rules hold here.
//
//   template <typename T>
//   class SoftmaxCpuKernel final : public OpKernel<T> { ... };
//
//   constexpr auto kSpec = KernelSpec<SoftmaxSignature>();
//   SY_REGISTER_LEGACY_KERNEL(softmax, cpu, fluid::SoftmaxCpuKernel,
//                            legacy_softmax, kSpec, float32, float64);
// defines kernel_softmax_fluid_cpu_float32 and ..._float64. It stands in
// namespace switchyard::phi, in //phi/legacy/kernels:<op>, and the YAML entry
// lists it as `fluid/cpu`; phi/legacy/kernels/legacy_kernels.txt lists it too.
//
// A class that is written for several devices has a second parameter, the
// device context (`template <typename T, typename DeviceContext>`), and is
// registered by the same line: the backend's context is what it gets.
#ifndef SWITCHYARD_PHI_LEGACY_KERNELS_REGISTER_LEGACY_KERNEL_H_
#define SWITCHYARD_PHI_LEGACY_KERNELS_REGISTER_LEGACY_KERNEL_H_

#include <type_traits>

#include "framework/device/backend.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/legacy/forms/legacy_form.h"
#include "phi/legacy/kernels/execution_context.h"
#include "phi/legacy/kernels/op_kernel.h"

namespace switchyard::phi::fluid {

// The entry point of a class kernel whose arguments `kForm` names.
template <typename Kernel, const LegacyForm& kForm>
struct ClassKernel {
  static absl::Status Thunk(KernelContext& call) {
    return Kernel().Compute(ExecutionContext(call, kForm));
  }
};

// The device context of the kernels of a backend; one that class kernels of two
// parameters are registered for has a specialization.
template <const BackendInfo& kBackend>
struct ContextOf;
template <>
struct ContextOf<backend_cpu> {
  using Type = CpuContext;
};

// Returns nothing: its type is the class for T, whose template has the element
// type alone, or the device context as well.
template <template <typename> class Class, typename T,
          const BackendInfo& kBackend>
Class<T>* ClassFor();
template <template <typename, typename> class Class, typename T,
          const BackendInfo& kBackend>
Class<T, typename ContextOf<kBackend>::Type>* ClassFor();

// The record of a legacy kernel: like one of our own.
template <typename Entry, typename Spec>
constexpr KernelDef MakeFluidKernelDef(const char* kernel, KernelKey key,
                                       const Spec& spec) {
  KernelDef def = MakeKernelDef<Entry>(kernel, key, spec);
  def.origin = KernelOrigin::kFluid;
  return def;
}

}  // namespace switchyard::phi::fluid

#define SY_REGISTER_FLUID_ONE_(kernel, backend, Class, form, spec, dtype) \
  extern const ::switchyard::phi::KernelDef                               \
      kernel_##kernel##_fluid_##backend##_##dtype;                        \
  constexpr ::switchyard::phi::KernelDef                                  \
      kernel_##kernel##_fluid_##backend##_##dtype =                       \
          ::switchyard::phi::fluid::MakeFluidKernelDef<                   \
              ::switchyard::phi::fluid::ClassKernel<                      \
                  std::remove_pointer_t<                                  \
                      decltype(::switchyard::phi::fluid::ClassFor<        \
                               Class, ::switchyard::phi::ctype_##dtype,   \
                               backend_##backend>())>,                    \
                  form>>(                                                 \
              #kernel,                                                    \
              {&backend_##backend, ::switchyard::DataLayout::kStrided,    \
               ::switchyard::phi::dtype_##dtype},                         \
              spec)

#define SY_REGISTER_FLUID_1_(k, b, c, f, s, d) \
  SY_REGISTER_FLUID_ONE_(k, b, c, f, s, d)
#define SY_REGISTER_FLUID_2_(k, b, c, f, s, d, ...) \
  SY_REGISTER_FLUID_ONE_(k, b, c, f, s, d);         \
  SY_REGISTER_FLUID_1_(k, b, c, f, s, __VA_ARGS__)
#define SY_REGISTER_FLUID_3_(k, b, c, f, s, d, ...) \
  SY_REGISTER_FLUID_ONE_(k, b, c, f, s, d);         \
  SY_REGISTER_FLUID_2_(k, b, c, f, s, __VA_ARGS__)
#define SY_REGISTER_FLUID_4_(k, b, c, f, s, d, ...) \
  SY_REGISTER_FLUID_ONE_(k, b, c, f, s, d);         \
  SY_REGISTER_FLUID_3_(k, b, c, f, s, __VA_ARGS__)
#define SY_REGISTER_FLUID_SELECT_(a, b, c, d, name, ...) name

// At most four dtypes.
#define SY_REGISTER_LEGACY_KERNEL(kernel, backend, Class, form, spec, ...) \
  SY_REGISTER_FLUID_SELECT_(__VA_ARGS__, SY_REGISTER_FLUID_4_,             \
                            SY_REGISTER_FLUID_3_, SY_REGISTER_FLUID_2_,    \
                            SY_REGISTER_FLUID_1_, )                        \
  (kernel, backend, Class, form, spec, __VA_ARGS__)

#endif  // SWITCHYARD_PHI_LEGACY_KERNELS_REGISTER_LEGACY_KERNEL_H_
