// SPDX-License-Identifier: Apache-2.0
// The functions of gloo_api.h over GlooLink.
#include "framework/collective/gloo_api.h"

#include <chrono>
#include <exception>
#include <string>

#include "framework/collective/gloo_link.h"

namespace switchyard::collective {
namespace {

void* OpenLink(int rank, int size, const char* host, int64_t patience_ms,
               GlooError* error) {
  try {
    return new GlooLink(rank, size, host,
                        std::chrono::milliseconds(patience_ms));
  } catch (const std::exception& thrown) {
    Say(error, thrown.what());
    return nullptr;
  }
}

size_t AddressOf(void* link, const char** bytes) {
  const std::string& address = static_cast<GlooLink*>(link)->address();
  *bytes = address.data();
  return address.size();
}

int ConnectLink(void* link, const char* const* addresses, GlooError* error) {
  try {
    static_cast<GlooLink*>(link)->Connect(addresses);
    return 0;
  } catch (const std::exception& thrown) {
    Say(error, thrown.what());
    return -1;
  }
}

void* StartMessage(void* link, int peer, uint32_t tag, void* data, size_t size,
                   bool receives, GlooError* error) {
  try {
    return static_cast<GlooLink*>(link)->Start(peer, tag, data, size, receives);
  } catch (const std::exception& thrown) {
    Say(error, WordsOf(thrown.what()));
    return nullptr;
  }
}

void* StartSum(void* link, bool is_double, void* data, size_t count,
               GlooError* error) {
  try {
    return static_cast<GlooLink*>(link)->StartSum(is_double, data, count);
  } catch (const std::exception& thrown) {
    Say(error, WordsOf(thrown.what()));
    return nullptr;
  }
}

int TestMessage(void* link, void* request, GlooError* error) {
  return static_cast<GlooLink*>(link)->Test(
      static_cast<GlooLink::Request*>(request), error);
}

void CancelMessage(void* link, void* request) {
  static_cast<GlooLink*>(link)->Cancel(
      static_cast<GlooLink::Request*>(request));
}

void WaitForMessage(void* link, int microseconds) {
  static_cast<GlooLink*>(link)->Wait(microseconds);
}

void CloseLink(void* link) { delete static_cast<GlooLink*>(link); }

constexpr GlooApi kApi = {
    &OpenLink,    &AddressOf,     &ConnectLink,    &StartMessage, &StartSum,
    &TestMessage, &CancelMessage, &WaitForMessage, &CloseLink,
};

}  // namespace
}  // namespace switchyard::collective

extern "C" __attribute__((visibility("default")))
const switchyard::collective::GlooApi*
SwitchyardGlooApi() {
  return &switchyard::collective::kApi;
}
