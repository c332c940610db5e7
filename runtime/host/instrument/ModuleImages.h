//===- ModuleImages.h - The code that modules were loaded from --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clones on demand are made of the bitcode, PTX or LLVM IR of the kernel's module. ModuleImages
// remembers it when the program loads a module: the image that CUDA gets may be gone after the
// call.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INSTRUMENT_MODULEIMAGES_H
#define GMPROF_HOST_INSTRUMENT_MODULEIMAGES_H

#include "host/instrument/CloneCache.h"
#include "host/instrument/EmbeddedBitcode.h"
#include "host/instrument/FatBinary.h"
#include "host/instrument/SourcePlace.h"
#include "profile/Mutex.h"
#include "profile/Result.h"
#include <memory>
#include <string>
#include <unordered_map>

namespace gmprof {

struct ModuleCode {
  /// LLVM IR, bitcode, or the PTX of the translation units that the module was linked from, with
  /// null characters between them.
  std::string Text;
  std::string MachineCode; ///< the cubin that runs; empty: not known
  std::string Hash;        ///< moduleHash of both

  bool isBitcode() const { return Text.starts_with("BC\xc0\xde"); }
};

class ModuleImages {
public:
  /// Takes the directory of the CloneCache that keeps the code of cubins; empty: none does.
  explicit ModuleImages(std::string CacheDirectory = CloneCache::defaultDirectory())
      : Cache(std::move(CacheDirectory)) {}

  enum class Kind { Module, Library };

  /// Remembers the image that a module (a CUmodule) or library (a CUlibrary) was loaded from. Image
  /// is trusted, as CUDA trusts it: a wrapper of a fat binary, a fat binary, a cubin, or text up to
  /// its null character. The source of a cubin is at SourcePlace::ofThread(), if that is known.
  void loaded(Kind Is, const void *Handle, const void *Image);
  void unloaded(const void *Handle);

  /// Remembers what a cubin was compiled from, for modules that are loaded from it.
  void compiled(std::string_view Cubin, std::string Code);
  /// Remembers it for later processes, too: programs keep cubins on disk (CuPy).
  void compiledAndKept(std::string_view Cubin, std::string Code);
  /// Remembers why the code that a cubin was compiled from is not known.
  void compiledFromUnknown(std::string_view Cubin, std::string Reason);

  /// Remembers what takes the place of PTX as input of a linker: the same with names of parameters.
  void named(std::string_view Ptx, std::string Named);

  /// Returns the PTX of an input of a linker: PTX itself, what a cubin was compiled from, or the
  /// PTX in a fat binary that is compiled for a device of the architecture. Empty if there is none.
  std::string ptxOfInput(std::string_view Input, unsigned Architecture = 0);

  /// Returns true if the module was seen when it was loaded.
  bool knows(const void *Handle) const;
  /// Returns the handles of all libraries that were seen when they were loaded.
  std::vector<const void *> libraries() const;
  /// The architectures that a kernel's machine code was compiled for.
  struct CompiledFor {
    unsigned Virtual = 0; ///< 90 for compute_90
    unsigned Real = 0;    ///< 90 for sm_90

    bool operator==(const CompiledFor &) const = default;
  };
  /// Returns the code of a module, or why there is none. A fat binary may have PTX of several
  /// virtual architectures, which differ wherever the source asks for __CUDA_ARCH__.
  Result<std::shared_ptr<const ModuleCode>> codeOf(const void *Handle, CompiledFor Architectures);

private:
  struct Image {
    Kind Is = Kind::Module;
    std::string Name = moduleName("");      ///< for messages
    const void *FatBinary = nullptr;        ///< of a loaded file, which may have bitcode behind it
    std::vector<FatBinaryEntry> Ptx;        ///< of a fat binary
    std::vector<FatBinaryEntry> Cubins;     ///< of a fat binary in a loaded file
    std::vector<std::string> Copies;        ///< of the contents of Ptx that may be released
    std::string LinkedIn;                   ///< file whose units' PTX is in a section of its own
    std::string CubinHash;                  ///< of a cubin
    SourcePlace Source;                     ///< of a cubin
    std::string Error;                      ///< why the image cannot be read
    std::shared_ptr<const ModuleCode> Code; ///< text; of a fat binary what was last asked for
    CompiledFor Architectures;              ///< of Code, from a fat binary
  };
  static Image imageOf(const void *Bytes);
  std::shared_ptr<const ModuleCode> codeOfCubin(const std::string &Hash) GMPROF_REQUIRES(Lock);

  const CloneCache Cache;
  mutable Mutex Lock;
  std::unordered_map<const void *, Image> Images GMPROF_GUARDED_BY(Lock);
  std::unordered_map<std::string, std::shared_ptr<const ModuleCode>>
      ByCubin GMPROF_GUARDED_BY(Lock); ///< by moduleHash
  std::unordered_map<std::string, std::string>
      NamedByPtx GMPROF_GUARDED_BY(Lock); ///< by moduleHash
  std::unordered_map<std::string, std::string>
      UnknownByCubin GMPROF_GUARDED_BY(Lock); ///< reasons, by moduleHash
};

/// Returns the images of this process. Modules are loaded before main as well.
ModuleImages &moduleImages();

} // namespace gmprof

#endif // GMPROF_HOST_INSTRUMENT_MODULEIMAGES_H
