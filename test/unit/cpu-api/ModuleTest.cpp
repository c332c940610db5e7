//===- ModuleTest.cpp - Modules and libraries that programs load ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverEntry.h"
#include "FakeEngine.h"
#include <cstring>
#include <fstream>
#include <iterator>

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *,
                            dim3 *, dim3 *, int *);
cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
}

using namespace gmprof::test;

namespace {

constexpr char Ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n";
constexpr char HowToBuild[] = "build it with gmprof-clang++, or embed PTX with nvcc -gencode "
                              "arch=compute_90,code=compute_90\n";

struct Wrapper {
  uint32_t Magic = 0x466243b1, Version = 1;
  const void *Data;
  void *Unused = nullptr;
};

std::string input(const std::string &Name) {
  std::ifstream In(FAT_BINARIES "/" + Name, std::ios::binary);
  EXPECT_TRUE(In) << Name;
  return std::string(std::istreambuf_iterator<char>(In), {});
}

std::string file(const std::string &Name, const std::string &Contents) {
  std::string Path = testing::TempDir() + "gmprof-module-" + std::to_string(getpid()) + Name;
  std::ofstream(Path, std::ios::binary) << Contents;
  return Path;
}

/// A fat binary with one cubin of sm_80 that has 8 bytes.
std::string cubinOnly() {
  std::string Bytes(16 + 64 + 8, '\0');
  const auto Put = [&](size_t At, auto Number) { memcpy(&Bytes[At], &Number, sizeof(Number)); };
  Put(0, uint32_t(0xba55ed50));
  Put(4, uint16_t(1));
  Put(6, uint16_t(16));
  Put(8, uint64_t(64 + 8));
  Put(16, uint16_t(2));
  Put(20, uint32_t(64));
  Put(24, uint64_t(8));
  Put(16 + 28, uint32_t(80));
  return Bytes;
}

/// Loads an image that fails, and returns what is printed.
std::string failure(const void *Image, CUresult Error) {
  CUmodule Module;
  testing::internal::CaptureStderr();
  EXPECT_EQ(DRIVER(cuModuleLoadData)(&Module, Image), Error);
  return testing::internal::GetCapturedStderr();
}

/// Returns the target of the PTX that the last module was loaded from.
std::string target() {
  const std::string &Code = filesOfLastModule().at(0);
  const size_t At = Code.find(".target ");
  return At == std::string::npos ? "" : Code.substr(At + 8, 5);
}

/// Registers a fat binary as a program of nvcc does, with the stub of the kernel `set`. Its wrapper
/// is in no object: this one has records of bitcode.
class RegisteredBinary {
public:
  explicit RegisteredBinary(const std::string &Bytes)
      : Contents(Bytes), OfIt(new Wrapper{.Data = Contents.data()}),
        Binary(__cudaRegisterFatBinary(OfIt.get())) {
    __cudaRegisterFunction(Binary, &Stub, &Stub, "set", -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
  }
  ~RegisteredBinary() { __cudaUnregisterFatBinary(Binary); }

  char Stub = 0;

private:
  const std::string Contents;
  const std::unique_ptr<Wrapper> OfIt;
  void **const Binary;
};

class Loading : public testing::Test {
protected:
  void SetUp() override {
    setenv("GMPROF_CPU_DEVICES", "2", 1);
    ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Cell), 4, cudaMemAttachGlobal),
              cudaSuccess);
    *Cell = 0;
    defineKernel("set", {8}, [](auto &, const void *const *Arguments) -> Outcome {
      **static_cast<int *const *>(Arguments[0]) = 7;
      return {};
    });
  }

  /// Launches the kernel `set`, and returns what it has stored.
  int launch(CUfunction Function) {
    *Cell = 0;
    void *Arguments[] = {&Cell};
    EXPECT_EQ(DRIVER(cuLaunchKernel)(Function, 1, 1, 1, 1, 1, 1, 0, nullptr, Arguments, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(DRIVER(cuCtxSynchronize)(), CUDA_SUCCESS);
    return *Cell;
  }

  int *Cell = nullptr;
};

} // namespace

