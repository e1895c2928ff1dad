// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/load_plugin.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "framework/base/file.h"
#include "framework/device/device_info.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/testing/matchers.h"
#include "phi/api/concat.gen.h"
#include "phi/api/exp.gen.h"
#include "phi/api/gelu.gen.h"
#include "phi/api/leaky_relu.gen.h"
#include "phi/api/relu.gen.h"
#include "phi/core/digests/kernel_digests.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/signatures/add.gen.h"
#include "phi/core/signatures/concat.gen.h"
#include "phi/core/signatures/exp.gen.h"
#include "phi/core/signatures/gelu.gen.h"
#include "phi/core/signatures/leaky_relu.gen.h"
#include "phi/core/signatures/relu.gen.h"
#include "phi/core/signatures/split.gen.h"
#include "phi/selection/selection.h"

namespace switchyard::phi::capi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

absl::StatusOr<const PluginRecords*> Load(const std::string& name) {
  static const OpInfo* const kOperators[] = {
      &info_add,  &info_concat, &info_exp,  &info_leaky_relu,
      &info_relu, &info_gelu,   &info_split};
  return LoadPlugin("phi/capi/testdata/" + name + ".so", kOperators);
}

// Everything that a plugin can change, as bytes.
std::string Snapshot() {
  std::string bytes;
  const auto put = [&bytes](const void* at, size_t size) {
    bytes.append(static_cast<const char*>(at), size);
  };
  const auto put_pointer = [&put](const void* p) { put(&p, sizeof(p)); };
  const KernelTable& table = KernelTables::Current();
  put_pointer(&table);
  for (const OpKernels* row : table.ops()) {
    put_pointer(row);
    put(row, sizeof(*row));
    for (const KernelDef* kernel : row->kernels) {
      put_pointer(kernel);
      put(kernel, sizeof(*kernel));
    }
  }
  for (const BackendInfo* backend : table.backends()) {
    put_pointer(backend);
    put(backend, sizeof(*backend));
  }
  for (OpSlot* slot : LinkedSlots()) put_pointer(&slot->Get());
  for (const DeviceInfo* device : RegisteredDevices()) put_pointer(device);
  const uint32_t epoch = KernelTableEpoch();
  put(&epoch, sizeof(epoch));
  for (const PluginRecords* plugin : LoadedPlugins()) put_pointer(plugin);
  return bytes;
}

template <typename T>
DenseTensor Make(const Shape& shape, const std::vector<T>& values) {
  DenseTensor tensor =
      *DenseTensor::Allocate(DataTypeOf<T>::value, shape, CpuAllocator());
  std::copy(values.begin(), values.end(), tensor.mutable_data<T>());
  return tensor;
}

std::vector<float> Values(const absl::StatusOr<DenseTensor>& tensor) {
  EXPECT_THAT(tensor, IsOk());
  if (!tensor.ok()) return {};
  const float* const data = tensor->data<float>();
  return {data, data + tensor->numel()};
}

struct Fault {
  const char* plugin;
  absl::StatusCode code;
  const char* message;
};

