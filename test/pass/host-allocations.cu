// An allocation of the host gets the name of the variable that receives its address, also through
// functions of the program that pass the address on, if the debug info has it; the elements of
// Thrust's vectors get the name of the vector. Nothing is called if the runtime is not loaded.
// RUN: %clang-cuda --cuda-host-only -O0 -g -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang-cuda --cuda-host-only -O0 -g -S -emit-llvm %s -o - | FileCheck %s --check-prefix=INSTANCE
// RUN: %clang-cuda --cuda-host-only -O2 -g -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OPTIMISED
// RUN: %clang-cuda --cuda-host-only -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=WITHOUT
// RUN: %clang-cuda --cuda-device-only -O2 -g -S -emit-llvm %s -o - | FileCheck %s --check-prefix=WITHOUT
// RUN: %clang-cuda --cuda-host-only -O0 -g -S -emit-llvm %s -o - | opt -load-pass-plugin=%gmpass -passes=gm-host-allocations,verify -S | FileCheck %s

// CHECK-DAG: [[LOCAL:@[0-9a-z.]+]] = private unnamed_addr constant [4 x i8] c"d_x\00"
// CHECK-DAG: constant [4 x i8] c"d_y\00"
// CHECK-DAG: constant [9 x i8] c"d_global\00"
// CHECK-DAG: constant [8 x i8] c"d_table\00"
// CHECK-DAG: constant [14 x i8] c"pair.second.x\00"
// CHECK-DAG: constant [11 x i8] c"pair.first\00"
// CHECK-DAG: constant [6 x i8] c"p->in\00"
// CHECK-DAG: constant [6 x i8] c"r.out\00"
// CHECK-DAG: constant [14 x i8] c"Solver::field\00"
// CHECK-DAG: constant [7 x i8] c"row[2]\00"
// CHECK-DAG: constant [6 x i8] c"row[]\00"
// CHECK-DAG: constant [6 x i8] c"plane\00"
// CHECK-DAG: constant [7 x i8] c"pinned\00"
// CHECK-DAG: constant [6 x i8] c"inner\00"
// CHECK-DAG: [[WRAPPED:@[0-9a-z.]+]] = private unnamed_addr constant [8 x i8] c"wrapped\00"
// CHECK-DAG: constant [7 x i8] c"values\00"
// CHECK-DAG: constant [16 x i8] c"Particles::mass\00"
// CHECK-NOT: c"of_library\00"

struct Inner { int n; float *x; };
struct Pair { float *first; Inner second; };
struct Buffers { int n; float *in, *out; };

float *d_global;

// CHECK-LABEL: define {{.*}}@_Z5localm(
// CHECK: [[THERE:%[0-9]+]] = icmp ne ptr @__gmprof_name_next_object, null
// CHECK-NEXT: br i1 [[THERE]], label %[[THEN:[0-9]+]], label %[[ELSE:[0-9]+]]
// CHECK: [[THEN]]:
// CHECK-NEXT: call void @__gmprof_name_next_object(ptr %[[X:[0-9]+]], ptr [[LOCAL]])
// CHECK-NEXT: br label %[[ELSE]]
// CHECK: [[ELSE]]:
// CHECK: call {{.*}}@cudaMalloc(ptr {{.*}}%[[X]],
// OPTIMISED-DAG: c"d_x\00"
// OPTIMISED-DAG: c"pair.second.x\00"
// OPTIMISED-DAG: c"Solver::field\00"
// OPTIMISED-DAG: c"row[]\00"
// OPTIMISED-LABEL: define {{.*}}@_Z5localm(
// OPTIMISED: call void @__gmprof_name_next_object(
// OPTIMISED: call {{.*}}@cudaMalloc(
// WITHOUT-NOT: @__gmprof_name_next_object
void local(size_t n) {
  float *d_x;
  double *d_y;
  cudaMalloc((void **)&d_x, n);
  cudaMalloc(&d_y, n); // the template
}

