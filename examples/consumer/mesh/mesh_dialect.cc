// SPDX-License-Identifier: Apache-2.0
#include "mesh/mesh_dialect.h"

#include <charconv>
#include <optional>
#include <vector>

#include "static_graph/dialect/op_traits.h"
#include "static_graph/ir/attribute_parser.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/encoding.h"

namespace mesh {
namespace {

using switchyard::ArgumentError;
using switchyard::static_graph::Lowering;
using switchyard::static_graph::LoweringInterface;

absl::StatusOr<int64_t> ParseInteger(ir::Lexer& lexer) {
  const std::string_view text = lexer.token().text;
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (!lexer.Is(ir::TokenKind::kInteger) || error != std::errc()) {
    return lexer.Error("an integer");
  }
  lexer.Advance();
  return value;
}

// ---- mesh.axis ----

std::string PrintAxis(ir::Attribute attribute) {
  const auto axis = attribute.As<AxisAttribute>();
  return "<\"" + axis.name() + "\", " + std::to_string(axis.devices()) + ">";
}

absl::StatusOr<ir::Attribute> ParseAxis(ir::Lexer& lexer,
                                        ir::Context* context) {
  SY_RETURN_IF_ERROR(lexer.ExpectSign('<'));
  SY_ASSIGN_OR_RETURN(std::string name,
                      lexer.ExpectString("the axis's name as a string"));
  SY_RETURN_IF_ERROR(lexer.ExpectSign(','));
  SY_ASSIGN_OR_RETURN(const int64_t devices, ParseInteger(lexer));
  SY_RETURN_IF_ERROR(lexer.ExpectSign('>'));
  return context->Get<AxisAttribute>({std::move(name), devices});
}

absl::Status VerifyAxis(ir::Attribute attribute) {
  const auto axis = attribute.As<AxisAttribute>();
  const bool letters = !axis.name().empty() &&
                       axis.name().find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyz") == std::string::npos;
  if (!letters) {
    return ArgumentError("mesh.axis", "named in lower-case letters",
                         "'" + axis.name() + "'");
  }
  if (axis.devices() >= 1) return absl::OkStatus();
  return ArgumentError("mesh.axis", "of one device or more",
                       std::to_string(axis.devices()));
}

void EncodeAxis(ir::Attribute attribute, ir::Encoder* encoder) {
  const auto axis = attribute.As<AxisAttribute>();
  encoder->Text(axis.name());
  encoder->U64(static_cast<uint64_t>(axis.devices()));
}

absl::StatusOr<ir::Attribute> DecodeAxis(ir::Decoder* decoder) {
  std::string name(decoder->Text());
  const auto devices = static_cast<int64_t>(decoder->U64());
  return decoder->context()->Get<AxisAttribute>({std::move(name), devices});
}

// ---- mesh.placed ----

std::string PrintPlaced(ir::Type type) {
  const auto placed = type.As<PlacedType>();
  return "<" + ir::ToString(placed.tensor()) + ", " +
         ir::ToString(placed.axis()) + ", " + std::to_string(placed.dim()) +
         ">";
}

absl::StatusOr<ir::Type> MakePlaced(ir::Context* context, ir::Type tensor,
                                    ir::Attribute axis, int64_t dim) {
  // Any other number is out of range as well.
  const int small = dim >= 0 && dim < 64 ? static_cast<int>(dim) : -1;
  return context->Get<PlacedType>({tensor.As<ir::TensorType>(), axis, small});
}

absl::StatusOr<ir::Type> ParsePlaced(ir::Lexer& lexer, ir::Context* context) {
  SY_RETURN_IF_ERROR(lexer.ExpectSign('<'));
  SY_ASSIGN_OR_RETURN(const ir::Type tensor, ir::ParseType(lexer, context));
  SY_RETURN_IF_ERROR(lexer.ExpectSign(','));
  SY_ASSIGN_OR_RETURN(const ir::Attribute axis,
                      ir::ParseAttribute(lexer, context));
  SY_RETURN_IF_ERROR(lexer.ExpectSign(','));
  SY_ASSIGN_OR_RETURN(const int64_t dim, ParseInteger(lexer));
  SY_RETURN_IF_ERROR(lexer.ExpectSign('>'));
  return MakePlaced(context, tensor, axis, dim);
}

absl::Status VerifyPlaced(ir::Type type) {
  const auto placed = type.As<PlacedType>();
  if (!placed.tensor() || !placed.axis()) {
    return ArgumentError("mesh.placed", "a tensor type along a mesh.axis",
                         "others");
  }
  const switchyard::Shape& shape = placed.tensor().shape();
  if (placed.dim() < 0 || placed.dim() >= shape.rank()) {
    return ArgumentError("mesh.placed: dim",
                         "in [0, " + std::to_string(shape.rank()) + ")",
                         std::to_string(placed.dim()));
  }
  const switchyard::Dim extent = shape[placed.dim()];
  if (!extent.known() || extent.value() % placed.axis().devices() == 0) {
    return absl::OkStatus();
  }
  return ArgumentError(
      "mesh.placed: extent",
      "a multiple of " + std::to_string(placed.axis().devices()) + " devices",
      std::to_string(extent.value()));
}

void EncodePlaced(ir::Type type, ir::Encoder* encoder) {
  const auto placed = type.As<PlacedType>();
  encoder->Write(placed.tensor());
  encoder->Write(placed.axis());
  encoder->U32(static_cast<uint32_t>(placed.dim()));
}

absl::StatusOr<ir::Type> DecodePlaced(ir::Decoder* decoder) {
  const ir::Type tensor = decoder->ReadType();
  const ir::Attribute axis = decoder->ReadAttribute();
  return MakePlaced(decoder->context(), tensor, axis, decoder->U32());
}

// ---- The operations ----

using Types = std::vector<ir::Type>;

absl::StatusOr<Types> InferCut(ir::Context* context,
                               const ir::OperationState& state) {
  if (state.operands.size() != 1 || !state.operands[0].tensor_type()) {
    return ArgumentError("operands", "one tensor", "others");
  }
  ir::Attribute axis;
  std::optional<int> dim;
  for (const ir::NamedAttribute& attribute : state.attributes) {
    if (attribute.name.text() == kAxisAttr) axis = attribute.value;
    if (attribute.name.text() == kDimAttr) dim = attribute.value.As<int>();
  }
  if (!axis || !dim.has_value()) {
    return ArgumentError("attributes", "axis and dim", "one of them missing");
  }
  SY_ASSIGN_OR_RETURN(
      const ir::Type placed,
      MakePlaced(context, state.operands[0].type(), axis, *dim));
  return Types{placed};
}

absl::StatusOr<Types> InferGather(ir::Context*,
                                  const ir::OperationState& state) {
  const auto placed = state.operands.size() == 1
                          ? state.operands[0].type().As<PlacedType>()
                          : PlacedType();
  if (!placed) {
    return ArgumentError("operands", "one of type mesh.placed", "others");
  }
  return Types{placed.tensor()};
}

constexpr ir::InferTypesInterface kCutTypes = {&InferCut};
constexpr ir::InferTypesInterface kGatherTypes = {&InferGather};

absl::Status VerifyCut(const ir::Operation& op) {
  const auto placed = op.num_results() == 1
                          ? op.result(0).type().As<PlacedType>()
                          : PlacedType();
  if (op.num_operands() == 1 && placed &&
      placed.tensor() == op.operand(0).type() &&
      placed.axis() == op.attribute(kAxisAttr) &&
      placed.dim() == op.attribute(kDimAttr).As<int>()) {
    return absl::OkStatus();
  }
  return ArgumentError("result", "the operand placed by axis and dim",
                       placed ? ir::ToString(placed) : "another");
}

absl::Status VerifyGather(const ir::Operation& op) {
  const auto placed = op.num_operands() == 1
                          ? op.operand(0).type().As<PlacedType>()
                          : PlacedType();
  if (placed && op.num_results() == 1 &&
      placed.tensor() == op.result(0).type()) {
    return absl::OkStatus();
  }
  return ArgumentError("result", "the tensor that the operand is placed of",
                       "another");
}

// One device holds the whole: there is nothing to do.
absl::Status LowerToOperand(ir::Operation* op, Lowering*) {
  // The operand of a gather is a tensor where its cut has been lowered.
  for (const ir::Value value : {op->operand(0), op->result(0)}) {
    const auto placed = value.type().As<PlacedType>();
    if (!placed || placed.axis().devices() == 1) continue;
    return absl::UnimplementedError(std::string(op->name()) +
                                    ": this image runs on one device, got " +
                                    std::to_string(placed.axis().devices()));
  }
  op->result(0).ReplaceAllUsesWith(op->operand(0));
  op->Erase();
  return absl::OkStatus();
}

constexpr LoweringInterface kLowering = {&LowerToOperand};

}  // namespace

ir::Dialect MeshDialect() {
  ir::AttributeDefinition axis;
  axis.id = ir::TypeIdOf<AxisAttribute>();
  axis.name = "mesh.axis";
  axis.print = PrintAxis;
  axis.parse = ParseAxis;
  axis.verify = VerifyAxis;
  axis.encode = EncodeAxis;
  axis.decode = DecodeAxis;

  ir::TypeDefinition placed;
  placed.id = ir::TypeIdOf<PlacedType>();
  placed.name = "mesh.placed";
  placed.print = PrintPlaced;
  placed.parse = ParsePlaced;
  placed.verify = VerifyPlaced;
  placed.encode = EncodePlaced;
  placed.decode = DecodePlaced;

  ir::OpDefinition cut;
  cut.name = kCutOp;
  cut.verify = VerifyCut;
  cut.Add<ir::PureTrait>().Add(&kCutTypes).Add(&kLowering);

  ir::OpDefinition gather;
  gather.name = kGatherOp;
  gather.verify = VerifyGather;
  gather.Add<ir::PureTrait>().Add(&kGatherTypes).Add(&kLowering);

  ir::Dialect mesh;
  mesh.name = "mesh";
  mesh.attributes = {axis};
  mesh.types = {placed};
  mesh.operations = {cut, gather};
  return mesh;
}

}  // namespace mesh
