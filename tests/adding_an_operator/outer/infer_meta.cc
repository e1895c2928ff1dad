absl::Status OuterInferMeta(const TensorSpec& x, const TensorSpec& y,
                            TensorSpec* out) {
  if (x.shape.rank() != 1) {
    return ArgumentError("x", "of rank 1", ToString(x.shape));
  }
  if (y.shape.rank() != 1) {
    return ArgumentError("y", "of rank 1", ToString(y.shape));
  }
  if (x.dtype != y.dtype) return TypeError("y", Name(x.dtype), Name(y.dtype));
  return SetOutput(out, x.dtype, Shape({x.shape[0], y.shape[0]}));
}
