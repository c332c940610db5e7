//===- Plan.cpp - The clang++ commands of one gmprof-clang++ run ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace gmprof::driver {

namespace {

constexpr const char *HostAccesses = "-gm-host-accesses";

bool isSource(const Item &I) { return I.For == Use::Input && I.Lang != Language::None; }
bool isCuda(const Item &I) { return I.For == Use::Input && I.Lang == Language::Cuda; }

void append(Command &To, const std::vector<std::string> &Words) {
  To.insert(To.end(), Words.begin(), Words.end());
}

/// Returns the output of a.cu: a.o in the current directory, or in that of -odir.
std::string defaultOutput(const CommandLine &Line, const std::string &Source) {
  std::string Extension = ".o";
  if (std::ranges::any_of(Line.Items, [](const Item &I) { return I.Words.front() == "-S"; }))
    Extension = ".s";
  fs::path Name = fs::path(Source).filename().replace_extension(Extension);
  return (fs::path(Line.ObjectDirectory) / Name).string();
}

class Planner {
public:
  Planner(CommandLine &Line, const Toolchain &Tools, const std::vector<std::string> &Archs,
          const std::string &TemporaryDirectory)
      : Line(Line), Tools(Tools), Archs(Archs), TemporaryDirectory(TemporaryDirectory) {}

  std::vector<Command> plan() {
    auto Sources = std::ranges::count_if(Line.Items, isSource);
    bool HasCuda = std::ranges::any_of(Line.Items, isCuda);
    bool IsSplit = Sources > 1 && HasCuda && Line.LastPhase >= Phase::Compile;
    switch (Line.LastPhase) {
    case Phase::Query:
    case Phase::Check:
      return {single()};
    case Phase::DeviceLink:
      return {emptyObject()};
    case Phase::Compile:
      if (Sources > 1 && !Line.Output.empty()) {
        Line.Errors.push_back("-o names one file, but several are compiled");
        return {};
      }
      return IsSplit ? compileEach() : std::vector<Command>{single()};
    case Phase::Link:
      return IsSplit ? compileEachAndLink() : std::vector<Command>{single()};
    }
    return {};
  }

private:
  Command begin() const { return {Tools.Clang}; }

  /// Adds the flags for compiling CUDA, apart from the user's own.
  void addCudaFlags(Command &C, const std::string &Bitcode) const {
    append(C, {"--cuda-path=" + Tools.CudaPath, "-Wno-unknown-cuda-version"});
    for (const std::string &Arch : Archs)
      C.push_back("--cuda-gpu-arch=" + Arch);
    for (const std::string &Arch : Line.PtxArchs)
      C.push_back("--cuda-include-ptx=" + Arch);
    // Cooperative groups, CUB and Thrust.
    append(C, {"-isystem", Tools.CudaPath + "/include/cccl"});
    // clang supports clusters, which cooperative groups do not detect.
    C.push_back("-D_CG_CLUSTER_INTRINSICS_AVAILABLE");
    addOwnHeaders(C);
    append(C, {"-include", Tools.LibraryDirectory + "/gmprof/NvccCompatibility.h"});
    if (Line.LastPhase < Phase::Compile)
      return;
    C.push_back("-fpass-plugin=" + Tools.LibraryDirectory + "/libGMPass.so");
    // The plugin is loaded even when it is off: without it, clang would ignore __cluster_dims__.
    if (Line.Off) {
      append(C, {"-mllvm", "-gm-off"});
      return;
    }
    const bool IsOnDemand = makesClonesOnDemand();
    // The report shows source lines. Clones on demand have those of the bitcode: clang, which does
    // not see the option of its front end, has ptxas make none.
    if (!Line.DebugInfo && IsOnDemand)
      append(C, {"-Xclang", "-debug-info-kind=line-tables-only", "-mllvm", "-gm-strip-debug-info"});
    else if (!Line.DebugInfo)
      C.push_back("-gline-tables-only");
    // clang emits only line directives for optimised device code, as ptxas accepts no more. The
    // plugin needs full debug info for the variables, and removes it afterwards.
    if (Line.FullDebugInfo && Line.OptimisedDevice)
      append(C, {"-Xclang", "-debug-info-kind=limited", "-mllvm", "-gm-line-directives"});
    if (!isDeviceRelocatable())
      append(C, {"-mllvm", "-gm-whole-program"});
    for (const std::string &Option : Line.PluginOptions)
      append(C, {"-mllvm", Option});
    if (Line.HostAccesses)
      append(C, {"-mllvm", HostAccesses});
    if (holdsBitcode())
      append(C, {"-mllvm", "-gm-bitcode=" + Bitcode});
    if (IsOnDemand)
      append(C, {"-mllvm", "-gm-clones=demand"});
  }

