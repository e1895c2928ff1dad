template <typename S>
inline constexpr auto kOuterSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status OuterKernel(const ReferenceContext&, const DenseTensor& x,
                         const DenseTensor& y, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index at = Unravel(out->shape(), i);
    out->mutable_data<T>()[i] = static_cast<T>(double{At<T>(x, Index{at[0]})} *
                                               double{At<T>(y, Index{at[1]})});
  }
  return absl::OkStatus();
}
