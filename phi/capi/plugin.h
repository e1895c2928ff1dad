// SPDX-License-Identifier: Apache-2.0
// The C interface of plugins: shared libraries that bring kernels and operators
// to a process which has Switchyard in it. A plugin includes this header, or
// plugin_cc.h for C++, and links nothing of Switchyard's: all that it calls is
// in SyApi. It is loaded by sy.plugins.load(path) or phi/capi/load_plugin.h;
// docs/plugins.md walks through one.
//
// The contract between the two sides:
// - A plugin exports one symbol, `sy_plugin`. Its versions are compared before
//   any function of the plugin is called.
// - Every struct begins with its size as its writer knows it. A later minor
//   version only appends members and functions; the side that knows more asks
//   the size before it reads them.
// - Registering is all or nothing: an error leaves the process as it was.
//   Arguments of a function are copied before it returns, except pointers to
//   functions.
// - A plugin that is loaded is never unloaded.
// - A C++ exception that leaves a plugin's function is an error of the call. A
//   plugin that aborts or damages memory ends the process: it is code inside of
//   it.
#ifndef SWITCHYARD_PHI_CAPI_PLUGIN_H_
#define SWITCHYARD_PHI_CAPI_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A plugin of another major version is refused, and one of a later minor
// version than the process has.
#define SY_PLUGIN_ABI_MAJOR 1
#define SY_PLUGIN_ABI_MINOR 3

// The code that a function reports, by the numbers of absl::StatusCode.
typedef int32_t SyCode;
enum {
  SY_OK = 0,
  SY_INVALID_ARGUMENT = 3,
  SY_RESOURCE_EXHAUSTED = 8,
  SY_UNIMPLEMENTED = 12,
  SY_INTERNAL = 13,
};

typedef struct SyApi SyApi;
// Collects the registrations of a plugin. Valid only during SyPlugin::add_all.
typedef struct SyRegistry SyRegistry;
// A tensor of a launch. Its elements are contiguous, in row-major order.
typedef struct SyTensor SyTensor;
// A tensor that a body computes with: one of an eager call, or a value of a
// program that is built. It lives until the body returns.
typedef struct SyValue SyValue;

// One call of an operator: the launch of a kernel, the inference of its
// results' shapes, or its body. Used by the thread that the plugin's function
// was called on, until the function returns.
typedef struct SyCall {
  const SyApi* api;
  // The process's own members follow.
} SyCall;

// A plugin's function that works on a call. Returns SY_OK or the result of
// SyApi::fail. May be called on several threads at once.
typedef SyCode (*SyFunction)(SyCall* call);

// Which way bytes are copied.
enum {
  SY_FROM_HOST = 0,
  SY_TO_HOST = 1,
  SY_WITHIN = 2,  // Both ends are the device's.
};

// A number that a device says of itself, for SY_DEVICE_AT_LEAST and for people.
typedef struct SyProperty {
  size_t struct_size;
  const char* name;  // An identifier: "compute_units".
  int64_t value;
} SyProperty;

// A device of a kind of its own, the place "<name>:0", with memory that the
// host can't read. The operator `copy` to and from it needs no kernel: bytes
// are moved by `copy` below. Streams and events are handles of the plugin's.
// Any thread calls the functions, also several at once, but a stream is used by
// one at a time. The pointer that `allocate` returns is never read by the host:
// it must differ from every other block's, and the host adds offsets within the
// block to it.
typedef struct SyDevice {
  size_t struct_size;
  const char* name;   // An identifier that no other device has.
  const char* model;  // For people.
  int64_t memory_bytes;
  // SY_RESOURCE_EXHAUSTED if there is no memory. A block is taken back when no
  // work that was given before touches it.
  SyCode (*allocate)(size_t bytes, void** memory);
  void (*deallocate)(void* memory);
  // Gives a copy to a stream; memory of the host stays until it is done.
  SyCode (*copy)(void* stream, int32_t direction, const void* from, void* to,
                 size_t bytes);
  // A stream is a queue that works in order. Destroying it lets the work given
  // to it finish.
  SyCode (*create_stream)(void** stream);
  void (*destroy_stream)(void* stream);
  // An event is the end of all work given to the stream so far.
  SyCode (*record)(void* stream, void** event);
  void (*destroy_event)(void* event);
  // Lets later work of the stream wait for an event of another one.
  SyCode (*wait)(void* stream, void* event);
  // Not 0 once the work in front of the event is done, or has failed.
  int32_t (*reached)(void* event);
  // Waits for that work, and returns its error.
  SyCode (*join)(void* event);
  // Since version 1.3: what the device says of itself. An array whose elements
  // have the size of the first.
  const SyProperty* properties;
  size_t num_properties;
} SyDevice;

