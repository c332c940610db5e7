# Installed files. The build tree has the same layout as an installed tree, so that GMProf can be
# used from either, and either can be moved as a whole.
include(CMakePackageConfigHelpers)

set(cmake_files ${PROJECT_BINARY_DIR}/lib/cmake/GMProf)
configure_file(cmake/GMProfConfig.cmake.in ${cmake_files}/GMProfConfig.cmake @ONLY)
write_basic_package_version_file(${cmake_files}/GMProfConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
foreach(file GMProfToolchain.cmake GMProfLinker.cmake)
  configure_file(cmake/${file} ${cmake_files}/${file} COPYONLY)
endforeach()
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include SYMBOLIC)

install(DIRECTORY ${cmake_files} DESTINATION lib/cmake)
install(DIRECTORY include/gmprof DESTINATION include)
# Keeps the project's layout, so that links between documents work.
install(DIRECTORY docs examples DESTINATION share/doc/gmprof)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE cmake/copyright DESTINATION share/doc/gmprof)
install(TARGETS GMPass LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# Builds everything that is installed, without tests.
add_custom_target(programs DEPENDS GMPass gmprof_runtime gmprof gmreport gmprof-symbolizer gmprof-kernel gmprof_cpu
                                   gmprof-instrument
                                   gmprof-clang++ gmprof-manual gmreport-manual)
