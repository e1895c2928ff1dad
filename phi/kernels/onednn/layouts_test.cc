// SPDX-License-Identifier: Apache-2.0
// Layouts of oneDNN survive the way to a LayoutDescriptor and back.
#include "phi/kernels/onednn/layouts.h"

#include <cstdint>

#include "dnnl.hpp"
#include "framework/testing/matchers.h"
#include "framework/types/layout_descriptor.h"
#include "framework/types/shape.h"
#include "gtest/gtest.h"

namespace switchyard::phi::kernels::onednn {
namespace {

using Tag = dnnl::memory::format_tag;

// Expects that the description of a tensor in this layout says of each element
// where oneDNN has it: the strides of axes of one element say nothing.
void ExpectTheSamePlaces(const Shape& shape, const OnednnAxes& axes, Tag tag) {
  const dnnl::memory::desc wanted(MakeAnyDesc(shape, axes).dims(),
                                  dnnl::memory::data_type::f32, tag);
  const auto layout = GetLayout(wanted, axes);
  ASSERT_THAT(layout, IsOk());
  const dnnl::memory::desc made = MakeDesc(shape, *layout, axes);
  EXPECT_EQ(made.get_size(), wanted.get_size());
  for (int axis = 0; axis < wanted.data.ndims; ++axis) {
    SCOPED_TRACE(axis);
    EXPECT_EQ(made.data.padded_dims[axis], wanted.data.padded_dims[axis]);
    if (wanted.data.dims[axis] == 1) continue;
    EXPECT_EQ(made.data.format_desc.blocking.strides[axis],
              wanted.data.format_desc.blocking.strides[axis]);
  }
}

TEST(LayoutsTest, Images) {
  for (int64_t channels : {3, 8, 12, 16, 24, 40}) {
    for (Tag tag : {Tag::nchw, Tag::nhwc, Tag::nChw8c, Tag::nChw16c}) {
      SCOPED_TRACE(channels);
      SCOPED_TRACE(static_cast<int>(tag));
      ExpectTheSamePlaces(Shape({1, channels, 5, 7}), ImageAxes("NCHW"), tag);
      ExpectTheSamePlaces(Shape({2, 5, 7, channels}), ImageAxes("NHWC"), tag);
    }
  }
}

TEST(LayoutsTest, Filters) {
  for (int64_t channels : {3, 8, 12, 16, 24, 40}) {
    for (Tag tag : {Tag::oihw, Tag::Oihw16o, Tag::Ohwi16o, Tag::OIhw8i8o,
                    Tag::OIhw16i16o, Tag::hwio}) {
      SCOPED_TRACE(channels);
      SCOPED_TRACE(static_cast<int>(tag));
      ExpectTheSamePlaces(Shape({channels, 3, 3, 5}), SameAxes(4), tag);
      ExpectTheSamePlaces(Shape({channels, 16, 1, 1}), SameAxes(4), tag);
    }
  }
}

// A filter of depthwise convolutions has one block of channels where they are
// few, which lies inside of height and width all the same.
TEST(LayoutsTest, FiltersOfDepthwiseConvolutions) {
  for (int64_t channels : {3, 8, 12, 16, 24, 40}) {
    OnednnAxes axes = SameAxes(4);
    axes.groups = channels;
    for (Tag tag :
         {Tag::goihw, Tag::Goihw8g, Tag::Goihw16g, Tag::hwigo, Tag::hwioG16g}) {
      SCOPED_TRACE(channels);
      SCOPED_TRACE(static_cast<int>(tag));
      ExpectTheSamePlaces(Shape({channels, 1, 3, 5}), axes, tag);
      ExpectTheSamePlaces(Shape({channels, 1, 1, 1}), axes, tag);
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::onednn
