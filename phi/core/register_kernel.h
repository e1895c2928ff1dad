// SPDX-License-Identifier: Apache-2.0
// Registration of kernels as constant data.
//
// A kernel is a template on dtype and context:
//   template <typename T, typename Context>
//   absl::Status SoftmaxKernel(const Context& ctx, const DenseTensor& x,
//                              int axis, DenseTensor* out);
// and is registered in namespace switchyard::phi, in a .cc of its backend:
//   constexpr auto kSpec = KernelSpec<SoftmaxSignature>().When(
//       RankAtMost(SoftmaxSignature::kX, 6));
//   SY_REGISTER_KERNEL(softmax, cpu, kernels::SoftmaxKernel, CpuContext, kSpec,
//                      float32, float64);
// This defines `extern const KernelDef kernel_softmax_cpu_float32` and
// `..._float64`. The generated SoftmaxSignature (phi/core/signatures) holds the
// kernel's C++ type: a kernel of another type does not compile, and the message
// says which parameter differs. KernelSpec is in phi/core/kernel_spec.h.
#ifndef SWITCHYARD_PHI_CORE_REGISTER_KERNEL_H_
#define SWITCHYARD_PHI_CORE_REGISTER_KERNEL_H_

#include "phi/core/invoke.h"
#include "phi/core/kernel_def.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi {

// The C++ type and the enumerator behind a dtype's name in a registration.
#define SY_DATA_TYPE_ALIAS(name, type) \
  using ctype_##name = type;           \
  inline constexpr DataType dtype_##name = DataTypeOf<type>::value;
SY_DATA_TYPE_ALIAS(bool, bool)
SY_DATA_TYPE_ALIAS(uint8, uint8_t)
SY_DATA_TYPE_ALIAS(int8, int8_t)
SY_DATA_TYPE_ALIAS(int16, int16_t)
SY_DATA_TYPE_ALIAS(int32, int32_t)
SY_DATA_TYPE_ALIAS(int64, int64_t)
SY_DATA_TYPE_ALIAS(float16, ::switchyard::float16)
SY_DATA_TYPE_ALIAS(bfloat16, ::switchyard::bfloat16)
SY_DATA_TYPE_ALIAS(float32, float)
SY_DATA_TYPE_ALIAS(float64, double)
#undef SY_DATA_TYPE_ALIAS

inline constexpr Backend backend_reference = Backend::kReference;
inline constexpr Backend backend_cpu = Backend::kCpu;
inline constexpr Backend backend_onednn = Backend::kOnednn;
inline constexpr Backend backend_gpu = Backend::kGpu;
inline constexpr Backend backend_gpudnn = Backend::kGpudnn;

// The record of one kernel of our own.
template <typename Entry, typename Context, typename Spec>
constexpr KernelDef MakeKernelDef(const char* kernel, KernelKey key,
                                  const Spec& spec,
                                  const TypedFunctionBase* typed,
                                  const char* file, int line) {
  KernelDef def{};
  def.op = Spec::Signature::kOp;
  def.kernel = kernel;
  def.key = key;
  def.thread_invariant = spec.thread_invariant;
  def.empty_ok = spec.empty_ok;
  def.inputs = {spec.inputs.data(), spec.inputs.size()};
  def.outputs = {spec.outputs.data(), spec.outputs.size()};
  def.conditions = {spec.conditions.data(), spec.conditions.size()};
  def.thunk = &Entry::Thunk;
  def.typed = typed;
  def.contexts = &Context::kContexts;
  def.file = file;
  def.line = line;
  return def;
}

}  // namespace switchyard::phi

