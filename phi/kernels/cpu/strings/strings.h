// SPDX-License-Identifier: Apache-2.0
// Kernels of tensors of texts on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_STRINGS_STRINGS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_STRINGS_STRINGS_H_

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/counted_texts.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/string_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/strings/letter_case.h"
#include "phi/kernels/cpu/strings/text_number.h"
#include "phi/kernels/cpu/strings/whole_tensors.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kStringsEmptySpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status StringsEmptyKernel(const CpuContext&,
                                absl::Span<const int64_t> extents,
                                StringTensor* out) {
  Shape shape;
  for (const int64_t extent : extents) shape.push_back(Dim(extent));
  SY_ASSIGN_OR_RETURN(*out, CountedTexts(shape, std::vector<T>(shape.numel())));
  return absl::OkStatus();
}

// Both cases.
inline absl::Status ChangeCase(const StringTensor& x, bool utf8,
                               LetterCase letter_case, StringTensor* out) {
  std::vector<std::string> texts;
  texts.reserve(x.elements().size());
  for (const std::string& text : x.elements()) {
    if (!utf8) {
      texts.push_back(WithAsciiCase(text, letter_case));
      continue;
    }
    SY_ASSIGN_OR_RETURN(std::string changed, WithUtf8Case(text, letter_case));
    texts.push_back(std::move(changed));
  }
  SY_ASSIGN_OR_RETURN(*out, CountedTexts(x.shape(), std::move(texts)));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kStringsLowerSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status StringsLowerKernel(const CpuContext&, const StringTensor& x,
                                bool use_utf8_encoding, StringTensor* out) {
  return ChangeCase(x, use_utf8_encoding, LetterCase::kLower, out);
}

template <typename S>
inline constexpr auto kStringsUpperSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status StringsUpperKernel(const CpuContext&, const StringTensor& x,
                                bool use_utf8_encoding, StringTensor* out) {
  return ChangeCase(x, use_utf8_encoding, LetterCase::kUpper, out);
}

template <typename S>
inline constexpr auto kStringsFromNumberSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status StringsFromNumberKernel(const CpuContext&, const DenseTensor& x,
                                     StringTensor* out) {
  const absl::Span<const T> numbers(x.data<T>(),
                                    static_cast<size_t>(x.numel()));
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const T number : numbers) {
    if constexpr (std::is_integral_v<T>) {
      texts.push_back(TextOfNumber(static_cast<int64_t>(number)));
    } else if constexpr (std::is_same_v<T, double>) {
      texts.push_back(TextOfNumber(number));
    } else {
      texts.push_back(TextOfNumber(static_cast<float>(number)));
    }
  }
  SY_ASSIGN_OR_RETURN(*out, CountedTexts(x.shape(), std::move(texts)));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kStringsToNumberSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(AnyDtype()));
template <typename T>
absl::Status StringsToNumberKernel(const CpuContext& context,
                                   const StringTensor& x, DataType dtype,
                                   DenseTensor* out) {
  SY_RETURN_IF_ERROR(AllocateOutput(context, dtype, x.shape(), out));
  return ReadNumbers(x, out);
}

template <typename S>
inline constexpr auto kStringsNormalizeSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status StringsNormalizeKernel(const CpuContext&, const StringTensor& x,
                                    absl::Span<const std::string> stopwords,
                                    std::string_view case_change,
                                    bool case_sensitive, StringTensor* out) {
  return NormalizeTexts(x, stopwords, case_change, case_sensitive, out);
}

template <typename S>
inline constexpr auto kStringsConcatSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status StringsConcatKernel(const CpuContext&, const StringTensor& x,
                                 const StringTensor& y, StringTensor* out) {
  return ConcatTexts(x, y, out);
}

template <typename S>
inline constexpr auto kStringsTakeSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(Fixed(DataType::kString)));
template <typename T>
absl::Status StringsTakeKernel(const CpuContext&, const DenseTensor& x,
                               absl::Span<const std::string> texts,
                               StringTensor* out) {
  return TakeTexts(x, texts, out);
}

template <typename S>
inline constexpr auto kStringsFindSpec =
    KernelSpec<S>().Output(S::kOut, Fixed(DataType::kInt64));
template <typename T>
absl::Status StringsFindKernel(const CpuContext&, const StringTensor& x,
                               absl::Span<const std::string> texts,
                               DenseTensor* out) {
  FindTexts(x, texts, out->mutable_data<int64_t>());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kStringsFullMatchSpec =
    KernelSpec<S>().Output(S::kOut, Fixed(DataType::kBool));
template <typename T>
absl::Status StringsFullMatchKernel(const CpuContext&, const StringTensor& x,
                                    std::string_view pattern,
                                    DenseTensor* out) {
  return MatchTexts(x, pattern, out->mutable_data<bool>());
}

template <typename S>
inline constexpr auto kStringsSplitSpec = KernelSpec<S>()
                                              .Output(S::kOut,
                                                      SelfAllocated(ArgDef()))
                                              .Output(S::kCounts,
                                                      Fixed(DataType::kInt64));
template <typename T>
absl::Status StringsSplitKernel(const CpuContext&, const StringTensor& x,
                                std::string_view delimiter, int64_t maxsplit,
                                StringTensor* out, DenseTensor* counts) {
  return SplitTexts(x, {delimiter, maxsplit}, out,
                    counts->mutable_data<int64_t>());
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_STRINGS_STRINGS_H_
