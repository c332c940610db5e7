"""Whether each function of the C library that hands memory of the program to the kernel, takes
memory away or has to do with SIGSEGV is interposed, or named here with the reason why not.
Arguments: libc.so.6, asm/unistd_64.h, libgmprof.so."""
import re
import sys

import interposed

# Functions in addition to system calls and their variants.
FAMILIES = re.compile(r"(__)?((sig(?!nbit)|sys.?v_sig|bsd_sig|ssig|aio_|lio_)\w*|f(read|write)"
                      r"(_unlocked)?(_chk)?|realloc(array)?|free|pthread_(create|sigmask)|fopen(64)?"
                      r"|opendir)")

NOT_INTERPOSED = {
    "is given no memory":
        r"alarm|brk|close(_range)?|chmod|dup[23]?|epoll_create1?|eventfd|exit|fchdir|fchmod|fchown"
        r"|fdatasync|fallocate|flock|fork|vfork|fsync|ftruncate|get(e?[gu]id|pgid|pgrp|pid|ppid"
        r"|priority|sid|tid)|inotify_(init1?|rm_watch)|io(perm|pl)|kill|listen|lseek|memfd_create"
        r"|mq_unlink|msgget|mun?lockall|munlock|msync|pause|personality|pidfd_\w+|pkey_(alloc|free)"
        r"|prctl|readahead|remap_file_pages|sched_(get_priority_m\w+|getscheduler|yield)|semget"
        r"|set(fs[gu]id|pgid|priority|re?s?[gu]id|[gu]id|sid|ns)|shmget|shutdown|socket"
        r"|sync(fs|_file_range)?|tee|tgkill|timer_(delete|getoverrun)|timerfd_create|umask|unshare"
        r"|vhangup|posix_fallocate|(ftruncate|fallocate|lseek|posix_fadvise)64"
        r"|sig(hold|ignore|relse|interrupt)|(__)?(xpg_)?sigpause|sched_setaffinity|pthread_sigqueue"
        r"|memfd_secret|process_mrelease|arch_prctl|fanotify_init|madvise64",
    "copies between files":
        r"copy_file_range|sendfile|splice|sendfile64",
    "is given names of files, structures or settings, which GPUs do not write":
        r"accept4?|acct|adjtimex|bind|cap[gs]et|chdir|chown|chroot|clone|connect|execveat|execve"
        r"|f?(get|list|remove|set)xattr|l(get|list|remove|set)xattr|faccessat|fanotify_mark"
        r"|fchmodat|fchownat|f?statfs(64)?|futimesat|getdents64|get(groups|peername|res[gu]id"
        r"|rlimit(64)?|rusage|sock(name|opt)|itimer)|setsockopt|inotify_add_watch|lchown|link(at)?"
        r"|mincore|mkdirat|mknod(at)?|mq_(notify|open)|msgctl|name_to_handle_at|open_by_handle_at"
        r"|pipe2?|prlimit(64)?|readlinkat|__readlink(at)?_chk|__getcwd_chk|__getgroups_chk|renameat2?"
        r"|rmdir|sched_[gs]et\w+|sched_rr_get_interval|sem(ctl|op|timedop)|set(groups|itimer"
        r"|rlimit(64)?)|shmctl|socketpair|statx|symlink(at)?|sysinfo|truncate(64)?|uname|unlinkat"
        r"|ustat|utime(nsat|s)?|wait4|waitid|epoll_pwait2|timer\w+|process_madvise|getcpu"
        r"|__[fl]?xstat(at)?(64)?|__(fstat|open)64|__libc_fcntl64|(open|openat)_2"
        r"|getdirentries64|__getdomainname_chk|__gethostname_chk|gethostname|(__)?getrandom_\w+",
    "returns what the kernel keeps in the process":
        r"clock_(get|set|adj)\w+|time|times|gettimeofday|settimeofday",
    "is of the system's administrator":
        r"\w*module\w*|mount\w*|umount2?|move_mount|open_tree|fs(config|mount|open|pick)|pivot_root"
        r"|quotactl|reboot|set(domain|host)name|swap(on|off)|(__)?syslog(_chk)?|modify_ldt|ptrace|uselib"
        r"|nfsservctl|get_kernel_syms|[gp](et|ut)pmsg",
    "is the parts of memory that System V shares, whose pages come and go as a whole":
        r"shmat|shmdt",
    "was there before POSIX, and sets masks or handlers of signals":
        r"sig(block|set|setmask|getmask|vec|stack|return|mask)|siggetmask",
    "changes sets and texts in the program":
        r"(__)?sig(add|and|del|empty|fill|or|is\w*)\w*|(__)?sig(abbrev|descr)_np|sys_\w+|sigisempty\w+",
    "jumps, with the mask that the kernel has":
        r"(__)?sig(long|set)jmp",
    "waits for signals that are blocked, or tells of them":
        r"(__)?sig(pending|timedwait|wait|waitinfo|queue|nalfd)",
    "asks for results of what is interposed where it begins":
        r"aio_(cancel|error|fsync|init|return|suspend)(64)?",
    "is a name for what is interposed that only the C library itself uses":
        r"__(read|write|pread64|pwrite64|send|recv|poll|select|fcntl|connect|close|access|mmap|munmap"
        r"|mprotect|nanosleep|clock_\w+|sched_\w+|open|lseek|dup2|fork|vfork|getpid|getpgid|setpgid"
        r"|wait|pipe|sbrk|sigaction|times|profil|stat|brk|adjtimex|statfs|sysinfo|pipe2|getpagesize"
        r"|epoll_pwait2|gettimeofday|select|libc_\w+|free\w*|clone|getauxval|send\w*|sysctl)(64)?"
        r"|__libc_\w+|__(arch_prctl|getrlimit|madvise|socket)",
}

libc, numbers, library = sys.argv[1:]
with open(numbers, encoding="utf-8") as file:
    calls = set(re.findall(r"__NR_(\w+)", file.read()))


def is_of_interest(name):
    plain = re.sub(r"(_chk|64v2|64)$", "", re.sub(r"^__", "", name))
    return plain in calls or plain + "64" in calls or bool(FAMILIES.fullmatch(name))


functions = {name for name in interposed.exported(libc) if is_of_interest(name)}
assert len(functions) > 300, "the C library looks unlike what it was"
interposed.report(functions, library, NOT_INTERPOSED)
