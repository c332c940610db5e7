# The page of gmreport html in a browser. Needs node, and Chromium; the packages come with npm.
add_test(NAME web-bundle
         COMMAND ${CMAKE_COMMAND} -DCHECK=ON -P ${PROJECT_SOURCE_DIR}/runtime/report/web/EmbedPage.cmake)
find_program(GMPROF_NODE node)
find_program(GMPROF_NPM npm)
find_program(GMPROF_CHROMIUM NAMES chromium chromium-browser google-chrome)
if(GMPROF_NODE AND GMPROF_NPM AND GMPROF_CHROMIUM)
  add_test(NAME web-packages
           COMMAND ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/runtime/report/web/Packages.cmake)
  set_tests_properties(web-packages PROPERTIES FIXTURES_SETUP web-packages)
  file(GLOB web_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.test.mjs)
  foreach(file ${web_tests})
    get_filename_component(name ${file} NAME_WE)
    add_test(NAME web-${name} COMMAND ${GMPROF_NODE} --test ${file})
    set_tests_properties(web-${name} PROPERTIES FIXTURES_REQUIRED web-packages
      ENVIRONMENT "GMPROF_BIN=${PROJECT_BINARY_DIR}/bin;GMPROF_CHROMIUM=${GMPROF_CHROMIUM}")
  endforeach()
else()
  add_test(NAME web COMMAND ${CMAKE_COMMAND} -E echo
           "skipped: needs node, npm and chromium (scripts/setup.sh installs them)")
  set_tests_properties(web PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped")
endif()
