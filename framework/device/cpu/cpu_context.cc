// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"

namespace switchyard {
namespace {

template <typename Context>
DeviceContext& Current(Place) {
  thread_local Context context;
  return context;
}

template <typename Context>
std::unique_ptr<DeviceContext> Make(Place) {
  return std::make_unique<Context>();
}

}  // namespace

// Constant-initialised: KernelDefs point here before main.
const ContextProvider CpuContext::kContexts = {&Current<CpuContext>,
                                               &Make<CpuContext>};
const ContextProvider ReferenceContext::kContexts = {&Current<ReferenceContext>,
                                                     &Make<ReferenceContext>};

const BackendInfo backend_cpu = {"cpu", &device_cpu, 100, true,
                                 &CpuContext::kContexts};
const BackendInfo backend_reference = {"reference", &device_cpu, 0, false,
                                       &ReferenceContext::kContexts};

}  // namespace switchyard
