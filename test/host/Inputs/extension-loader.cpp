// Loads the library extension.so as Python loads extensions, and runs its function of main's type.
#include <dlfcn.h>

int main(int Count, char **Arguments) {
  void *Library = dlopen("./extension.so", RTLD_NOW | RTLD_LOCAL);
  if (!Library)
    return 1;
  return reinterpret_cast<int (*)(int, char **)>(dlsym(Library, "run"))(Count, Arguments);
}
