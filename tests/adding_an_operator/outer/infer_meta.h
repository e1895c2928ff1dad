// out: [m, n] for x [m] and y [n], of one dtype.
absl::Status OuterInferMeta(const TensorSpec& x, const TensorSpec& y,
                            TensorSpec* out);

// x_grad as x, y_grad as y (either may be null). out_grad: as OuterInferMeta
// says.
absl::Status OuterGradInferMeta(const TensorSpec& x, const TensorSpec& y,
                                const TensorSpec& out_grad, TensorSpec* x_grad,
                                TensorSpec* y_grad);
