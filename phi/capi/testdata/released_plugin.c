// SPDX-License-Identifier: Apache-2.0
// A plugin of an earlier version of the interface (INTERFACE: the header that
// it was compiled with). Its kernels give what no operator gives, as those of
// sample_plugin.c do.
#include INTERFACE

#if SY_PLUGIN_ABI_MINOR >= 2
#include "phi/capi/testdata/memory_device.h"
#endif

// relu: x + 10.
static SyCode AddTen(SyCall* call) {
  const SyApi* api = call->api;
  const SyTensor* x = api->input(call, 0);
  SyTensor* out = api->output(call, 0);
  const double* from = api->data(x);
  double* to = api->mutable_data(out);
  for (int64_t i = 0; i < api->numel(x); ++i) to[i] = from[i] + 10;
  return SY_OK;
}

#if SY_PLUGIN_ABI_MINOR >= 1
// concat: how many tensors there are.
static SyCode Count(SyCall* call) {
  const SyApi* api = call->api;
  SyTensor* out = api->output_at(call, 0, 0);
  int64_t* to = api->mutable_data(out);
  for (int64_t i = 0; i < api->numel(out); ++i) {
    to[i] = api->input_count(call, 0);
  }
  return SY_OK;
}
#endif

static SyCode AddKernel(const SyApi* api, SyRegistry* registry, const char* op,
                        const char* dtype, SyFunction function) {
  // A later version's members would begin at `beyond`: they must not be read.
  const struct {
    SyKernel kernel;
    int32_t beyond[8];
  } record = {{.struct_size = sizeof(SyKernel),
               .op = op,
               .name = op,
               .backend = sy_plugin.name,
               .dtype = dtype,
               .function = function,
               .file = __FILE__,
               .line = __LINE__},
              {-1, -1, -1, -1, -1, -1, -1, -1}};
  return api->add_kernel(registry, &record.kernel);
}

#if SY_PLUGIN_ABI_MINOR >= 2
static SyCode AddDevice(const SyApi* api, SyRegistry* registry) {
  struct {
    SyDevice device;
    int64_t beyond[8];
  } record = {MemoryDevice(), {-1, -1, -1, -1, -1, -1, -1, -1}};
  record.device.struct_size = sizeof(SyDevice);
  record.device.name = "released";
  return api->add_device(registry, &record.device);
}
#endif

static SyCode AddAll(const SyApi* api, SyRegistry* registry) {
  const SyBackend backend = {sizeof(SyBackend), sy_plugin.name, "cpu", 251, 1};
  api->add_backend(registry, &backend);
#if SY_PLUGIN_ABI_MINOR >= 2
  AddDevice(api, registry);
#endif
#if SY_PLUGIN_ABI_MINOR >= 1
  AddKernel(api, registry, "concat", "int64", &Count);
#endif
  return AddKernel(api, registry, "relu", "float64", &AddTen);
}

const SyPlugin sy_plugin = {sizeof(SyPlugin),
                            SY_PLUGIN_ABI_MAJOR,
                            SY_PLUGIN_ABI_MINOR,
#if SY_PLUGIN_ABI_MINOR == 0
                            "released_1_0",
#elif SY_PLUGIN_ABI_MINOR == 1
                            "released_1_1",
#else
                            "released_1_2",
#endif
                            "1",
                            &AddAll};
