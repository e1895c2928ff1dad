// SPDX-License-Identifier: Apache-2.0
// Memory of the OpenCL device. OpenCL knows buffers, Switchyard addresses to
// which offsets are added: a block of memory here is a range of addresses that
// nothing may read or write, with the buffer that it stands for.
#ifndef OPENCL_DEVICE_MEMORY_H_
#define OPENCL_DEVICE_MEMORY_H_

#include <cstddef>
#include <map>
#include <mutex>

#include "opencl.h"
#include "phi/capi/plugin.h"

// A place in a buffer.
struct Span {
  cl_mem buffer;
  size_t offset;  // In bytes.
};

// All blocks of the process. Thread-safe.
class Memory {
 public:
  static Memory& Get();

  SyCode Allocate(size_t bytes, void** address);
  void Free(void* address);
  // Finds the block that an address lies in, which was allocated.
  Span Find(const void* address);

 private:
  struct Block {
    cl_mem buffer;
    size_t bytes;
  };

  std::mutex mutex_;
  std::map<const char*, Block> blocks_;  // By address. Guarded by mutex_.
};

#endif  // OPENCL_DEVICE_MEMORY_H_
