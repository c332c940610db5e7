add_test(NAME end-to-end-runner
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/end-to-end/runner_test.py)

# gpu-tests packs the end-to-end tests for a machine with a GPU and without
# compiler: build/gpu-tests.tar.gz.
add_custom_target(gpu-tests
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/end-to-end/runner.py pack
          --prefix ${PROJECT_BINARY_DIR} --arch ${GMPROF_CUDA_ARCH} --cuda ${CUDAToolkit_ROOT}
          --work ${CMAKE_CURRENT_BINARY_DIR}/end-to-end
  USES_TERMINAL)
foreach(target gmprof-clang++ GMPass gmprof_runtime gmprof gmreport)
  if(TARGET ${target})
    add_dependencies(gpu-tests ${target})
  endif()
endforeach()
