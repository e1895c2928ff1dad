// SPDX-License-Identifier: Apache-2.0
// SimArena: the memory of the simulated device (sim_device.h). Each byte has
// two addresses: tensors hold the device's, which the host may not touch, and
// workers compute with its alias.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_MEMORY_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_MEMORY_H_

#include <cstddef>
#include <map>
#include <mutex>

#include "framework/base/status.h"

namespace switchyard {

// Memory that is mapped twice: without any access at the addresses that it
// hands out, so that code of the host that reads or writes a tensor of the
// device ends with a segmentation fault, and with access at their aliases. New
// blocks are filled with a pattern, so that a read of bytes that were never
// written shows. Thread-safe; never destroyed once made.
class SimArena {
 public:
  // The value of every byte of a new block.
  static constexpr unsigned char kPattern = 0xa5;
  // All blocks together; pages that nobody touched take no memory.
  static constexpr size_t kBytes = size_t{1} << 30;

  static SimArena& Get();

  // Returns the device's address of a block, which is a multiple of 64.
  // ResourceExhausted if no gap is large enough.
  absl::StatusOr<void*> Allocate(size_t bytes);
  // Takes a block of Allocate() back.
  void Free(void* block);

  // Returns the block that an address lies in; the address itself if it lies in
  // none.
  const void* FindBlock(const void* address);

  // Returns where workers reach the byte at a device's address.
  void* Alias(const void* address) const;

 private:
  SimArena();

  char* device_;
  char* alias_;
  std::mutex mutex_;
  // Bytes of the gaps and of the blocks, by their offset. Guarded by mutex_.
  std::map<size_t, size_t> gaps_;
  std::map<size_t, size_t> blocks_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_MEMORY_H_
