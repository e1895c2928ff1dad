// SPDX-License-Identifier: Apache-2.0
// Registration of kernels as constant data.
//
// A kernel of backend `cpu` is a template on the dtype's C++ type, with a spec
// (phi/core/kernel_spec.h) above it, in namespace
// switchyard::phi::kernels::cpu:
//   template <typename S>
//   inline constexpr auto kSoftmaxSpec =
//       KernelSpec<S>().When(RankAtLeast(S::kX, 1));
//   template <typename T>
//   absl::Status SoftmaxKernel(const CpuContext& context, const DenseTensor& x,
//                              int axis, DenseTensor* out);
// ops_gen registers it for the dtypes that `kernels:` promises in YAML, in
// namespace switchyard::phi:
//   SY_REGISTER_KERNEL(softmax, Softmax, cpu, CpuContext, float32);
// A backend of another workspace writes that line itself, and has its
// `backend_<name>` (framework/device/backend.h) in that namespace or in
// switchyard. This defines `extern const KernelDef kernel_softmax_cpu_float32`.
// The generated SoftmaxSignature (phi/core/signatures) holds the kernel's C++
// type: a kernel of another type does not compile, and the message says which
// parameter differs.
#ifndef SWITCHYARD_PHI_CORE_REGISTER_KERNEL_H_
#define SWITCHYARD_PHI_CORE_REGISTER_KERNEL_H_

#include "phi/core/kernel_def.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/kernel_thunk.h"

namespace switchyard::phi {

// The C++ type and the enumerator of a dtype's name in a registration.
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
SY_DATA_TYPE_ALIAS(complex64, ::std::complex<float>)
SY_DATA_TYPE_ALIAS(complex128, ::std::complex<double>)
SY_DATA_TYPE_ALIAS(string, ::std::string)
SY_DATA_TYPE_ALIAS(uint16, uint16_t)
SY_DATA_TYPE_ALIAS(uint32, uint32_t)
SY_DATA_TYPE_ALIAS(uint64, uint64_t)
#undef SY_DATA_TYPE_ALIAS
#define SY_STORAGE_TYPE_ALIAS(name, enumerator)                 \
  using ctype_##name = StorageElement<DataType::k##enumerator>; \
  inline constexpr DataType dtype_##name = DataType::k##enumerator;
SY_STORAGE_TYPE_ALIAS(float8_e4m3fn, Float8E4M3FN)
SY_STORAGE_TYPE_ALIAS(float8_e4m3fnuz, Float8E4M3FNUZ)
SY_STORAGE_TYPE_ALIAS(float8_e5m2, Float8E5M2)
SY_STORAGE_TYPE_ALIAS(float8_e5m2fnuz, Float8E5M2FNUZ)
SY_STORAGE_TYPE_ALIAS(float8_e8m0fnu, Float8E8M0FNU)
SY_STORAGE_TYPE_ALIAS(float4_e2m1fn, Float4E2M1FN)
SY_STORAGE_TYPE_ALIAS(int4, Int4)
SY_STORAGE_TYPE_ALIAS(uint4, UInt4)
SY_STORAGE_TYPE_ALIAS(int2, Int2)
SY_STORAGE_TYPE_ALIAS(uint2, UInt2)
#undef SY_STORAGE_TYPE_ALIAS

// Returns the record of a kernel whose thunk is Entry::Thunk. `spec` is a
// KernelSpec or SpecByDtype of static storage.
template <typename Entry, typename Spec>
constexpr KernelDef MakeKernelDef(const char* kernel, KernelKey key,
                                  const Spec& specs) {
  const auto& spec = specs.For(key.dtype);
  KernelDef def{};
  def.op = Spec::Signature::kOp;
  def.kernel = kernel;
  def.key = key;
  def.key.layout = spec.layout_class;
  def.thread_invariant = spec.thread_invariant;
  def.empty_ok = spec.empty_ok;
  def.keeps_layout = spec.keeps_layout;
  def.inputs = {spec.inputs.data(), spec.inputs.size()};
  def.outputs = {spec.outputs.data(), spec.outputs.size()};
  def.conditions = {spec.conditions.data(), spec.conditions.size()};
  def.layouts = spec.layouts;
  def.thunk = &Entry::Thunk;
  def.file = spec.file;
  def.line = spec.line;
  return def;
}

}  // namespace switchyard::phi

// `kernel` is the kernel's name in YAML and `Name` the same in camel case.
#define SY_REGISTER_KERNEL(kernel, Name, backend, Context, dtype)             \
  extern const ::switchyard::phi::KernelDef                                   \
      kernel_##kernel##_##backend##_##dtype;                                  \
  constexpr ::switchyard::phi::KernelDef                                      \
      kernel_##kernel##_##backend##_##dtype =                                 \
          ::switchyard::phi::MakeKernelDef<::switchyard::phi::KernelThunkFor< \
              ::switchyard::phi::kernels::backend::Name##Kernel<              \
                  ::switchyard::phi::ctype_##dtype>,                          \
              ::switchyard::Context, ::switchyard::phi::Name##Signature>>(    \
              #kernel,                                                        \
              {&backend_##backend, ::switchyard::DataLayout::kStrided,        \
               ::switchyard::phi::dtype_##dtype},                             \
              ::switchyard::phi::kernels::backend::k##Name##Spec<             \
                  ::switchyard::phi::Name##Signature>)

#endif  // SWITCHYARD_PHI_CORE_REGISTER_KERNEL_H_
