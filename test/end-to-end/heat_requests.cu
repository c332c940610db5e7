// Costs of requests by two warps, the second one with 16 lanes: (requests, lanes, sectors, ideal
// sectors, bytes, misaligned, strided) of
//  * consecutive words: 4 sectors, and 2;
//  * the same from word 1 on: 5 instead of 4 and 3 instead of 2, both misaligned;
//  * every third word: bytes 0 to 375 of warp 0, 384 to 567 of warp 1, so 12 sectors and 6,
//    instead of 4 and 2, both strided by 12 bytes;
//  * one word for all, by lanes 0, 2, … 30 of each warp: 1 sector for 4 bytes;
//  * int2: 8 and 4; int4: 16 and 8, of 8 and of 16 bytes a lane;
//  * atomic operations, lane pairs of which have a word: 2 sectors and 1.
// BUILD: -O2 -g
// BUILD: -O2 -g -mllvm -gm-heat-closed-forms=false
// EXPECT-SAME-HEAT:
// OPTIONS: profile=heat
// EXPECT: [(l.requests, l.lanes, l.sectors, l.ideal_sectors, l.bytes_used, l.misaligned, l.strided)
//     for l in heat_lines("requests", "p")] == [
//     (2, 48, 6, 6, 192, 0, 0), (2, 48, 8, 6, 192, 2, 0), (2, 48, 18, 6, 192, 0, 2),
//     (2, 24, 2, 2, 8, 0, 0)]
// EXPECT: heat_lines("requests", "p")[2].stride == 12
// EXPECT: [l.access for l in heat_lines("requests", "p")] == ["load"] * 4
// EXPECT: [(l.requests, l.lanes, l.sectors, l.ideal_sectors, l.bytes_used, l.misaligned, l.strided)
//     for l in heat_lines("requests", "pairs") if l.requests] == [(2, 48, 12, 12, 384, 0, 0)]
// EXPECT: [(l.requests, l.lanes, l.sectors, l.ideal_sectors, l.bytes_used, l.misaligned, l.strided)
//     for l in heat_lines("requests", "fours") if l.requests] == [(2, 48, 24, 24, 768, 0, 0)]
// EXPECT: [(l.access, l.requests, l.lanes, l.sectors, l.ideal_sectors, l.bytes_used)
//     for l in heat_lines("requests", "sums")] == [("atomic", 2, 48, 3, 3, 96)]
#include "common.h"

__global__ void requests(const volatile int *p, const int2 *pairs, const int4 *fours, int *sums) {
  const int T = threadIdx.x;
  int Sum = p[T];
  Sum += p[T + 1];
  Sum += p[3 * T];
  if (T % 2 == 0)
    Sum += p[7];
  const int2 Two = pairs[T];
  const int4 Four = fours[T];
  Sum += Two.x + Two.y + Four.x + Four.y + Four.z + Four.w;
  atomicAdd(&sums[T / 2], Sum);
}

int main() {
  int *P = deviceInts(144), *Pairs = deviceInts(96), *Fours = deviceInts(192),
      *Sums = deviceInts(24);
  requests<<<1, 48>>>(P, (const int2 *)Pairs, (const int4 *)Fours, Sums);
  printResult("requests", Sums, 24);
}