void others(size_t n, cudaStream_t s) {
  static int *d_table;
  Pair pair;
  float *row[4];
  cudaPitchedPtr plane;
  int *pinned;
  cudaMallocManaged(&d_global, n);
  cudaMallocAsync((void **)&d_table, n, s);
  cudaMalloc(&pair.second.x, n);
  cudaMalloc((void **)&pair, n);
  cudaMalloc(&row[2], n);
  for (int i = 0; i < 4; ++i)
    cudaMalloc(&row[i], n);
  cudaMalloc3D(&plane, make_cudaExtent(n, n, n));
  cudaMallocHost(&pinned, n);
  auto lambda = [n] {
    float *inner;
    cudaMalloc(&inner, n);
  };
  lambda();
}

void members(Buffers *p, Buffers &r, size_t n) {
  cudaMalloc(&p->in, n);
  cudaMalloc(&r.out, n);
}

struct Solver {
  int n;
  float *field;
  Solver();
};
Solver::Solver() { cudaMalloc(&field, 4); }

// The variable of the address is unknown here.
// CHECK-LABEL: define {{.*}}@_Z7wrapperPPfm(
// CHECK-NOT: call void @__gmprof_name_next_object
// CHECK: call {{.*}}@cudaMalloc(
void wrapper(float **to, size_t n) { cudaMalloc((void **)to, n); }

// Its caller knows the variable; nothing is named for an address that a function does not pass on.
// CHECK-LABEL: define {{.*}}@_Z12callsWrapperm(
// CHECK: call void @__gmprof_name_next_object(ptr %[[W:[0-9]+]], ptr [[WRAPPED]])
// CHECK: call {{.*}}@_Z7wrapperPPfm(ptr {{.*}}%[[W]],
// CHECK-NOT: call void @__gmprof_name_next_object
// CHECK: ret void
void innocent(float **to) { *to = nullptr; }
void callsWrapper(size_t n) {
  float *wrapped;
  wrapper(&wrapped, n);
  innocent(&wrapped);
}

namespace thrust {
template <class T> struct device_vector {
  T *begin;
  device_vector(size_t);
  ~device_vector();
  void resize(size_t);
  size_t size() const;
};
} // namespace thrust

// CHECK-LABEL: define {{.*}}@_Z7vectorsm(
// CHECK: call void @__gmprof_name_container(ptr %{{.*}}, ptr @{{[0-9a-z.]+}})
// CHECK: call void @_ZN6thrust13device_vectorIfEC1Em(
// CHECK: call void @__gmprof_name_container(ptr null, ptr null)
// CHECK: call void @__gmprof_name_container(ptr %{{.*}}, ptr @{{[0-9a-z.]+}})
// CHECK: invoke void @_ZN6thrust13device_vectorIfE6resizeEm(
// CHECK: call void @__gmprof_name_container(ptr null, ptr null)
// CHECK: landingpad
// CHECK: call void @__gmprof_name_container(ptr null, ptr null)
// CHECK-NOT: @__gmprof_name_container
// CHECK: ret i64
size_t vectors(size_t n) {
  thrust::device_vector<float> values(n);
  values.resize(n + 1);
  return values.size();
}

struct Particles {
  int n;
  thrust::device_vector<float> mass;
  Particles(size_t n) : mass(n) {}
};
size_t particles() { return Particles(3).mass.size(); }
// Variables of CUDA's C++ libraries are unknown to the user.
#line 7 "/usr/local/cuda/include/cccl/thrust/memory_resource.h"
void library(size_t n) {
  float *of_library;
  cudaMalloc(&of_library, n);
}
#line 99 "program.cu"

// A member function of that name is not the runtime's function.
struct Pool { int cudaMalloc(float **, size_t); };
// CHECK-LABEL: define {{.*}}@_Z5otherR4Poolm(
// CHECK-NOT: call void @__gmprof_name_next_object
// CHECK: ret void
void other(Pool &pool, size_t n) {
  float *x;
  pool.cudaMalloc(&x, n);
}

