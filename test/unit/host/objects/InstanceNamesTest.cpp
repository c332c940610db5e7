//===- InstanceNamesTest.cpp - Tests of names of members by their object --===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/InstanceNames.h"
#include <gtest/gtest.h>

using namespace gmprof::host;

namespace {

struct Buffer {
  float *Data;
};
struct Solver {
  float *Field;
  Buffer Halo;
};

TEST(InstanceNamesTest, MemberHasTheNameOfItsObject) {
  Solver A, B;
  InstanceNames Names;
  EXPECT_EQ(Names.nameOf(&A.Field, "Solver::field"), "Solver::field");
  Names.enter({&A, sizeof(A), "a."});
  EXPECT_EQ(Names.nameOf(&A.Field, "Solver::field"), "a.field");
  EXPECT_EQ(Names.nameOf(&A.Field, "ns::Solver<ns::T>::field"), "a.field");
  EXPECT_EQ(Names.nameOf(&A.Field, "p->field"), "a.field");
  EXPECT_EQ(Names.nameOf(&A.Field, "r.field"), "a.field");
  EXPECT_EQ(Names.nameOf(&A.Halo.Data, "p->halo.data"), "a.halo.data");
  Names.leave();
  EXPECT_EQ(Names.nameOf(&A.Field, "Solver::field"), "Solver::field");
  Names.enter({&B, sizeof(B), "set->solvers[1]."});
  EXPECT_EQ(Names.nameOf(&B.Field, "Solver::field"), "set->solvers[1].field");
}

TEST(InstanceNamesTest, MemberOfAMemberHasBothNames) {
  Solver A;
  InstanceNames Names;
  Names.enter({&A, sizeof(A), "a."});
  Names.enter({&A.Halo, sizeof(A.Halo), "Solver::halo."});
  EXPECT_EQ(Names.nameOf(&A.Halo.Data, "Buffer::data"), "a.halo.data");
  Names.leave();
  // A function passes the object on, by its own name.
  Names.enter({&A, sizeof(A), "p->"});
  EXPECT_EQ(Names.nameOf(&A.Field, "Solver::field"), "a.field");
}

TEST(InstanceNamesTest, VariablesElsewhereKeepTheirNames) {
  Solver Several[2];
  Buffer Local;
  float *Pointer = nullptr;
  InstanceNames Names;
  Names.enter({&Several[0], sizeof(Solver), "a."});
  EXPECT_EQ(Names.nameOf(&Local.Data, "Buffer::data"), "Buffer::data");
  EXPECT_EQ(Names.nameOf(&Pointer, "pointer"), "pointer");
  EXPECT_EQ(Names.nameOf(&Several[1].Field, "Solver::field"), "Solver::field");
  EXPECT_EQ(Names.nameOf(&Several[0].Halo.Data, "Solver::halo.data"), "a.halo.data");
}

TEST(InstanceNamesTest, DeepCallsAreCounted) {
  Solver A;
  InstanceNames Names;
  Names.leave();
  Names.enter({&A, sizeof(A), "a."});
  for (int I = 0; I < 40; ++I)
    Names.enter({nullptr, 0, "b."});
  for (int I = 0; I < 40; ++I)
    Names.leave();
  EXPECT_EQ(Names.nameOf(&A.Field, "Solver::field"), "a.field");
  Names.leave();
  EXPECT_EQ(Names.nameOf(&A.Field, "Solver::field"), "Solver::field");
}

} // namespace
