// SPDX-License-Identifier: Apache-2.0
#include "eager/call/choose_kernels.h"

#include "phi/core/added_kernels.h"
#include "phi/core/composed_meta.h"

namespace switchyard::eager {

ChosenKernels ChooseOrCompose(const EagerOp& op, bool inplace,
                              bool needs_grad) {
  constexpr ChosenKernels kComposite = {nullptr, nullptr};
  const bool alone = op.slot == nullptr;
  const phi::OpKernels* const kernels =
      alone ? phi::AddedKernels(*op.info) : &op.slot->Get();
  if (kernels == nullptr) return kComposite;
  // The kernel's result would have no gradient; the composite's has.
  if (needs_grad && op.grad == nullptr) return kComposite;
  if (!alone) return {kernels, op.info};
  const phi::OpInfo* const info =
      inplace ? nullptr : phi::WithInferMeta(*op.info);
  return info == nullptr ? kComposite : ChosenKernels{kernels, info};
}

}  // namespace switchyard::eager
