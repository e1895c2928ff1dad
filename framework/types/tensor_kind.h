// SPDX-License-Identifier: Apache-2.0
// TensorKind: how a tensor holds its elements, with the YAML's word for it. The
// tensors themselves are in framework/tensor; the IR names kinds without them.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_TENSOR_KIND_H_
#define SWITCHYARD_FRAMEWORK_TYPES_TENSOR_KIND_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace switchyard {

enum class TensorKind : uint8_t {
  kDense,
  kSelectedRows,
  kSparseCoo,
  kSparseCsr
};

// "dense", "selected_rows", "sparse_coo", "sparse_csr".
std::string_view Name(TensorKind kind);

// The inverse of Name(); nullopt for other text.
std::optional<TensorKind> ParseTensorKind(std::string_view name);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_TENSOR_KIND_H_
