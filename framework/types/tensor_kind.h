// SPDX-License-Identifier: Apache-2.0
// TensorKind: how a tensor holds its elements. The tensors themselves are in
// framework/tensor; the IR names kinds without them.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_TENSOR_KIND_H_
#define SWITCHYARD_FRAMEWORK_TYPES_TENSOR_KIND_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace switchyard {

// How a tensor holds its elements.
enum class TensorKind : uint8_t {
  kDense,
  kSelectedRows,
  kSparseCoo,
  kSparseCsr,
  kTensorArray,
  kStrings
};

// Returns the YAML's word: "dense", "selected_rows", "sparse_coo",
// "sparse_csr", "tensor_array", "strings".
std::string_view Name(TensorKind kind);

// Inverts Name(); returns nullopt for other text.
std::optional<TensorKind> ParseTensorKind(std::string_view name);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_TENSOR_KIND_H_
