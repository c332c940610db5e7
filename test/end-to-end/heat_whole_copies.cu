// nvcc makes one access of 16 bytes of the copy of a float4.
// BUILD-NVCC: -O2 -lineinfo -cudart=shared
// OPTIONS: profile=heat
// EXPECT: kernel("whole").data["heat"]["requests"] == 2 * 4
// EXPECT: heat_findings() == []
#include "heat_split_copies.cu"
