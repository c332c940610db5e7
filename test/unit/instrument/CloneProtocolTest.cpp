//===- CloneProtocolTest.cpp - Tests of requests for clones ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/CloneProtocol.h"
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace gmprof;
using testing::ElementsAre;

namespace {

CloneRequest request() {
  CloneRequest R;
  R.ModuleHash = "00112233445566778899aabbccddeeff";
  R.Module = std::string_view("a\0b", 3);
  R.MachineCode = "code";
  R.Kernel = "kernel";
  R.Profiles = {"heat"};
  R.Architecture = "sm_90";
  R.Options = {"-gm-level=basic", "-gm-alike-blocks=false"};
  R.Form = CodeForm::Bitcode;
  return R;
}

TEST(CloneProtocol, ARequestArrivesAsItWasSent) {
  const std::string Frame = encode(request());
  FrameHeader Header;
  std::memcpy(&Header, Frame.data(), sizeof(Header));
  EXPECT_EQ(Header.Magic, RequestMagic);
  // Five strings, a list of one and a list of two, each with a length, and the form.
  EXPECT_EQ(Header.Bytes, 7 * 4 + 32 + 3 + 4 + 6 + 5 + 3 * 4 + 4 + 15 + 22 + 4u);
  ASSERT_EQ(Frame.size(), sizeof(Header) + Header.Bytes);
  const std::optional<CloneRequest> R =
      decodeRequest(std::string_view(Frame).substr(sizeof(Header)));
  ASSERT_TRUE(R);
  EXPECT_EQ(R->ModuleHash, request().ModuleHash);
  EXPECT_EQ(R->Module, request().Module);
  EXPECT_EQ(R->MachineCode, "code");
  EXPECT_EQ(R->Kernel, "kernel");
  EXPECT_THAT(R->Profiles, ElementsAre("heat"));
  EXPECT_EQ(R->Architecture, "sm_90");
  EXPECT_THAT(R->Options, ElementsAre("-gm-level=basic", "-gm-alike-blocks=false"));
  EXPECT_EQ(R->Form, CodeForm::Bitcode);
}

TEST(CloneProtocol, AnAnswerArrivesAsItWasSent) {
  const std::string Frame = encode(CloneAnswer{CloneStatus::Refused, "why", {"x", ""}});
  const std::optional<CloneAnswer> A = decodeAnswer(Frame.substr(sizeof(FrameHeader)));
  ASSERT_TRUE(A);
  EXPECT_EQ(A->Status, CloneStatus::Refused);
  EXPECT_EQ(A->Text, "why");
  EXPECT_THAT(A->Variables, ElementsAre("x", ""));
}

TEST(CloneProtocol, ABodyThatEndsEarlyOrLateIsMalformed) {
  const std::string Request = encode(request()).substr(sizeof(FrameHeader));
  const std::string Answer =
      encode(CloneAnswer{CloneStatus::Made, "text", {"x"}}).substr(sizeof(FrameHeader));
  for (size_t Bytes = 0; Bytes < Request.size(); ++Bytes)
    EXPECT_FALSE(decodeRequest(Request.substr(0, Bytes))) << Bytes;
  for (size_t Bytes = 0; Bytes < Answer.size(); ++Bytes)
    EXPECT_FALSE(decodeAnswer(Answer.substr(0, Bytes))) << Bytes;
  EXPECT_FALSE(decodeRequest(Request + '\0'));
  EXPECT_FALSE(decodeAnswer(Answer + '\0'));
}

TEST(CloneProtocol, NumbersOutOfRangeAreMalformed) {
  CloneRequest R = request();
  R.Options.assign(MaxCloneOptions + 1, "-gm-level=basic");
  EXPECT_FALSE(decodeRequest(encode(R).substr(sizeof(FrameHeader))));
  R = request();
  R.Form = static_cast<CodeForm>(3); // no such form
  EXPECT_FALSE(decodeRequest(encode(R).substr(sizeof(FrameHeader))));
  std::string Answer = encode(CloneAnswer{CloneStatus::Made, "", {}}).substr(sizeof(FrameHeader));
  Answer[0] = 4; // no such status
  EXPECT_FALSE(decodeAnswer(Answer));
}

TEST(CloneProtocol, AnInstrumentedKernelArrivesAsItWasSent) {
  const InstrumentedKernel Sent = {std::string("d\0", 2), {{"k__gm_heat", "code"}, {"", "\xff"}}};
  const std::string Text = encode(Sent);
  // The descriptor and four strings, each with a length, and the number of clones.
  EXPECT_EQ(Text.size(), 2 + 10 + 4 + 0 + 1 + 6 * 4u);
  const std::optional<InstrumentedKernel> K = decodeInstrumentedKernel(Text);
  ASSERT_TRUE(K);
  EXPECT_EQ(K->Descriptor, Sent.Descriptor);
  EXPECT_EQ(K->Clones, Sent.Clones);
  for (size_t Bytes = 0; Bytes < Text.size(); ++Bytes)
    EXPECT_FALSE(decodeInstrumentedKernel(Text.substr(0, Bytes))) << Bytes;
  EXPECT_FALSE(decodeInstrumentedKernel(Text + '\0'));
}

// The hash names modules in caches: it must not change. XXH3-128 of nothing, from its reference.
TEST(CloneProtocol, TheHashIsXxh3) {
  EXPECT_EQ(moduleHash(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(moduleHash("a"), moduleHash("b"));
}

} // namespace
