// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/testing/test_dialect.h"

#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "static_graph/ir/attribute_parser.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/encoding.h"

namespace switchyard::static_graph::ir {
namespace {

absl::Status Reject(const Operation&) {
  return ArgumentError("everything", "different", "this");
}

// test.box<...>: a value of any type in a box.
class BoxType : public Type {
 public:
  using Key = Type;
  using Storage = KeyedTypeStorage<Key>;
  using Type::Type;
  Type inner() const { return key<BoxType>(); }
};

std::string PrintBox(Type type) {
  return "<" + ToString(type.As<BoxType>().inner()) + ">";
}

absl::StatusOr<Type> ParseBox(Lexer& lexer, Context* context) {
  SY_RETURN_IF_ERROR(lexer.ExpectSign('<'));
  SY_ASSIGN_OR_RETURN(const Type inner, ParseType(lexer, context));
  SY_RETURN_IF_ERROR(lexer.ExpectSign('>'));
  return context->Get<BoxType>(inner);
}

absl::Status VerifyBox(Type type) {
  if (type.As<BoxType>().inner()) return absl::OkStatus();
  return ArgumentError("test.box", "of a type", "none");
}

TypeDefinition Box() {
  TypeDefinition box;
  box.id = TypeIdOf<BoxType>();
  box.name = "test.box";
  box.print = PrintBox;
  box.parse = ParseBox;
  box.verify = VerifyBox;
  box.encode = [](Type type, Encoder* encoder) {
    encoder->Write(type.As<BoxType>().inner());
  };
  box.decode = [](Decoder* decoder) -> absl::StatusOr<Type> {
    return decoder->context()->Get<BoxType>(decoder->ReadType());
  };
  return box;
}

// test.pair<..., ...>: two attributes.
class PairAttribute : public Attribute {
 public:
  using Key = std::pair<Attribute, Attribute>;
  using Storage = KeyedAttributeStorage<Key>;
  using Attribute::Attribute;
  const Key& pair() const { return key<PairAttribute>(); }
};

std::string PrintPair(Attribute attribute) {
  const auto& [first, second] = attribute.As<PairAttribute>().pair();
  return "<" + ToString(first) + ", " + ToString(second) + ">";
}

absl::StatusOr<Attribute> ParsePair(Lexer& lexer, Context* context) {
  SY_RETURN_IF_ERROR(lexer.ExpectSign('<'));
  SY_ASSIGN_OR_RETURN(const Attribute first, ParseAttribute(lexer, context));
  SY_RETURN_IF_ERROR(lexer.ExpectSign(','));
  SY_ASSIGN_OR_RETURN(const Attribute second, ParseAttribute(lexer, context));
  SY_RETURN_IF_ERROR(lexer.ExpectSign('>'));
  return context->Get<PairAttribute>({first, second});
}

absl::Status VerifyPair(Attribute attribute) {
  const auto& [first, second] = attribute.As<PairAttribute>().pair();
  if (first && second) return absl::OkStatus();
  return ArgumentError("test.pair", "of two attributes", "one or none");
}

AttributeDefinition Pair() {
  AttributeDefinition pair;
  pair.id = TypeIdOf<PairAttribute>();
  pair.name = "test.pair";
  pair.print = PrintPair;
  pair.parse = ParsePair;
  pair.verify = VerifyPair;
  pair.encode = [](Attribute attribute, Encoder* encoder) {
    const auto& [first, second] = attribute.As<PairAttribute>().pair();
    encoder->Write(first);
    encoder->Write(second);
  };
  pair.decode = [](Decoder* decoder) -> absl::StatusOr<Attribute> {
    const Attribute first = decoder->ReadAttribute();
    return decoder->context()->Get<PairAttribute>(
        {first, decoder->ReadAttribute()});
  };
  return pair;
}

class Generator {
 public:
  Generator(Context* context, uint32_t seed)
      : context_(context), random_(seed), program_(context, Name()) {}

