"""Attempts to leave the sandbox, one a function; each raises, or returns None, when it was refused.

Run inside the sandbox with the paths of a victim file, a directory and a socket outside; prints what succeeded.
"""
# ruff: noqa: SIM115

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys

VICTIM, DIRECTORY, SOCKET, KEEPER = sys.argv[1:5]
LIBC = ctypes.CDLL(None, use_errno=True)
INHERITED = [fd for fd in range(3, 200) if LIBC.fcntl(fd, 1) >= 0]
X86 = os.uname().machine == "x86_64"


def call(name, *arguments):
    if LIBC.__getattr__(name)(*arguments) < 0:
        raise OSError(ctypes.get_errno())
    return True


def syscall(number, *arguments):
    if not X86 or LIBC.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno())
    return True


def run(*command):
    return subprocess.run(command, capture_output=True, check=False).returncode == 0 or None


def connect(family, kind, address):
    with socket.socket(family, kind) as client:
        client.settimeout(2)
        client.connect(address)
    return True


def linked(make):
    """Make a link to the victim in our own directory, then change what it leads to."""
    make(VICTIM, "link")
    os.chmod("link", 0o777)
    return True


def through(path):
    with open(path, "w") as file:
        file.write("overwritten")
    return True


def through_descriptor(flags, act):
    descriptor = os.open(VICTIM, flags)
    act(descriptor)
    return True


