// Gradient of outer: g y and g^T x. Differentiable again.
inline void OuterGrad(Ops& ops, const Value& x, const Value& y,
                      const Value& out_grad, Value* x_grad, Value* y_grad) {
  if (x_grad != nullptr) *x_grad = op::matmul(ops, out_grad, y, false, false);
  if (y_grad != nullptr) *y_grad = op::matmul(ops, out_grad, x, true, false);
}
