// SPDX-License-Identifier: Apache-2.0
// FlatInputs: the tensors of a call with Tensor[] arguments, laid flat by slot
// as phi::Slots describes them. Calls without lists need none of it: their
// pointers are a plain array. What comes back is in phi/api/flat_results.h.
#ifndef SWITCHYARD_PHI_API_FLAT_INPUTS_H_
#define SWITCHYARD_PHI_API_FLAT_INPUTS_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::api {

// T is what the callee's pointers point to: TensorBase, eager::Tensor. The
// tensors are borrowed.
template <typename T>
class FlatInputs {
 public:
  // An argument is a tensor, a std::optional of one (null if absent), a span of
  // tensors or a span of pointers.
  template <typename... A>
  explicit FlatInputs(const A&... arguments) {
    begins_.push_back(0);
    (Add(arguments), ...);
  }

  absl::Span<const T* const> tensors() const { return tensors_; }
  Slots slots() const {
    return Slots(begins_.data(), static_cast<int>(begins_.size()) - 1);
  }

  // ArgumentError if there are more tensors than slots can count.
  absl::Status Check() const {
    constexpr size_t kMost = std::numeric_limits<uint16_t>::max();
    if (tensors_.size() <= kMost) return absl::OkStatus();
    return ArgumentError("tensors", absl::StrCat("at most ", kMost),
                         absl::StrCat(tensors_.size()));
  }

 private:
  template <typename U>
  void Add(const U& tensor) {
    tensors_.push_back(&tensor);
    EndArgument();
  }
  template <typename U>
  void Add(const std::optional<U>& tensor) {
    tensors_.push_back(tensor.has_value() ? &*tensor : nullptr);
    EndArgument();
  }
  template <typename U>
  void Add(const absl::Span<const U>& tensors) {
    for (const U& tensor : tensors) tensors_.push_back(&tensor);
    EndArgument();
  }
  template <typename U>
  void Add(const absl::Span<const U* const>& tensors) {
    for (const U* tensor : tensors) tensors_.push_back(tensor);
    EndArgument();
  }
  void EndArgument() {
    begins_.push_back(static_cast<uint16_t>(tensors_.size()));
  }

  absl::InlinedVector<const T*, 8> tensors_;
  absl::InlinedVector<uint16_t, 8> begins_;
};

}  // namespace switchyard::phi::api

#endif  // SWITCHYARD_PHI_API_FLAT_INPUTS_H_
