//===- RecordedLog.h - An event log that a test writes and reads -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_HOST_RECORDEDLOG_H
#define GMPROF_TEST_UNIT_HOST_RECORDEDLOG_H

#include "../TemporaryFolder.h"
#include "host/core/Options.h"
#include "host/record/Recorder.h"
#include "profile/EventLogReader.h"
#include "profile/ProfileBuilder.h"
#include <gtest/gtest.h>
#include <optional>

namespace gmprof::host {

class RecordedLog {
public:
  RecordedLog() {
    auto Writer = EventLogWriter::create(Path);
    EXPECT_TRUE(Writer) << Writer.error();
    Log.emplace(std::move(*Writer));
    Log->run(Options(), "gpu", {"./app"}, 42);
  }

  Recorder &recorder() { return *Log; }

  /// Ends the log, and returns what it holds.
  profile::Profile read() {
    Log->end(0, 0);
    Log.reset();
    Result<profile::Profile> P = readProfile(Path);
    EXPECT_TRUE(P) << P.error();
    return std::move(*P);
  }

private:
  test::TemporaryFolder Own;
  const std::string Path = Own.file("events.gmlog");
  std::optional<Recorder> Log;
};

} // namespace gmprof::host

#endif // GMPROF_TEST_UNIT_HOST_RECORDEDLOG_H
