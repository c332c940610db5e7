"""lit's side of the end-to-end tests: each .cu file is a test."""

import os
import pathlib

import lit.formats
import lit.Test
import runner


class EndToEnd(lit.formats.FileBasedTest):
    def __init__(self, prefix, arch):
        self.prefix, self.arch = pathlib.Path(prefix), arch
        # Everywhere on the CPU device, and on the GPU where there is one.
        self.devices = ["cpu"] + (["gpu"] if os.path.exists("/dev/nvidiactl") else [])

    def execute(self, test, lit_config):
        work = pathlib.Path(test.getExecPath()).parent
        try:
            manifest = runner.build(pathlib.Path(test.getSourcePath()), self.prefix, self.arch,
                                    work / "programs")
            failures = []
            for device in self.devices:
                failures += runner.run_test(manifest, work / "programs", device, work, {})
        except runner.Failure as failure:
            failures = [str(failure)]
        return (lit.Test.FAIL if failures else lit.Test.PASS), "\n".join(failures)