  /// Returns whether device code is relocatable: the last flag decides.
  bool isDeviceRelocatable() const {
    bool Is = false;
    for (const Item &I : Line.Items)
      for (const std::string &Word : I.Words)
        Is = Word == "-fgpu-rdc" || (Is && Word != "-fno-gpu-rdc");
    return Is;
  }

  /// Returns whether there is a host object that can hold the device code's bitcode.
  bool holdsBitcode() const { return !Line.DeviceOnly && !Line.HostOnly; }

  bool selectsProfiles() const {
    const auto IsProfile = [](const std::string &Word) { return Word.starts_with("-gm-profile"); };
    return std::ranges::any_of(Line.PluginOptions, IsProfile) ||
           std::ranges::any_of(
               Line.Items, [&](const Item &I) { return std::ranges::any_of(I.Words, IsProfile); });
  }

  /// Returns why the clones must be compiled; null if they can be made on demand.
  const char *reasonForCompiledClones() const {
    if (isDeviceRelocatable())
      return "relocatable device code has compiled clones"; // other units have what a kernel calls
    if (selectsProfiles())
      return "--gmprof-profile selects compiled clones";
    return holdsBitcode() ? nullptr : "device code without host code has compiled clones";
  }

  bool makesClonesOnDemand() const {
    const char *Reason = reasonForCompiledClones();
    if (Reason && Line.From == Clones::Demand)
      Line.Errors.push_back(std::string("--gmprof-clones=demand is not possible: ") + Reason);
    return !Reason && Line.From != Clones::Compiled;
  }

  /// Adds the folder of the CUDA headers, which nvcc lets any host code include.
  void addHostFlags(Command &C) const {
    append(C, {"-idirafter", Tools.CudaPath + "/include"});
    addOwnHeaders(C);
    if (Line.HostAccesses && !Line.Off && Line.LastPhase >= Phase::Compile)
      append(C,
             {"-fpass-plugin=" + Tools.LibraryDirectory + "/libGMPass.so", "-mllvm", HostAccesses});
  }

  /// Adds the folder of gmprof/gmprof.h behind whatever the program has of that name.
  void addOwnHeaders(Command &C) const {
    if (!Tools.IncludeDirectory.empty())
      append(C, {"-idirafter", Tools.IncludeDirectory});
  }

  /// Adds libgmprof.so in front of others, so that it interposes the CUDA runtime's
  /// functions.
  void addLibrariesBefore(Command &C) const {
    if (Line.Off || Line.Relocatable)
      return;
    append(C, {"-L" + Tools.LibraryDirectory, "-Wl,-rpath," + Tools.LibraryDirectory,
               "-Wl,--push-state,--no-as-needed", "-lgmprof", "-Wl,--pop-state"});
  }
  /// Links the device code of relocatable objects, with the toolkit's programs. If clang also
  /// compiles CUDA, it does so by default.
  void addOffloadLink(Command &C) const {
    append(C, {"--offload-link", "--cuda-path=" + Tools.CudaPath});
  }
  void addLibrariesAfter(Command &C) const {
    if (Line.Relocatable)
      return;
    std::string Directory = Tools.CudaPath + "/lib64";
    append(C, {"-L" + Directory, "-Wl,-rpath," + Directory, "-lcudart"});
  }

  /// Adds the input, after an -x if the language in force is not its own.
  static void addInput(Command &C, const Item &Input, std::string &Language) {
    if (Input.ForcedLanguage != Language) {
      Language = Input.ForcedLanguage;
      append(C, {"-x", Language.empty() ? "none" : Language});
    }
    append(C, Input.Words);
  }

  std::string bitcodeFile(size_t Index = 0) const {
    return TemporaryDirectory + "/" + std::to_string(Index) + ".bc";
  }

