# Checks the contents of the packages; installing them needs root, and is checked by chroot.py.
add_test(NAME package
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/package/check.py
                 --build ${PROJECT_BINARY_DIR} --work ${CMAKE_CURRENT_BINARY_DIR}/package
                 --version ${PROJECT_VERSION}
                 --clang ${GMPROF_LLVM_BIN}/clang++ --cuda ${CUDAToolkit_ROOT})
