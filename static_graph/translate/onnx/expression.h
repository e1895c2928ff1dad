// SPDX-License-Identifier: Apache-2.0
// Expression: a value of a lowering that takes part in arithmetic, so that
// formulas read as they are written. A number beside one is of its dtype.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_EXPRESSION_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_EXPRESSION_H_

#include <string_view>

#include "static_graph/translate/onnx/onnx_call.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {

// Refers to the call, which outlives it.
class Expression {
 public:
  Expression(OnnxCall& call, ir::Value value) : call_(&call), value_(value) {}

  operator ir::Value() const { return value_; }     // NOLINT: implicit
  operator OnnxArgument() const { return value_; }  // NOLINT: implicit
  DataType dtype() const { return DtypeOf(value_); }

  // The result of an operator of ours of one input.
  Expression Of(std::string_view name,
                const OnnxAttributes& attributes = {}) const {
    return {*call_, call_->Call(name, {value_}, attributes)};
  }
  Expression As(DataType dtype) const {
    return {*call_, Cast(*call_, value_, dtype)};
  }
  Expression Unsqueeze(const Integers& axes) const {
    return {*call_, static_graph::Unsqueeze(*call_, value_, axes)};
  }
  Expression Minus() const { return *this * -1.0; }
  // The first where this holds, else the second.
  Expression Where(const Expression& then, const Expression& otherwise) const {
    return {*call_, call_->Call("where", {value_, then, otherwise})};
  }

  Expression With(std::string_view name, const Expression& other) const {
    return {*call_, call_->Call(name, {value_, other})};
  }
  Expression With(std::string_view name, double number) const {
    return With(name, Number(number));
  }
  Expression Number(double number) const {
    return {*call_, NumberLike(*call_, value_, number)};
  }

  template <typename T>
  Expression operator+(const T& other) const {
    return With("add", other);
  }
  template <typename T>
  Expression operator-(const T& other) const {
    return With("subtract", other);
  }
  template <typename T>
  Expression operator*(const T& other) const {
    return With("multiply", other);
  }
  template <typename T>
  Expression operator/(const T& other) const {
    return With("divide", other);
  }
  template <typename T>
  Expression operator<(const T& other) const {
    return With("less_than", other);
  }
  template <typename T>
  Expression operator<=(const T& other) const {
    return With("less_equal", other);
  }
  template <typename T>
  Expression operator>(const T& other) const {
    return With("greater_than", other);
  }
  template <typename T>
  Expression operator>=(const T& other) const {
    return With("greater_equal", other);
  }
  template <typename T>
  Expression operator==(const T& other) const {
    return With("equal", other);
  }
  Expression And(const Expression& other) const {
    return With("logical_and", other);
  }
  Expression Or(const Expression& other) const {
    return With("logical_or", other);
  }

 private:
  OnnxCall* call_;
  ir::Value value_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_EXPRESSION_H_
