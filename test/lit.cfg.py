# The settings that all lit suites share. A suite is a folder with a
# lit.local.cfg; it says which files are its tests.
import os

import lit.formats

config.name = "gmprof"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.suffixes = []
config.excludes = ["Inputs", "CMakeLists.txt"]

lib = os.path.join(config.gmprof_build, "lib")
bin_dir = os.path.join(config.gmprof_build, "bin")
plugin = os.path.join(lib, "libGMPass.so")

config.environment["PATH"] = os.pathsep.join([bin_dir, config.llvm_bin, os.environ["PATH"]])
config.environment["LC_ALL"] = "C"
if "GMPROF_SARIF_SCHEMA" in os.environ:  # report/Inputs/validate-sarif.py
    config.environment["GMPROF_SARIF_SCHEMA"] = os.environ["GMPROF_SARIF_SCHEMA"]

# %opt and %clang-cuda load the plugin; %clang-cuda-plain does not.
cuda_flags = (
    f"-x cuda --cuda-path={config.cuda_root} --cuda-gpu-arch={config.cuda_arch} "
    "-Wno-unknown-cuda-version"
)
clang = os.path.join(config.llvm_bin, "clang++")
config.substitutions += [
    ("%opt", f"{config.llvm_bin}/opt -load-pass-plugin={plugin}"),
    ("%clang-cuda-plain", f"{clang} {cuda_flags}"),
    ("%clang-cuda", f"{clang} {cuda_flags} -fpass-plugin={plugin}"),
    ("%gmpass", plugin),
    ("%cuda-root", config.cuda_root),
    ("%cuda-arch", config.cuda_arch),
    ("%clangxx", clang),
    ("%build", config.gmprof_build),
    ("%source", config.gmprof_source),
]
