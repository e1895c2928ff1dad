// SPDX-License-Identifier: Apache-2.0
// Policy: what selection may choose from, a plain value that the caller hands
// over. Who holds the current one: phi/dispatch/environment.h for eager calls,
// the lowering options for programs.
#ifndef SWITCHYARD_PHI_SELECTION_POLICY_H_
#define SWITCHYARD_PHI_SELECTION_POLICY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "framework/types/backend.h"
#include "framework/types/place.h"
#include "phi/core/kernel_def.h"

namespace switchyard::phi::selection {

struct Policy {
  // Only kernels of this form; nullopt: any.
  std::optional<Form> form;
  // Bit per Backend that may be chosen. The default leaves out `reference`,
  // which is an oracle for tests.
  uint32_t backends = ~(1u << static_cast<int>(Backend::kReference));
  // A CPU kernel may serve a call on another place, its tensors copied to and
  // fro. Each use leaves a receipt (phi/dispatch/receipts.h).
  bool allow_fallback = false;
  // With allow_fallback: a fallback is an error that says what was missing.
  bool strict = false;
  // Kernels whose bits depend on the number of threads are admitted.
  bool allow_thread_variant = false;
  // Inputs may be transformed. Off while a transform is selected itself.
  bool allow_transforms = true;

  friend bool operator==(const Policy& a, const Policy& b) {
    return a.form == b.form && a.backends == b.backends &&
           a.allow_fallback == b.allow_fallback && a.strict == b.strict &&
           a.allow_thread_variant == b.allow_thread_variant &&
           a.allow_transforms == b.allow_transforms;
  }

  static constexpr uint32_t Bit(Backend backend) {
    return 1u << static_cast<int>(backend);
  }
  // The oracle alone.
  static Policy ReferenceOnly() {
    Policy policy;
    policy.backends = Bit(Backend::kReference);
    return policy;
  }
  static Policy Only(Backend backend) {
    Policy policy;
    policy.backends = Bit(backend);
    return policy;
  }
  // What transforms themselves are selected under. They serve a kernel of any
  // form and backend, so the filters on those don't hold for them.
  Policy WithoutTransforms() const {
    Policy policy = *this;
    policy.form = std::nullopt;
    policy.backends |= Policy().backends;
    policy.allow_transforms = false;
    return policy;
  }
};

// Backends that serve a place, as a mask of Policy::Bit.
constexpr uint32_t BackendsOf(Place place) {
  return place.type == DeviceType::kCpu
             ? Policy::Bit(Backend::kReference) | Policy::Bit(Backend::kCpu) |
                   Policy::Bit(Backend::kOnednn)
             : Policy::Bit(Backend::kGpu) | Policy::Bit(Backend::kGpudnn);
}

// "phi", "fluid".
std::string_view Name(Form form);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_POLICY_H_