using Code = absl::StatusCode;
constexpr Fault kFaults[] = {
    {"no_such_plugin", Code::kNotFound, "there is no such file"},
    {"no_plugin", Code::kInvalidArgument, "export the symbol sy_plugin"},
    {"undefined_symbol", Code::kFailedPrecondition, "DefinedNowhere"},
    {"later_major", Code::kFailedPrecondition, "must be 1.0 to 1.3, got 2.3"},
    {"later_minor", Code::kFailedPrecondition, "must be 1.0 to 1.3, got 1.4"},
    {"short_struct", Code::kInvalidArgument, "SyPlugin.struct_size must be"},
    {"throws_while_registering", Code::kInternal, "the driver is too old"},
    {"fails", Code::kUnimplemented, "no such chip"},
    {"fails_silently", Code::kUnimplemented, "gave no reason"},
    {"taken_backend", Code::kAlreadyExists, "backend cpu: there is a"},
    {"bad_backend_name", Code::kInvalidArgument,
     "must be an identifier, got 'two words'"},
    {"bad_device", Code::kInvalidArgument,
     "backend sample: device must be 'cpu' or the plugin's own, got "},
    {"taken_device", Code::kAlreadyExists,
     "device gpu: there is a device of this name"},
    {"empty_device", Code::kInvalidArgument,
     "device abacus: its functions must be given, got null"},
    {"bad_rank", Code::kInvalidArgument, "rank must be in [0, 32767]"},
    {"no_backend", Code::kInvalidArgument,
     "kernel relu for relu: backend must be one that the plugin has added"},
    {"unknown_op", Code::kInvalidArgument,
     "op must be an operator of this process or of the plugin, got 'rleu'"},
    {"bad_dtype", Code::kInvalidArgument, "got 'float31'"},
    {"bad_name", Code::kInvalidArgument, "name must be an identifier"},
    {"no_function", Code::kInvalidArgument, "function must be given"},
    {"twin_kernels", Code::kAlreadyExists,
     "kernel relu for relu float32 must be registered once"},
    {"brings_operator", Code::kUnimplemented, "takes kernels alone"},
    {"bad_signature", Code::kInvalidArgument,
     "an operator: signature must be like"},
    {"taken_operator", Code::kAlreadyExists,
     "operator relu: there is an operator named relu"},
    {"body_and_infer", Code::kInvalidArgument,
     "operator twist: an operator with a body has"},
    {"bad_gradient", Code::kInvalidArgument,
     "operator twist: gradient_inputs must be inputs, outputs and "
     "<output>_grad, got 'grad'"},
    {"views", Code::kUnimplemented, "out is a view"},
    {"short_record", Code::kInvalidArgument, "SyCondition.struct_size"},
    {"bad_condition_kind", Code::kInvalidArgument,
     "kernel relu for relu: the kind of a condition must be one that "
     "phi/capi/plugin.h lists, got 99"},
    {"bad_other_input", Code::kInvalidArgument,
     "kernel bad for relu: the text of a condition must be an input of the "
     "operator, got 'z'"},
    {"short_group", Code::kOutOfRange,
     "kernel bad for relu: the value of a condition SY_ANY_OF must be from 2 "
     "to the number of those that follow, 1, got 2"},
    {"nested_group", Code::kInvalidArgument,
     "kernel bad for relu: a condition of a group must be of another kind "
     "than SY_ANY_OF"},
    {"no_property", Code::kInvalidArgument,
     "kernel bad for relu: the argument of a condition must be a property of "
     "device counted (it has lanes, level), got 'wings'"},
    {"twin_properties", Code::kAlreadyExists,
     "device counted: property lanes must be given once, got it twice"},
    {"bad_property_name", Code::kInvalidArgument,
     "device counted: the name of a property must be an identifier, got 'two "
     "words'"},
    {"bad_condition_argument", Code::kInvalidArgument,
     "must be an input of the operator, got 'y'"},
    {"bad_condition_axis", Code::kOutOfRange, "in [-9, 9), got 9"},
    {"bad_condition_attr", Code::kInvalidArgument,
     "attribute negative_slope must be an integer, a bool, a dtype or a list "
     "of"},
};

uint64_t DigestOfKernel(const KernelDef& kernel) {
  return KernelDigest(kernel, selection::SourceFile(kernel));
}

// Linked kernels have the digest of their sources.
TEST(LoadPlugin, DigestsOfKernelsAreKnown) {
  std::vector<uint64_t> digests;
  for (const char* op : {"relu", "concat"}) {
    const auto kernels =
        KernelTables::Current().Find(op)->candidates(DataType::kFloat32);
    digests.push_back(DigestOfKernel(*kernels.back()));
    EXPECT_NE(digests.back(), 0) << op;
  }
  EXPECT_NE(digests[0], digests[1]);
  EXPECT_NE(DigestOf("12345678"), DigestOf("12345679"));
  EXPECT_NE(DigestOf("1"), DigestOf(std::string_view("1\0", 2)));
}

TEST(LoadPlugin, RefusesEachKindOfBadPluginAndChangesNothing) {
  const std::string before = Snapshot();
  for (const Fault& fault : kFaults) {
    SCOPED_TRACE(fault.plugin);
    const auto loaded = Load(fault.plugin);
    EXPECT_THAT(loaded, StatusIs(fault.code, HasSubstr(fault.message)));
    EXPECT_THAT(std::string(loaded.status().message()),
                StartsWith("plugin phi/capi/testdata/"));
    EXPECT_EQ(Snapshot(), before);
  }
}

TEST(LoadPluginDeathTest, AbortIsFatal) {
  EXPECT_DEATH(Load("aborts").IgnoreError(), "");
}

TEST(LoadPlugin, ItsKernelsAreChosenWhereTheirConditionsHold) {
  const DenseTensor matrix = Make<float>({2, 2}, {-1, 2, -3, 4});
  const DenseTensor vector = Make<float>({2}, {-1, 2});
  // Calls before it are remembered, and must not outlive the table.
  EXPECT_THAT(Values(api::relu(matrix)), ElementsAre(0, 2, 0, 4));
  const uint32_t epoch = KernelTableEpoch();
  const KernelTable& earlier = KernelTables::Current();
  const auto loaded = Load("sample");
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ((*loaded)->name, "sample");
  EXPECT_EQ((*loaded)->version, "1.2");
  EXPECT_THAT(LoadedPlugins(), ElementsAre(*loaded));
  EXPECT_GT(KernelTableEpoch(), epoch);
  EXPECT_EQ(earlier.FindBackend("sample"), nullptr);

  EXPECT_THAT(Values(api::relu(matrix)), ElementsAre(0, 3, -2, 5));
  EXPECT_THAT(Values(api::relu(vector)), ElementsAre(0, 2));
  EXPECT_THAT(Values(api::leaky_relu(vector, 0.5)), ElementsAre(7, 7));
  const DenseTensor transposed = [&] {
    DenseTensor view;
    view.SetView(matrix, {2, 2}, {1, 2}, 0);
    return view;
  }();
  EXPECT_THAT(Values(api::relu(transposed)), ElementsAre(0, -2, 3, 5))
      << "its inputs are contiguous";

  const OpKernels& row = *KernelTables::Current().Find("relu");
  const KernelDef& first = *row.candidates(DataType::kFloat32)[0];
  EXPECT_STREQ(first.key.backend->name, "sample");
  EXPECT_THAT(first.file, HasSubstr("sample_plugin.c"));
  EXPECT_GT(first.line, 0);
  const auto library = ReadFile("phi/capi/testdata/sample.so");
  ASSERT_THAT(library, IsOk());
  EXPECT_EQ(DigestOfKernel(first), DigestOf(*library));

  EXPECT_THAT(Load("sample"),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       HasSubstr("a plugin named sample is loaded, from /")));
}

