// SPDX-License-Identifier: Apache-2.0
// Names of KernelOrigin (phi/core/kernel_def.h), where a kernel comes from: for
// texts, symbols and policies. Nothing else depends on it.
#ifndef SWITCHYARD_PHI_CORE_KERNEL_ORIGIN_H_
#define SWITCHYARD_PHI_CORE_KERNEL_ORIGIN_H_

#include <optional>
#include <string_view>

#include "phi/core/kernel_def.h"

namespace switchyard::phi {

// The names of one origin: alone, before a backend in a sentence, between the
// parts of a symbol, and among the preferences of a policy.
struct OriginNames {
  KernelOrigin origin;
  const char* name;
  const char* before_backend;
  const char* in_symbol;
  const char* preferred;
};

inline constexpr OriginNames kOriginNames[] = {
    {KernelOrigin::kPhi, "phi", "", "_", "phi"},
    {KernelOrigin::kFluid, "fluid", "fluid ", "_fluid_", "legacy"}};

constexpr const OriginNames& NamesOf(KernelOrigin origin) {
  return kOriginNames[static_cast<int>(origin)];
}

// Returns nullopt for another text than a `name` above.
inline std::optional<KernelOrigin> ParseOrigin(std::string_view name) {
  for (const OriginNames& names : kOriginNames) {
    if (name == names.name) return names.origin;
  }
  return std::nullopt;
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_KERNEL_ORIGIN_H_
