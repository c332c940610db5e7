"""lit's side of the end-to-end tests: each .cu file is a test."""

import os
import pathlib

import lit.formats
import lit.Test
import runner


class EndToEnd(lit.formats.FileBasedTest):
    def __init__(self, prefix, arch, cuda):
        self.prefix, self.arch, self.cuda = pathlib.Path(prefix), arch, cuda
        # Runs on the CPU device, and on the GPU if there is one.
        self.devices = ["cpu"] + (["gpu"] if os.path.exists("/dev/nvidiactl") else [])

    def execute(self, test, lit_config):
        work = pathlib.Path(test.getExecPath()).parent
        source = pathlib.Path(test.getSourcePath())
        try:
            directives = runner.read_test(source)
            devices = [d for d in self.devices if runner.runs_on(directives, d)]
            if not devices:
                return lit.Test.UNSUPPORTED, "runs on a GPU only"
            manifest = runner.build(source, self.prefix, self.arch, work / "programs", self.cuda)
            failures = []
            for device in devices:
                failures += runner.run_test(manifest, work / "programs", device, work,
                                            runner.clone_cache(work),
                                            self.prefix / "bin/gmreport")
        except runner.Failure as failure:
            failures = [str(failure)]
        return (lit.Test.FAIL if failures else lit.Test.PASS), "\n".join(failures)
