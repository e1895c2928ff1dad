// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/interpolation/shuffle.h"

#include "framework/device/cpu/strided_copy.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// The axes [batch, channels, height, width] of an image whose height and width
// are apart in tiles of factor x factor, in the order of the image's memory;
// and how far neighbours along each are apart in the tensor of tiles.
struct TiledImage {
  Shape shape;
  Strides tiles = {};
};

TiledImage MakeTiledImage(const Shape& pixels, int64_t factor, bool last) {
  const int64_t f = factor;
  if (last) {
    const int64_t h = pixels.extent(1) / f, w = pixels.extent(2) / f;
    const int64_t c = pixels.extent(3), deep = c * f * f;
    return {Shape({pixels.extent(0), h, f, w, f, c}),
            {h * w * deep, w * deep, f, deep, 1, f * f}};
  }
  const int64_t c = pixels.extent(1);
  const int64_t h = pixels.extent(2) / f, w = pixels.extent(3) / f;
  return {Shape({pixels.extent(0), c, h, f, w, f}),
          {c * f * f * h * w, f * f * h * w, w, f * h * w, 1, h * w}};
}

}  // namespace

void MoveTilesToPixels(const DenseTensor& x, int factor,
                       std::string_view data_format, DenseTensor* out) {
  if (out->numel() == 0) return;
  const TiledImage image =
      MakeTiledImage(out->shape(), factor, data_format == "NHWC");
  CopyStrided(ElementSize(x.dtype()), image.shape, x.raw_data(), image.tiles,
              out->mutable_data<char>(), ContiguousStrides(image.shape));
}

void MovePixelsToTiles(const DenseTensor& x, int factor,
                       std::string_view data_format, DenseTensor* out) {
  if (out->numel() == 0) return;
  const TiledImage image =
      MakeTiledImage(x.shape(), factor, data_format == "NHWC");
  CopyStrided(ElementSize(x.dtype()), image.shape, x.raw_data(),
              ContiguousStrides(image.shape), out->mutable_data<char>(),
              image.tiles);
}

void TransposeChannels(const DenseTensor& x, int64_t rows, int64_t columns,
                       std::string_view data_format, DenseTensor* out) {
  if (out->numel() == 0) return;
  const int64_t channels = rows * columns;
  const bool last = data_format == "NHWC";
  // Elements of a channel that lie together.
  const int64_t inner = last ? 1 : x.extent(2) * x.extent(3);
  const Shape shape({x.numel() / (channels * inner), columns, rows, inner});
  const Strides from = {channels * inner, inner, columns * inner, 1};
  CopyStrided(ElementSize(x.dtype()), shape, x.raw_data(), from,
              out->mutable_data<char>(), ContiguousStrides(shape));
}

}  // namespace switchyard::phi::kernels::cpu
