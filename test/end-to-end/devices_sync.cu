// Waits of two devices: each waits for its own work, and for work of the other device that an event
// orders before it. The host uses the managed memory that the last wait protects; the first
// device's result is an input of the second device's kernel.
// DEVICES: 2
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: {api: [sum(s[what] for s in summary["sync"]["sites"] if s["api"] == api)
//     for what in ("needed", "orders_streams", "unnecessary", "not_seen")]
//     for api in ("cudaStreamSynchronize", "cudaMemcpy", "cudaDeviceSynchronize")} == {
//     "cudaStreamSynchronize": [1, 2, 0, 0], "cudaMemcpy": [2, 0, 0, 0],
//     "cudaDeviceSynchronize": [0, 0, 2, 0]}
// EXPECT: summary["sync"]["gpu_times_known"]
#include "devices.h"
