# What is in the packages; whether they install is checked by hand (chroot.py), as that needs root.
add_test(NAME package
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/package/check.py
                 --build ${PROJECT_BINARY_DIR} --work ${CMAKE_CURRENT_BINARY_DIR}/package
                 --version ${PROJECT_VERSION}
                 --clang ${GMPROF_LLVM_BIN}/clang++ --cuda ${CUDAToolkit_ROOT})
