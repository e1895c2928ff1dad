// SPDX-License-Identifier: Apache-2.0
// A plugin for load_plugin_test.cc whose functions throw: through the classes
// of plugin_cc.h, and past them.
#include <new>
#include <stdexcept>

#include "phi/capi/plugin_cc.h"

namespace {

using sy::plugin::Call;
using sy::plugin::Kernel;
using sy::plugin::Registry;
using sy::plugin::Run;

void Throws(Call&) { throw std::out_of_range("beyond the end"); }

void ThrowsACode(Call&) {
  throw sy::plugin::Error(SY_INVALID_ARGUMENT, "x is too red");
}

void OutOfMemory(Call&) { throw std::bad_alloc(); }

SyCode ThrowsThrough(SyCall*) { throw std::runtime_error("past the classes"); }

SyCode ThrowsANumber(SyCall*) { throw 7; }

void AddAll(Registry& registry) {
  registry.AddBackend({"throwing", 260});
  registry.Add(Kernel("exp", "throwing", "float32", Run<&Throws>));
  registry.Add(Kernel("exp", "throwing", "float64", Run<&ThrowsACode>));
  registry.Add(Kernel("relu", "throwing", "float32", &ThrowsThrough));
  registry.Add(Kernel("relu", "throwing", "float64", &ThrowsANumber));
  registry.Add(Kernel("gelu", "throwing", "float32", Run<&OutOfMemory>));
#ifdef WHILE_REGISTERING
  throw std::runtime_error("the driver is too old");
#endif
}

}  // namespace

SY_PLUGIN("throwing", "0.1", AddAll)
