// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_desc/testing.h"

#include "static_graph/foreign/paddle_desc/decode_operator.h"

namespace switchyard::translate {
namespace {

// The numbers of the format (static_graph/foreign/paddle_desc/program_desc.h).
constexpr int kBool = 0;
constexpr int kInt32 = 2;
constexpr int kInt64 = 3;
constexpr int kFloat32 = 5;
constexpr int kDenseTensor = 7;
constexpr int kFeedList = 9;
constexpr int kFetchList = 10;
constexpr int kTensorArray = 13;
constexpr int kIntAttr = 0;
constexpr int kFloatAttr = 1;
constexpr int kTextAttr = 2;
constexpr int kIntsAttr = 3;
constexpr int kBoolAttr = 6;
constexpr int kBlockAttr = 8;

void AddSlots(const SlotList& slots,
              google::protobuf::RepeatedPtrField<OpDesc::Var>* list) {
  for (const auto& [slot, variable] : slots) {
    OpDesc::Var* var = list->Add();
    var->set_parameter(slot);
    var->add_arguments(variable);
  }
}

OpDesc::Attr* AddAttr(OpDesc* op, const std::string& name, int type) {
  OpDesc::Attr* attr = op->add_attrs();
  attr->set_name(name);
  attr->set_type(type);
  return attr;
}

void AddList(BlockDesc* block, const std::string& name, int type) {
  VarDesc* list = block->add_vars();
  list->set_name(name);
  list->mutable_type()->set_type(type);
  list->set_persistable(true);
}

void AddPort(BlockDesc* block, const std::string& type,
             const std::string& variable, int column) {
  const bool feeds = type == "feed";
  SetInt(AddOperator(block, type, {{"X", feeds ? "feed" : variable}},
                     {{"Out", feeds ? variable : "fetch"}}),
         "col", column);
}

// A main block that feeds these variables, which it has.
ProgramDesc EmptyProgram() {
  ProgramDesc program;
  BlockDesc* block = program.add_blocks();
  block->set_idx(0);
  block->set_parent_idx(-1);
  AddList(block, "feed", kFeedList);
  AddList(block, "fetch", kFetchList);
  return program;
}

template <typename T>
void Append(std::string* bytes, T number) {
  bytes->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

}  // namespace

VarDesc* AddVariable(BlockDesc* block, const std::string& name,
                     const std::vector<int64_t>& dims, bool persistable) {
  VarDesc* variable = block->add_vars();
  variable->set_name(name);
  variable->set_persistable(persistable);
  VarType* type = variable->mutable_type();
  type->set_type(kDenseTensor);
  TensorDesc* tensor = type->mutable_dense_tensor()->mutable_tensor();
  tensor->set_data_type(kFloat32);
  for (const int64_t extent : dims) tensor->add_dims(extent);
  return variable;
}

VarDesc* AddTyped(BlockDesc* block, const std::string& name,
                  const std::vector<int64_t>& dims, int data_type) {
  VarDesc* variable = AddVariable(block, name, dims);
  variable->mutable_type()
      ->mutable_dense_tensor()
      ->mutable_tensor()
      ->set_data_type(data_type);
  return variable;
}

VarDesc* AddArray(BlockDesc* block, const std::string& name,
                  const std::vector<int64_t>& dims) {
  VarDesc* variable = AddVariable(block, name, dims);
  VarType* type = variable->mutable_type();
  type->set_type(kTensorArray);
  type->set_allocated_tensor_array(type->release_dense_tensor());
  return variable;
}

OpDesc* AddOperator(BlockDesc* block, const std::string& type,
                    const SlotList& inputs, const SlotList& outputs) {
  OpDesc* op = block->add_ops();
  op->set_type(type);
  AddSlots(inputs, op->mutable_inputs());
  AddSlots(outputs, op->mutable_outputs());
  return op;
}

void SetInt(OpDesc* op, const std::string& name, int value) {
  AddAttr(op, name, kIntAttr)->set_i(value);
}

void SetBool(OpDesc* op, const std::string& name, bool value) {
  AddAttr(op, name, kBoolAttr)->set_b(value);
}

void SetText(OpDesc* op, const std::string& name, const std::string& value) {
  AddAttr(op, name, kTextAttr)->set_s(value);
}

void SetFloat(OpDesc* op, const std::string& name, float value) {
  AddAttr(op, name, kFloatAttr)->set_f(value);
}

void SetBlock(OpDesc* op, const std::string& name, int block) {
  AddAttr(op, name, kBlockAttr)->set_block_idx(block);
}

BlockDesc* AddBlock(ProgramDesc* program, int parent) {
  const int index = program->blocks_size();
  BlockDesc* block = program->add_blocks();
  block->set_idx(index);
  block->set_parent_idx(parent);
  return block;
}

void AddScale(BlockDesc* block, const std::string& x, const std::string& out,
              float scale, float bias) {
  OpDesc* op = AddOperator(block, "scale", {{"X", x}}, {{"Out", out}});
  SetFloat(op, "scale", scale);
  SetFloat(op, "bias", bias);
}

ProgramDesc SmallProgram() {
  ProgramDesc program;
  BlockDesc* block = program.add_blocks();
  block->set_idx(0);
  block->set_parent_idx(-1);
  AddList(block, "feed", kFeedList);
  AddList(block, "fetch", kFetchList);
  AddVariable(block, "image", {-1, 2});
  AddVariable(block, "w", {2, 3}, true);
  AddVariable(block, "b", {3}, true);
  AddVariable(block, "hidden", {-1, 3});
  AddVariable(block, "prob", {-1, 3});

  OpDesc* feed =
      AddOperator(block, "feed", {{"X", "feed"}}, {{"Out", "image"}});
  SetInt(feed, "col", 0);
  OpDesc* mul = AddOperator(block, "mul", {{"X", "image"}, {"Y", "w"}},
                            {{"Out", "hidden"}});
  SetInt(mul, "x_num_col_dims", 1);
  SetInt(mul, "y_num_col_dims", 1);
  // Written again: each write is a value of its own.
  OpDesc* add = AddOperator(block, "elementwise_add",
                            {{"X", "hidden"}, {"Y", "b"}}, {{"Out", "hidden"}});
  SetInt(add, "axis", 1);
  SetInt(add, "op_role", 0);
  AddOperator(block, "relu", {{"X", "hidden"}}, {{"Out", "hidden"}});
  OpDesc* softmax =
      AddOperator(block, "softmax", {{"X", "hidden"}}, {{"Out", "hidden"}});
  SetInt(softmax, "axis", -1);
  OpDesc* scale =
      AddOperator(block, "scale", {{"X", "hidden"}}, {{"Out", "prob"}});
  SetFloat(scale, "scale", 2.0f);
  OpDesc* fetch =
      AddOperator(block, "fetch", {{"X", "prob"}}, {{"Out", "fetch"}});
  SetInt(fetch, "col", 0);
  return program;
}

ProgramDesc ArrayProgram() {
  ProgramDesc program;
  BlockDesc* block = program.add_blocks();
  block->set_idx(0);
  block->set_parent_idx(-1);
  AddList(block, "feed", kFeedList);
  AddList(block, "fetch", kFetchList);
  for (const char* name : {"image", "twice", "read", "joined"}) {
    AddVariable(block, name, {-1, 2});
  }
  AddArray(block, "a", {-1, 2});
  AddArray(block, "b", {});
  const std::pair<const char*, int> integers[] = {{"i", kInt64},
                                                  {"j", kInt64},
                                                  {"length", kInt64},
                                                  {"length_of_b", kInt64},
                                                  {"sizes", kInt32}};
  for (const auto& [name, type] : integers) {
    AddVariable(block, name, {name[0] == 's' ? -1 : 1})
        ->mutable_type()
        ->mutable_dense_tensor()
        ->mutable_tensor()
        ->set_data_type(type);
  }
  int column = 0;
  for (const char* name : {"image", "i", "j"}) {
    SetInt(AddOperator(block, "feed", {{"X", "feed"}}, {{"Out", name}}), "col",
           column++);
  }
  AddOperator(block, "write_to_array", {{"X", "image"}, {"I", "i"}},
              {{"Out", "a"}});
  SetFloat(AddOperator(block, "scale", {{"X", "image"}}, {{"Out", "twice"}}),
           "scale", 2.0f);
  AddOperator(block, "write_to_array", {{"X", "twice"}, {"I", "j"}},
              {{"Out", "a"}});
  AddOperator(block, "read_from_array", {{"X", "a"}, {"I", "i"}},
              {{"Out", "read"}});
  AddOperator(block, "lod_array_length", {{"X", "a"}}, {{"Out", "length"}});
  AddOperator(block, "lod_array_length", {{"X", "b"}},
              {{"Out", "length_of_b"}});
  AddOperator(block, "tensor_array_to_tensor", {{"X", "a"}},
              {{"Out", "joined"}, {"OutIndex", "sizes"}});
  column = 0;
  for (const char* name :
       {"read", "length", "length_of_b", "joined", "sizes"}) {
    SetInt(AddOperator(block, "fetch", {{"X", name}}, {{"Out", "fetch"}}),
           "col", column++);
  }
  return program;
}

ProgramDesc LoopProgram() {
  ProgramDesc program = EmptyProgram();
  BlockDesc* inner = AddBlock(&program, 0);
  BlockDesc* block = program.mutable_blocks(0);
  for (const char* name : {"x", "total", "last"}) {
    AddVariable(block, name, {-1, 2});
  }
  for (const char* name : {"n", "i"}) AddTyped(block, name, {1}, kInt64);
  AddTyped(block, "go", {1}, kBool);
  AddScale(block, "x", "total", 1);
  OpDesc* zero = AddOperator(block, "fill_constant", {}, {{"Out", "i"}});
  SetInt(zero, "dtype", kInt64);
  AddAttr(zero, "shape", kIntsAttr)->add_ints(1);
  AddOperator(block, "less_than", {{"X", "i"}, {"Y", "n"}}, {{"Out", "go"}});
  OpDesc* loop = AddOperator(block, "while", {{"Condition", "go"}},
                             {{"Out", "total"}, {"StepScopes", "scopes"}});
  SetBlock(loop, "sub_block", 1);
  SetBool(loop, "is_test", true);
  AddVariable(inner, "twice", {-1, 2});
  AddScale(inner, "total", "twice", 2);
  AddOperator(inner, "assign", {{"X", "twice"}}, {{"Out", "total"}});
  AddScale(inner, "twice", "last", 1);
  AddScale(inner, "i", "i", 1, 1);
  AddOperator(inner, "less_than", {{"X", "i"}, {"Y", "n"}}, {{"Out", "go"}});
  AddPort(block, "feed", "x", 0);
  AddPort(block, "feed", "n", 1);
  int column = 0;
  for (const char* name : {"total", "i", "last"}) {
    AddPort(block, "fetch", name, column++);
  }
  return program;
}

ProgramDesc BranchProgram() {
  ProgramDesc program = EmptyProgram();
  BlockDesc* inner = AddBlock(&program, 0);
  BlockDesc* block = program.mutable_blocks(0);
  for (const char* name : {"x", "kept", "made", "other", "chosen"}) {
    AddVariable(block, name, {-1, 2});
  }
  AddTyped(block, "flag", {1}, kBool);
  AddTyped(block, "mask", {1}, kInt32);
  AddScale(block, "x", "kept", 1);
  OpDesc* branch = AddOperator(block, "conditional_block", {{"Cond", "flag"}},
                               {{"Out", "made"}, {"Scope", "scope"}});
  SetBlock(branch, "sub_block", 1);
  SetBool(branch, "is_scalar_condition", true);
  AddScale(inner, "x", "made", 2);
  AddScale(inner, "x", "kept", 3);
  OpDesc* cast = AddOperator(block, "cast", {{"X", "flag"}}, {{"Out", "mask"}});
  SetInt(cast, "in_dtype", kBool);
  SetInt(cast, "out_dtype", kInt32);
  AddScale(block, "x", "other", -1);
  OpDesc* select =
      AddOperator(block, "select_input", {{"Mask", "mask"}, {"X", "other"}},
                  {{"Out", "chosen"}});
  select->mutable_inputs(1)->add_arguments("made");
  AddPort(block, "feed", "x", 0);
  AddPort(block, "feed", "flag", 1);
  int column = 0;
  for (const char* name : {"kept", "chosen", "made"}) {
    AddPort(block, "fetch", name, column++);
  }
  return program;
}

std::string WeightStream(int data_type, const std::vector<int64_t>& dims,
                         const std::string& elements) {
  TensorDesc desc;
  desc.set_data_type(data_type);
  for (const int64_t extent : dims) desc.add_dims(extent);
  const std::string description = desc.SerializeAsString();
  std::string bytes;
  Append<uint32_t>(&bytes, 0);  // Version.
  Append<uint64_t>(&bytes, 0);  // Levels of detail.
  Append<uint32_t>(&bytes, 0);  // Version of the tensor.
  Append<int32_t>(&bytes, static_cast<int32_t>(description.size()));
  return bytes + description + elements;
}

std::string FloatStream(const std::vector<int64_t>& dims,
                        const std::vector<float>& values) {
  return WeightStream(kFloat32, dims,
                      std::string(reinterpret_cast<const char*>(values.data()),
                                  values.size() * sizeof(float)));
}

}  // namespace switchyard::translate

namespace switchyard::static_graph {
namespace {

// Adds a message that was parsed before.
template <typename Message>
void AddParsed(std::string_view bytes, Message* message) {
  message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

ForeignOperator AsForeign(const translate::OpDesc& op) {
  ForeignOperator foreign;
  DecodeOperator(op.SerializeAsString(), &foreign);
  return foreign;
}

translate::ProgramDesc AsMessage(const ParsedProgram& program) {
  translate::ProgramDesc desc;
  desc.mutable_version()->set_version(program.version());
  for (int i = 0; i < program.blocks_size(); ++i) {
    const ParsedBlock& parsed = program.blocks(i);
    translate::BlockDesc* const block = desc.add_blocks();
    block->set_idx(i);
    block->set_parent_idx(i == 0 ? -1 : 0);
    block->set_forward_block_idx(parsed.forward_block());
    for (int k = 0; k < parsed.vars_size(); ++k) {
      AddParsed(parsed.VariableBytes(k), block->add_vars());
    }
    for (int k = 0; k < parsed.ops_size(); ++k) {
      AddParsed(parsed.OperatorBytes(k), block->add_ops());
    }
  }
  return desc;
}

}  // namespace switchyard::static_graph
