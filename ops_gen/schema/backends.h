// SPDX-License-Identifier: Apache-2.0
// The backends that ops_gen writes registrations for: those of this workspace.
// `kernels:` of an entry names them; backends of other workspaces register
// their kernels themselves (phi/core/register_kernel.h). What a backend is at
// run time is its BackendInfo (framework/device/backend.h).
#ifndef SWITCHYARD_OPS_GEN_SCHEMA_BACKENDS_H_
#define SWITCHYARD_OPS_GEN_SCHEMA_BACKENDS_H_

#include <string_view>

namespace switchyard::ops_gen {

// A backend whose registrations are generated from `kernels:`.
struct GeneratedBackend {
  const char* name;
  // The type of context that its kernels take.
  const char* context;
  // The kernels of a family have a folder of their own.
  bool folders;
  // Operators with `functor:` have one file for each header of functors.
  bool functors;
};

inline constexpr GeneratedBackend kReferenceBackend = {
    "reference", "ReferenceContext", true, false};
inline constexpr GeneratedBackend kCpuBackend = {"cpu", "CpuContext", true,
                                                 true};
inline constexpr GeneratedBackend kOnednnBackend = {"onednn", "OnednnContext",
                                                    false, false};
inline constexpr GeneratedBackend kGpuBackend = {"gpu", "GpuContext", false,
                                                 true};
inline constexpr GeneratedBackend kGpudnnBackend = {"gpudnn", "GpudnnContext",
                                                    false, false};

inline constexpr const GeneratedBackend* kGeneratedBackends[] = {
    &kReferenceBackend, &kCpuBackend, &kOnednnBackend, &kGpuBackend,
    &kGpudnnBackend};

constexpr bool IsGeneratedBackend(std::string_view name) {
  for (const GeneratedBackend* backend : kGeneratedBackends) {
    if (name == backend->name) return true;
  }
  return false;
}

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_SCHEMA_BACKENDS_H_
