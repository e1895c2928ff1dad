// SPDX-License-Identifier: Apache-2.0
// A plugin whose kernels ask for equal shapes, one of several conditions and
// properties of their device. Its results are not those of the operators, so
// that a test sees whose they are.
#include "phi/capi/plugin.h"
#include "phi/capi/testdata/memory_device.h"

// add: x + y + 100.
static SyCode AddHundred(SyCall* call) {
  const SyApi* api = call->api;
  const SyTensor* x = api->input(call, 0);
  const float* a = api->data(x);
  const float* b = api->data(api->input(call, 1));
  float* to = api->mutable_data(api->output(call, 0));
  for (int64_t i = 0; i < api->numel(x); ++i) to[i] = a[i] + b[i] + 100;
  return SY_OK;
}

static SyCode AddTo(SyCall* call, float step) {
  const SyApi* api = call->api;
  const SyTensor* x = api->input(call, 0);
  const float* from = api->data(x);
  float* to = api->mutable_data(api->output(call, 0));
  for (int64_t i = 0; i < api->numel(x); ++i) to[i] = from[i] + step;
  return SY_OK;
}
static SyCode AddOne(SyCall* call) { return AddTo(call, 1); }
static SyCode AddTwo(SyCall* call) { return AddTo(call, 2); }

#define CONDITION(kind, argument, axis, value, text) \
  {sizeof(SyCondition), kind, argument, axis, value, text}

static SyCode AddKernel(const SyApi* api, SyRegistry* registry, const char* op,
                        const char* name, const char* backend,
                        const SyCondition* conditions, size_t num_conditions,
                        SyFunction function) {
  const SyKernel kernel = {.struct_size = sizeof(SyKernel),
                           .op = op,
                           .name = name,
                           .backend = backend,
                           .dtype = "float32",
                           .conditions = conditions,
                           .num_conditions = num_conditions,
                           .function = function,
                           .file = __FILE__,
                           .line = __LINE__};
  return api->add_kernel(registry, &kernel);
}

static SyCode AddAll(const SyApi* api, SyRegistry* registry) {
  static const SyProperty kProperties[] = {
      {sizeof(SyProperty), "lanes", 4},
      {sizeof(SyProperty), "level", -2},
  };
  SyDevice device = MemoryDevice();
  device.struct_size = sizeof(SyDevice);
  device.name = "counted";
  device.properties = kProperties;
  device.num_properties = 2;
#if defined TWIN_PROPERTIES
  SyProperty twins[2] = {kProperties[0], kProperties[0]};
  device.properties = twins;
#elif defined BAD_PROPERTY_NAME
  const SyProperty unnamed = {sizeof(SyProperty), "two words", 1};
  device.properties = &unnamed;
  device.num_properties = 1;
#endif
  api->add_device(registry, &device);
  const SyBackend host = {sizeof(SyBackend), "picky", "cpu", 250, 1};
  const SyBackend own = {sizeof(SyBackend), "counted", "counted", 300, 1};
  api->add_backend(registry, &host);
  api->add_backend(registry, &own);

  const SyCondition equal[] = {CONDITION(SY_SAME_SHAPE, "x", 0, 0, "y")};
  AddKernel(api, registry, "add", "flat", "picky", equal, 1, &AddHundred);
  // The group, and a condition after it.
  const SyCondition either[] = {
      CONDITION(SY_ANY_OF, NULL, 0, 2, NULL),
      CONDITION(SY_RANK_AT_MOST, "x", 0, 1, NULL),
      CONDITION(SY_EXTENT_AT_LEAST, "x", -1, 8, NULL),
      CONDITION(SY_RANK_AT_MOST, "x", 0, 2, NULL),
  };
  AddKernel(api, registry, "relu", "either", "picky", either, 4, &AddOne);
  const SyCondition wide[] = {
      CONDITION(SY_DEVICE_AT_LEAST, "lanes", 0, 8, NULL)};
  const SyCondition low[] = {
      CONDITION(SY_DEVICE_AT_LEAST, "level", 0, -2, NULL)};
  AddKernel(api, registry, "relu", "a_wide", "counted", wide, 1, &AddOne);
  AddKernel(api, registry, "relu", "b_low", "counted", low, 1, &AddTwo);
#if defined BAD_OTHER_INPUT
  const SyCondition bad[] = {CONDITION(SY_SAME_SHAPE, "x", 0, 0, "z")};
#elif defined SHORT_GROUP
  const SyCondition bad[] = {CONDITION(SY_ANY_OF, NULL, 0, 2, NULL),
                             CONDITION(SY_RANK_AT_MOST, "x", 0, 1, NULL)};
#elif defined NESTED_GROUP
  const SyCondition bad[] = {CONDITION(SY_ANY_OF, NULL, 0, 2, NULL),
                             CONDITION(SY_ANY_OF, NULL, 0, 2, NULL),
                             CONDITION(SY_RANK_AT_MOST, "x", 0, 1, NULL),
                             CONDITION(SY_RANK_AT_MOST, "x", 0, 2, NULL)};
#elif defined NO_PROPERTY
  const SyCondition bad[] = {
      CONDITION(SY_DEVICE_AT_LEAST, "wings", 0, 2, NULL)};
#else
  return SY_OK;
#endif
#if defined BAD_OTHER_INPUT || defined SHORT_GROUP || defined NESTED_GROUP || \
    defined NO_PROPERTY
  return AddKernel(api, registry, "relu", "bad", "counted", bad,
                   sizeof(bad) / sizeof(bad[0]), &AddOne);
#endif
}

const SyPlugin sy_plugin = {sizeof(SyPlugin),
                            SY_PLUGIN_ABI_MAJOR,
                            SY_PLUGIN_ABI_MINOR,
                            "conditions",
                            "1",
                            &AddAll};
