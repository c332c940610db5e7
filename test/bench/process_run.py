"""Runs a program, and measures its time and its device and host memory."""

import contextlib
import ctypes
import os
import subprocess
import threading
import time

import bench


class DeviceMemory:
    """The most that the first GPU has in use while this is entered, by NVML, beyond what it has when
    idle. It is entered when what the process before had is given back, which takes a moment."""

    idle = None

    class Info(ctypes.Structure):
        _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong),
                    ("used", ctypes.c_ulonglong)]

    def __init__(self):
        self.most = None
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            self.nvml = None
            return
        self.nvml.nvmlInit_v2()
        self.device = ctypes.c_void_p()
        self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device))

    def used(self):
        info = self.Info()
        self.nvml.nvmlDeviceGetMemoryInfo(self.device, ctypes.byref(info))
        return info.used

    def __enter__(self):
        if self.nvml:
            DeviceMemory.idle = min(filter(None, [DeviceMemory.idle, self.used()]))
            latest = time.monotonic() + 2
            while self.used() > DeviceMemory.idle and time.monotonic() < latest:
                time.sleep(0.01)
            self.most = 0
            self.ended = threading.Event()
            self.thread = threading.Thread(target=self.watch)
            self.thread.start()
        return self

    def watch(self):
        while not self.ended.wait(0.002):
            self.most = max(self.most, self.used())

    def __exit__(self, *_):
        if self.nvml:
            self.ended.set()
            self.thread.join()
            self.most = max(self.most - DeviceMemory.idle, 0)


def run_once(command, folder, limit, variables, ignore=None):
    """Times, results, seconds, and bytes of device and host memory; "error" if it failed."""
    log = folder / "costs-printed.txt"  # some programs write an output.txt
    with open(log, "w", encoding="utf-8") as out, DeviceMemory() as memory:
        begin = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], stdout=out, cwd=folder,
                                   env=bench.environment(folder, **variables),
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   start_new_session=True)
        late = threading.Timer(limit, lambda: os.killpg(process.pid, 9))
        late.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - begin
        finally:
            late.cancel()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
    process.returncode = os.waitstatus_to_exitcode(status)
    output = log.read_text(encoding="utf-8", errors="replace")
    times, results = bench.times_and_results(output, ignore)
    found = {"seconds": seconds, "times": times, "results": results, "device": memory.most,
             "host": usage.ru_maxrss * 1024}
    if process.returncode == -9 and seconds >= limit:
        found["error"] = f"> {limit} s"
    elif process.returncode != 0:
        found["error"] = f"status {process.returncode}: {output[-400:]}"
    return found
