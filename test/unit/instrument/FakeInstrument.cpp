//===- FakeInstrument.cpp - A helper that behaves as tests say ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers like `gmprof-instrument serve`. The name of the requested kernel says how: hang, die,
// garbage, long, refuse, forget; any other gets a clone, whose text repeats the request. Each
// request adds a letter to the file that is called like the program, with .log behind: M if it
// brought the module, else h.
//
//===----------------------------------------------------------------------===//

#include "host/instrument/CloneProtocol.h"
#include <cstdio>
#include <cstring>
#include <fstream>

using namespace gmprof;

static void write(const std::string &Text) {
  std::fwrite(Text.data(), 1, Text.size(), stdout);
  std::fflush(stdout);
}

static void waitForEnd() {
  while (std::getchar() != EOF)
    ;
}

/// Returns false if the helper is to end.
static bool answer(const CloneRequest &Request) {
  if (Request.Kernel == "die")
    return false;
  if (Request.Kernel == "hang" || Request.Kernel == "garbage" || Request.Kernel == "long") {
    FrameHeader Header = {AnswerMagic, MaxAnswerBytes + 1};
    if (Request.Kernel == "garbage")
      write("neither a header nor an answer");
    if (Request.Kernel == "long")
      write({reinterpret_cast<const char *>(&Header), sizeof(Header)});
    waitForEnd();
    return false;
  }
  if (Request.Kernel == "refuse")
    write(encode(CloneAnswer{CloneStatus::Refused, "the kernel cannot be cloned", {}}));
  else if (Request.Kernel == "forget" && Request.Module.empty())
    write(encode(CloneAnswer{CloneStatus::UnknownModule, "", {}}));
  else
    write(
        encode(CloneAnswer{CloneStatus::Made,
                           std::string(Request.Kernel) + " " + std::string(Request.Profiles.at(0)) +
                               " " + std::string(Request.Architecture),
                           {"first", "second"}}));
  return true;
}

int main(int, char **Arguments) {
  std::ofstream Log(std::string(Arguments[0]) + ".log", std::ios::app);
  FrameHeader Header;
  while (std::fread(&Header, sizeof(Header), 1, stdin) == 1 && Header.Magic == RequestMagic) {
    std::string Body(Header.Bytes, '\0');
    if (std::fread(Body.data(), 1, Body.size(), stdin) != Body.size())
      return 1;
    const std::optional<CloneRequest> Request = decodeRequest(Body);
    if (!Request)
      return 1;
    Log << (Request->Module.empty() ? 'h' : 'M') << std::flush;
    if (!answer(*Request))
      return 1;
  }
  return 0;
}
