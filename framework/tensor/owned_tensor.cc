// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/owned_tensor.h"

#include <type_traits>

#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "framework/tensor/sparse.h"
#include "framework/tensor/string_tensor.h"
#include "framework/tensor/tensor_array.h"

namespace switchyard {
namespace {

// Calls visit(static_cast<T*>(nullptr)) with the class T of tensors of `kind`.
template <typename Visit>
auto VisitKind(TensorKind kind, const Visit& visit) {
  switch (kind) {
    case TensorKind::kDense:
      break;
    case TensorKind::kSelectedRows:
      return visit(static_cast<SelectedRows*>(nullptr));
    case TensorKind::kSparseCoo:
      return visit(static_cast<SparseCooTensor*>(nullptr));
    case TensorKind::kSparseCsr:
      return visit(static_cast<SparseCsrTensor*>(nullptr));
    case TensorKind::kTensorArray:
      return visit(static_cast<TensorArray*>(nullptr));
    case TensorKind::kStrings:
      return visit(static_cast<StringTensor*>(nullptr));
  }
  return visit(static_cast<DenseTensor*>(nullptr));
}

}  // namespace

void TensorDeleter::operator()(TensorBase* tensor) const {
  VisitKind(tensor->kind(), [tensor](auto* kind) {
    delete static_cast<decltype(kind)>(tensor);
  });
}

OwnedTensor NewTensor(TensorKind kind) {
  return VisitKind(kind, [](auto* of_kind) {
    using T = std::remove_pointer_t<decltype(of_kind)>;
    return OwnedTensor(new T);
  });
}

void ResetTensor(TensorBase* tensor) {
  VisitKind(tensor->kind(), [tensor](auto* kind) {
    using T = std::remove_pointer_t<decltype(kind)>;
    *static_cast<T*>(tensor) = T();
  });
}

void AssignTensor(const TensorBase& from, TensorBase* to) {
  VisitKind(to->kind(), [&from, to](auto* kind) {
    using T = std::remove_pointer_t<decltype(kind)>;
    *static_cast<T*>(to) = static_cast<const T&>(from);
  });
}

OwnedTensor CopyTensor(const TensorBase& tensor) {
  return VisitKind(tensor.kind(), [&tensor](auto* kind) {
    using T = std::remove_pointer_t<decltype(kind)>;
    return OwnedTensor(new T(static_cast<const T&>(tensor)));
  });
}

}  // namespace switchyard
