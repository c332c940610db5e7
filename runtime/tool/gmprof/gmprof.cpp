//===- gmprof.cpp - The gmprof command ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/Manual.h"
#include "cli/Options.h"
#include "cli/Output.h"
#include "cli/StatusLine.h"
#include "cli/Suggestion.h"
#include "tool/gmprof/Doctor.h"
#include "tool/gmprof/Kernel.h"
#include "tool/gmprof/WhatIf.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string_view>

using namespace gmprof::host;

/// Returns the status, or that of an error in writing the output, which is printed.
static int statusOf(int Status, const std::string &OutputError) {
  if (OutputError.empty())
    return Status;
  std::cerr << "gmprof: " << OutputError << "\n";
  return EXIT_FAILURE;
}

/// Adds gmprof run.
static CLI::App *addRun(CLI::App &App, RunCommand &Command) {
  CLI::App *Run = App.add_subcommand("run", "Run a program and write DIR/summary.json");
  Run->footer("The program and its arguments go last: gmprof run -o prof -- ./program argument. "
              "-m MODULE in its place runs a Python module, as python3 -m does: gmprof run -o prof "
              "-m package.module argument");
  const auto Option = [Run, &Command](const std::string &Names, const std::string &Key,
                                      const std::string &Help, const std::string &Type) {
    CLI::Option *Added = Run->add_option_function<std::string>(
        Names,
        [&Command, Key](const std::string &Value) { Command.Options.push_back(Key + "=" + Value); },
        Help);
    Added->type_name(Type);
    Command.Choices[Key] = gmprof::cli::choicesOf(*Added);
  };
  Option("-o,--output", "output",
         "Directory of the results; %p is the process id, %h the host, %e the program, %r the "
         "rank, %t the time, %q{VAR} an environment variable (gmprof-%e-%p)",
         "DIR");
  std::string ProfileNames, ProfileList;
#define GMPROF_PROFILE(name, choice, Recorder, hasClones, objects, parts, calls, Accesses,         \
                       includes, measures, ...)                                                    \
  ProfileNames += "," #name;                                                                       \
  ProfileList += ", " #name " (" measures ")";
