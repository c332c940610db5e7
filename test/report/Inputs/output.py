"""output.py FOLDER COMMAND...: runs the command with files there as its last argument, and says what
became of them."""
import os
import subprocess
import sys

folder, command = sys.argv[1], sys.argv[2:]
os.mkdir(folder)
os.chdir(folder)
os.umask(0o027)
expected = subprocess.run([*command, "-"], check=True, capture_output=True).stdout


def write(name):
    subprocess.run([*command, name], check=True)


def state(name):
    with open(name, "rb") as file:
        return f"{os.stat(name).st_mode & 0o777:o} {'written' if file.read() == expected else 'something else'}"


for name in ("again", "target"):
    with open(name, "w", encoding="utf-8") as file:
        file.write("old")
    os.chmod(name, 0o604)
os.symlink("target", "link")
os.mkfifo("pipe")

for name in ("new", "again", "link"):
    write(name)
print("new", state("new"))
print("again", state("again"))
print(f"link to {os.readlink('link')},", state("target"))
# Opened first, so that written bytes can be read later.
pipe = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
write("pipe")
print("pipe", "written" if os.read(pipe, 1 << 16) == expected else "something else")
print(*sorted(os.listdir()))
