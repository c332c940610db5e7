//===- SourceLines.cpp - Source lines of machine code ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are compiled without debug information, which would slow the first launch of each kernel
// and is needed only for faults. After a fault the kernel is compiled again with line tables: debug
// information does not change the code, so the faulting position has the requested line. The code
// is compared to make sure.
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/SourceLines.h"
#include "cpu/engine/Jit.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"

using namespace llvm;

namespace gmprof::cpu {

bool isToolchainHeader(StringRef File) {
  return File.contains("__clang_cuda_") || File.contains("/include/");
}

/// Returns whether memory at Start holds this code, apart from relocated bytes.
static bool isLoadedAt(const object::SectionRef &Section, StringRef Code, uint64_t Start) {
  std::string Compiled = Code.str(), Loaded(reinterpret_cast<const char *>(Start), Code.size());
  constexpr size_t RelocatedBytes = 8; // upper bound
  for (const object::SectionRef &Relocations : Section.getObject()->sections()) {
    object::section_iterator Target = cantFail(Relocations.getRelocatedSection());
    if (Target == Section.getObject()->section_end() || *Target != Section)
      continue;
    for (const object::RelocationRef &R : Relocations.relocations())
      for (size_t I = R.getOffset(); I < std::min(R.getOffset() + RelocatedBytes, Code.size()); ++I)
        Compiled[I] = Loaded[I] = 0;
  }
  return Compiled == Loaded;
}

std::string sourceLine(const Image &Image, const CompiledKernel &Kernel, uint64_t Address) {
  LoweredUnit Unit = lower(Image, Kernel.Name, Kernel.FirstSite, hostTriple(), hostLayout(),
                           DebugInfo::LineTables);
  if (!Unit.Error.empty())
    return {};
  std::unique_ptr<MemoryBuffer> Buffer = compileToObject(*Unit.M);
  if (!Buffer)
    return {};
  auto Object = object::ObjectFile::createObjectFile(*Buffer);
  if (!Object) {
    consumeError(Object.takeError());
    return {};
  }
  for (const object::SymbolRef &Symbol : (*Object)->symbols()) {
    if (cantFail(Symbol.getName()) != EntryName)
      continue;
    object::SectionRef Section = *cantFail(Symbol.getSection());
    uint64_t Start = uint64_t(Kernel.Entry) - cantFail(Symbol.getValue());
    StringRef Code = cantFail(Section.getContents());
    if (Address - Start >= Code.size() || !isLoadedAt(Section, Code, Start))
      return {};
    std::unique_ptr<DWARFContext> Dwarf = DWARFContext::create(**Object);
    DIInliningInfo Inlined = Dwarf->getInliningInfoForAddress(
        {Address - Start, Section.getIndex()}, {DILineInfoSpecifier::FileLineInfoKind::RawValue});
    std::string Where;
    for (uint32_t I = 0; I < Inlined.getNumberOfFrames(); ++I) {
      const DILineInfo &Frame = Inlined.getFrame(I);
      if (Frame.Line == 0)
        continue;
      Where = Frame.FileName + ":" + std::to_string(Frame.Line);
      if (!isToolchainHeader(Frame.FileName))
        break;
    }
    return Where;
  }
  return {};
}

} // namespace gmprof::cpu