// A function that allocates members knows their class; its callers know the object. They name it by
// what precedes a member's name.
struct Buffer {
  float *data;
  Buffer(size_t n);
  void grow(size_t n) { reallocate(2 * n); }
  void reallocate(size_t n);
  size_t size() const;
};
Buffer::Buffer(size_t n) { cudaMalloc(&data, n); }
void Buffer::reallocate(size_t n) { cudaMalloc(&data, n); }
struct Halo {
  int n;
  Buffer left, right;
  Halo(size_t n) : n(1), left(n), right(n) {}
};
void fill(Halo *halo, size_t n) { cudaMalloc(&halo->left.data, n); }
struct Derived : Buffer { using Buffer::Buffer; Derived(size_t n) : Buffer(n) {} };

// INSTANCE-DAG: [[A:@[0-9a-z.]+]] = private unnamed_addr constant [3 x i8] c"a.\00"
// INSTANCE-DAG: [[P:@[0-9a-z.]+]] = private unnamed_addr constant [4 x i8] c"p->\00"
// INSTANCE-DAG: [[H:@[0-9a-z.]+]] = private unnamed_addr constant [6 x i8] c"halo.\00"
// INSTANCE-DAG: [[D:@[0-9a-z.]+]] = private unnamed_addr constant [9 x i8] c"derived.\00"
// INSTANCE-DAG: [[LEFT:@[0-9a-z.]+]] = private unnamed_addr constant [12 x i8] c"Halo::left.\00"
// INSTANCE-DAG: [[RIGHT:@[0-9a-z.]+]] = private unnamed_addr constant [13 x i8] c"Halo::right.\00"
// INSTANCE-LABEL: define {{.*}}@_Z9instancesmP6Buffer(
// INSTANCE: call void @__gmprof_name_instance(ptr %{{.*}}, i64 8, ptr [[A]])
// INSTANCE: call void @_ZN6BufferC1Em(
// INSTANCE: call void @__gmprof_name_instance(ptr null, i64 0, ptr null)
// INSTANCE: call void @__gmprof_name_instance(ptr %{{.*}}, i64 8, ptr [[P]])
// INSTANCE: call void @_ZN6Buffer4growEm(
// INSTANCE: call void @__gmprof_name_instance(ptr %{{.*}}, i64 24, ptr @{{[0-9]+}})
// INSTANCE: call void @_ZN4HaloC{{[12]}}Em(
// INSTANCE: call void @__gmprof_name_instance(ptr %{{.*}}, i64 24, ptr @{{[0-9]+}})
// INSTANCE: call void @_Z4fillP4Halom(
// INSTANCE: call void @__gmprof_name_instance(ptr %{{.*}}, i64 8, ptr [[D]])
// INSTANCE: call void @_ZN7DerivedC{{[12]}}Em(
// INSTANCE: call void @__gmprof_name_instance(ptr null, i64 0, ptr null)
// A function that allocates nothing, and an object without a variable.
// INSTANCE-NOT: @__gmprof_name_instance
// INSTANCE: ret i64
size_t instances(size_t n, Buffer *p) {
  Buffer a(n);
  p->grow(n);
  Halo halo(n);
  fill(&halo, n);
  Derived derived(n);
  return a.size() + (new Buffer(n))->size();
}

// A member function names the members that it has allocated, not its own object.
// INSTANCE-LABEL: define {{.*}}@_ZN6Buffer4growEm(
// INSTANCE-NOT: @__gmprof_name_instance
// INSTANCE: ret void
// INSTANCE-LABEL: define {{.*}}@_ZN4HaloC2Em(
// INSTANCE: call void @__gmprof_name_instance(ptr %{{.*}}, i64 8, ptr [[LEFT]])
// INSTANCE: call void @_ZN6BufferC1Em(
// INSTANCE: call void @__gmprof_name_instance(ptr null, i64 0, ptr null)
// INSTANCE: call void @__gmprof_name_instance(ptr %{{.*}}, i64 8, ptr [[RIGHT]])
// INSTANCE: call void @_ZN6BufferC1Em(
// INSTANCE-LABEL: define {{.*}}@_ZN7DerivedC2Em(
// INSTANCE-NOT: @__gmprof_name_instance
// INSTANCE: ret void
