// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/beside_composite.h"

namespace switchyard::phi::selection {

const OpKernels* BesideComposite(const static_graph::DialectOp* record,
                                 const OpKernels* op_kernels) {
  const bool both = record != nullptr && record->composite != nullptr &&
                    record->info->has_infer_meta() && op_kernels != nullptr &&
                    op_kernels->composite != nullptr;
  return both ? op_kernels : nullptr;
}

}  // namespace switchyard::phi::selection
