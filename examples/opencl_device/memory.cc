// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <sys/mman.h>

Memory& Memory::Get() {
  static auto* const memory = new Memory();
  return *memory;
}

SyCode Memory::Allocate(size_t bytes, void** address) {
  cl_int error = CL_SUCCESS;
  const cl_mem buffer = clCreateBuffer(OpenCl::Get().context, CL_MEM_READ_WRITE,
                                       bytes, nullptr, &error);
  if (error != CL_SUCCESS) return SY_RESOURCE_EXHAUSTED;
  void* const range = mmap(nullptr, bytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    clReleaseMemObject(buffer);
    return SY_RESOURCE_EXHAUSTED;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  blocks_[static_cast<const char*>(range)] = {buffer, bytes};
  *address = range;
  return SY_OK;
}

void Memory::Free(void* address) {
  Block block;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = blocks_.find(static_cast<const char*>(address));
    block = found->second;
    blocks_.erase(found);
  }
  munmap(address, block.bytes);
  // The commands that use it have their own reference.
  clReleaseMemObject(block.buffer);
}

Span Memory::Find(const void* address) {
  const auto* const at = static_cast<const char*>(address);
  const std::lock_guard<std::mutex> lock(mutex_);
  auto after = blocks_.upper_bound(at);
  --after;
  return {after->second.buffer, static_cast<size_t>(at - after->first)};
}