  Program Generate() {
    std::vector<Value> scope;
    for (int i = 0, n = Below(4); i < n; ++i) {
      const std::string name = Name() + std::to_string(i);
      scope.push_back(Below(2) == 0 ? program_.AddFeed(name, Type())
                                    : program_.AddState(name, Type()));
    }
    FillBlock(program_.entry(), scope, 0);
    std::vector<NamedValue> fetches;
    for (int i = 0; i < 3 && !scope.empty(); ++i) {
      fetches.push_back({Name() + std::to_string(i), Pick(scope)});
    }
    std::vector<NamedValue> states;
    for (Value argument : program_.entry().arguments()) {
      if (argument.role() != ArgumentRole::kState || Below(2) == 0) continue;
      states.push_back({std::string(argument.argument_name()), argument});
    }
    program_.Return(fetches, states);
    return std::move(program_);
  }

 private:
  int Below(int bound) {
    return static_cast<int>(random_() % static_cast<uint32_t>(bound));
  }
  template <typename T>
  T Pick(const std::vector<T>& from) {
    return from[Below(static_cast<int>(from.size()))];
  }

  std::string Name() {
    return Pick<std::string>(
        {"x", "fc.weight", "a \"b\"\n", "", "\x01\x7f\xc3\xa4", "_1"});
  }

  TensorSpec Spec(bool known) {
    TensorSpec spec;
    spec.dtype = static_cast<DataType>(1 + Below(kNumDataTypes - 1));
    for (int i = 0, n = Below(known ? 4 : kMaxRank + 1); i < n; ++i) {
      const int kind = known ? 0 : Below(3);
      if (kind == 0) spec.shape.push_back(Below(5));
      if (kind == 1) spec.shape.push_back(Dim::Unknown());
      if (kind == 2) spec.shape.push_back(Dim::Symbol(random_()));
    }
    return spec;
  }

  // One in eight is of another dialect than the builtin one.
  ir::Type Type() {
    ir::Type type = Tensor();
    while (Below(8) == 0) type = *context_->Get<BoxType>(type);
    return type;
  }

  TensorType Tensor() {
    TensorSpec spec = Spec(false);
    const int rank = spec.shape.rank();
    if (rank > 0 && rank <= LayoutDescriptor::kMaxRank && Below(4) == 0) {
      std::vector<int> order(rank);
      std::iota(order.begin(), order.end(), 0);
      spec.layout = *LayoutDescriptor::Make(
          order, {LayoutDescriptor::Block{Below(rank), 8}});
    }
    spec.kind = static_cast<TensorKind>(Below(4));
    spec.lod_levels = Below(3);
    return context_->GetTensorType(spec);
  }

  Attribute Constant() {
    const TensorType type = context_->GetTensorType(Spec(true));
    std::string bytes(type.shape().numel() * ElementSize(type.dtype()), '\0');
    const bool bools = type.dtype() == DataType::kBool;
    for (char& byte : bytes) byte = static_cast<char>(Below(bools ? 2 : 256));
    return *context_->GetConstant(type, bytes);
  }

  double Real() {
    const double bits = static_cast<double>(static_cast<int32_t>(random_()));
    return Pick<double>({0.0, -0.0, 0.1, 1e30, bits / 7,
                         std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN(),
                         std::numeric_limits<double>::denorm_min()});
  }

