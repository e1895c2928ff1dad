// Gradient of outer: g y and g^T x. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void OuterGrad(Ops& ops, const V& x, const V& y, const V& out_grad, V* x_grad,
               V* y_grad) {
  if (x_grad != nullptr) *x_grad = ops.matmul(out_grad, y, false, false);
  if (y_grad != nullptr) *y_grad = ops.matmul(out_grad, x, true, false);
}
