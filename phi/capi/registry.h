// SPDX-License-Identifier: Apache-2.0
// SyRegistry, which plugins register into and know only by name, and the checks
// that all records share. Others include phi/capi/registration.h.
#ifndef SWITCHYARD_PHI_CAPI_REGISTRY_H_
#define SWITCHYARD_PHI_CAPI_REGISTRY_H_

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/capi/identifier.h"
#include "phi/capi/plugin_records.h"
#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"

// The state that the functions of SyPlugin::add_all work on. Lives while it
// runs.
struct SyRegistry {
  absl::Span<const switchyard::phi::OpInfo* const> operators;
  const switchyard::phi::KernelTable* kernels;
  switchyard::phi::capi::PluginRecords* records;
  int device_slot;     // For a device.
  absl::Status error;  // The first.
};

namespace switchyard::phi::capi {

// Returns a text of a plugin in quotation marks, or "null".
inline std::string Quoted(const char* text) {
  return text == nullptr ? "null" : absl::StrCat("'", text, "'");
}

// ArgumentError unless the name is an identifier.
inline absl::Status CheckIdentifier(const char* argument, const char* name) {
  if (name != nullptr && IsIdentifier(name)) return absl::OkStatus();
  return ArgumentError(argument, "an identifier", Quoted(name));
}

// ArgumentError if a record is missing or smaller than that of version 1.0,
// which had `size` bytes.
template <typename Record>
absl::Status CheckSize(const char* what, const Record* record,
                       size_t size = sizeof(Record)) {
  if (record == nullptr) return ArgumentError(what, "given", "null");
  if (record->struct_size >= size) return absl::OkStatus();
  return ArgumentError(absl::StrCat(what, ".struct_size"),
                       absl::StrCat("at least ", size),
                       absl::StrCat(record->struct_size));
}

// Returns an operator of the process or of the plugin; null if there is none.
inline const OpInfo* FindOperator(const SyRegistry& registry,
                                  const char* name) {
  if (name == nullptr) return nullptr;
  for (const OpInfo* info : registry.operators) {
    if (std::string_view(info->name) == name) return info;
  }
  for (const PluginOperator& op : registry.records->operators) {
    if (std::string_view(op.name) == name) return &op;
  }
  return nullptr;
}

// Copy a plugin's registrations into the records. `api` is the table of
// functions for its calls.
absl::Status AddOperator(SyRegistry& registry, const SyOperator* given,
                         const SyApi* api);
absl::Status AddKernel(SyRegistry& registry, const SyKernel* given,
                       const SyApi* api);

// Adds kernels of `copy` between a device and the host for all dtypes: they
// move bytes by the device's own function. `backend` is the plugin's, on its
// device.
void AddCopies(SyRegistry& registry, const PluginBackend& backend);

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_REGISTRY_H_
