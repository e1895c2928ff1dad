// SPDX-License-Identifier: Apache-2.0
// The device: memory, copies, streams and events. A stream is a queue of
// OpenCL, in order; an event is a marker in it.
#include "device.h"

#include <iterator>
#include <vector>

#include "memory.h"
#include "opencl.h"

namespace {

SyCode CodeOf(cl_int error) {
  return error == CL_SUCCESS ? SY_OK
         : error == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                 error == CL_OUT_OF_RESOURCES || error == CL_OUT_OF_HOST_MEMORY
             ? SY_RESOURCE_EXHAUSTED
             : SY_INTERNAL;
}

cl_command_queue QueueOf(void* stream) {
  return static_cast<cl_command_queue>(stream);
}

cl_event EventOf(void* event) { return static_cast<cl_event>(event); }

SyCode Allocate(size_t bytes, void** memory) {
  return Memory::Get().Allocate(bytes, memory);
}

void Deallocate(void* memory) { Memory::Get().Free(memory); }

SyCode Copy(void* stream, int32_t direction, const void* from, void* to,
            size_t bytes) {
  const cl_command_queue queue = QueueOf(stream);
  if (direction == SY_FROM_HOST) {
    const Span span = Memory::Get().Find(to);
    return CodeOf(clEnqueueWriteBuffer(queue, span.buffer, CL_FALSE,
                                       span.offset, bytes, from, 0, nullptr,
                                       nullptr));
  }
  if (direction == SY_TO_HOST) {
    const Span span = Memory::Get().Find(from);
    return CodeOf(clEnqueueReadBuffer(queue, span.buffer, CL_FALSE, span.offset,
                                      bytes, to, 0, nullptr, nullptr));
  }
  const Span source = Memory::Get().Find(from);
  const Span target = Memory::Get().Find(to);
  return CodeOf(clEnqueueCopyBuffer(queue, source.buffer, target.buffer,
                                    source.offset, target.offset, bytes, 0,
                                    nullptr, nullptr));
}

SyCode CreateStream(void** stream) {
  cl_int error = CL_SUCCESS;
  *stream = clCreateCommandQueue(OpenCl::Get().context, OpenCl::Get().device, 0,
                                 &error);
  return CodeOf(error);
}

void DestroyStream(void* stream) {
  clFlush(QueueOf(stream));
  clReleaseCommandQueue(QueueOf(stream));
}

SyCode Record(void* stream, void** event) {
  cl_event made = nullptr;
  const cl_int error =
      clEnqueueMarkerWithWaitList(QueueOf(stream), 0, nullptr, &made);
  if (error != CL_SUCCESS) return CodeOf(error);
  *event = made;
  // Another thread may wait for it.
  return CodeOf(clFlush(QueueOf(stream)));
}

void DestroyEvent(void* event) { clReleaseEvent(EventOf(event)); }

SyCode Wait(void* stream, void* event) {
  const cl_event waited = EventOf(event);
  return CodeOf(
      clEnqueueBarrierWithWaitList(QueueOf(stream), 1, &waited, nullptr));
}

cl_int StatusOf(void* event) {
  cl_int status = CL_COMPLETE;
  clGetEventInfo(EventOf(event), CL_EVENT_COMMAND_EXECUTION_STATUS,
                 sizeof(status), &status, nullptr);
  return status;
}

// A negative status is an error: the work is over.
int32_t Reached(void* event) { return StatusOf(event) <= CL_COMPLETE; }

SyCode Join(void* event) {
  const cl_event waited = EventOf(event);
  clWaitForEvents(1, &waited);
  return StatusOf(event) < 0 ? SY_INTERNAL : SY_OK;
}

}  // namespace

SyDevice MakeDevice() {
  static const SyProperty kProperties[] = {
      {sizeof(SyProperty), "compute_units", OpenCl::Get().compute_units},
      {sizeof(SyProperty), "float64", OpenCl::Get().float64 ? 1 : 0}};
  SyDevice device = {};
  device.struct_size = sizeof(device);
  device.name = "opencl";
  device.model = OpenCl::Get().model.c_str();
  device.memory_bytes = OpenCl::Get().memory_bytes;
  device.allocate = &Allocate;
  device.deallocate = &Deallocate;
  device.copy = &Copy;
  device.create_stream = &CreateStream;
  device.destroy_stream = &DestroyStream;
  device.record = &Record;
  device.destroy_event = &DestroyEvent;
  device.wait = &Wait;
  device.reached = &Reached;
  device.join = &Join;
  device.properties = kProperties;
  device.num_properties = std::size(kProperties);
  return device;
}
