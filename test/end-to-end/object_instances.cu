// Members of two objects of a class have the names of the objects, whichever function allocates
// them; the members of an object without a variable have the name of its class.
// BUILD: -O2 -g
// OPTIONS: profile=objects
// EXPECT: [o["name"] for o in summary["objects"]]
//     == ["first.data", "second.data", "all[].data", "all[].data", "table.halo.data",
//         "table.next", "other->halo.data", "other->next", "Buffer::data"]
#include "common.h"

struct Buffer {
  float *data = nullptr;
  Buffer() = default;
  explicit Buffer(size_t count) { resize(count); }
  void resize(size_t count) { CHECK(cudaMalloc(&data, count * sizeof(float))); }
};

struct Table {
  float *next = nullptr;
  Buffer halo;
  void allocate(size_t count) {
    halo.resize(count);
    CHECK(cudaMalloc(&next, count * sizeof(float)));
  }
};

static void allocateTable(Table *a, size_t count) { a->allocate(count); }

static void release(float *data) { CHECK(cudaFree(data)); }

int main() {
  Buffer first(256), second(512), all[2];
  for (int i = 0; i < 2; ++i)
    all[i].resize(64);
  Table table;
  Table *other = new Table;
  allocateTable(&table, 32);
  other->allocate(16);
  Buffer *unnamed = new Buffer(128);
  for (float *data : {first.data, second.data, all[0].data, all[1].data, table.halo.data,
                      table.next, other->halo.data, other->next, unnamed->data})
    release(data);
  delete other;
  delete unnamed;
}