// A library of kernels, as selection and `explain` know it.
typedef struct SyBackend {
  size_t struct_size;
  const char* name;    // An identifier that no other backend has.
  const char* device;  // Where its kernels run: "cpu", or the plugin's own.
  // Kernels of a higher rank are asked first: cpu has 100, onednn 200.
  int32_t rank;
  // Not 0: serves calls whose policy names no backends.
  int32_t by_default;
} SyBackend;

// One thing that a kernel demands of a call. While an extent is not known, the
// answer is open, and selection asks again once it is.
typedef struct SyCondition {
  size_t struct_size;
  int32_t kind;
  const char* argument;  // The name of an input or attribute of the operator.
  int32_t axis;          // Of the input; a negative one counts from the last.
  int64_t value;
  const char* text;  // The value of an attribute that is a dtype or a list of
                     // functions; or an input.
} SyCondition;

// SyCondition::kind
enum {
  SY_RANK_AT_LEAST = 1,
  SY_RANK_AT_MOST = 2,
  // The elements of one item of the batch: those of all axes but the first.
  SY_ITEM_ELEMENTS_AT_LEAST = 3,
  SY_ELEMENTS_AT_MOST = 4,
  SY_EXTENT_AT_LEAST = 5,
  SY_EXTENT_AT_MOST = 6,
  SY_ATTR_EQUALS = 7,  // An integer or bool; a dtype or functions: `text`.
  // Since version 1.3. Input `text` has the shape of the argument: neither is
  // broadcast.
  SY_SAME_SHAPE = 8,
  // One of the `value` conditions that follow holds, at least 2. They have none
  // of this kind among them.
  SY_ANY_OF = 9,
  // The property named `argument` of the backend's device is at least `value`.
  SY_DEVICE_AT_LEAST = 10,
};

// A kernel for an operator of the process, for one dtype. On a device it gives
// work to the call's stream and returns. Its tensors are dense and contiguous;
// they have the dtypes that the operator's cpu kernel takes for this dtype;
// without such a kernel, this dtype, bool, int32 and int64. Where the operator
// may work in place, the output may be the input.
typedef struct SyKernel {
  size_t struct_size;
  const char* op;       // "softmax"
  const char* name;     // Of the kernel, among those of the operator.
  const char* backend;  // One that the plugin has added.
  const char* dtype;    // "float32"
  // All must hold. An array whose elements have the size of the first.
  const SyCondition* conditions;
  size_t num_conditions;
  SyFunction function;
  const char* file;  // Where the function is written; `explain` says so.
  int32_t line;
  int32_t strided;  // Not 0: inputs may have any strides.
  // Since version 1.2. Bit i: the size of output i depends on data, and the
  // kernel makes it by SyApi::late_output. On the CPU only.
  int32_t late_outputs;
} SyKernel;

// An operator that the process does not have. Its kernels are added by
// add_kernel, after it; an operator with a body needs none.
typedef struct SyOperator {
  size_t struct_size;
  // "soft_cap(Tensor x, double cap = 50.0) -> (Tensor out)". Inputs are Tensor;
  // attributes are bool, int64_t, double or str, and stand after the inputs.
  const char* signature;
  const char* doc;  // The docstring of its Python function.
  // Sets the dtypes and shapes of the outputs. Null: those of the first input.
  SyFunction infer;
  // The operator in terms of others, which has their gradients. Null for an
  // operator with kernels.
  SyFunction body;
  // The gradient of an operator with kernels, in terms of other operators. Its
  // inputs are the names in `gradient_inputs`, in that order (inputs, outputs
  // and <output>_grad); its outputs are the gradients of the inputs, in their
  // order. Both may be null.
  SyFunction gradient;
  const char* gradient_inputs;  // "x, out_grad"
  const char* file;             // Where it is written.
  int32_t line;
} SyOperator;

// The functions that the process offers. Arguments and attributes are numbered
// in the order of the operator's entry (`./sy ops NAME`).
struct SyApi {
  size_t struct_size;

  // For SyPlugin::add_all. Loading reports the first error, whatever add_all
  // returns.
  SyCode (*add_device)(SyRegistry* registry, const SyDevice* device);
  SyCode (*add_backend)(SyRegistry* registry, const SyBackend* backend);
  SyCode (*add_operator)(SyRegistry* registry, const SyOperator* op);
  SyCode (*add_kernel)(SyRegistry* registry, const SyKernel* kernel);
  SyCode (*fail_registration)(SyRegistry* registry, SyCode code,
                              const char* message);

