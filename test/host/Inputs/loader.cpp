// Loads the library that its argument names, calls it and closes it, three times;
// from another folder each time. In the end it closes all descriptors, as daemons do.
#include <dlfcn.h>
#include <initializer_list>
#include <unistd.h>

int main(int, char **Argv) {
  for (const char *Folder : {".", "/", "/tmp"}) {
    void *Library = dlopen(Argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!Library)
      return 1;
    reinterpret_cast<void (*)()>(dlsym(Library, "run"))();
    if (dlclose(Library) != 0 || chdir(Folder) != 0)
      return 2;
  }
  for (int Descriptor = 3; Descriptor < 100; ++Descriptor)
    close(Descriptor);
}