path = VICTIM.encode()
TIMES = (ctypes.c_int64 * 4)(1, 0, 1, 0)
ATTEMPTS = {
    # metadata
    "chmod": lambda: os.chmod(VICTIM, 0o777) or True,
    "chmod setuid": lambda: os.chmod(VICTIM, 0o4777) or True,
    "chmod of the directory": lambda: os.chmod(DIRECTORY, 0o777) or True,
    "chmod by program": lambda: run("chmod", "777", VICTIM),
    "fchmod": lambda: through_descriptor(os.O_RDONLY, lambda fd: os.fchmod(fd, 0o777)),
    "fchmod on a path descriptor": lambda: through_descriptor(
        os.O_PATH, lambda fd: os.chmod(f"/proc/self/fd/{fd}", 0o777)
    ),
    "fchmodat": lambda: call("fchmodat", -100, path, 0o777, 0),
    "fchmodat2": lambda: syscall(452, -100, path, 0o777, 0),
    "chown": lambda: os.chown(VICTIM, os.getuid(), os.getgid()) or True,
    "chown to another": lambda: os.chown(VICTIM, 1234, 1234) or True,
    "lchown": lambda: os.lchown(VICTIM, os.getuid(), os.getgid()) or True,
    "utime": lambda: os.utime(VICTIM, (1, 1)) or True,
    "utime now": lambda: os.utime(VICTIM) or True,
    "utimensat": lambda: call("utimensat", -100, path, TIMES, 0),
    "utimes by number": lambda: syscall(235, path, TIMES),
    "touch": lambda: run("touch", VICTIM),
    "setxattr": lambda: os.setxattr(VICTIM, "user.mark", b"1") or True,
    "removexattr": lambda: os.removexattr(VICTIM, "user.kept") or True,
    "truncate": lambda: os.truncate(VICTIM, 0) or True,
    "chattr": lambda: run("chattr", "+i", VICTIM),
    # files
    "write": lambda: through(VICTIM),
    "write a new file": lambda: through(f"{DIRECTORY}/new"),
    "unlink": lambda: os.unlink(VICTIM) or True,
    "rename": lambda: os.rename(VICTIM, f"{VICTIM}.old") or True,
    "rename into our own": lambda: os.rename(VICTIM, "stolen") or True,
    "make a directory": lambda: os.mkdir(f"{DIRECTORY}/made") or True,
    "make a pipe": lambda: os.mkfifo(f"{DIRECTORY}/pipe") or True,
    "make a device": lambda: os.mknod("device", 0o60600, os.makedev(8, 0)) or True,
    "symlink there": lambda: os.symlink("/etc/passwd", f"{DIRECTORY}/link") or True,
    "hard link here": lambda: linked(os.link),
    "symbolic link here": lambda: linked(os.symlink),
    "through a symbolic link": lambda: os.symlink(VICTIM, "soft") or through("soft"),
    "through the parent": lambda: through("../" * 20 + VICTIM),
    "read a secret": lambda: bool(open(VICTIM).read()),
    "read shadow": lambda: bool(open("/etc/shadow").read()),
    "list the directory": lambda: bool(os.listdir(DIRECTORY)),
    "open by handle": lambda: call("open_by_handle_at", -100, ctypes.create_string_buffer(160), 0),
    "io_uring": lambda: syscall(425, 1, ctypes.create_string_buffer(120)),
    # set-user-ID
    "setuid file of our own": lambda: through("own") and (os.chmod("own", 0o4755) or True),
    "setgid file of our own": lambda: through("own") and (os.chmod("own", 0o2755) or True),
    "setuid at creation": lambda: bool(os.fstat(os.open("born", os.O_CREAT, 0o4755)).st_mode & 0o4000) or None,
    "become root": lambda: (os.getuid() != 0 and (os.setuid(0) or True)) or None,
    "sudo": lambda: run("sudo", "-n", "true"),
    "become another": lambda: os.setuid(12345) or True,
    # sockets
    "unix stream": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, SOCKET),
    "unix datagram": lambda: connect(socket.AF_UNIX, socket.SOCK_DGRAM, SOCKET),
    "unix sequenced": lambda: connect(socket.AF_UNIX, socket.SOCK_SEQPACKET, SOCKET),
    "unix abstract": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0avionics-test"),
    "unix bind": lambda: socket.socket(socket.AF_UNIX).bind(f"{DIRECTORY}/s") or True,
    "unix by pair": lambda: socket.socketpair()[0].connect(SOCKET) or True,
    "vsock": lambda: bool(socket.socket(40, socket.SOCK_STREAM)),
    "packets": lambda: bool(socket.socket(17, socket.SOCK_RAW)),
    "raw": lambda: bool(socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)),
    "the internet": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("1.1.1.1", 53)),
    "the loopback": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 22)),
    # namespaces and mounts
    "unshare user": lambda: call("unshare", 0x10000000),
    "unshare mount": lambda: call("unshare", 0x00020000),
    "unshare net": lambda: call("unshare", 0x40000000),
    "unshare by program": lambda: run("unshare", "-Ur", "true"),
    "clone into a namespace": lambda: syscall(56, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0),
    "setns": lambda: call("setns", os.open("/proc/1/ns/mnt", os.O_RDONLY), 0),
    "mount": lambda: call("mount", b"none", b".", b"tmpfs", 0, None),
    "bind mount": lambda: call("mount", DIRECTORY.encode(), b".", None, 4096, None),
    "remount writable": lambda: call("mount", None, b"/", None, 32 | 4096, None),
    "mount_setattr": lambda: syscall(442, -100, b"/", 0x8000, (ctypes.c_uint64 * 4)(0, 1, 0, 0), 32),
    "umount": lambda: call("umount2", b"/", 2),
    "chroot": lambda: os.chroot(".") or True,
    "pivot_root": lambda: syscall(155, b".", b"."),
    "fsopen": lambda: syscall(430, b"tmpfs", 0),
    # processes and the kernel
    "ptrace a child": lambda: call("ptrace", 16, os.getppid(), 0, 0),
    "trace me": lambda: call("ptrace", 0, 0, 0, 0),
    "read memory of another": lambda: call("process_vm_readv", int(KEEPER), None, 0, None, 0, 0),
    "signal the caller": lambda: os.kill(int(KEEPER), 0) or True,
    "environment of the caller": lambda: bool(open(f"/proc/{KEEPER}/environ", "rb").read()),
    "memory of init": lambda: bool(open("/proc/1/mem", "rb")),
    "files of init": lambda: bool(os.listdir("/proc/1/root/")),
    "sysctl": lambda: through("/proc/sys/kernel/hostname"),
    "cgroups": lambda: bool(os.mkdir("/sys/fs/cgroup/escape") or True),
    "inherited descriptors": lambda: INHERITED or None,
    "input": lambda: os.read(0, 1) or None,
    "raise limits": lambda: __import__("resource").setrlimit(7, (10**6, 10**6)) or True,
    "bpf": lambda: syscall(321, 0, None, 0),
    "keyctl": lambda: syscall(250, 0, -3, 0),
    "perf": lambda: syscall(298, ctypes.create_string_buffer(128), 0, -1, -1, 0),
    "set the clock": lambda: __import__("time").clock_settime(0, 0) or True,
    "set the host's name": lambda: socket.sethostname("escaped") or True,
    "reboot": lambda: call("reboot", 0),
    "load a module": lambda: syscall(175, None, 0, b""),
    "kernel log": lambda: bool(open("/dev/kmsg", "rb").read(1)),
    "a disk": lambda: bool(open("/dev/vda", "rb").read(1)),
    "a terminal": lambda: bool(open("/dev/tty", "wb")),
    "terminal input": lambda: call("ioctl", 0, 0x5412, b"x"),
}

succeeded = []
for name, attempt in ATTEMPTS.items():
    try:
        if attempt():
            succeeded.append(name)
    except Exception:
        continue
print(json.dumps({"tried": len(ATTEMPTS), "succeeded": succeeded}))
