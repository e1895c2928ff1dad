// SPDX-License-Identifier: Apache-2.0
// The C++ types of arguments, by layer, and C++ literals: the one table between
// the grammar's types (ops_gen/schema/value_type.h) and generated code. The
// architecture page describes the layers; ops_gen/emit writes them out.
#ifndef SWITCHYARD_OPS_GEN_SIGNATURE_CPP_TYPES_H_
#define SWITCHYARD_OPS_GEN_SIGNATURE_CPP_TYPES_H_

#include <string>

#include "ops_gen/schema/signature.h"
#include "ops_gen/schema/value_type.h"

namespace switchyard::ops_gen {

// The functions that take arguments: InferMeta sees TensorSpecs, kernels
// tensors.
enum class Layer { kInferMeta, kKernel };

// "int", "absl::Span<const float>", "const Scalar&": the same in all layers.
std::string AttrType(ValueType type);
// "AttrType::kInt".
std::string AttrEnumerator(ValueType type);

// The type of a tensor argument of InferMeta functions and kernels. `kind` is
// the kernel's tensor kind ("dense").
std::string InputType(Layer layer, const InputDecl& input, bool optional,
                      const std::string& kind);
std::string OutputType(Layer layer, const OutputDecl& output,
                       const std::string& kind);
// The type of a tensor argument and result of a functional API whose tensors
// are `tensor` ("DenseTensor", "Tensor").
std::string ApiInputType(const std::string& tensor, const InputDecl& input,
                         bool optional);
std::string ApiOutputType(const std::string& tensor, const OutputDecl& output);

// "TensorKind::kSelectedRows".
std::string KindEnumerator(const std::string& kind);
// "DataType::kFloat32".
std::string DtypeEnumerator(const std::string& dtype);

// One item of a literal as C++: "-1", "0.5f", "Scalar(2.0)",
// "DataType::kFloat32".
std::string CppItem(ValueType item_type, const std::string& item);
// A literal as a default argument: "-1", "{}", "{0, 1}".
std::string CppDefault(ValueType type, const Literal& literal);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_SIGNATURE_CPP_TYPES_H_
