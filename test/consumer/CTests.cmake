# The sample project built and run in each way that users have.
foreach(way hand make one_command toolchain toolchain_rdc find_package find_package_nvcc installed)
  add_test(NAME consumer-${way}
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/consumer/run.py ${way}
                   --build ${PROJECT_BINARY_DIR} --work ${CMAKE_CURRENT_BINARY_DIR}/consumer/${way}
                   --clang ${GMPROF_LLVM_BIN}/clang++ --cuda ${CUDAToolkit_ROOT})
endforeach()
