# Settings of cpack, which makes a Debian package and a relocatable archive in the build folder
# (docs/installing.md).
set(CPACK_GENERATOR DEB TZST)
set(CPACK_PACKAGE_NAME gmprof)
set(CPACK_PACKAGE_VENDOR GMProf)
set(CPACK_PACKAGE_CONTACT "The GMProf project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler for GPU memory")
set(CPACK_PACKAGE_DESCRIPTION
"GMProf tells a CUDA developer what their program does with GPU memory, and what
to change. It is a compiler wrapper, a runtime, a CPU device for machines that
have no GPU, and a tool for reports. To compile programs it needs the CUDA 13
toolkit, which is not in Debian.")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
string(TOLOWER "gmprof-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}"
       CPACK_PACKAGE_FILE_NAME)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd) # xz takes minutes
# dpkg-shlibdeps finds the packages of libraries. gmprof-clang++ runs clang, which compiles CUDA
# with tools of the other two packages.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "clang-${GMPROF_LLVM_VERSION}, clang-tools-${GMPROF_LLVM_VERSION}, llvm-${GMPROF_LLVM_VERSION}")
# Library of programs that are compiled with -fopenmp.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libomp-${GMPROF_LLVM_VERSION}-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cuda-toolkit-13")

include(CPack)

# The wheel, in packages/ of the build folder.
add_custom_target(wheel
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/wheel.py --build ${PROJECT_BINARY_DIR}
  DEPENDS gmprof_runtime_wheel
  USES_TERMINAL)
add_dependencies(wheel programs)