TEST_F(Loading, TextIsCopied) {
  std::string Text = Ptx;
  CUmodule Module;
  ASSERT_EQ(DRIVER(cuModuleLoadDataEx)(&Module, Text.data(), 0, nullptr, nullptr), CUDA_SUCCESS);
  std::ranges::fill(Text, ' ');
  EXPECT_EQ(filesOfLastModule(), std::vector<std::string>{Ptx});

  CUfunction Function;
  EXPECT_EQ(DRIVER(cuModuleGetFunction)(&Function, Module, "none"), CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(DRIVER(cuModuleGetFunction)(&Function, Module, "set"), CUDA_SUCCESS);
  EXPECT_EQ(launch(Function), 7);
  CUmodule Owner;
  EXPECT_EQ(DRIVER(cuFuncGetModule)(&Owner, Function), CUDA_SUCCESS);
  EXPECT_EQ(Owner, Module);
  unsigned Kernels = 0;
  EXPECT_EQ(DRIVER(cuModuleGetFunctionCount)(&Kernels, Module), CUDA_SUCCESS);
  EXPECT_EQ(Kernels, 1u);
}

TEST_F(Loading, ModulesHaveTheirOwnVariables) {
  CUmodule A, B;
  ASSERT_EQ(DRIVER(cuModuleLoadData)(&A, Ptx), CUDA_SUCCESS);
  ASSERT_EQ(DRIVER(cuModuleLoadData)(&B, Ptx), CUDA_SUCCESS);
  CUdeviceptr OfA, OfB;
  size_t Bytes = 0;
  ASSERT_EQ(DRIVER(cuModuleGetGlobal)(&OfA, &Bytes, A, "counter"), CUDA_SUCCESS);
  ASSERT_EQ(DRIVER(cuModuleGetGlobal)(&OfB, nullptr, B, "counter"), CUDA_SUCCESS);
  EXPECT_EQ(Bytes, CounterBytes);
  EXPECT_NE(OfA, OfB);
  EXPECT_EQ(reinterpret_cast<const int *>(OfB)[3], 4);
}

TEST_F(Loading, UnloadedModulesAreGone) {
  CUmodule Module;
  CUfunction Function;
  ASSERT_EQ(DRIVER(cuModuleLoadData)(&Module, Ptx), CUDA_SUCCESS);
  ASSERT_EQ(DRIVER(cuModuleGetFunction)(&Function, Module, "set"), CUDA_SUCCESS);
  EXPECT_EQ(DRIVER(cuModuleUnload)(Module), CUDA_SUCCESS);
  EXPECT_EQ(DRIVER(cuModuleUnload)(Module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(DRIVER(cuLaunchKernel)(Function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Loading, FatBinariesHavePtxForTheDevice) {
  const std::string Bytes = input("sum.size.fatbin");
  CUmodule Module;
  ASSERT_EQ(DRIVER(cuModuleLoadFatBinary)(&Module, Bytes.data()), CUDA_SUCCESS);
  EXPECT_EQ(target(), "sm_90");
  Wrapper OfIt{.Data = Bytes.data()};
  ASSERT_EQ(DRIVER(cuModuleLoadData)(&Module, &OfIt), CUDA_SUCCESS);
  EXPECT_EQ(target(), "sm_90");
  EXPECT_EQ(modulesLoaded(), 2);
}

TEST(LoadingOn, OlderDevicesTakesOlderPtx) {
  setenv("GMPROF_CPU_ARCH", "sm_86", 1);
  CUmodule Module;
  ASSERT_EQ(DRIVER(cuModuleLoadData)(&Module, input("sum.none.fatbin").data()), CUDA_SUCCESS);
  EXPECT_EQ(target(), "sm_80");
  defineKernel("nothing", {}, [](auto &, auto *) -> Outcome { return {}; });
  CUfunction Function;
  ASSERT_EQ(DRIVER(cuModuleGetFunction)(&Function, Module, "nothing"), CUDA_SUCCESS);
  int Value = 0;
  EXPECT_EQ(DRIVER(cuFuncGetAttribute)(&Value, CU_FUNC_ATTRIBUTE_PTX_VERSION, Function),
            CUDA_SUCCESS);
  EXPECT_EQ(Value, 80);
  EXPECT_EQ(DRIVER(cuFuncGetAttribute)(&Value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, Function),
            CUDA_SUCCESS);
  EXPECT_EQ(Value, 86);
}

// A GPU of sm_75 has no binary there.
TEST(LoadingOn, OldestDevicesTakesTheOldestPtx) {
  setenv("GMPROF_CPU_ARCH", "sm_75", 1);
  CUmodule Module;
  ASSERT_EQ(DRIVER(cuModuleLoadData)(&Module, input("sum.speed.fatbin").data()), CUDA_SUCCESS);
  EXPECT_EQ(target(), "sm_80");
}

TEST_F(Loading, FilesAreImages) {
  CUmodule Module;
  EXPECT_EQ(DRIVER(cuModuleLoad)(&Module, "/no such file"), CUDA_ERROR_FILE_NOT_FOUND);
  ASSERT_EQ(DRIVER(cuModuleLoad)(&Module, file(".ptx", Ptx).c_str()), CUDA_SUCCESS);
  EXPECT_EQ(filesOfLastModule(), std::vector<std::string>{Ptx});
  ASSERT_EQ(DRIVER(cuModuleLoad)(&Module, FAT_BINARIES "/sum.none.fatbin"), CUDA_SUCCESS);
  EXPECT_EQ(target(), "sm_90");

  const std::string Half = file(".half", input("sum.none.fatbin").substr(0, 500));
  testing::internal::CaptureStderr();
  EXPECT_EQ(DRIVER(cuModuleLoad)(&Module, Half.c_str()), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gmprof: " + Half + " is no whole fat binary\n");
  const std::string Empty = file(".empty", "");
  testing::internal::CaptureStderr();
  EXPECT_EQ(DRIVER(cuModuleLoad)(&Module, Empty.c_str()), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gmprof: " + Empty + ": neither fake bitcode nor PTX\n");
}

TEST_F(Loading, WrappedBitcodeStatesItsSize) {
  struct {
    uint32_t Magic = 0x0b17c0de, Version = 0, Offset = 16, Bytes = 12;
    char Bitcode[16] = {'a', '.', 'v', 'e', 'r', 's', 'i', 'o', 'n', '\0', 'b', 'c', 'd'};
  } Image;
  CUmodule Module;
  ASSERT_EQ(DRIVER(cuModuleLoadData)(&Module, &Image), CUDA_SUCCESS);
  EXPECT_EQ(filesOfLastModule(),
            std::vector<std::string>{std::string(reinterpret_cast<char *>(&Image), 28)});
  Image.Bitcode[2] = 'x';
  EXPECT_EQ(failure(&Image, CUDA_ERROR_INVALID_IMAGE),
            "gmprof: module image: neither fake bitcode nor PTX\n");
}

TEST_F(Loading, OtherImagesAreErrors) {
  EXPECT_EQ(failure(nullptr, CUDA_ERROR_INVALID_VALUE), "");
  EXPECT_EQ(DRIVER(cuModuleLoadData)(nullptr, Ptx), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failure("no code", CUDA_ERROR_INVALID_PTX),
            "gmprof: module image: neither fake bitcode nor PTX\n");
  EXPECT_EQ(failure("\x7f"
                    "ELF",
                    CUDA_ERROR_NO_BINARY_FOR_GPU),
            "gmprof: module image is a cubin, but the CPU device runs PTX; " +
                std::string(HowToBuild));
  std::string Cubin = cubinOnly();
  EXPECT_EQ(failure(Cubin.data(), CUDA_ERROR_NO_BINARY_FOR_GPU),
            "gmprof: module image has no PTX, only code for sm_80; " + std::string(HowToBuild));
  Cubin[24] = 9; // more than the fat binary has
  EXPECT_EQ(failure(Cubin.data(), CUDA_ERROR_NO_BINARY_FOR_GPU),
            "gmprof: module image cannot be read: the fat binary is malformed at byte 16: the "
            "entry exceeds the fat binary; " +
                std::string(HowToBuild));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(Loading, LibrariesHaveKernelsAndVariables) {
  cudaLibrary_t Library;
  ASSERT_EQ(cudaLibraryLoadData(&Library, Ptx, nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaSuccess);
  unsigned Count = 0;
  ASSERT_EQ(cudaLibraryGetKernelCount(&Count, Library), cudaSuccess);
  ASSERT_EQ(Count, 1u);
  cudaKernel_t Kernel, Listed;
  EXPECT_EQ(cudaLibraryGetKernel(&Kernel, Library, "none"), cudaErrorSymbolNotFound);
  ASSERT_EQ(cudaLibraryGetKernel(&Kernel, Library, "set"), cudaSuccess);
  ASSERT_EQ(cudaLibraryEnumerateKernels(&Listed, 1, Library), cudaSuccess);
  EXPECT_EQ(Listed, Kernel);
  CUfunction Function;
  ASSERT_EQ(DRIVER(cuKernelGetFunction)(&Function, Kernel), CUDA_SUCCESS);
  EXPECT_EQ(launch(Function), 7);
  CUlibrary OfKernel;
  ASSERT_EQ(DRIVER(cuKernelGetLibrary)(&OfKernel, Kernel), CUDA_SUCCESS);
  EXPECT_EQ(OfKernel, Library);
  CUmodule Module, Owner;
  ASSERT_EQ(DRIVER(cuLibraryGetModule)(&Module, Library), CUDA_SUCCESS);
  ASSERT_EQ(DRIVER(cuFuncGetModule)(&Owner, Function), CUDA_SUCCESS);
  EXPECT_EQ(Module, Owner);
  void *Address = nullptr;
  size_t Bytes = 0;
  EXPECT_EQ(cudaLibraryGetGlobal(&Address, &Bytes, Library, "none"), cudaErrorSymbolNotFound);
  ASSERT_EQ(cudaLibraryGetGlobal(&Address, &Bytes, Library, "counter"), cudaSuccess);
  EXPECT_EQ(Bytes, CounterBytes);
  EXPECT_EQ(static_cast<int *>(Address)[1], 2);
  EXPECT_EQ(modulesLoaded(), 1);

  EXPECT_EQ(cudaLibraryUnload(Library), cudaSuccess);
  EXPECT_EQ(cudaLibraryUnload(Library), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLibraryGetKernel(&Kernel, Library, "set"), cudaErrorInvalidResourceHandle);
}

TEST_F(Loading, ResetUnloadsAll) {
  CUmodule Module;
  cudaLibrary_t Library;
  cudaKernel_t Kernel;
  ASSERT_EQ(DRIVER(cuModuleLoadData)(&Module, Ptx), CUDA_SUCCESS);
  ASSERT_EQ(cudaLibraryLoadFromFile(&Library, FAT_BINARIES "/sum.90.ptx", nullptr, nullptr, 0,
                                    nullptr, nullptr, 0),
            cudaSuccess);
  EXPECT_EQ(modulesLoaded(), 2);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(DRIVER(cuModuleUnload)(Module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cudaLibraryGetKernel(&Kernel, Library, "set"), cudaSuccess); // loads it again
  EXPECT_EQ(modulesLoaded(), 3);
}

//===----------------------------------------------------------------------===//
// Programs of nvcc
//===----------------------------------------------------------------------===//

TEST_F(Loading, RegisteredFatBinariesRunFromTheirPtx) {
  RegisteredBinary Binary(input("sum.size.fatbin"));
  EXPECT_EQ(modulesLoaded(), 0);
  void *Arguments[] = {&Cell};
  ASSERT_EQ(cudaLaunchKernel(&Binary.Stub, 1, 1, Arguments, 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(*Cell, 7);
  EXPECT_EQ(target(), "sm_90");
}

// nvcc's launch code asks for a handle once, ignores errors, and keeps the handle.
TEST_F(Loading, HandlesOfRegisteredKernelsAreForAllDevices) {
  RegisteredBinary Binary(input("sum.none.fatbin"));
  cudaKernel_t Kernel = nullptr, Same = nullptr;
  ASSERT_EQ(__cudaGetKernel(&Kernel, &Binary.Stub), cudaSuccess);
  EXPECT_EQ(modulesLoaded(), 0);
  ASSERT_EQ(cudaGetKernel(&Same, &Binary.Stub), cudaSuccess);
  EXPECT_EQ(Same, Kernel);
  EXPECT_EQ(__cudaGetKernel(&Same, &Cell), cudaErrorInvalidDeviceFunction);

  void *Arguments[] = {&Cell};
  CUfunction Functions[2];
  for (int Device : {0, 1}) {
    ASSERT_EQ(cudaSetDevice(Device), cudaSuccess);
    *Cell = 0;
    ASSERT_EQ(__cudaLaunchKernel(Kernel, 1, 1, Arguments, 0, nullptr), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(*Cell, 7);
    EXPECT_EQ(modulesLoaded(), Device + 1);
    EXPECT_EQ(DRIVER(cuKernelGetFunction)(&Functions[Device], Kernel), CUDA_SUCCESS);
  }
  EXPECT_NE(Functions[0], Functions[1]);
  const char *Name = nullptr;
  EXPECT_EQ(DRIVER(cuKernelGetName)(&Name, Kernel), CUDA_SUCCESS);
  EXPECT_STREQ(Name, "set");
}

TEST_F(Loading, FatBinariesWithoutPtxNameTheFlag) {
  RegisteredBinary Binary(cubinOnly());
  cudaKernel_t Kernel = nullptr;
  ASSERT_EQ(__cudaGetKernel(&Kernel, &Binary.Stub), cudaSuccess);
  void *Arguments[] = {&Cell};
  testing::internal::CaptureStderr();
  EXPECT_EQ(__cudaLaunchKernel(Kernel, 1, 1, Arguments, 0, nullptr),
            cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gmprof: the program has no PTX, only code for sm_80 (needed for kernel set); " +
                std::string(HowToBuild));
}
