// SPDX-License-Identifier: Apache-2.0
// The declarations of phi/capi/plugin.h as version 1.2 had them. Plugins that
// were compiled with it must load for ever, so nothing here changes.
#ifndef SWITCHYARD_PHI_CAPI_TESTDATA_PLUGIN_1_2_H_
#define SWITCHYARD_PHI_CAPI_TESTDATA_PLUGIN_1_2_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SY_PLUGIN_ABI_MAJOR 1
#define SY_PLUGIN_ABI_MINOR 2

typedef int32_t SyCode;
enum {
  SY_OK = 0,
  SY_INVALID_ARGUMENT = 3,
  SY_RESOURCE_EXHAUSTED = 8,
  SY_UNIMPLEMENTED = 12,
  SY_INTERNAL = 13,
};

typedef struct SyApi SyApi;
typedef struct SyRegistry SyRegistry;
typedef struct SyTensor SyTensor;
typedef struct SyValue SyValue;

typedef struct SyCall {
  const SyApi* api;
} SyCall;

typedef SyCode (*SyFunction)(SyCall* call);

enum {
  SY_FROM_HOST = 0,
  SY_TO_HOST = 1,
  SY_WITHIN = 2,
};

typedef struct SyDevice {
  size_t struct_size;
  const char* name;
  const char* model;
  int64_t memory_bytes;
  SyCode (*allocate)(size_t bytes, void** memory);
  void (*deallocate)(void* memory);
  SyCode (*copy)(void* stream, int32_t direction, const void* from, void* to,
                 size_t bytes);
  SyCode (*create_stream)(void** stream);
  void (*destroy_stream)(void* stream);
  SyCode (*record)(void* stream, void** event);
  void (*destroy_event)(void* event);
  SyCode (*wait)(void* stream, void* event);
  int32_t (*reached)(void* event);
  SyCode (*join)(void* event);
} SyDevice;

typedef struct SyBackend {
  size_t struct_size;
  const char* name;
  const char* device;
  int32_t rank;
  int32_t by_default;
} SyBackend;

typedef struct SyCondition {
  size_t struct_size;
  int32_t kind;
  const char* argument;
  int32_t axis;
  int64_t value;
  const char* text;
} SyCondition;

enum {
  SY_RANK_AT_LEAST = 1,
  SY_RANK_AT_MOST = 2,
  SY_ITEM_ELEMENTS_AT_LEAST = 3,
  SY_ELEMENTS_AT_MOST = 4,
  SY_EXTENT_AT_LEAST = 5,
  SY_EXTENT_AT_MOST = 6,
  SY_ATTR_EQUALS = 7,
};

typedef struct SyKernel {
  size_t struct_size;
  const char* op;
  const char* name;
  const char* backend;
  const char* dtype;
  const SyCondition* conditions;
  size_t num_conditions;
  SyFunction function;
  const char* file;
  int32_t line;
  int32_t strided;
  int32_t late_outputs;
} SyKernel;

typedef struct SyOperator {
  size_t struct_size;
  const char* signature;
  const char* doc;
  SyFunction infer;
  SyFunction body;
  SyFunction gradient;
  const char* gradient_inputs;
  const char* file;
  int32_t line;
} SyOperator;

struct SyApi {
  size_t struct_size;

  SyCode (*add_device)(SyRegistry* registry, const SyDevice* device);
  SyCode (*add_backend)(SyRegistry* registry, const SyBackend* backend);
  SyCode (*add_operator)(SyRegistry* registry, const SyOperator* op);
  SyCode (*add_kernel)(SyRegistry* registry, const SyKernel* kernel);
  SyCode (*fail_registration)(SyRegistry* registry, SyCode code,
                              const char* message);

  int64_t (*attr_int)(SyCall* call, int32_t number);
  double (*attr_float)(SyCall* call, int32_t number);
  int64_t (*attr_count)(SyCall* call, int32_t number);
  int64_t (*attr_int_at)(SyCall* call, int32_t number, int64_t index);
  int32_t (*attr_is)(SyCall* call, int32_t number, const char* text);
  SyCode (*fail)(SyCall* call, SyCode code, const char* message);

  const SyTensor* (*input)(SyCall* call, int32_t number);
  SyTensor* (*output)(SyCall* call, int32_t number);
  void* (*stream)(SyCall* call);
  const void* (*data)(const SyTensor* tensor);
  void* (*mutable_data)(SyTensor* tensor);
  int32_t (*rank)(const SyTensor* tensor);
  int64_t (*extent)(const SyTensor* tensor, int32_t axis);
  int64_t (*stride)(const SyTensor* tensor, int32_t axis);
  int64_t (*numel)(const SyTensor* tensor);
  const char* (*dtype)(const SyTensor* tensor);

  int32_t (*infer_rank)(SyCall* call, int32_t input);
  int64_t (*infer_extent)(SyCall* call, int32_t input, int32_t axis);
  SyCode (*infer_output)(SyCall* call, int32_t output, int32_t like,
                         int32_t rank, const int64_t* extents);

  const SyValue* (*value)(SyCall* call, int32_t input);
  const SyValue* (*compute)(SyCall* call, const char* op,
                            const SyValue* const* inputs, size_t num_inputs,
                            const char* attrs);
  int32_t (*wanted)(SyCall* call, int32_t output);
  SyCode (*yield_value)(SyCall* call, int32_t output, const SyValue* value);

  int64_t (*input_count)(SyCall* call, int32_t number);
  int64_t (*output_count)(SyCall* call, int32_t number);
  const SyTensor* (*input_at)(SyCall* call, int32_t number, int64_t index);
  SyTensor* (*output_at)(SyCall* call, int32_t number, int64_t index);

  SyTensor* (*late_output)(SyCall* call, int32_t number, const char* dtype,
                           int32_t rank, const int64_t* extents);
};

typedef struct SyPlugin {
  size_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  const char* name;
  const char* version;
  SyCode (*add_all)(const SyApi* api, SyRegistry* registry);
} SyPlugin;

#define SY_PLUGIN_EXPORT __attribute__((visibility("default")))
extern SY_PLUGIN_EXPORT const SyPlugin sy_plugin;

#ifdef __cplusplus
}
#endif

#endif  // SWITCHYARD_PHI_CAPI_TESTDATA_PLUGIN_1_2_H_