  // For every call. An attribute of another type or a number beyond the
  // operator's makes the call fail with a sentence. `fail` keeps the message,
  // before which the operator and the plugin are named, and returns `code`.
  int64_t (*attr_int)(SyCall* call, int32_t number);  // Of a bool: 0 or 1.
  double (*attr_float)(SyCall* call, int32_t number);
  // These read a list of integers.
  int64_t (*attr_count)(SyCall* call, int32_t number);
  int64_t (*attr_int_at)(SyCall* call, int32_t number, int64_t index);
  // Whether a text or the name of a dtype is this one.
  int32_t (*attr_is)(SyCall* call, int32_t number, const char* text);
  SyCode (*fail)(SyCall* call, SyCode code, const char* message);

  // For kernels. Null for an input that is absent, an output that is not
  // wanted, and for a number beyond the operator's, which makes the call fail.
  // Of an argument that is a list they give the first tensor.
  const SyTensor* (*input)(SyCall* call, int32_t number);
  SyTensor* (*output)(SyCall* call, int32_t number);
  void* (*stream)(SyCall* call);  // Null on the CPU.
  // These take a tensor that is not null. An axis is in [0, rank).
  const void* (*data)(const SyTensor* tensor);
  void* (*mutable_data)(SyTensor* tensor);
  int32_t (*rank)(const SyTensor* tensor);
  int64_t (*extent)(const SyTensor* tensor, int32_t axis);
  int64_t (*stride)(const SyTensor* tensor, int32_t axis);  // In elements.
  int64_t (*numel)(const SyTensor* tensor);
  const char* (*dtype)(const SyTensor* tensor);

  // For SyOperator::infer. An extent that is not known yet is negative; equal
  // ones below -1 are extents that will be equal. The dtype of an output is
  // that of input `like`.
  int32_t (*infer_rank)(SyCall* call, int32_t input);
  int64_t (*infer_extent)(SyCall* call, int32_t input, int32_t axis);
  SyCode (*infer_output)(SyCall* call, int32_t output, int32_t like,
                         int32_t rank, const int64_t* extents);

  // For bodies and gradients. `compute` calls an operator of the process, with
  // attributes as "axis=[1], keepdim=true" (null: the defaults), and returns
  // its first output; null if that fails, which makes the call fail.
  const SyValue* (*value)(SyCall* call, int32_t input);
  const SyValue* (*compute)(SyCall* call, const char* op,
                            const SyValue* const* inputs, size_t num_inputs,
                            const char* attrs);
  int32_t (*wanted)(SyCall* call, int32_t output);
  SyCode (*yield_value)(SyCall* call, int32_t output, const SyValue* value);

  // For kernels, since version 1.1: how many tensors an argument is, 1 unless
  // it is a list, and tensor `index` of them. Null as for `input` and `output`.
  int64_t (*input_count)(SyCall* call, int32_t number);
  int64_t (*output_count)(SyCall* call, int32_t number);
  const SyTensor* (*input_at)(SyCall* call, int32_t number, int64_t index);
  SyTensor* (*output_at)(SyCall* call, int32_t number, int64_t index);

  // For kernels, since version 1.2: makes an output of SyKernel::late_outputs,
  // of this dtype ("int64") and shape, whose elements are not set yet. Null for
  // one that is not wanted, and if that fails, which makes the call fail.
  SyTensor* (*late_output)(SyCall* call, int32_t number, const char* dtype,
                           int32_t rank, const int64_t* extents);
};

// The exported symbol's record.
typedef struct SyPlugin {
  size_t struct_size;
  uint32_t abi_major;  // SY_PLUGIN_ABI_MAJOR and _MINOR when it was compiled.
  uint32_t abi_minor;
  const char* name;     // An identifier that no other loaded plugin has.
  const char* version;  // The plugin's own, for people.
  // Registers everything. Called once, by the thread that loads the plugin.
  SyCode (*add_all)(const SyApi* api, SyRegistry* registry);
} SyPlugin;

#define SY_PLUGIN_EXPORT __attribute__((visibility("default")))
extern SY_PLUGIN_EXPORT const SyPlugin sy_plugin;

#ifdef __cplusplus
}
#endif

#endif  // SWITCHYARD_PHI_CAPI_PLUGIN_H_
