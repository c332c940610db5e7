# The wheel: its contents, and its use from a virtual environment.
add_test(NAME wheel
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/wheel/check.py
                 --build ${PROJECT_BINARY_DIR} --work ${CMAKE_CURRENT_BINARY_DIR}/wheel
                 --version ${PROJECT_VERSION}
                 --clang ${GMPROF_LLVM_BIN}/clang++ --cuda ${CUDAToolkit_ROOT})
