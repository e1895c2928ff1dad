// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/operators.h"

#include <memory>
#include <string>

#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/named_op.h"
#include "python/bindings/objects.h"
#include "python/bindings/trace_call.h"
#include "python/bindings/tracing_scope.h"

namespace switchyard::python {
namespace {

// Returns true for what an operator of Python accepts. Others (text, None,
// foreign classes) get NotImplemented, so that Python tries the other operand.
bool IsOperand(PyObject* object) {
  return IsTensor(object) || IsValue(object) || IsSymbol(object) ||
         IsNumber(object) || PyObject_CheckBuffer(object) ||
         PyList_Check(object) || PyTuple_Check(object);
}

PyObject* Binary(NamedOp& op, PyObject* a, PyObject* b) {
  if (!IsOperand(a) || !IsOperand(b)) Py_RETURN_NOTIMPLEMENTED;
  return op({a, b});
}

DataType GetDtype(PyObject* object) {
  if (IsTensor(object)) return GetTensor(object).dtype();
  if (IsValue(object)) return GetValue(object).type.dtype();
  return PyBool_Check(object) ? DataType::kBool : DataType::kUndefined;
}

// The operators of &, | or ^: those of bool tensors and those of integers.
struct OfBits {
  const char* symbol;
  NamedOp logical, logical_, bitwise, bitwise_;
};

// Which operators take both operands; with an error set where there are none.
enum class Kind { kLogical, kBitwise, kError };

Kind KindOf(const char* symbol, PyObject* a, PyObject* b) {
  Kind kind = Kind::kLogical;
  for (PyObject* object : {a, b}) {
    if (!IsTensor(object) && !IsValue(object)) continue;
    const DataType dtype = GetDtype(object);
    if (dtype == DataType::kBool) continue;
    if (!IsInteger(dtype)) {
      SetError(TypeError(symbol, "between bools or integers", Name(dtype)));
      return Kind::kError;
    }
    kind = Kind::kBitwise;
  }
  return kind;
}

PyObject* Bits(OfBits& of, PyObject* a, PyObject* b) {
  const Kind kind = KindOf(of.symbol, a, b);
  if (kind == Kind::kError) return nullptr;
  return Binary(kind == Kind::kLogical ? of.logical : of.bitwise, a, b);
}

// A write of a graph's value, by an in-place variant or as x[...] = a op b.
PyObject* InplaceOfValue(NamedOp& op, NamedOp& inplace, PyObject* a,
                         PyObject* b) {
  if (inplace.exists()) return inplace({a, b});
  PyObject* result = op({a, b});
  if (result == nullptr) return nullptr;
  PyObject* done = PyObject_CallMethod(a, "_become", "O", result);
  Py_DECREF(result);
  if (done == nullptr) return nullptr;
  Py_DECREF(done);
  Py_INCREF(a);
  return a;
}

// The graph that a call with b goes to; null if it is eager.
std::shared_ptr<Graph> GraphOf(PyObject* b) {
  if (IsSymbol(b)) b = GetSymbol(b).value;
  if (IsValue(b)) return GetValue(b).graph;
  return IsCaptured(b) ? TracingScope::Innermost()->graph() : nullptr;
}

// Writes a tensor that is a constant in b's graph: the result is the name's
// value from now on.
PyObject* InplaceOfConstant(NamedOp& op, NamedOp& inplace,
                            const std::shared_ptr<Graph>& graph, PyObject* a,
                            PyObject* b) {
  LocateAtCaller(*graph);
  const auto constant = ValueOfEager(*graph, "x", a);
  if (!constant.ok()) return SetError(constant.status());
  PyObject* value = WrapValue(graph, *constant);
  if (value == nullptr) return nullptr;
  PyObject* result = InplaceOfValue(op, inplace, value, b);
  Py_DECREF(value);
  return result;
}

// Outside the gradient graph a strided tensor may be written too, element by
// element, and by operators without an in-place variant.
PyObject* Inplace(NamedOp& op, NamedOp& inplace, PyObject* a, PyObject* b) {
  if ((!IsTensor(a) && !IsValue(a)) || !IsOperand(b)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  if (IsValue(a)) return InplaceOfValue(op, inplace, a, b);
  const bool traced =
      IsValue(b) || IsSymbol(b) || TracingScope::Innermost() != nullptr;
  if (traced && !IsCaptured(a)) {
    const std::shared_ptr<Graph> graph = GraphOf(b);
    if (graph != nullptr) return InplaceOfConstant(op, inplace, graph, a, b);
  }
  const bool recorded = GetTensor(a).requires_grad() ||
                        (IsTensor(b) && GetTensor(b).requires_grad());
  const TensorBase& written = GetTensor(a).base();
  const bool direct = written.contiguous() && inplace.exists();
  if (direct || recorded || IsCaptured(a)) return inplace({a, b});
  if (written.kind() != TensorKind::kDense) {
    return SetError(
        TypeError(std::string(op.name()) + ": tensor that is written", "dense",
                  Name(written.kind())));
  }
  PyObject* result = op({a, b});
  if (result == nullptr) return nullptr;
  DenseTensor& to = GetTensor(a).mutable_dense();
  const absl::Status status =
      CopyElements(op.name(), GetTensor(result).dense(), to);
  Py_DECREF(result);
  if (!status.ok()) return SetError(status);
  to.buffer()->BumpVersion();
  Py_INCREF(a);
  return a;
}

PyObject* InplaceBits(OfBits& of, PyObject* a, PyObject* b) {
  const Kind kind = KindOf(of.symbol, a, b);
  if (kind == Kind::kError) return nullptr;
  const bool logical = kind == Kind::kLogical;
  return Inplace(logical ? of.logical : of.bitwise,
                 logical ? of.logical_ : of.bitwise_, a, b);
}

// Whether a ** b is of a number: a float exponent of integers takes the path of
// two tensors, which promotes.
bool IsPowerOfNumber(PyObject* a, PyObject* b) {
  return IsNumber(b) && !IsNumber(a) &&
         (!PyFloat_Check(b) || IsFloating(GetDtype(a)));
}

// Constant-initialised.
NamedOp op_add("add");
NamedOp op_add_("add_");
NamedOp op_subtract("subtract");
NamedOp op_subtract_("subtract_");
NamedOp op_multiply("multiply");
NamedOp op_multiply_("multiply_");
NamedOp op_divide("divide");
NamedOp op_divide_("divide_");
NamedOp op_floor_divide("floor_divide");
NamedOp op_floor_divide_("floor_divide_");
NamedOp op_remainder("remainder");
NamedOp op_remainder_("remainder_");
NamedOp op_matmul("matmul");
NamedOp op_equal("equal");
NamedOp op_not_equal("not_equal");
NamedOp op_less_than("less_than");
NamedOp op_less_equal("less_equal");
NamedOp op_greater_than("greater_than");
NamedOp op_greater_equal("greater_equal");
NamedOp op_pow("pow");
NamedOp op_pow_("pow_");
NamedOp op_elementwise_pow("elementwise_pow");
NamedOp op_elementwise_pow_("elementwise_pow_");
NamedOp op_logical_not("logical_not");
NamedOp op_bitwise_not("bitwise_not");
NamedOp op_neg("neg");
NamedOp op_abs("abs");

OfBits of_and = {"&", NamedOp("logical_and"), NamedOp("logical_and_"),
                 NamedOp("bitwise_and"), NamedOp("bitwise_and_")};
OfBits of_or = {"|", NamedOp("logical_or"), NamedOp("logical_or_"),
                NamedOp("bitwise_or"), NamedOp("bitwise_or_")};
OfBits of_xor = {"^", NamedOp("logical_xor"), NamedOp("logical_xor_"),
                 NamedOp("bitwise_xor"), NamedOp("bitwise_xor_")};

}  // namespace

PyObject* Add(PyObject* a, PyObject* b) { return Binary(op_add, a, b); }
PyObject* Subtract(PyObject* a, PyObject* b) {
  return Binary(op_subtract, a, b);
}
PyObject* Multiply(PyObject* a, PyObject* b) {
  return Binary(op_multiply, a, b);
}
PyObject* Divide(PyObject* a, PyObject* b) { return Binary(op_divide, a, b); }
PyObject* FloorDivide(PyObject* a, PyObject* b) {
  return Binary(op_floor_divide, a, b);
}
PyObject* Remainder(PyObject* a, PyObject* b) {
  return Binary(op_remainder, a, b);
}
PyObject* Matmul(PyObject* a, PyObject* b) { return Binary(op_matmul, a, b); }

PyObject* Power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return Binary(IsPowerOfNumber(a, b) ? op_pow : op_elementwise_pow, a, b);
}

PyObject* And(PyObject* a, PyObject* b) { return Bits(of_and, a, b); }
PyObject* Or(PyObject* a, PyObject* b) { return Bits(of_or, a, b); }
PyObject* Xor(PyObject* a, PyObject* b) { return Bits(of_xor, a, b); }
PyObject* Invert(PyObject* a) {
  const DataType dtype = GetDtype(a);
  if (dtype == DataType::kBool) return op_logical_not({a});
  if (IsInteger(dtype)) return op_bitwise_not({a});
  return SetError(TypeError("~", "of a bool or integer tensor", Name(dtype)));
}

PyObject* Negative(PyObject* a) { return op_neg({a}); }
PyObject* Positive(PyObject* a) {
  Py_INCREF(a);
  return a;
}
PyObject* Absolute(PyObject* a) { return op_abs({a}); }

PyObject* InplaceAdd(PyObject* a, PyObject* b) {
  return Inplace(op_add, op_add_, a, b);
}
PyObject* InplaceSubtract(PyObject* a, PyObject* b) {
  return Inplace(op_subtract, op_subtract_, a, b);
}
PyObject* InplaceMultiply(PyObject* a, PyObject* b) {
  return Inplace(op_multiply, op_multiply_, a, b);
}
PyObject* InplaceDivide(PyObject* a, PyObject* b) {
  return Inplace(op_divide, op_divide_, a, b);
}

PyObject* InplaceFloorDivide(PyObject* a, PyObject* b) {
  return Inplace(op_floor_divide, op_floor_divide_, a, b);
}
PyObject* InplaceRemainder(PyObject* a, PyObject* b) {
  return Inplace(op_remainder, op_remainder_, a, b);
}
PyObject* InplacePower(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  if (IsPowerOfNumber(a, b)) return Inplace(op_pow, op_pow_, a, b);
  return Inplace(op_elementwise_pow, op_elementwise_pow_, a, b);
}
PyObject* InplaceAnd(PyObject* a, PyObject* b) {
  return InplaceBits(of_and, a, b);
}
PyObject* InplaceOr(PyObject* a, PyObject* b) {
  return InplaceBits(of_or, a, b);
}
PyObject* InplaceXor(PyObject* a, PyObject* b) {
  return InplaceBits(of_xor, a, b);
}

Py_hash_t Hash(PyObject* object) { return PyBaseObject_Type.tp_hash(object); }

PyObject* Compare(PyObject* a, PyObject* b, int comparison) {
  switch (comparison) {
    case Py_EQ:
      return Binary(op_equal, a, b);
    case Py_NE:
      return Binary(op_not_equal, a, b);
    case Py_LT:
      return Binary(op_less_than, a, b);
    case Py_LE:
      return Binary(op_less_equal, a, b);
    case Py_GT:
      return Binary(op_greater_than, a, b);
    default:
      return Binary(op_greater_equal, a, b);
  }
}

}  // namespace switchyard::python
