// SPDX-License-Identifier: Apache-2.0
// A device for plugins of tests, in memory of the host: its work is done when
// it is given. For a file that has included the interface.
#ifndef SWITCHYARD_PHI_CAPI_TESTDATA_MEMORY_DEVICE_H_
#define SWITCHYARD_PHI_CAPI_TESTDATA_MEMORY_DEVICE_H_

#include <stdlib.h>
#include <string.h>

static SyCode Allocate(size_t bytes, void** memory) {
  *memory = malloc(bytes);
  return *memory == NULL ? SY_RESOURCE_EXHAUSTED : SY_OK;
}

static SyCode Copy(void* stream, int32_t direction, const void* from, void* to,
                   size_t bytes) {
  (void)stream;
  (void)direction;
  memmove(to, from, bytes);
  return SY_OK;
}

// Streams and events need only differ from null.
static SyCode CreateStream(void** stream) { return Allocate(1, stream); }
static SyCode Record(void* stream, void** event) {
  (void)stream;
  return Allocate(1, event);
}
static SyCode Wait(void* stream, void* event) {
  (void)stream;
  (void)event;
  return SY_OK;
}
static int32_t Reached(void* event) { return event != NULL; }
static SyCode Join(void* event) { return event != NULL ? SY_OK : SY_INTERNAL; }

// Returns the device, without a size and a name.
static SyDevice MemoryDevice(void) {
  const SyDevice device = {.allocate = &Allocate,
                           .deallocate = &free,
                           .copy = &Copy,
                           .create_stream = &CreateStream,
                           .destroy_stream = &free,
                           .record = &Record,
                           .destroy_event = &free,
                           .wait = &Wait,
                           .reached = &Reached,
                           .join = &Join};
  return device;
}

#endif  // SWITCHYARD_PHI_CAPI_TESTDATA_MEMORY_DEVICE_H_
