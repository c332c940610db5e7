"""interrupt.py FIFO COMMAND...: interrupts the command when it reads FIFO; prints how it ended."""
import os
import signal
import subprocess
import sys

os.mkfifo(sys.argv[1])
# Shells have commands in the background ignore it.
command = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
with open(sys.argv[1], "w", encoding="utf-8"):  # opens when the command does
    command.send_signal(signal.SIGINT)  # arrives before the end of the file
print(command.communicate()[0], end="")
print("exit status", command.returncode)