#include "gmprof/profiles.def"
  Option("--profile", "profile",
         "What to profile, one or more separated by commas: " + ProfileList.substr(2) +
             "; or overview (objects, shared and heat, and the times of calls, in one run), or off "
             "(overview)",
         "{overview" + ProfileNames + ",off}");
  Option("--kernel,--kernels", "kernels",
         "Only kernels whose name matches this POSIX extended regex", "REGEX");
  Option("--block-sample", "block-sample", "Count every N-th block (1)", "N");
  Option("--launch-sample", "launch-sample", "Profile every N-th launch of a kernel (1)", "N");
  Option("--launch-sampling", "launch-sampling",
         "Which launches of a kernel --launch-sample selects: every N-th, the first N, one in N "
         "at random, or launches 1, 2, 4, 8 … (every; doubling with overview, heat and cache)",
         "{every,first,random,doubling}");
  Option("--seed", "seed", "Seed of --launch-sampling=random (1)", "N");
  Option("--live-ranges", "live-ranges",
         "Which launches of a kernel count live ranges of data in shared memory (first)",
         "{first,every,off}");
  Option("--heat-blocks", "heat-blocks",
         "Blocks of a launch that --profile heat records: a number, FIRST:END, FIRST:END:STEP or "
         "all (0)",
         "BLOCKS");
  Option("--cache-blocks", "cache-blocks",
         "Blocks of a launch that --profile cache traces, in the form of --heat-blocks (all)",
         "BLOCKS");
  Option("--sm-sample", "sm-sample", "Trace the blocks of every N-th SM (1)", "N");
  Option("--launch-requests", "launch-requests",
         "Most requests of a launch that --profile cache traces, about, or all (4194304)", "N");
  Option("--run-requests", "run-requests",
         "Most requests of the whole run that --profile cache traces (16777216)", "N");
  Run->add_flag("--place-blocks", Command.PlaceBlocks,
                "With --profile cache on a GPU: run the program twice, and place the traced blocks "
                "as the run without a trace did");
  Option("--clones", "clones",
         "Which kernels have clones: also those that the plugin did not compile, made at their "
         "first launch, or only compiled ones (demand)",
         "{demand,compiled}");
  Option("--clone-seconds", "clone-seconds",
         "Has launches wait for no further clones once that has taken N seconds and a quarter of "
         "the run (10)",
         "N");
  Option("--first-launch-seconds", "first-launch-seconds",
         "Makes clones while the program runs, except those of the first kernels, once launches "
         "have waited N seconds for clones (2)",
         "N");
  Option("--memory", "memory",
         "Device memory for the counters of global, elements and heat: bytes (512M), or a share "
         "of the free memory (25%)",
         "SIZE");
  Option("--idle-apis", "idle-apis",
         "CUDA operations between two uses of an allocation from which it counts as idle (2)", "N");
  Option("--size-difference", "size-difference",
         "Most difference in size of two allocations that can share memory (10%)", "SHARE");
  Option("--accessed-share", "accessed-share",
         "Least share of accessed elements; an allocation with less is overallocated (80%)",
         "SHARE");
  Option("--frequency-variation", "frequency-variation",
         "Largest coefficient of variation of even access frequencies (20%)", "SHARE");
  Option("--late-share", "late-share",
         "With --profile sync: least cost of early waits, as a share of the program's time, that "
         "makes another run time them (1%)",
         "SHARE");
  Option("--peaks", "peaks", "Peaks of memory in use to report (2)", "N");
  Option("--device", "device", "auto, gpu or cpu (auto: the GPU if there is one)",
         "{auto,gpu,cpu}");
  Run->add_flag("--full", Command.Full,
                "Also profile elements, cache and sync, in further runs of the program, and write "
                "one summary of all");
  Run->add_flag_callback(
      "--quiet", [&Command] { Command.Options.push_back("quiet=1"); }, "Print errors only");
  Run->prefix_command();
  return Run;
}

/// Adds gmprof recover.
static CLI::App *addRecover(CLI::App &App, std::string &Log, std::string &Output) {
  CLI::App *Recover = App.add_subcommand("recover", "Write the summary of an interrupted run");
  Recover->add_option("LOG", Log, "The event log, events*.gmlog, or its directory")->required();
  Recover->add_option("-o,--output", Output, "Directory of the summary (that of LOG)")
      ->type_name("DIR");
  return Recover;
}

/// Adds gmprof whatif.
static CLI::App *addWhatIf(CLI::App &App, WhatIfCommand &Try) {
  CLI::App *WhatIf = App.add_subcommand(
      "whatif",
      "Measure the benefit of a finding of --profile sync: run the program without its calls");
  WhatIf->footer("The program and its arguments go last: gmprof whatif --from prof --finding 1 -- "
                 "./program argument (default: the profiled command)");
  WhatIf
      ->add_option("--from", Try.From,
                   "Summary of gmprof run --profile sync, or its directory (profile first)")
      ->type_name("DIR");
  WhatIf
      ->add_option(
          "--finding", Try.Findings,
          "Number in the report, or fingerprint; several are left out together (the first about "
          "synchronization or transfers)")
      ->type_name("F")
      ->delimiter(',')
      ->allow_extra_args(false);
  WhatIf->add_option("--runs", Try.Runs, "Runs with and without the calls, each (5)")
      ->type_name("N")
      ->check(CLI::Range(1u, 1000u));
  WhatIf->add_option("--compare", Try.Compare, "Also compare a file that the program writes")
      ->type_name("FILE")
      ->allow_extra_args(false);
  WhatIf
      ->add_option("--ignore", Try.Ignore,
                   "Lines of the output that match this POSIX extended regex may differ")
      ->type_name("REGEX");
  WhatIf
      ->add_option("-o,--output", Try.Output,
                   "Where to write the result as JSON (DIR/whatif-F.json)")
      ->type_name("FILE");
  WhatIf
      ->add_option_function<std::string>(
          "--device",
          [&Try](const std::string &Value) { Try.Options.push_back("device=" + Value); },
          "auto, gpu or cpu (auto: the GPU if there is one)")
      ->type_name("DEVICE");
  WhatIf->add_flag("--json", Try.Json, "Print the result as JSON");
  WhatIf->add_flag("!--no-verify", Try.Verify,
                   "Skip the run that checks whether the copies change anything");
  WhatIf->prefix_command();
  return WhatIf;
}

