// out: [m, n] for x [m] and y [n], of one dtype.
absl::Status OuterInferMeta(const TensorSpec& x, const TensorSpec& y,
                            TensorSpec* out);
