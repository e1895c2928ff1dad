// SPDX-License-Identifier: Apache-2.0
// device_sim: a device of its own memory and streams that every machine has,
// for tests (testonly). It proves that code which moves tensors, calls kernels
// or reads results asks the record of the device and never touches its memory:
// the host can't (sim_memory.h). Its kernels are CPU kernels that run on a
// stream's worker (phi/kernels/sim/sim_kernel.h).
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_DEVICE_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_DEVICE_H_

#include "framework/device/device_context.h"
#include "framework/device/device_info.h"
#include "framework/device/sim/sim_stream.h"

namespace switchyard {

// The process has two of them.
inline constexpr int kSimDevices = 2;

extern const DeviceInfo device_sim;

// Returns the place of a simulated device.
Place SimPlace(int index = 0);

// Holds what the kernels of `sim` compute with: a stream of the context's own,
// and the device's memory. Used by one thread at a time.
class SimContext final : public DeviceContext {
 public:
  // Contexts of threads live as long as these; their streams end with them.
  static const ContextProvider kContexts;

  explicit SimContext(Place place);
  ~SimContext() override;

  SimStream& stream() const { return *stream_; }

 private:
  std::unique_ptr<SimStream> stream_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_DEVICE_H_
