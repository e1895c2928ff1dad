template <typename S>
inline constexpr auto kOuterSpec = KernelSpec<S>();
template <typename T>
absl::Status OuterKernel(const CpuContext&, const DenseTensor& x,
                         const DenseTensor& y, DenseTensor* out) {
  const int64_t rows = x.numel(), columns = y.numel();
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      out->mutable_data<T>()[i * columns + j] =
          static_cast<T>(x.data<T>()[i] * y.data<T>()[j]);
    }
  }
  return absl::OkStatus();
}
