"""Forbid system calls that Landlock does not cover, with a small BPF program for Linux's seccomp.

A filter sees the number of a system call and its arguments, never what an argument points to: it cannot tell one path
from another. So all changes of file metadata are forbidden unless read-only mounts protect it, set-user-ID modes are
forbidden everywhere, and Unix sockets are forbidden by their family when they are created. `socketpair` stays allowed,
because it connects only the process itself.

https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys
from collections.abc import Mapping
from typing import Any, Final

_COMMON: Final = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435, "openat2": 437,
    "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443, "fchmodat2": 452,
    "setxattrat": 463, "removexattrat": 466, "open_tree_attr": 467, "file_setattr": 469,
}  # fmt: skip
_X86_64: Final = {
    "open": 2, "socket": 41, "clone": 56, "creat": 85, "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93,
    "lchown": 94, "ptrace": 101, "utime": 132, "mknod": 133, "pivot_root": 155, "adjtimex": 159, "chroot": 161,
    "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169,
    "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173, "init_module": 175, "delete_module": 176,
    "quotactl": 179, "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198,
    "fremovexattr": 199, "clock_settime": 227, "utimes": 235, "kexec_load": 246, "add_key": 248,
    "request_key": 249, "keyctl": 250, "openat": 257, "mknodat": 259, "fchownat": 260, "futimesat": 261,
    "fchmodat": 268, "unshare": 272, "utimensat": 280, "perf_event_open": 298, "open_by_handle_at": 304,
    "clock_adjtime": 305, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312,
    "finit_module": 313, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
}  # fmt: skip
_AARCH64: Final = {
    "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
    "mknodat": 33, "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "fchmod": 52, "fchmodat": 53,
    "fchownat": 54, "fchown": 55, "openat": 56, "quotactl": 60, "utimensat": 88, "acct": 89, "unshare": 97,
    "kexec_load": 104, "init_module": 105, "delete_module": 106, "clock_settime": 112, "ptrace": 117,
    "reboot": 142, "sethostname": 161, "setdomainname": 162, "settimeofday": 170, "adjtimex": 171, "socket": 198,
    "add_key": 217, "request_key": 218, "keyctl": 219, "clone": 220, "swapon": 224, "swapoff": 225,
    "perf_event_open": 241, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268, "process_vm_readv": 270,
    "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "bpf": 280, "userfaultfd": 282,
    "kexec_file_load": 294,
}  # fmt: skip
_MACHINES: Final[Mapping[str, tuple[int, Mapping[str, int]]]] = {
    "x86_64": (0xC000003E, {**_X86_64, **_COMMON}),
    "aarch64": (0xC00000B7, {**_AARCH64, **_COMMON}),
}
"""The audit architecture and the numbers of system calls, by machine."""

_METADATA: Final = frozenset({
    "chmod", "chown", "fchmod", "fchmodat", "fchmodat2", "fchown", "fchownat", "file_setattr", "fremovexattr",
    "fsetxattr", "futimesat", "lchown", "lremovexattr", "lsetxattr", "removexattr", "removexattrat", "setxattr",
    "setxattrat", "utime", "utimensat", "utimes",
})  # fmt: skip
_MODE_ARGUMENTS: Final = {"chmod": 1, "creat": 1, "fchmod": 1, "mknod": 1, "fchmodat": 2, "fchmodat2": 2, "mknodat": 2,
                         "open": 2, "openat": 3}  # fmt: skip
"""Which argument is a file's mode."""

_BEHIND_POINTERS: Final = ("clone3", "openat2")
"""Calls whose arguments a filter cannot read. If they are missing, programs use `clone` and `openat`."""

_BY_ARGUMENT: Final = frozenset({*_MODE_ARGUMENTS, *_BEHIND_POINTERS, "clone", "socket"})
_SET_ID_BITS: Final = 0o6000

_NEW_NAMESPACES: Final = 0x7E020000
_ALLOWED_FAMILIES: Final = (2, 10, 16)
"""Internet, its sixth version, and netlink, by which programs list their network interfaces."""

_X32_CALLS: Final = 0x40000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NUMBER_AT, _MACHINE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
_SET_SECCOMP, _MODE_FILTER, _SET_NO_NEW_PRIVILEGES = 22, 2, 38


def has_seccomp() -> bool:
    """Return whether the kernel filters system calls and we know the machine's numbers."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        return False
    library = ctypes.CDLL(None, use_errno=True)
    # The kernel checks the mode before the program: EFAULT means that it supports filters, EINVAL that it does not.
    return library.prctl(_SET_SECCOMP, _MODE_FILTER, None, 0, 0) == -1 and ctypes.get_errno() == errno.EFAULT


def forbid_calls(*, metadata: bool) -> None:
    """Permanently forbid the calls in this process and in every program that it becomes or starts.

    `metadata` forbids changes of modes, owners, times and attributes of files as well. Raise `OSError` if the kernel
    refused.
    """
    program = build_filter(platform.machine(), metadata=metadata)
    library: Any = ctypes.CDLL(None, use_errno=True)
    content = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(content))
    for arguments in ((_SET_NO_NEW_PRIVILEGES, 1, 0), (_SET_SECCOMP, _MODE_FILTER, header)):
        if library.prctl(*arguments, 0, 0) != 0:
            number = ctypes.get_errno()
            raise OSError(number, "the system calls cannot be filtered")


def build_filter(machine: str, *, metadata: bool) -> bytes:
    """Return the BPF program for a machine, eight bytes an instruction."""
    architecture, numbers = _MACHINES[machine]
    refused = _ERROR | errno.EPERM
    rows = [(_LOAD, 0, 0, _MACHINE_AT), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, refused),
            (_LOAD, 0, 0, _NUMBER_AT), (_AT_LEAST, 0, 1, _X32_CALLS), (_RETURN, 0, 0, refused)]  # fmt: skip
    for name, number in numbers.items():
        if name in _BEHIND_POINTERS:
            rows += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
        elif name in _METADATA:
            if metadata:
                rows += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, refused)]
        elif name not in _BY_ARGUMENT:
            rows += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, refused)]
    bits = {name: (place, _SET_ID_BITS) for name, place in _MODE_ARGUMENTS.items()}
    for name, (place, forbidden) in {**bits, "clone": (0, _NEW_NAMESPACES)}.items():
        if name in numbers:
            rows += [(_EQUAL, 0, 4, numbers[name]), (_LOAD, 0, 0, _FIRST_ARGUMENT_AT + 8 * place),
                     (_ANY_BIT, 0, 1, forbidden), (_RETURN, 0, 0, refused), (_RETURN, 0, 0, _ALLOW)]  # fmt: skip
    rows += [(_EQUAL, 0, len(_ALLOWED_FAMILIES) + 2, numbers["socket"]), (_LOAD, 0, 0, _FIRST_ARGUMENT_AT)]
    rows += [(_EQUAL, len(_ALLOWED_FAMILIES) - place, 0, family) for place, family in enumerate(_ALLOWED_FAMILIES)]
    rows += [(_RETURN, 0, 0, refused), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *row) for row in rows)
