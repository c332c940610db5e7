//===- Demangle.cpp - Names of kernels as their source has them -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Demangle.h"
#include "profile/OwnThread.h"
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <llvm/Demangle/Demangle.h>
#include <memory>
#include <pthread.h>
#include <string_view>

namespace gmprof {

/// Removes the suffix that differs from build to build: with relocatable device code clang makes
/// static kernels external, and their names unique with a hash.
static std::string withoutUniqueSuffix(const std::string &Name) {
  for (const char *Mark : {"__intern__", "__static__"}) {
    size_t At = Name.rfind(Mark);
    if (At == std::string::npos || At == 0)
      continue;
    size_t Hash = At + std::strlen(Mark);
    if (Hash < Name.size() &&
        Name.find_first_not_of("0123456789abcdef_", Hash) == std::string::npos)
      return Name.substr(0, At);
  }
  return Name;
}

/// Removes the tags that Numba gives a function's name: a version, and the options that it was
/// compiled with, about 90 characters.
static std::string withoutNumbaTags(std::string Name) {
  constexpr std::string_view Version = "[abi:v";
  const size_t At = Name.find(Version);
  if (At == std::string::npos || At + Version.size() == Name.size() ||
      std::isdigit(static_cast<unsigned char>(Name[At + Version.size()])) == 0)
    return Name;
  while (std::string_view(Name).substr(At).starts_with("[abi:")) {
    const size_t End = Name.find(']', At);
    if (End == std::string::npos)
      break;
    Name.erase(At, End + 1 - At);
  }
  return Name;
}

/// Calls LLVM's demangler, which unlike __cxa_demangle takes names longer than 1,024
/// characters. It recurses into a name, by less than StackPerCharacter: long names, which may
/// come from damaged logs, are demangled on a stack of their own. Returns null if it cannot.
static char *itaniumDemangle(const std::string &Name) {
  constexpr size_t Short = 4096, Longest = 128 << 10, StackPerCharacter = 2 << 10;
  struct Call {
    const std::string &Name;
    char *Result = nullptr;
    static void *run(void *This) {
      auto &Of = *static_cast<Call *>(This);
      Of.Result = llvm::itaniumDemangle(Of.Name);
      return nullptr;
    }
  } C{Name};
  if (Name.size() <= Short) {
    Call::run(&C);
    return C.Result;
  }
  pthread_attr_t Attributes;
  if (Name.size() > Longest || pthread_attr_init(&Attributes) != 0)
    return nullptr;
  pthread_t Thread;
  const SignalsBlocked Blocked;
  if (pthread_attr_setstacksize(&Attributes, Name.size() * StackPerCharacter) == 0 &&
      pthread_create(&Thread, &Attributes, Call::run, &C) == 0)
    pthread_join(Thread, nullptr);
  pthread_attr_destroy(&Attributes);
  return C.Result;
}

std::string demangle(const std::string &Mangled) {
  std::string Name = withoutUniqueSuffix(Mangled);
  if (!Name.starts_with("_Z"))
    return Name;
  std::unique_ptr<char, void (*)(void *)> Text(itaniumDemangle(Name), std::free);
  return Text ? withoutNumbaTags(Text.get()) : Name;
}

} // namespace gmprof
