//===- ObjectLabelsTest.cpp - Tests of names that tell objects apart ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/ObjectLabels.h"
#include "report/model/CallPaths.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::summary;

namespace {

using Labels = std::vector<std::string>;

struct ObjectLabelsTest : testing::Test {
  Summary S;

  Object &add(const std::string &Name, const std::string &File = "", unsigned Line = 0) {
    Object &O = S.objects.emplace_back();
    O.id = static_cast<uint32_t>(S.objects.size() - 1);
    O.name = Name;
    if (!File.empty())
      O.source = Source{File, Line};
    return O;
  }
  /// Adds a call path to the object: a wrapper allocates it for this caller.
  void makeFrom(Object &O, const Source &Caller) {
    O.alloc.emplace();
    O.alloc->source = O.source;
    O.alloc->call_path = CallPathTable(S).add(
        {Frame{"make", O.source, false, "", 0}, {"main", Caller, false, "", 0}});
  }
  void accessFrom(uint32_t Object, const std::string &Parameter) {
    Kernel &K = S.kernels.emplace_back();
    K.heat.emplace();
    HeatObject &O = K.heat->objects.emplace_back();
    O.object = Object;
    O.name = Parameter;
  }
};

TEST_F(ObjectLabelsTest, NamesOfOneObjectEach) {
  add("a");
  add("b", "/src/app.cu", 7);
  add("", "/src/app.cu", 8);
  add("");
  add("", "/src/app.cu", 9);
  accessFrom(0, "x");
  accessFrom(4, "y");
  EXPECT_EQ(objectLabels(S), Labels({"a", "b", "app.cu:8", "allocation 3", "y"}));
}

TEST_F(ObjectLabelsTest, DevicesTellObjectsOfOneNameApart) {
  for (const uint32_t Device : {0U, 1U, 1U})
    add("part").device = Device;
  EXPECT_EQ(objectLabels(S), Labels({"part", "part #1", "part #2"}));
}

TEST_F(ObjectLabelsTest, KernelsTellObjectsOfOneNameApart) {
  for (int I = 0; I < 3; ++I)
    add("Array::data");
  accessFrom(0, "x");
  accessFrom(1, "y");
  accessFrom(1, "z");
  accessFrom(2, "w");
  EXPECT_EQ(objectLabels(S), Labels({"x (Array::data)", "y (Array::data)", "w (Array::data)"}));
}

TEST_F(ObjectLabelsTest, CallersTellObjectsOfOneNameApart) {
  makeFrom(add("Array::data", "/src/array.h", 3), {"/src/app.cu", 7});
  makeFrom(add("Array::data", "/src/array.h", 3), {"/src/app.cu", 9});
  makeFrom(add("other", "/src/array.h", 3), {"/src/app.cu", 9});
  EXPECT_EQ(objectLabels(S), Labels({"Array::data (app.cu:7)", "Array::data (app.cu:9)", "other"}));
}

TEST_F(ObjectLabelsTest, NumbersTellTheRestApart) {
  add("parts[]", "/src/app.cu", 7);
  add("a");
  add("parts[]", "/src/app.cu", 7);
  add("", "/src/app.cu", 8);
  add("", "/src/app.cu", 8);
  makeFrom(add("parts[]", "/src/array.h", 3), {"/src/app.cu", 7});
  accessFrom(0, "x");
  EXPECT_EQ(objectLabels(S), Labels({"x (parts[])", "a", "parts[]", "app.cu:8 #1", "app.cu:8 #2",
                                     "parts[] (app.cu:7)"}));
}

TEST_F(ObjectLabelsTest, SharedMemoryKeepsItsNames) {
  add("tile");
  add("tile").kernel = 0;
  add("tile").kernel = 1;
  EXPECT_EQ(objectLabels(S), Labels({"tile", "tile", "tile"}));
}

TEST(LabelInKernelTest, HasTheOwnNameOnce) {
  EXPECT_EQ(labelInKernel("x", "a"), "x (a)");
  EXPECT_EQ(labelInKernel("a", "a"), "a");
  EXPECT_EQ(labelInKernel("", "a"), "a");
  EXPECT_EQ(labelInKernel("x", ""), "x");
}

} // namespace
