// SPDX-License-Identifier: Apache-2.0
#include "phi/core/table_parts.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "framework/device/cpu/cpu_device.h"
#include "phi/core/backend_set.h"

namespace switchyard::phi {

void AddBackends(absl::Span<const KernelDef* const> kernels,
                 std::vector<const BackendInfo*>* backends) {
  const auto below = [](const BackendInfo* a, const BackendInfo* b) {
    return RanksBelow(*a, *b);
  };
  // The host is always there: results are copied to it.
  RegisterDevice(device_cpu).IgnoreError();
  for (const KernelDef* kernel : kernels) {
    const BackendInfo* backend = kernel->key.backend;
    if (std::find(backends->begin(), backends->end(), backend) !=
        backends->end()) {
      continue;
    }
    BackendNumber(*backend);
    backends->insert(
        std::upper_bound(backends->begin(), backends->end(), backend, below),
        backend);
  }
}

absl::Status CheckBackends(absl::Span<const BackendInfo* const> backends) {
  for (size_t i = 0; i < backends.size(); ++i) {
    const std::string_view name = backends[i]->name;
    for (size_t k = 0; k < i; ++k) {
      if (backends[k]->name != name) continue;
      return absl::AlreadyExistsError(
          absl::StrCat("kernel table: backends must have names of their own, "
                       "got two that are named ",
                       backends[i]->name));
    }
    SY_RETURN_IF_ERROR(Annotate(RegisterDevice(*backends[i]->device).status(),
                                "kernel table"));
    if (BackendNumber(*backends[i]) < 0) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "kernel table: a process must have at most ", kMaxBackends,
          " backends, got one more with ", backends[i]->name));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDistinct(absl::Span<const KernelDef* const> kernels) {
  const auto identity = [](const KernelDef* def) {
    return std::make_tuple(static_cast<int>(def->key.dtype), def->key.backend,
                           static_cast<int>(def->key.layout),
                           static_cast<int>(def->origin),
                           std::string_view(def->kernel));
  };
  std::vector<const KernelDef*> sorted(kernels.begin(), kernels.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const KernelDef* a, const KernelDef* b) {
                     return identity(a) < identity(b);
                   });
  for (size_t i = 1; i < sorted.size(); ++i) {
    const KernelDef& a = *sorted[i - 1];
    const KernelDef& b = *sorted[i];
    if (identity(&a) != identity(&b)) continue;
    return absl::AlreadyExistsError(absl::StrCat(
        a.op, ": kernel ", a.kernel, " for ", a.key.backend->name, " ",
        std::string(Name(a.key.dtype)), " must be registered once, got ",
        a.file, ":", a.line, " and ", b.file, ":", b.line));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi
