// The parameters change in every fourth step, and are copied in each: a copy before the loop would
// change the result. Frames that come again after others are restored for a reason.
// BUILD: -O2 -g
// OPTIONS: profile=sync
// EXPECT: {f["source"]["line"]: (f["kind"], f["evidence"]["duplicates"], f["evidence"]["copies"],
//     f["evidence"]["changes"], f["suggestion"].split(":")[0]) for f in summary["findings"]
//     if f["pattern"] == "duplicate_transfer"}
//     == {25: ("copied_again", 9, 12, 2, "Copy only after the host has changed the source, or a
//     kernel the destination"), 27: ("copied_again", 10, 12, 11, "Keep the copy")}
// EXPECT: not any("Copy once" in f["suggestion"] for f in summary["findings"])
// EXPECT-OUTPUT: 180
#include "common.h"

__global__ void scale(const int *By, const int *In, int *Out) {
  Out[threadIdx.x] += *By * In[threadIdx.x];
}

int main() {
  int *By = deviceInts(1), *In = deviceInts(32), *Out = deviceInts(32), Factor = 0, Frame[32];
  CHECK(cudaMemset(Out, 0, 32 * sizeof(int)));
  for (int Step = 0; Step < 12; ++Step) {
    Factor += Step % 4 == 0;
    for (int &Each : Frame)
      Each = Step % 2 + 7;
    CHECK(cudaMemcpy(By, &Factor, sizeof(int), cudaMemcpyHostToDevice));
    // The same two frames in turn.
    CHECK(cudaMemcpy(In, Frame, sizeof(Frame), cudaMemcpyHostToDevice));
    scale<<<1, 32>>>(By, In, Out);
  }
  CHECK(cudaMemcpy(Frame, Out, sizeof(Frame), cudaMemcpyDeviceToHost));
  printf("%d\n", Frame[0]);
}
