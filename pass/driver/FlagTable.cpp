//===- FlagTable.cpp - The flags of gmprof-clang++ ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlagTable.h"

namespace gmprof::driver {

using namespace actions;

static constexpr std::string_view HostIsClang = "clang compiles the host code too";
static constexpr std::string_view OnlyCudafe = "it is for nvcc's front end";

// Within each group in the order of nvcc's manual.
static const Flag Flags[] = {
    // GMProf
    {"--gmprof-clones", Value::Either, setClones},
    {"--gmprof-level", Value::Either, setLevel},
    {"--gmprof-profile", Value::Either, setProfile, "-gm-profile="},
    {"--gmprof-counter-bits", Value::Either, setCounterBits, "-gm-counter-bits="},
    {"--gmprof-threshold", Value::Either, setThreshold, "-gm-threshold="},
    {"--gmprof-global-counter-bits", Value::Either, setCounterBits, "-gm-global-counter-bits="},
    {"--gmprof-global-threshold", Value::Either, setThreshold, "-gm-global-threshold="},
    {"--gmprof-kernels", Value::Either, setPluginOption, "-gm-kernels="},
    {"--gmprof-counter-updates", Value::Either, setPluginOption, "-gm-counter-updates="},
    {"--gmprof-host-accesses", Value::None, setHostAccesses},
    {"--gmprof-off", Value::None, setOff},
    {"--gmprof-print", Value::None, setPrintOnly},
    {"--gmprof", Value::Glued, unknownOwn},
    {"--help -help -h", Value::None, setHelp},
    {"--version", Value::None, setVersion},
    {"-V", Value::None, setVersion},

    // Phases
    {"-c --compile", Value::None, compile, "-c"},
    {"-S", Value::None, compile, "-S"},
    {"-dc --device-c", Value::None, compile, "-fgpu-rdc -c"},
    {"-dw --device-w", Value::None, compile, "-c"},
    {"-dlink --device-link", Value::None, deviceLink},
    {"-ptx --ptx", Value::None, compileDeviceOnly, "--cuda-device-only -S"},
    {"-cubin --cubin", Value::None, compileDeviceOnly, "--cuda-device-only -c"},
    {"-optix-ir --optix-ir -ltoir --ltoir", Value::None, reject, "clang does not make it"},
    {"-code-ls --list-gpu-code -arch-ls --list-gpu-arch", Value::None, reject, "ask nvcc"},
    {"-fdevice-syntax-only --fdevice-syntax-only", Value::None, check,
     "--cuda-device-only -fsyntax-only"},
    {"-r --relocatable-link", Value::None, setRelocatable},
    {"-fatbin --fatbin", Value::None, reject, "make an object with -c"},
    {"-cuda --cuda", Value::None, reject, "clang has no intermediate C++ file; use -c"},
    {"-lib --lib", Value::None, reject, "compile with -c, then make the library with ar"},
    {"-link --link", Value::None, accept, "linking is what happens without -c"},
    {"-run --run", Value::None, reject, "run the program with gmprof run"},
    {"-run-args --run-args", Value::Either, reject, "run the program with gmprof run"},
    {"-clean --clean-targets", Value::None, reject, "remove the files with rm"},
    {"-E --preprocess", Value::None, check, "-E"},
    {"-M --generate-dependencies", Value::None, check, "-M"},
    {"-MM --generate-nonsystem-dependencies", Value::None, check, "-MM"},
    {"-fsyntax-only", Value::None, check, "-fsyntax-only"},
    {"-dumpversion -dumpmachine", Value::None, query},
    {"-print- --print-", Value::Glued, query},

    // Files and paths
    {"-o", Value::Joined, setOutput},
    {"--output-file", Value::Either, setOutput},
    {"-odir --output-directory", Value::Either, setObjectDirectory},
    {"-x", Value::Joined, setLanguage},
    {"--x", Value::Either, setLanguage},
    {"--cuda-path", Value::Either, setCudaPath},
    {"-include --pre-include", Value::Separated, replace, "-include %"},
    {"--include-path", Value::Either, replaceEach, "-I%"},
    {"--system-include", Value::Either, replaceEach, "-isystem %"},
    {"--define-macro", Value::Either, replaceEach, "-D%"},
    {"--undefine-macro", Value::Either, replaceEach, "-U%"},
    {"-I -isystem", Value::Joined, keepPath},
    {"-D -U", Value::Joined, keep},
    {"-iquote -idirafter -isysroot", Value::Joined, keep},
    {"-imacros -iprefix -MF -MT -MQ", Value::Separated, keep},
    {"--dependency-output", Value::Either, replace, "-MF %"},
    {"--dependency-target-name", Value::Either, replace, "-MT %"},
    {"--generate-dependencies-with-compile", Value::None, replace, "-MD"},
    {"--generate-nonsystem-dependencies-with-compile", Value::None, replace, "-MMD"},
    {"--generate-dependency-targets", Value::None, replace, "-MP"},

    // Libraries and the linker
    {"-l", Value::Joined, addLibrary},
    {"--library", Value::Either, addLibrary},
    {"-L", Value::Joined, keepPathInLink},
    {"--library-path", Value::Either, replaceEachInLink, "-L%"},
    {"-cudart --cudart", Value::Either, setCudart},
    {"-cudadevrt --cudadevrt", Value::Either, accept, "clang decides by what the program uses"},
    {"-shared --shared", Value::None, replaceInLink, "-shared"},
    {"-Xlinker --linker-options", Value::Either, replaceEachInLink, "-Xlinker %"},
    {"-Xnvlink --nvlink-options", Value::Either, replaceEachInLink, "-Xoffload-linker %"},
    {"-Wl,", Value::Glued, keepInLink},
    {"-T -u -z", Value::Separated, keepInLink},
    {"-Xarchive --archive-options", Value::Either, accept, "nothing is archived"},

    // Architectures
    {"--cuda-gpu-arch --offload-arch", Value::Equals, addArch},
    {"-arch --gpu-architecture", Value::Either, setNvccArch},
    {"-code --gpu-code", Value::Either, setNvccCode},
    {"-gencode --generate-code", Value::Either, addGencode},

    // Relocatable device code
    {"-rdc --relocatable-device-code", Value::Either, choose, "-fgpu-rdc|-fno-gpu-rdc"},
    {"-dlto --dlink-time-opt", Value::None, replaceForDevice, "-foffload-lto"},
    {"-lto --lto", Value::None, ignore, "use -dlto"},

    // Host compiler
    {"-ccbin --compiler-bindir", Value::Either, accept, HostIsClang},
    {"-Xcompiler --compiler-options", Value::Either, toHostCompiler},
    {"-allow-unsupported-compiler --allow-unsupported-compiler", Value::None, accept, HostIsClang},
    {"-forward-unknown-to-host-compiler --forward-unknown-to-host-compiler", Value::None, accept,
     "clang gets unknown options anyway"},
    {"-forward-unknown-to-host-linker --forward-unknown-to-host-linker", Value::None, accept,
     "clang gets unknown options anyway"},
    {"-forward-unknown-opts --forward-unknown-opts", Value::None, accept,
     "clang gets unknown options anyway"},
    {"-m64 --m64", Value::None, replace, "-m64"},
    {"-m --machine", Value::Either, replace, "-m%"},
    {"-std --std", Value::Either, replace, "-std=%"},
    {"--optimize", Value::Either, replace, "-O%"},
    {"-Ofc --Ofast-compile", Value::Either, ignore},
    {"-ftemplate-backtrace-limit --ftemplate-backtrace-limit", Value::Either, replace,
     "-ftemplate-backtrace-limit=%"},
    {"-ftemplate-depth --ftemplate-depth", Value::Either, replace, "-ftemplate-depth=%"},
    {"-frandom-seed --frandom-seed", Value::Either, accept, "clang needs no seed"},
    {"-noeh --no-exceptions", Value::None, replace, "-fno-exceptions"},
    {"-nohdinitlist --no-host-device-initializer-list -nohdmoveforward "
     "--no-host-device-move-forward",
     Value::None, ignore, "clang follows the standard library"},
    {"-static-global-template-stub --static-global-template-stub", Value::Either, accept,
     "clang's host stubs do not collide"},
    {"-device-entity-has-hidden-visibility --device-entity-has-hidden-visibility", Value::Either,
     ignore},
    {"-sanitize --sanitize", Value::Either, ignore, "it is for compute-sanitizer"},
    {"-arbin --archiver-binary", Value::Either, accept, "nothing is archived"},
    {"-ldir --libdevice-directory", Value::Either, ignore, "libdevice is that of --cuda-path"},
    {"-target-dir --target-directory", Value::Either, ignore, "say --cuda-path"},
    {"-idp --input-drive-prefix -ddp --dependency-drive-prefix -dp --drive-prefix", Value::Either,
     accept, "it is for Windows"},
    {"-use-local-env --use-local-env -force-cl-env-setup --force-cl-env-setup "
     "--no-align-double",
     Value::None, accept, "it is for Windows"},

    // Debugging
    {"-G --device-debug", Value::None, deviceDebugInfo},
    {"-lineinfo --generate-line-info", Value::None, debugInfo, "-gline-tables-only"},
    {"--debug", Value::None, debugInfo, "-g"},
    {"-gcc-toolchain", Value::Separated, keep},
    {"-gcc-install-dir", Value::Separated, keep},
    {"-g", Value::Glued, debugInfo},
    {"-src-in-ptx --source-in-ptx", Value::None, ignore},
    {"-opt-info --optimization-info", Value::Either, replace, "-Rpass=%"},
    {"-pg --profile", Value::None, replace, "-pg"},

    // Code generation
    {"-use_fast_math --use_fast_math", Value::None, replaceForDevice,
     "-fgpu-approx-transcendentals -fgpu-flush-denormals-to-zero -Xarch_device "
     "-mllvm=-nvptx-prec-divf32=0 -Xarch_device -mllvm=-nvptx-prec-sqrtf32=0 -Xarch_device "
     "-ffp-contract=fast"},
    {"-ftz --ftz", Value::Either, choose,
     "-fgpu-flush-denormals-to-zero|-fno-gpu-flush-denormals-to-zero"},
    {"-prec-div --prec-div", Value::Either, choose,
     "-Xarch_device -mllvm=-nvptx-prec-divf32=2|-Xarch_device -mllvm=-nvptx-prec-divf32=1"},
    {"-prec-sqrt --prec-sqrt", Value::Either, choose,
     "-Xarch_device -mllvm=-nvptx-prec-sqrtf32=1|-Xarch_device -mllvm=-nvptx-prec-sqrtf32=0"},
    {"-fmad --fmad", Value::Either, choose,
     "-Xarch_device -ffp-contract=fast|-Xarch_device -ffp-contract=off"},
    {"-maxrregcount --maxrregcount", Value::Either, replaceForDevice,
     "-Xcuda-ptxas -maxrregcount=%"},
    {"-split-compile --split-compile", Value::Either, replaceForDevice,
     "-Xcuda-ptxas --split-compile=%"},
    {"-Xptxas --ptxas-options", Value::Either, replaceEachForDevice, "-Xcuda-ptxas %"},
    {"-res-usage --resource-usage", Value::None, replaceForDevice, "-Xcuda-ptxas -v"},
    {"-default-stream --default-stream", Value::Either, setDefaultStream},
    {"-extra-device-vectorization --extra-device-vectorization", Value::None, ignore},
    {"-astoolspatch --compile-as-tools-patch", Value::None, ignore},
    {"--entries", Value::Either, ignore},
    {"-keep-device-functions --keep-device-functions -ewp --extensible-whole-program -reloc-ptx "
     "--relocatable-ptx",
     Value::None, ignore},
    {"-jtd --jump-table-density -device-stack-protector --device-stack-protector", Value::Either,
     ignore},
    {"-qpp-config --qpp-config", Value::Either, accept, HostIsClang},
    {"-hls --host-linker-script", Value::Either, ignore},
    {"-aug-hls --augment-host-linker-script", Value::None, ignore},
    {"-restrict --restrict", Value::None, ignore, "mark the pointers with __restrict__"},

    // CUDA C++
    {"-expt-relaxed-constexpr --expt-relaxed-constexpr", Value::None, accept,
     "clang always lets device code call constexpr functions"},
    {"-extended-lambda --extended-lambda -expt-extended-lambda --expt-extended-lambda", Value::None,
     accept, "clang always allows __device__ lambdas"},

    // Messages
    {"-v --verbose", Value::None, setVerbose},
    {"-dryrun --dryrun", Value::None, replace, "-###"},
    {"-w --disable-warnings", Value::None, replace, "-w"},
    {"-Werror --Werror", Value::Equals, setWerror},
    {"--Wno-deprecated-gpu-targets -Wno-deprecated-gpu-targets", Value::None, accept,
     "unsupported architectures are errors"},
    {"--Wno-deprecated-declarations", Value::None, replace, "-Wno-deprecated-declarations"},
    {"-Wreorder --Wreorder", Value::None, replace, "-Wreorder"},
    {"-Wext-lambda-captures-this --Wext-lambda-captures-this -Wdefault-stream-launch "
     "--Wdefault-stream-launch -Wmissing-launch-bounds --Wmissing-launch-bounds",
     Value::None, ignore, "clang has no such warning"},
    {"-Xcudafe --cudafe-options", Value::Either, accept, OnlyCudafe},
    {"-diag-suppress --diag-suppress -diag-error --diag-error -diag-warn --diag-warn "
     "-diag-once --diag-once",
     Value::Either, accept, OnlyCudafe},
    {"-err-no --display-error-number -no-err-no --no-display-error-number", Value::None, accept,
     OnlyCudafe},

    // The compilation itself
    {"-t --threads", Value::Either, accept, "architectures are compiled one after the other"},
    {"-split-compile-extended --split-compile-extended", Value::Either, accept,
     "the link does not optimise"},
    {"-keep --keep", Value::None, replace, "-save-temps"},
    {"-save-temps --save-temps", Value::None, replace, "-save-temps"},
    {"-keep-dir --keep-dir", Value::Either, ignore, "clang keeps files beside the output"},
    {"-objtemp --objdir-as-tempdir", Value::None, accept, "temporary files are removed"},
    {"-time --time", Value::Either, ignore, "use -ftime-report"},
    {"-compress-mode --compress-mode", Value::Either, ignore},
    {"-no-compress --no-compress", Value::None, accept, "fat binaries are not compressed"},
    {"-noprof --dont-use-profile", Value::None, accept, "there is no nvcc.profile"},
    {"-nodlink --no-device-link", Value::None, ignore, "the link also links device code"},
    {"-jobserver --jobserver", Value::None, accept, "architectures are compiled in turn"},
    {"-fdevice-time-trace --fdevice-time-trace", Value::Either, ignore, "use -ftime-trace"},
    {"-brief-diag --brief-diagnostics", Value::Either, accept, "messages are clang's"},
    {"-arch-list --arch-list", Value::Either, ignore},
    {"-gen-opt-lto --gen-opt-lto", Value::None, ignore},
    {"-dopt --dopt", Value::Either, ignore},
    {"-minimal --minimal", Value::None, ignore},

    // Clang's own options that matter here or take the next word
    {"--cuda-device-only --offload-device-only", Value::None, setDeviceOnly},
    {"--cuda-host-only --offload-host-only", Value::None, setHostOnly},
    {"-Xclang -Xpreprocessor -Xassembler -Xarch_host -mllvm -target --param -dumpdir --sysroot -A "
     "-B",
     Value::Separated, keep},
    {"-Xarch_device -Xcuda-ptxas -Xcuda-fatbinary", Value::Separated, keepForDevice},
    {"-fgpu-rdc -fno-gpu-rdc -fcuda-flush-denormals-to-zero -fgpu-flush-denormals-to-zero "
     "-fcuda-approx-transcendentals -fgpu-approx-transcendentals",
     Value::None, keepForDevice},
    {"-Xoffload-linker -rpath", Value::Separated, keepInLink},
};

std::span<const Flag> flags() { return Flags; }

} // namespace gmprof::driver
