// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/written_model.h"

#include <sys/mman.h>

#include <filesystem>
#include <string>

#include "framework/testing/matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "static_graph/foreign/onnx/onnx_program.h"
#include "static_graph/foreign/onnx/write_within.h"

namespace switchyard::static_graph {
namespace {

using ::testing::HasSubstr;

std::string PathOf(const std::string& name) {
  return (std::filesystem::temp_directory_path() / name).string();
}

// y = f(x, w) for a weight of `bytes`.
WrittenModel ModelOf(std::string_view bytes) {
  WrittenModel model;
  model.opset = 20;
  model.producer = "test";
  model.graph.name = "graph";
  model.graph.inputs = {
      {"x", DataType::kFloat32, {std::string("rows"), int64_t{2}}}};
  const auto count = static_cast<int64_t>(bytes.size() / sizeof(float));
  model.graph.tensors = {{"w", DataType::kFloat32, {count}, bytes, nullptr}};
  model.graph.nodes = {{"F",
                        {"x", "", "w"},
                        {"y"},
                        {{"alpha", 0.5f},
                         {"axis", int64_t{-1}},
                         {"mode", std::string("up")},
                         {"pads", std::vector<int64_t>{1, -2}},
                         {"words", std::vector<std::string>{"a", "b"}}}}};
  model.graph.outputs = {{"y", DataType::kFloat32, {std::string()}}};
  return model;
}

TEST(WrittenModel, IsReadAgain) {
  const float weight[] = {1, 2, 3};
  const std::string path = PathOf("written_model_test.onnx");
  ASSERT_TRUE(WriteModel(ModelOf({reinterpret_cast<const char*>(weight),
                                  sizeof(weight)}),
                         path, ExternalData::kWhenTooLarge)
                  .ok());
  const auto program = ReadOnnxFile(path);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ((*program)->version(), 9);
  const OnnxBlock& graph = (*program)->blocks(0);
  EXPECT_EQ(graph.DomainVersion(""), 20);
  const auto spec = (*program)->SpecOf(graph.facts(graph.IndexOf("x")));
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_TRUE(spec->shape[0].symbolic());
  EXPECT_EQ(spec->shape[1], Dim(2));
  const ForeignOperator op = graph.ops(0);
  EXPECT_EQ(op.type, "F");
  EXPECT_EQ(op.attr("alpha")->number(), 0.5);
  EXPECT_EQ(op.attr("axis")->integer(), -1);
  EXPECT_EQ(op.attr("words")->texts().size(), 2u);
  const auto tensor = (*program)->TensorOf(graph.facts(graph.IndexOf("w")));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->data<float>()[2], 3);
  EXPECT_FALSE(std::filesystem::exists(path + ".data"));
}

TEST(WrittenModel, LeavesLargeWeightsOutside) {
  const std::string bytes(4096, 'a');
  const std::string path = PathOf("written_outside_test.onnx");
  ASSERT_TRUE(WriteModel(ModelOf(bytes), path, ExternalData::kAlways).ok());
  EXPECT_LT(std::filesystem::file_size(path), 1024u);
  EXPECT_EQ(std::filesystem::file_size(path + ".data"), bytes.size());
  const auto program = ReadOnnxFile(path);
  ASSERT_TRUE(program.ok()) << program.status();
  const OnnxBlock& graph = (*program)->blocks(0);
  const auto tensor = (*program)->TensorOf(graph.facts(graph.IndexOf("w")));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->data<char>()[4095], 'a');
}

TEST(WrittenModel, LeavesWeightsOutsideWhereTheyPassTheLimit) {
  std::string bytes(4096, 'a');
  bytes.back() = 'z';
  const std::string path = PathOf("written_beyond_test.onnx");
  const WrittenModel model = ModelOf(bytes);
  ASSERT_TRUE(WriteWithin(model, path, ExternalData::kWhenTooLarge, 4000).ok());
  EXPECT_EQ(std::filesystem::file_size(path + ".data"), bytes.size());
  const auto program = ReadOnnxFile(path);
  ASSERT_TRUE(program.ok()) << program.status();
  const OnnxBlock& graph = (*program)->blocks(0);
  const auto tensor = (*program)->TensorOf(graph.facts(graph.IndexOf("w")));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(std::string_view(static_cast<const char*>(tensor->raw_data()),
                             tensor->byte_size()),
            bytes);
  // A larger limit leaves them inside.
  const std::string within = PathOf("written_within_test.onnx");
  ASSERT_TRUE(
      WriteWithin(model, within, ExternalData::kWhenTooLarge, 5000).ok());
  EXPECT_FALSE(std::filesystem::exists(within + ".data"));
}

TEST(WrittenModel, PacksElementsOfFewBits) {
  const std::string codes = {15, 1, 2, 8, 7};
  WrittenModel model = ModelOf(codes);
  model.opset = 25;
  model.graph.tensors[0].dtype = DataType::kInt4;
  model.graph.tensors[0].extents = {5};
  const std::string path = PathOf("written_packed_test.onnx");
  ASSERT_TRUE(WriteModel(model, path, ExternalData::kNever).ok());
  const auto program = ReadOnnxFile(path);
  ASSERT_TRUE(program.ok()) << program.status();
  const OnnxBlock& graph = (*program)->blocks(0);
  const auto tensor = (*program)->TensorOf(graph.facts(graph.IndexOf("w")));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->dtype(), DataType::kInt4);
  EXPECT_EQ(std::string(static_cast<const char*>(tensor->raw_data()), 5),
            codes);
}

TEST(WrittenModel, RefusesTwoGibibytesInside) {
  // Nothing of it is looked at, so it takes no memory.
  constexpr size_t kSize = size_t{1} << 31;
  void* const region = mmap(nullptr, kSize, PROT_READ,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(region, MAP_FAILED);
  const absl::Status status =
      WriteModel(ModelOf({static_cast<const char*>(region), kSize}),
                 PathOf("written_large_test.onnx"), ExternalData::kNever);
  EXPECT_THAT(std::string(status.message()), HasSubstr("more than 2 GiB"));
  munmap(region, kSize);
}

TEST(WrittenModel, RefusesADtypeThatOnnxLacks) {
  WrittenModel model = ModelOf("");
  model.graph.inputs[0].dtype = DataType::kUndefined;
  const absl::Status status = WriteModel(
      model, PathOf("written_dtype_test.onnx"), ExternalData::kNever);
  EXPECT_TRUE(IsTypeError(status)) << status;
}

}  // namespace
}  // namespace switchyard::static_graph
