// SPDX-License-Identifier: Apache-2.0
// device_sim: a device of its own memory and streams that every machine has,
// for tests (testonly). It proves that code which moves tensors, calls kernels
// or reads results goes through the record of the device and never touches its
// memory: the host can't (sim_memory.h). Its kernels are CPU kernels that run
// on a stream's worker (phi/kernels/sim/sim_kernel.h).
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_DEVICE_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_DEVICE_H_

#include "framework/device/device_context.h"
#include "framework/device/device_info.h"
#include "framework/device/sim/sim_stream.h"
#include "framework/device/stream.h"

namespace switchyard {

// The process has two of them.
inline constexpr int kSimDevices = 2;

extern const DeviceInfo device_sim;

// Returns the place of a simulated device.
Place SimPlace(int index = 0);

// Holds what the kernels of `sim` compute with: the device's memory. Their work
// goes to the current stream of the thread that calls them.
class SimContext final : public DeviceContext {
 public:
  static const ContextProvider kContexts;

  explicit SimContext(Place place);
};

// Returns the SimStream of a stream of a simulated device.
SimStream& SimStreamOf(const Stream& stream);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_DEVICE_H_
