// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/gloo_transport.h"

#include <dlfcn.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/collective/gloo_api.h"

// A test that links gloo_link.cc needs no library.
#pragma weak SwitchyardGlooApi

namespace switchyard::collective {
namespace {

// The library lies beside the one that has this function.
std::string LibraryBeside() {
  Dl_info own;
  if (dladdr(reinterpret_cast<void*>(&LibraryBeside), &own) == 0) return "";
  const std::string path = own.dli_fname;
  return path.substr(0, path.rfind('/') + 1) + "_gloo.so";
}

absl::StatusOr<const GlooApi*> Open() {
  if (&SwitchyardGlooApi != nullptr) return SwitchyardGlooApi();
  void* const library = dlopen(LibraryBeside().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "transport gloo: Gloo could not be opened (", dlerror(),
        "); install the package libgloo0, with libgloo-dev where Switchyard is "
        "built, or choose the transport tcp"));
  }
  using Function = const GlooApi* (*)();
  const auto function =
      reinterpret_cast<Function>(dlsym(library, "SwitchyardGlooApi"));
  if (function == nullptr) {
    return absl::FailedPreconditionError(
        "transport gloo: _gloo.so is of another build");
  }
  return function();
}

struct Link {
  explicit Link(const GlooApi* functions) : api(functions) {}
  ~Link() {
    if (handle != nullptr) api->close(handle);
  }
  const GlooApi* const api;
  void* handle = nullptr;
};

absl::StatusOr<void*> Connect(const LinkOptions& options) {
  const GlooMedium& medium = *static_cast<const GlooMedium*>(options.medium);
  SY_ASSIGN_OR_RETURN(const GlooApi* const api, Open());
  auto link = std::make_unique<Link>(api);
  GlooError error;
  link->handle = api->open(options.rank, options.size, medium.host.c_str(),
                           medium.patience.count(), &error);
  if (link->handle == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "transport gloo: can't listen at ", medium.host, ": ", error.text));
  }
  const char* bytes = nullptr;
  const size_t size = api->address(link->handle, &bytes);
  SY_ASSIGN_OR_RETURN(const std::vector<std::string> all,
                      medium.exchange(std::string(bytes, size)));
  const size_t length = size / static_cast<size_t>(options.size);
  std::vector<const char*> places;
  for (const std::string& each : all) {
    if (each.size() != size) break;
    places.push_back(each.data() + length * static_cast<size_t>(options.rank));
  }
  if (places.size() != static_cast<size_t>(options.size)) {
    return absl::AbortedError(
        "init: the ranks have different versions of Gloo");
  }
  if (api->connect(link->handle, places.data(), &error) != 0) {
    return absl::AbortedError(
        absl::StrCat("init: rank ", options.rank,
                     " could not connect by Gloo: ", error.text));
  }
  return link.release();
}

absl::StatusOr<void*> Start(void* handle, int peer, uint32_t tag, void* data,
                            size_t size, bool receives) {
  const Link& link = *static_cast<Link*>(handle);
  GlooError error;
  void* const request =
      link.api->start(link.handle, peer, tag, data, size, receives, &error);
  if (request == nullptr) return absl::UnavailableError(error.text);
  return request;
}

absl::StatusOr<void*> ISend(void* handle, int peer, uint32_t tag,
                            const void* data, size_t size) {
  return Start(handle, peer, tag, const_cast<void*>(data), size, false);
}

absl::StatusOr<void*> IRecv(void* handle, int peer, uint32_t tag, void* data,
                            size_t size) {
  return Start(handle, peer, tag, data, size, true);
}

absl::StatusOr<bool> Test(void* handle, void* request) {
  const Link& link = *static_cast<Link*>(handle);
  GlooError error;
  const int state = link.api->test(link.handle, request, &error);
  if (state < 0) return absl::UnavailableError(error.text);
  return state == 1;
}

absl::StatusOr<void*> ISum(void* handle, Summand type, void* data,
                           size_t count) {
  const Link& link = *static_cast<Link*>(handle);
  GlooError error;
  void* const request =
      link.api->sum(link.handle, type == Summand::kDouble, data, count, &error);
  if (request == nullptr) return absl::UnavailableError(error.text);
  return request;
}

void Cancel(void* handle, void* request) {
  const Link& link = *static_cast<Link*>(handle);
  link.api->cancel(link.handle, request);
}

void Wait(void* handle, int microseconds) {
  const Link& link = *static_cast<Link*>(handle);
  link.api->wait(link.handle, microseconds);
}

void Close(void* handle, bool failed) {
  (void)failed;
  delete static_cast<Link*>(handle);
}

}  // namespace

const TransportInfo kGlooTransport = {
    "gloo", "libgloo0", &Connect, &ISend, &IRecv,
    &Test,  &Cancel,    &Wait,    &Close, &ISum,
};

}  // namespace switchyard::collective
