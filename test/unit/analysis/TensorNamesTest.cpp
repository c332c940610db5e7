//===- TensorNamesTest.cpp ------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/TensorNames.h"
#include <gtest/gtest.h>

using namespace gmprof;

namespace {

/// Returns the name given to a pool part with this name that was allocated by these functions,
/// innermost first.
std::string nameOf(const std::vector<std::string> &Functions, const std::string &Name = "",
                   log::ObjectKind Kind = log::ObjectKind::Pool) {
  profile::Profile P;
  profile::CallPath &Path = P.CallPaths.emplace_back();
  for (const std::string &Each : Functions)
    Path.Frames.emplace_back().Function = Each;
  profile::Object &O = P.Objects.emplace_back();
  O.Kind = Kind;
  O.Name = Name;
  O.Made.CallPath = 0;
  analysis::nameTensors(P);
  return P.Objects[0].Name;
}

const std::vector<std::string> Mean = {
    "at::detail::empty_cuda(c10::ArrayRef<long>, c10::TensorOptions const&)",
    "at::_ops::empty_memory_format::call(c10::ArrayRef<c10::SymInt>)",
    "at::native::mean(at::Tensor const&, std::optional<c10::ScalarType>)",
    "at::_ops::mean::redispatch(c10::DispatchKeySet, at::Tensor const&)",
    "at::_ops::mean::call(at::Tensor const&, std::optional<c10::ScalarType>)",
    "torch::autograd::THPVariable_mean(_object*, _object*, _object*)",
    "_PyEval_EvalFrameDefault"};

} // namespace

TEST(TensorNamesTest, TheOperatorThatTheProgramCalled) {
  EXPECT_EQ(nameOf(Mean), "tensor of mean");
  EXPECT_EQ(nameOf({"at::_ops::add_Tensor::call(at::Tensor const&)"}), "tensor of add_Tensor");
}

TEST(TensorNamesTest, WorkspacesOfLibraries) {
  EXPECT_EQ(nameOf({"at::cuda::setWorkspaceForHandle(cublasContext*, c10::cuda::CUDAStream)",
                    "at::cuda::getCurrentCUDABlasHandle()", "at::_ops::addmm::call(at::Tensor)"}),
            "workspace of cuBLAS");
  EXPECT_EQ(nameOf({"at::native::run_conv_plan(cudnnContext*, at::Tensor const&)",
                    "at::_ops::cudnn_convolution::call(at::Tensor const&)"}),
            "workspace of cuDNN");
  EXPECT_EQ(nameOf({"at::cuda::blas::gemm<float>(char)", "at::_ops::mm::call(at::Tensor)"}),
            "tensor of mm");
}

TEST(TensorNamesTest, KeepsNamesAndOtherAllocations) {
  EXPECT_EQ(nameOf(Mean, "weights"), "weights");
  EXPECT_EQ(nameOf(Mean, "", log::ObjectKind::Device), "");
  EXPECT_EQ(nameOf({"arena::allocate(unsigned long)", "main"}), "");
  EXPECT_EQ(nameOf({}), "");
}
