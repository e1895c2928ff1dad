// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/registration.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/capi/host_call.h"
#include "phi/capi/plugin_call.h"
#include "phi/capi/registry.h"

namespace switchyard::phi::capi {
namespace {

// Returns the numbers of a device; an error says what is wrong with them.
absl::StatusOr<std::vector<SyProperty>> PropertiesOf(const SyDevice& device) {
  if (device.num_properties > kMaxDeviceProperties) {
    return RangeError("num_properties",
                      absl::StrCat("at most ", kMaxDeviceProperties),
                      absl::StrCat(device.num_properties));
  }
  std::vector<SyProperty> properties;
  const auto* next = reinterpret_cast<const char*>(device.properties);
  for (size_t i = 0; i < device.num_properties; ++i) {
    const auto* const property = reinterpret_cast<const SyProperty*>(next);
    SY_RETURN_IF_ERROR(CheckSize("SyProperty", property));
    SY_RETURN_IF_ERROR(
        CheckIdentifier("the name of a property", property->name));
    for (const SyProperty& other : properties) {
      if (std::string_view(other.name) != property->name) continue;
      return absl::AlreadyExistsError(absl::StrCat(
          "property ", other.name, " must be given once, got it twice"));
    }
    properties.push_back(*property);
    next += device.properties->struct_size;
  }
  return properties;
}

absl::Status AddDevice(SyRegistry& registry, const SyDevice* given) {
  SY_RETURN_IF_ERROR(
      CheckSize("SyDevice", given, offsetof(SyDevice, properties)));
  // Members that an earlier version does not have are null.
  SyDevice known = {};
  std::memcpy(&known, given, std::min(given->struct_size, sizeof(known)));
  const SyDevice* const device = &known;
  SY_RETURN_IF_ERROR(CheckIdentifier("the name of a device", device->name));
  const std::string about = absl::StrCat("device ", device->name);
  if (DeviceNumber(device->name) >= 0) {
    return absl::AlreadyExistsError(
        absl::StrCat(about, ": there is a device of this name"));
  }
  PluginRecords& records = *registry.records;
  if (records.device_slot >= 0) {
    return absl::UnimplementedError(
        absl::StrCat(about, ": a plugin must bring one device, got two"));
  }
  if (registry.device_slot >= kMaxPluginDevices) {
    return absl::ResourceExhaustedError(
        absl::StrCat(about, ": plugins must bring at most ", kMaxPluginDevices,
                     " devices, got one more"));
  }
  if (device->allocate == nullptr || device->deallocate == nullptr ||
      device->copy == nullptr || device->create_stream == nullptr ||
      device->destroy_stream == nullptr || device->record == nullptr ||
      device->destroy_event == nullptr || device->wait == nullptr ||
      device->reached == nullptr || device->join == nullptr) {
    return Annotate(ArgumentError("its functions", "given", "null"), about);
  }
  const absl::StatusOr<std::vector<SyProperty>> properties =
      PropertiesOf(*device);
  if (!properties.ok()) return Annotate(properties.status(), about);
  records.device = FillDeviceSlot(registry.device_slot, *device, *properties);
  records.device_slot = registry.device_slot;
  return absl::OkStatus();
}

absl::Status AddBackend(SyRegistry& registry, const SyBackend* backend) {
  SY_RETURN_IF_ERROR(CheckSize("SyBackend", backend));
  SY_RETURN_IF_ERROR(CheckIdentifier("the name of a backend", backend->name));
  const std::string about = absl::StrCat("backend ", backend->name);
  PluginRecords& records = *registry.records;
  const std::string_view on = backend->device == nullptr ? "" : backend->device;
  const bool own =
      records.device.info != nullptr && on == records.device.info->name;
  if (!own && on != device_cpu.name) {
    return Annotate(ArgumentError("device", "'cpu' or the plugin's own",
                                  Quoted(backend->device)),
                    about);
  }
  constexpr int kMaxRankOfBackend = std::numeric_limits<int16_t>::max();
  if (backend->rank < 0 || backend->rank > kMaxRankOfBackend) {
    return Annotate(
        ArgumentError("rank", absl::StrCat("in [0, ", kMaxRankOfBackend, "]"),
                      absl::StrCat(backend->rank)),
        about);
  }
  const bool twice = std::any_of(
      records.backends.begin(), records.backends.end(),
      [&](const PluginBackend& other) { return other.name == backend->name; });
  if (twice || registry.kernels->FindBackend(backend->name) != nullptr) {
    return absl::AlreadyExistsError(
        absl::StrCat(about, ": there is a backend of this name"));
  }
  records.backends.emplace_back();
  PluginBackend& added = records.backends.back();
  added.name = backend->name;
  added.info = {added.name.c_str(), own ? records.device.info : &device_cpu,
                static_cast<int16_t>(backend->rank), backend->by_default != 0,
                own ? records.device.contexts : &CpuContext::kContexts};
  const bool first = std::none_of(
      records.backends.begin(), records.backends.end(),
      [&](const PluginBackend& other) {
        return &other != &added && other.info.device == records.device.info;
      });
  if (own && first) AddCopies(registry, added);
  return absl::OkStatus();
}

// Keeps the first error, and returns the number of this one.
SyCode Report(SyRegistry* registry, absl::Status status) {
  const SyCode code = static_cast<SyCode>(status.code());
  if (registry->error.ok()) registry->error = std::move(status);
  return code;
}

const SyApi& Api();

SyCode AddDeviceFunction(SyRegistry* registry, const SyDevice* device) {
  return Report(registry,
                CatchAll([&] { return AddDevice(*registry, device); }));
}

SyCode AddBackendFunction(SyRegistry* registry, const SyBackend* backend) {
  return Report(registry,
                CatchAll([&] { return AddBackend(*registry, backend); }));
}

SyCode AddOperatorFunction(SyRegistry* registry, const SyOperator* op) {
  return Report(registry,
                CatchAll([&] { return AddOperator(*registry, op, &Api()); }));
}

SyCode AddKernelFunction(SyRegistry* registry, const SyKernel* kernel) {
  return Report(registry,
                CatchAll([&] { return AddKernel(*registry, kernel, &Api()); }));
}

SyCode FailRegistration(SyRegistry* registry, SyCode code,
                        const char* message) {
  Report(registry, StatusOf(code, message == nullptr ? "" : message));
  return code;
}

// Returns the functions that plugins may call. Never destroyed.
const SyApi& Api() {
  static const SyApi api = [] {
    SyApi made = {};
    made.struct_size = sizeof(SyApi);
    made.add_device = &AddDeviceFunction;
    made.add_backend = &AddBackendFunction;
    made.add_operator = &AddOperatorFunction;
    made.add_kernel = &AddKernelFunction;
    made.fail_registration = &FailRegistration;
    AddHostCallFunctions(&made);
    AddKernelFunctions(&made);
    AddOperatorFunctions(&made);
    return made;
  }();
  return api;
}

}  // namespace

absl::Status CheckPlugin(const SyPlugin& plugin) {
  // The version is read first: the other members depend on it.
  if (plugin.struct_size < offsetof(SyPlugin, name)) {
    return ArgumentError("SyPlugin.struct_size",
                         absl::StrCat("at least ", sizeof(SyPlugin)),
                         absl::StrCat(plugin.struct_size));
  }
  if (plugin.abi_major != SY_PLUGIN_ABI_MAJOR ||
      plugin.abi_minor > SY_PLUGIN_ABI_MINOR) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the version of its interface must be ", SY_PLUGIN_ABI_MAJOR, ".0 to ",
        SY_PLUGIN_ABI_MAJOR, ".", SY_PLUGIN_ABI_MINOR, ", got ",
        plugin.abi_major, ".", plugin.abi_minor));
  }
  SY_RETURN_IF_ERROR(CheckSize("SyPlugin", &plugin));
  SY_RETURN_IF_ERROR(CheckIdentifier("the name of a plugin", plugin.name));
  if (plugin.add_all == nullptr) {
    return ArgumentError("SyPlugin.add_all", "given", "null");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<PluginRecords>> Register(
    const SyPlugin& plugin, std::string path,
    absl::Span<const OpInfo* const> operators, const KernelTable& kernels,
    int device_slot) {
  auto records = std::make_unique<PluginRecords>();
  records->name = plugin.name;
  records->version = plugin.version == nullptr ? "" : plugin.version;
  records->path = std::move(path);
  records->abi_major = plugin.abi_major;
  records->abi_minor = plugin.abi_minor;
  SyRegistry registry = {operators, &kernels, records.get(), device_slot,
                         absl::OkStatus()};
  SyCode code = SY_OK;
  const absl::Status thrown = CatchAll([&] {
    code = plugin.add_all(&Api(), &registry);
    return absl::OkStatus();
  });
  SY_RETURN_IF_ERROR(registry.error);
  SY_RETURN_IF_ERROR(Annotate(thrown, "registering"));
  if (code != SY_OK) {
    return StatusOf(code, "registering failed and gave no reason");
  }
  return records;
}

}  // namespace switchyard::phi::capi
