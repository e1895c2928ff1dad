// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/load_plugin.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/file.h"
#include "phi/capi/registration.h"
#include "phi/capi/shared_library.h"
#include "phi/core/digests/kernel_digests.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/op_table.h"

namespace switchyard::phi::capi {
namespace {

// Held while a plugin is loaded: names are checked before they are added.
std::mutex load_mutex;

// Guarded by load_mutex, and never destroyed: tables refer to the records.
std::vector<const PluginRecords*>& Loaded() {
  static auto* const loaded = new std::vector<const PluginRecords*>();
  return *loaded;
}

// The file's own path: the loader knows a library by it, and would search for
// a bare name elsewhere.
absl::StatusOr<std::string> RealPath(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(
      realpath(path.c_str(), nullptr), &std::free);
  if (real == nullptr) return absl::NotFoundError("there is no such file");
  return std::string(real.get());
}

// The devices of the plugins in force, which have the first slots.
int NumDevices() {
  int count = 0;
  for (const PluginRecords* plugin : Loaded()) {
    count += plugin->device_slot >= 0;
  }
  return count;
}

// Opens the library and reads its registrations. Changes nothing of the process
// except that the library is open.
absl::StatusOr<const PluginRecords*> LoadLocked(
    const std::string& path, absl::Span<const OpInfo* const> operators,
    OperatorLayers layers) {
  SY_ASSIGN_OR_RETURN(const std::string real, RealPath(path));
  SY_RETURN_IF_ERROR(CheckSharedLibrary(real));
  SY_ASSIGN_OR_RETURN(SharedLibrary library, SharedLibrary::Open(real));
  const auto* const plugin =
      static_cast<const SyPlugin*>(library.Find("sy_plugin"));
  if (plugin == nullptr) {
    return absl::InvalidArgumentError(
        "the library must export the symbol sy_plugin, and does not");
  }
  SY_RETURN_IF_ERROR(CheckPlugin(*plugin));
  for (const PluginRecords* other : Loaded()) {
    if (other->name != plugin->name) continue;
    return absl::AlreadyExistsError(absl::StrCat(
        "a plugin named ", other->name, " is loaded, from ", other->path));
  }
  SY_ASSIGN_OR_RETURN(std::unique_ptr<PluginRecords> records,
                      Register(*plugin, real, operators,
                               KernelTables::Current(), NumDevices()));
  if (!records->operators.empty()) {
    if (layers == nullptr) {
      return absl::UnimplementedError(
          "it brings operators, and this program takes kernels alone");
    }
    SY_RETURN_IF_ERROR(layers(&records->operators));
  }
  std::vector<AddedOp> added;
  std::vector<OpSlot*> slots;
  for (PluginOperator& op : records->operators) {
    added.push_back(op.added);
    if (op.slot.has_value()) slots.push_back(&*op.slot);
  }
  std::vector<const KernelDef*> kernels;
  for (const PluginKernel& kernel : records->kernels) {
    kernels.push_back(&kernel);
  }
  SY_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(real));
  const uint64_t digest = DigestOf(bytes);
  // Nothing fails once the table is in force.
  Loaded().reserve(Loaded().size() + 1);
  // Numbers of backends that a refused table has taken refer to the records.
  const PluginRecords* const kept = records.release();
  SY_RETURN_IF_ERROR(OpTable::Current().AddAll(added, kernels, slots));
  Loaded().push_back(kept);
  SetLibraryDigest(kernels, digest);
  library.Keep();
  return kept;
}

}  // namespace

absl::StatusOr<const PluginRecords*> LoadPlugin(
    const std::string& path, absl::Span<const OpInfo* const> operators,
    OperatorLayers layers) {
  const std::lock_guard<std::mutex> lock(load_mutex);
  auto loaded = LoadLocked(path, operators, layers);
  if (loaded.ok()) return loaded;
  return Annotate(loaded.status(), absl::StrCat("plugin ", path));
}

std::vector<const PluginRecords*> LoadedPlugins() {
  const std::lock_guard<std::mutex> lock(load_mutex);
  return Loaded();
}

}  // namespace switchyard::phi::capi