/// Adds gmprof kernel.
static CLI::App *addKernel(CLI::App &App, KernelCommand &Lone) {
  CLI::App *Kernel = App.add_subcommand(
      "kernel", "Run one kernel of a PTX or LLVM IR file on NumPy arrays, on the CPU device: check "
                "it for faults and races, and profile it");
  Kernel->add_option("FILE", Lone.File, "PTX, or LLVM IR for nvptx64 (.ll, .llir, .bc)")
      ->required();
  Kernel->add_option("--entry", Lone.Entry, "The kernel, by its name in FILE (the only one)")
      ->type_name("NAME");
  Kernel->add_option("--grid", Lone.Grid, "Blocks in each dimension")
      ->type_name("X[,Y,Z]")
      ->required();
  Kernel->add_option("--block", Lone.Block, "Threads in each dimension (that of .reqntid)")
      ->type_name("X[,Y,Z]");
  Kernel->add_option("--shared", Lone.Shared, "Bytes of dynamic shared memory (0)")
      ->type_name("BYTES");
  Kernel
      ->add_option("--arg", Lone.Arguments,
                   "The next argument: FILE.npy (a pointer to a copy of its elements), "
                   "inout:FILE.npy:OUTPUT.npy (which is written to OUTPUT.npy afterwards), null, "
                   "an integer, or a number")
      ->type_name("VALUE")
      ->allow_extra_args(false);
  Kernel->add_option("--out", Lone.Output, "Directory for the arrays that the kernel changes")
      ->type_name("DIR");
  Kernel
      ->add_option("--profile", Lone.Profile,
                   "What to profile, as in gmprof run; off: only check (heat,shared)")
      ->type_name("{shared,global,heat,cache,off}");
  Kernel->add_option("-o,--output", Lone.Results, "Directory of the profile (gmprof-kernel)")
      ->type_name("DIR");
  Kernel->add_flag("!--no-races", Lone.Races, "Do not look for data races");
  Kernel->add_flag("--quiet", Lone.Quiet, "Print errors only");
  return Kernel;
}

/// Adds what help shows after the options.
static void addHelp(CLI::App &App) {
  gmprof::cli::addManual(
      App, {{"Examples", "  gmprof-clang++ -O2 -g app.cu -o app\n"
                         "  gmprof run -o prof -- ./app argument\n"
                         "  gmprof run --profile sync -o sync -- ./app argument\n"
                         "  gmprof whatif --from sync --finding 1\n"
                         "  gmprof kernel scale.ptx --grid 8 --arg x.npy --arg out.npy --arg 1000"},
            {"Exit status",
             "The program's own, or 1: gmprof failed; 2: invalid options; 126: the program "
             "cannot be run or profiled; 127: there is no such program; 130: interrupted while it "
             "wrote a summary, which gmprof recover writes then. gmprof whatif: 3 if "
             "it refuses, 4 if the program did something else. gmprof doctor: 1 if programs "
             "cannot be profiled."},
            {"Environment",
             "GMPROF_OPTIONS: options of the run, as key=value:key=value; those of the "
             "command line come first. GMPROF_PYTHON: the Python of -m (python3). NO_COLOR: no "
             "colours. CUDA_PATH: the CUDA toolkit."},
            {"See also", "gmreport(1); docs/running.md of GMProf."}});
}

