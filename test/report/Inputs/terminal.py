"""terminal.py COLUMNS COMMAND...: runs it in a terminal of that width, and prints what it prints."""
import fcntl
import os
import pty
import struct
import sys
import termios

master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
child = os.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    os.dup2(slave, 1)
    os.close(slave)
    os.execvp(sys.argv[2], sys.argv[2:])
os.close(slave)
text = b""
try:
    while chunk := os.read(master, 65536):
        text += chunk
except OSError:  # the terminal was hung up: all has been read
    pass
sys.stdout.buffer.write(text.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
