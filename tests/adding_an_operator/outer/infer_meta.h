// out: [m, n] for x [m] and y [n], of one dtype.
absl::Status OuterInferMeta(const MetaTensor& x, const MetaTensor& y,
                            MetaTensor* out);

// x_grad as x, y_grad as y (either may be null). out_grad: as OuterInferMeta
// says.
absl::Status OuterGradInferMeta(const MetaTensor& x, const MetaTensor& y,
                                const MetaTensor& out_grad, MetaTensor* x_grad,
                                MetaTensor* y_grad);
