# Generates the header OUTPUT from dist/page.html, which is rebuilt first if sources have changed.
# CHECK: fails if they have changed, instead of rebuilding.
cmake_minimum_required(VERSION 3.25)
set(web ${CMAKE_CURRENT_LIST_DIR})

file(GLOB_RECURSE sources RELATIVE ${web} ${web}/src/*)
list(SORT sources)
set(hashes "")
foreach(source ${sources} build.mjs package.json package-lock.json tsconfig.json)
  file(SHA256 ${web}/${source} hash)
  string(APPEND hashes "${hash} ${source}\n")
endforeach()
string(SHA256 hash "${hashes}")
set(recorded "")
if(EXISTS ${web}/dist/page.html AND EXISTS ${web}/dist/sources.sha256)
  file(STRINGS ${web}/dist/sources.sha256 recorded)
endif()

if(NOT hash STREQUAL recorded)
  if(CHECK)
    message(FATAL_ERROR "runtime/report/web/dist is not of these sources: build gmreport, and commit dist")
  endif()
  message(STATUS "runtime/report/web has changed: building dist/page.html anew")
  include(${CMAKE_CURRENT_LIST_DIR}/Packages.cmake)
  execute_process(COMMAND ${npm} run --silent build WORKING_DIRECTORY ${web} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "runtime/report/web cannot be built")
  endif()
  file(WRITE ${web}/dist/sources.sha256 "${hash}\n")
endif()

if(OUTPUT)
  file(READ ${web}/dist/page.html page)
  file(WRITE ${OUTPUT} "// Made of runtime/report/web.
namespace gmprof {

inline constexpr char WebPageText[] = R\"gmprof(${page})gmprof\";

} // namespace gmprof
")
endif()
