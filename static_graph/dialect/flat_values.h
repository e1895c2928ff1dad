// SPDX-License-Identifier: Apache-2.0
// FlatValues: the values of a call laid flat by slot, as phi::Slots describes
// them: lists one after another, an absent optional argument as a null value.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_FLAT_VALUES_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_FLAT_VALUES_H_

#include <cstdint>
#include <limits>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/op_info.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

class FlatValues {
 public:
  // An argument is an ir::Value or a span of them.
  template <typename... A>
  explicit FlatValues(const A&... arguments) {
    begins_.push_back(0);
    (Add(arguments), ...);
  }

  absl::Span<const ir::Value> tensors() const { return values_; }
  phi::Slots slots() const {
    return phi::Slots(begins_.data(), static_cast<int>(begins_.size()) - 1);
  }

  // ArgumentError if there are more values than slots can count.
  absl::Status Check() const {
    constexpr size_t kMost = std::numeric_limits<uint16_t>::max();
    if (values_.size() <= kMost) return absl::OkStatus();
    return ArgumentError("tensors", absl::StrCat("at most ", kMost),
                         absl::StrCat(values_.size()));
  }

 private:
  void Add(ir::Value value) {
    values_.push_back(value);
    EndArgument();
  }
  void Add(absl::Span<const ir::Value> values) {
    values_.insert(values_.end(), values.begin(), values.end());
    EndArgument();
  }
  void EndArgument() {
    begins_.push_back(static_cast<uint16_t>(values_.size()));
  }

  absl::InlinedVector<ir::Value, 8> values_;
  absl::InlinedVector<uint16_t, 8> begins_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_FLAT_VALUES_H_