  Attribute AnyAttribute() {
    if (Below(8) == 0) {
      const Attribute first = AnyAttribute();
      return *context_->Get<PairAttribute>({first, AnyAttribute()});
    }
    const auto integer = static_cast<int32_t>(random_());
    const int64_t wide = static_cast<int64_t>(integer) * 4294967296 - 1;
    const auto real = static_cast<float>(Real());
    const int ints[] = {integer, 0, -1};
    const int64_t int64s[] = {wide, 1};
    const float floats[] = {real, 1.5f, -0.0f};
    const double doubles[] = {Real(), -0.0};
    const bool bools[] = {true, false};
    const Scalar scalars[] = {Scalar(Real()), Scalar(wide), Scalar(true),
                              Scalar(std::complex<double>(Real(), Real()))};
    const auto dtype = static_cast<DataType>(Below(kNumDataTypes));
    const DataType dtypes[] = {dtype, DataType::kFloat32};
    switch (Below(19)) {
      case 0:
        return context_->GetAttribute(Below(2) == 0);
      case 1:
        return context_->GetAttribute(integer);
      case 2:
        return context_->GetAttribute(wide);
      case 3:
        return context_->GetAttribute(real);
      case 4:
        return context_->GetAttribute(Real());
      case 5:
        return context_->GetString(Name());
      case 6:
        return context_->GetAttribute(absl::MakeConstSpan(ints, Below(4)));
      case 7:
        return context_->GetAttribute(absl::MakeConstSpan(int64s, Below(3)));
      case 8:
        return context_->GetAttribute(absl::MakeConstSpan(floats, Below(4)));
      case 9:
        return context_->GetAttribute(absl::MakeConstSpan(bools, Below(3)));
      case 10:
        return context_->GetAttribute(AttrRef(scalars[Below(4)]));
      case 11:
        return context_->GetAttribute(dtype);
      case 12:
        return context_->GetAttribute(Below(2) == 0 ? Place::Cpu()
                                                    : Place::Gpu(Below(8)));
      case 13:
        return context_->GetStrings({Name(), Name()});
      case 14:
        return context_->GetSymbol(Name());
      case 15:
        return context_->GetAttribute(absl::MakeConstSpan(doubles, Below(3)));
      case 16:
        return context_->GetAttribute(absl::MakeConstSpan(scalars, Below(5)));
      case 17:
        return context_->GetAttribute(absl::MakeConstSpan(dtypes, Below(3)));
      default:
        return Constant();
    }
  }

  void FillBlock(Block& block, std::vector<Value>& scope, int depth) {
    Builder builder(context_, &block);
    for (int i = 0, n = 1 + Below(5); i < n; ++i) {
      OperationState state;
      const bool nested = depth < 3 && Below(4) == 0;
      state.definition = context_->FindOp(nested ? "test.scope" : "test.op");
      state.regions = nested ? Below(3) : 0;
      for (int k = Below(3); k > 0 && !scope.empty(); --k) {
        state.operands.push_back(Pick(scope));
      }
      for (int k = Below(3); k > 0; --k) state.results.push_back(Type());
      for (int k = Below(3); k > 0; --k) {
        state.attributes.push_back(
            builder.Named(Name() + std::to_string(k), AnyAttribute()));
      }
      if (Below(2) == 0) {
        state.location = context_->GetLocation(Name(), Below(9), Below(3) - 1);
      }
      Operation* op = builder.Create(state);
      for (int k = 0; k < op->num_regions(); ++k) {
        std::vector<Value> inner = scope;
        for (int a = Below(3); a > 0; --a) {
          inner.push_back(op->block(k).AddArgument(Type()));
        }
        FillBlock(op->block(k), inner, depth + 1);
        OperationState yield;
        yield.definition = context_->FindOp("test.yield");
        if (!inner.empty()) yield.operands = {Pick(inner)};
        Builder(context_, &op->block(k)).Create(yield);
      }
      for (Value result : op->results()) {
        if (Below(2) == 0) result.SetHint(context_->GetString(Name()));
        scope.push_back(result);
      }
    }
    if (Below(3) == 0) scope.push_back(builder.Constant(Constant()));
  }

  Context* context_;
  std::mt19937 random_;
  Program program_;
};

}  // namespace

void RegisterTestDialect(Context* context) {
  Dialect test;
  test.name = "test";
  for (const char* name : {"op", "scope", "yield", "effect", "picky"}) {
    test.operations.emplace_back().name = std::string("test.") + name;
  }
  test.operations[0].Add<PureTrait>();
  test.operations[1].Add<PureTrait>();
  test.operations[2].Add<TerminatorTrait>();
  test.operations[4].verify = Reject;
  test.types = {Box()};
  test.attributes = {Pair()};
  // Fails only if the dialect is registered already.
  context->Register(test).IgnoreError();
}

Program RandomProgram(Context* context, uint32_t seed) {
  return Generator(context, seed).Generate();
}

}  // namespace switchyard::static_graph::ir