TEST(LoadPlugin, ItsKernelsReadLists) {
  const DenseTensor x = Make<float>({1, 2}, {1, 2});
  const DenseTensor y = Make<float>({2, 2}, {3, 4, 5, 6});
  EXPECT_THAT(Values(api::concat({x, y, x})),
              ElementsAre(3, 1, 1, 3, 2, 1, 1, 1));
  EXPECT_THAT(api::concat({Make<double>({1}, {1}), Make<double>({1}, {2})}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       "concat: plugin sample: the index of a tensor of a "
                       "list must be in [0, 2), got 2"));
}

// Plugins compiled with the headers of versions 1.0 to 1.2, whose records end
// earlier.
TEST(LoadPlugin, PluginsOfEarlierVersionsWork) {
  const DenseTensor x = Make<double>({2}, {-1, 2});
  const auto values = [&x] {
    const auto out = api::relu(x);
    EXPECT_THAT(out, IsOk());
    return std::vector<double>(out->data<double>(), out->data<double>() + 2);
  };
  EXPECT_THAT(values(), ElementsAre(0, 2));
  const auto first = Load("released_1_0");
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ((*first)->abi_minor, 0);
  EXPECT_THAT(values(), ElementsAre(9, 12));

  const auto second = Load("released_1_1");
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ((*second)->abi_minor, 1);
  const auto counted =
      api::concat({Make<int64_t>({1}, {5}), Make<int64_t>({1}, {6})});
  ASSERT_THAT(counted, IsOk());
  EXPECT_EQ(counted->data<int64_t>()[1], 2);

  const auto third = Load("released_1_2");
  ASSERT_THAT(third, IsOk());
  EXPECT_EQ((*third)->abi_minor, 2);
  const DeviceInfo* const device = (*third)->device.info;
  ASSERT_NE(device, nullptr);
  EXPECT_STREQ(device->name, "released");
  EXPECT_THAT(device->property_names, IsEmpty());
}

TEST(LoadPlugin, AnErrorOfAKernelIsAnErrorOfTheCall) {
  const DenseTensor x = Make<float>({2}, {1, 2});
  const DenseTensor wide = Make<double>({2}, {1, 2});
  EXPECT_THAT(api::gelu(x), StatusIs(absl::StatusCode::kUnimplemented,
                                     "gelu: plugin sample: not on Thursdays"));
  EXPECT_THAT(api::gelu(wide),
              StatusIs(absl::StatusCode::kInternal,
                       "gelu: plugin sample: the kernel failed and gave "
                       "no reason (code 4711)"));
  EXPECT_THAT(api::leaky_relu(wide),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "leaky_relu: plugin sample: attribute negative_slope "
                       "must be an integer or a bool, got double"));
  EXPECT_THAT(api::exp(x),
              StatusIs(absl::StatusCode::kOutOfRange,
                       "exp: plugin sample: the number of an input must be in "
                       "[0, 1), got 1"));
}

TEST(LoadPlugin, AnExceptionOfAKernelIsAnErrorOfTheCall) {
  ASSERT_THAT(Load("throwing"), IsOk());
  const DenseTensor x = Make<float>({2}, {1, 2});
  const DenseTensor wide = Make<double>({2}, {1, 2});
  EXPECT_THAT(api::exp(x), StatusIs(absl::StatusCode::kInternal,
                                    "exp: plugin throwing: beyond the end"));
  EXPECT_THAT(api::exp(wide), StatusIs(absl::StatusCode::kInvalidArgument,
                                       "exp: plugin throwing: x is too red"));
  EXPECT_THAT(api::relu(x),
              StatusIs(absl::StatusCode::kInternal,
                       "relu: plugin throwing: past the classes"));
  EXPECT_THAT(api::relu(wide),
              StatusIs(absl::StatusCode::kInternal,
                       "relu: plugin throwing: an exception that is no "
                       "std::exception"));
  EXPECT_THAT(api::gelu(x), StatusIs(absl::StatusCode::kResourceExhausted,
                                     "gelu: plugin throwing: out of memory"));
}

}  // namespace
}  // namespace switchyard::phi::capi