#define SY_REGISTER_ONE_(kernel, backend, function, Context, spec, dtype)      \
  extern const ::switchyard::phi::KernelDef                                    \
      kernel_##kernel##_##backend##_##dtype;                                   \
  using Entry_##kernel##_##backend##_##dtype = ::switchyard::phi::Invoke<      \
      &function<::switchyard::phi::ctype_##dtype, Context>, Context,           \
      decltype(spec)::Signature>;                                              \
  static constexpr ::switchyard::phi::TypedFunction<decltype(spec)::Signature> \
      kTyped_##kernel##_##backend##_##dtype(                                   \
          &Entry_##kernel##_##backend##_##dtype::Typed);                       \
  constexpr ::switchyard::phi::KernelDef                                       \
      kernel_##kernel##_##backend##_##dtype =                                  \
          ::switchyard::phi::MakeKernelDef<                                    \
              Entry_##kernel##_##backend##_##dtype, Context>(                  \
              #kernel,                                                         \
              {::switchyard::phi::backend_##backend,                           \
               ::switchyard::DataLayout::kStrided,                             \
               ::switchyard::phi::dtype_##dtype},                              \
              spec, &kTyped_##kernel##_##backend##_##dtype, __FILE__,          \
              __LINE__)

// Applies SY_REGISTER_ONE_ to each dtype, of which there may be ten.
#define SY_REGISTER_1_(k, b, f, c, s, d) SY_REGISTER_ONE_(k, b, f, c, s, d)
#define SY_REGISTER_2_(k, b, f, c, s, d, ...) \
  SY_REGISTER_ONE_(k, b, f, c, s, d);         \
  SY_REGISTER_1_(k, b, f, c, s, __VA_ARGS__)
#define SY_REGISTER_3_(k, b, f, c, s, d, ...) \
  SY_REGISTER_ONE_(k, b, f, c, s, d);         \
  SY_REGISTER_2_(k, b, f, c, s, __VA_ARGS__)
#define SY_REGISTER_4_(k, b, f, c, s, d, ...) \
  SY_REGISTER_ONE_(k, b, f, c, s, d);         \
  SY_REGISTER_3_(k, b, f, c, s, __VA_ARGS__)
#define SY_REGISTER_5_(k, b, f, c, s, d, ...) \
  SY_REGISTER_ONE_(k, b, f, c, s, d);         \
  SY_REGISTER_4_(k, b, f, c, s, __VA_ARGS__)
#define SY_REGISTER_6_(k, b, f, c, s, d, ...) \
  SY_REGISTER_ONE_(k, b, f, c, s, d);         \
  SY_REGISTER_5_(k, b, f, c, s, __VA_ARGS__)
#define SY_REGISTER_7_(k, b, f, c, s, d, ...) \
  SY_REGISTER_ONE_(k, b, f, c, s, d);         \
  SY_REGISTER_6_(k, b, f, c, s, __VA_ARGS__)
#define SY_REGISTER_8_(k, b, f, c, s, d, ...) \
  SY_REGISTER_ONE_(k, b, f, c, s, d);         \
  SY_REGISTER_7_(k, b, f, c, s, __VA_ARGS__)
#define SY_REGISTER_9_(k, b, f, c, s, d, ...) \
  SY_REGISTER_ONE_(k, b, f, c, s, d);         \
  SY_REGISTER_8_(k, b, f, c, s, __VA_ARGS__)
#define SY_REGISTER_10_(k, b, f, c, s, d, ...) \
  SY_REGISTER_ONE_(k, b, f, c, s, d);          \
  SY_REGISTER_9_(k, b, f, c, s, __VA_ARGS__)
#define SY_REGISTER_SELECT_(a, b, c, d, e, f, g, h, i, j, name, ...) name

#define SY_REGISTER_KERNEL(kernel, backend, function, Context, spec, ...) \
  SY_REGISTER_SELECT_(__VA_ARGS__, SY_REGISTER_10_, SY_REGISTER_9_,       \
                      SY_REGISTER_8_, SY_REGISTER_7_, SY_REGISTER_6_,     \
                      SY_REGISTER_5_, SY_REGISTER_4_, SY_REGISTER_3_,     \
                      SY_REGISTER_2_, SY_REGISTER_1_, )                   \
  (kernel, backend, function, Context, spec, __VA_ARGS__)

#endif  // SWITCHYARD_PHI_CORE_REGISTER_KERNEL_H_
