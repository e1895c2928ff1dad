// SPDX-License-Identifier: Apache-2.0
#include "framework/types/tensor_kind.h"

namespace switchyard {
namespace {

// In the order of the enum.
constexpr std::string_view kNames[] = {"dense",        "selected_rows",
                                       "sparse_coo",   "sparse_csr",
                                       "tensor_array", "strings"};

}  // namespace

std::string_view Name(TensorKind kind) {
  return kNames[static_cast<int>(kind)];
}

std::optional<TensorKind> ParseTensorKind(std::string_view name) {
  uint8_t index = 0;
  for (std::string_view known : kNames) {
    if (known == name) return static_cast<TensorKind>(index);
    ++index;
  }
  return std::nullopt;
}

}  // namespace switchyard
