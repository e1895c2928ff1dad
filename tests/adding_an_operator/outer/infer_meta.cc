absl::Status OuterInferMeta(const MetaTensor& x, const MetaTensor& y,
                            MetaTensor* out) {
  if (x.shape.rank() != 1) {
    return ArgumentError("x", "of rank 1", ToString(x.shape));
  }
  if (y.shape.rank() != 1) {
    return ArgumentError("y", "of rank 1", ToString(y.shape));
  }
  if (x.dtype != y.dtype) return TypeError("y", Name(x.dtype), Name(y.dtype));
  return SetOutput(out, x.dtype, Shape({x.shape[0], y.shape[0]}));
}

absl::Status OuterGradInferMeta(const MetaTensor& x, const MetaTensor& y,
                                const MetaTensor& out_grad, MetaTensor* x_grad,
                                MetaTensor* y_grad) {
  MetaTensor out;
  SY_RETURN_IF_ERROR(OuterInferMeta(x, y, &out));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  return SetGrads(x, y, x_grad, y_grad);
}