  /// Returns one command for the whole command line.
  Command single() const {
    auto Source = std::ranges::find_if(Line.Items, isSource);
    bool HasSource = Source != Line.Items.end();
    bool HasCuda = std::ranges::any_of(Line.Items, isCuda);
    bool Links = Line.LastPhase == Phase::Link && hasInput();
    Command C = begin();
    if (HasCuda)
      addCudaFlags(C, bitcodeFile());
    else if (HasSource)
      addHostFlags(C);
    if (Links)
      addLibrariesBefore(C);
    std::string Language;
    for (const Item &I : Line.Items)
      if (I.For == Use::Input)
        addInput(C, I, Language);
      else if (I.For != Use::Device || HasCuda)
        append(C, I.Words);
    if (!Line.Output.empty())
      append(C, {"-o", Line.Output});
    else if (HasSource && Line.LastPhase == Phase::Compile && !Line.ObjectDirectory.empty())
      append(C, {"-o", defaultOutput(Line, Source->Words.front())});
    if (Links && !HasCuda)
      addOffloadLink(C);
    if (Links)
      addLibrariesAfter(C);
    return C;
  }

  bool hasInput() const {
    return std::ranges::any_of(Line.Items, [](const Item &I) {
      return I.For == Use::Input || I.Words.front().starts_with("-l");
    });
  }

  Command compileOne(const Item &Source, size_t Index, const std::string &Output) const {
    Command C = begin();
    if (isCuda(Source))
      addCudaFlags(C, bitcodeFile(Index));
    else
      addHostFlags(C);
    for (const Item &I : Line.Items)
      if (I.For == Use::Always || (I.For == Use::Device && isCuda(Source)))
        append(C, I.Words);
    if (Line.LastPhase == Phase::Link)
      C.push_back("-c");
    std::string Language;
    addInput(C, Source, Language);
    append(C, {"-o", Output});
    return C;
  }

  std::vector<Command> compileEach() const {
    std::vector<Command> Commands;
    for (const Item &I : Line.Items)
      if (isSource(I))
        Commands.push_back(compileOne(I, Commands.size(), defaultOutput(Line, I.Words.front())));
    return Commands;
  }

  std::vector<Command> compileEachAndLink() const {
    std::vector<Command> Commands;
    Command Link = begin();
    addLibrariesBefore(Link);
    for (const Item &I : Line.Items) {
      if (!isSource(I)) {
        if (I.For != Use::Device)
          append(Link, I.Words);
        continue;
      }
      std::string Object = TemporaryDirectory + "/" + std::to_string(Commands.size()) + ".o";
      Commands.push_back(compileOne(I, Commands.size(), Object));
      Link.push_back(Object);
    }
    // The user's compile flags have no effect on the link.
    Link.push_back("-Wno-unused-command-line-argument");
    append(Link, {"-o", Line.Output.empty() ? "a.out" : Line.Output});
    addOffloadLink(Link);
    addLibrariesAfter(Link);
    Commands.push_back(std::move(Link));
    return Commands;
  }

  /// Makes an empty object. nvcc links device code in a separate step, and adds its object to the
  /// final link; gmprof-clang++ does both in the final link.
  Command emptyObject() const {
    Line.Warnings.push_back("-dlink makes an empty object: the final link, by gmprof-clang++, also "
                            "links the device code");
    Command C = begin();
    append(C,
           {"-x", "c++", "-c", "/dev/null", "-o", Line.Output.empty() ? "a_dlink.o" : Line.Output});
    return C;
  }

  CommandLine &Line;
  const Toolchain &Tools;
  const std::vector<std::string> &Archs;
  const std::string &TemporaryDirectory;
};

} // namespace

bool generatesDeviceCode(const CommandLine &Line) {
  return std::ranges::any_of(Line.Items, isCuda) && Line.LastPhase != Phase::Query;
}

std::vector<Command> planCommands(CommandLine &Line, const Toolchain &Tools,
                                  const std::vector<std::string> &Archs,
                                  const std::string &TemporaryDirectory) {
  return Planner(Line, Tools, Archs, TemporaryDirectory).plan();
}

} // namespace gmprof::driver