/// Sets the program of Used, run or whatif, from what its options leave and the arguments from "--"
/// on. HasDefault: no program needs to be named. Returns what is wrong, or nothing.
static std::string setProgram(const CLI::App &Used, std::span<char *const> FromSeparator,
                              bool HasDefault, std::vector<std::string> &Program) {
  const std::string Name = "gmprof " + Used.get_name();
  const bool IsRun = Used.get_name() == "run";
  Program = Used.remaining();
  if (IsRun && !Program.empty() && Program[0] == "-m") {
    if (Program.size() == 1)
      return Name + ": -m needs a Python module: gmprof run -o prof -m package.module";
    const char *Python = std::getenv("GMPROF_PYTHON");
    Program.insert(Program.begin(), Python && *Python ? Python : "python3");
  }
  if (!Program.empty() && Program[0].starts_with("-"))
    return Name + ": there is no option '" + Program[0] + "'" +
           gmprof::cli::suggestOption(Used, Program[0]) + " (see " + Name +
           " --help; options of the program go after --)";
  // If the program comes before "--", the "--" is an argument of the program.
  if (!FromSeparator.empty())
    Program.insert(Program.end(), FromSeparator.begin() + (Program.empty() ? 1 : 0),
                   FromSeparator.end());
  if (Program.empty() && !HasDefault)
    return Name + ": name the program to run: " + Name +
           (IsRun ? " -o prof -- ./program" : " --from prof -- ./program");
  return "";
}

int main(int Argc, char **Argv) {
  CLI::App App("Profiles the GPU memory use of CUDA programs.", "gmprof");
  App.set_version_flag("--version", "gmprof " GMPROF_VERSION);
  App.require_subcommand(1);
  RunCommand Command;
  const CLI::App *Run = addRun(App, Command);
  std::string Log, Output;
  const CLI::App *Recover = addRecover(App, Log, Output);
  WhatIfCommand Try;
  const CLI::App *WhatIf = addWhatIf(App, Try);
  KernelCommand Lone;
  const CLI::App *Kernel = addKernel(App, Lone);
  CLI::App *Doctor =
      App.add_subcommand("doctor", "Check what works on this machine, and say how to fix the rest");
  bool ClearCache = false;
  Doctor->add_flag("--clear-cache", ClearCache,
                   "Remove the clones of kernels that earlier runs made, and print how many");
  addHelp(App);

  // Arguments after "--" belong to the program, even if they look like options.
  char **End = Argv + Argc, **Separator = std::find(Argv, End, std::string_view("--"));
  try {
    App.parse(static_cast<int>(Separator - Argv), Argv);
  } catch (const CLI::Success &E) { // --help, --version
    return statusOf(EXIT_SUCCESS, gmprof::cli::printAnswer(App, E));
  } catch (const CLI::ParseError &E) {
    const std::vector<std::string> Arguments(Argv + 1, Separator);
    std::cerr << "gmprof: " << gmprof::cli::usageError(App, Arguments, E)
              << gmprof::cli::helpOf(App, Arguments) << "\n";
    return ExitUsage;
  }
  gmprof::cli::showProgressOf("gmprof");
  if (Recover->parsed())
    return recoverLog(Log, Output);
  if (Doctor->parsed())
    return statusOf(ClearCache ? clearCloneCache() : runDoctor(), gmprof::cli::flushOutput());
  if (Kernel->parsed()) {
    Lone.Shown.assign(Argv, End);
    Lone.Shown[0] = "gmprof";
    return runKernel(Lone);
  }
  const bool Tries = WhatIf->parsed();
  const std::string Mistake =
      setProgram(*(Tries ? WhatIf : Run), {Separator, End}, Tries && !Try.From.empty(),
                 Tries ? Try.Program : Command.Program);
  if (!Mistake.empty()) {
    std::cerr << Mistake << "\n";
    return ExitUsage;
  }
  return Tries ? runWhatIf(Try) : runProgram(Command);
}
