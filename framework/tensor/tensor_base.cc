// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/tensor_base.h"

namespace switchyard {

std::string_view Name(TensorKind kind) {
  switch (kind) {
    case TensorKind::kDense:
      return "dense";
    case TensorKind::kSelectedRows:
      return "selected_rows";
    case TensorKind::kSparseCoo:
      return "sparse_coo";
    case TensorKind::kSparseCsr:
      return "sparse_csr";
  }
  return "?";
}

}  // namespace switchyard
