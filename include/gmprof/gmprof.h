/*===- gmprof.h - What a program can tell GMProf ------------------*- C -*-===*\
|*
|* Part of the GMProf project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/
/*
 * For C and C++, nothing to link: the functions look for libgmprof.so in the process
 * at the first call, and do nothing where it is not loaded. All of them may be called
 * from several threads at a time. Names are copied.
 *
 * A program that cuts its memory from larger allocations (slabs) by itself makes a
 * pool of each slab, and says what it hands out and takes back:
 *
 *   cudaMalloc(&slab, 1 << 30);
 *   gmprof_pool pool = gmprof_pool_create(slab, 1 << 30, "arena");
 *   float *a = arena_get(n * sizeof(float));
 *   gmprof_alloc(pool, a, n * sizeof(float), "a");
 *   ...
 *   gmprof_free(pool, a);
 *   gmprof_pool_destroy(pool);
 *   cudaFree(slab);
 *
 * Each such part is then an object of its own, as if cudaMalloc had made it, and the
 * report says how much of the slab was in use at most.
 */
#ifndef GMPROF_GMPROF_H
#define GMPROF_GMPROF_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

/* NOLINTBEGIN(readability-identifier-naming,modernize-*): C */
#ifdef __cplusplus
extern "C" {
#endif

/* A pool; 0 is none. */
typedef uint64_t gmprof_pool;

/* What libgmprof.so exports: gmprof_user_api(GMPROF_USER_API_VERSION). */
#define GMPROF_USER_API_VERSION 1
struct gmprof_user_functions {
  gmprof_pool (*pool_create)(const void *slab, size_t bytes, const char *name);
  void (*pool_destroy)(gmprof_pool pool);
  void (*alloc)(gmprof_pool pool, const void *pointer, size_t bytes, const char *name);
  void (*free)(gmprof_pool pool, const void *pointer);
  void (*name)(const void *pointer, const char *name);
  void (*push_region)(const char *name);
  void (*pop_region)(void);
};
typedef const struct gmprof_user_functions *gmprof_user_api_function(unsigned version);

/* Null where libgmprof.so is not loaded. */
static inline const struct gmprof_user_functions *gmprof_user_find(void) {
  static const struct gmprof_user_functions *functions;
  static int looked;
  if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
    const struct gmprof_user_functions *found = 0;
    gmprof_user_api_function *api = 0;
    /* In the order in which the process loaded its libraries: RTLD_DEFAULT. */
    *(void **)&api = dlsym((void *)0, "gmprof_user_api");
    if (api)
      found = api(GMPROF_USER_API_VERSION);
    __atomic_store_n(&functions, found, __ATOMIC_RELAXED);
    __atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
  }
  return __atomic_load_n(&functions, __ATOMIC_RELAXED);
}

/* The slab lies in one allocation that the program has made. An allocator with several
 * slabs makes a pool of each. The slab itself is an object as before; `name` becomes its name,
 * unless it is null. */
static inline gmprof_pool gmprof_pool_create(const void *slab, size_t bytes, const char *name) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  return f ? f->pool_create(slab, bytes, name) : 0;
}

/* What the pool still has handed out is gone. So it is when the slab is released. */
static inline void gmprof_pool_destroy(gmprof_pool pool) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  if (f)
    f->pool_destroy(pool);
}

/* The pool hands out [pointer, pointer + bytes). What overlaps it was taken back. `name` may
 * be null. */
static inline void gmprof_alloc(gmprof_pool pool, const void *pointer, size_t bytes,
                                const char *name) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  if (f)
    f->alloc(pool, pointer, bytes, name);
}

/* The pool takes back what it handed out at `pointer`. */
static inline void gmprof_free(gmprof_pool pool, const void *pointer) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  if (f)
    f->free(pool, pointer);
}

/* Names the object that `pointer` points into, an allocation or a part of a pool. */
static inline void gmprof_name(const void *pointer, const char *name) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  if (f)
    f->name(pointer, name);
}

/* What the calling thread does until the matching gmprof_pop_region() is called `name` in
 * timelines. Regions nest. */
static inline void gmprof_push_region(const char *name) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  if (f)
    f->push_region(name);
}

static inline void gmprof_pop_region(void) {
  const struct gmprof_user_functions *f = gmprof_user_find();
  if (f)
    f->pop_region();
}

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming,modernize-*) */

#endif /* GMPROF_GMPROF_H */
