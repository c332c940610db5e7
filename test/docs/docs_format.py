"""lit's side of the documentation's tests: each page with commands is a test."""

import pathlib

import lit.formats
import lit.Test
import page


class Pages(lit.formats.ShTest):
    """Files .test as in other suites, and the pages."""

    def __init__(self, source, build):
        super().__init__(execute_external=False)
        self.source, self.build = pathlib.Path(source), pathlib.Path(build)

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        yield from super().getTestsInDirectory(suite, path_in_suite, lit_config, local_config)
        if len(path_in_suite) != 1:
            return
        for file in page.pages(self.source):
            if page.steps(file.read_text()):
                parts = (*path_in_suite, "pages", *file.relative_to(self.source).parts)
                yield lit.Test.Test(suite, parts, local_config)

    def execute(self, test, lit_config):
        if test.path_in_suite[1] != "pages":
            return super().execute(test, lit_config)
        found = page.failures(self.source.joinpath(*test.path_in_suite[2:]), self.source, self.build,
                              pathlib.Path(test.getExecPath()))
        return (lit.Test.FAIL if found else lit.Test.PASS), "\n\n".join(found)
