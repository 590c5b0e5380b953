"""The members of standard types that Go structs and interfaces embed most, and that Go types implement most."""

from __future__ import annotations

from types import MappingProxyType

_FILE_INFO = "Name Size Mode ModTime IsDir Sys"
_STREAMS = {
    "Reader": "Read", "Writer": "Write", "Closer": "Close", "Seeker": "Seek", "ReaderAt": "ReadAt",
    "WriterAt": "WriteAt",
    "ReadCloser": "Read Close", "WriteCloser": "Write Close", "ReadWriter": "Read Write", "ReadSeeker": "Read Seek",
    "ReadWriteCloser": "Read Write Close", "ReadSeekCloser": "Read Seek Close", "WriteSeeker": "Write Seek",
    "ReadWriteSeeker": "Read Write Seek", "StringWriter": "WriteString", "ByteReader": "ReadByte",
    "ByteWriter": "WriteByte", "ReaderFrom": "ReadFrom", "WriterTo": "WriteTo",
}  # fmt: skip
_MEMBERS = {
    **dict.fromkeys(("__slice__", "__map__", "__chan__"), ""),  # A type of one of these has only its own methods.
    **{f"io.{name}": members for name, members in _STREAMS.items()},
    "sync.Locker": "Lock Unlock",
    "sync.Mutex": "Lock Unlock TryLock",
    "sync.RWMutex": "Lock Unlock TryLock RLock RUnlock TryRLock RLocker",
    "sync.Once": "Do",
    "sync.WaitGroup": "Add Done Wait Go",
    "io/fs.FS": "Open",
    "io/fs.File": "Stat Read Close",
    "io/fs.FileInfo": _FILE_INFO,
    "os.FileInfo": _FILE_INFO,
    "context.Context": "Deadline Done Err Value",
    "net/http.Handler": "ServeHTTP",
    "net/http.ResponseWriter": "Header Write WriteHeader",
    "net/http.RoundTripper": "RoundTrip",
    "net/http.CloseNotifier": "CloseNotify",
    "net/http.Flusher": "Flush",
    "net/http.Hijacker": "Hijack",
    "fmt.Stringer": "String",
    "fmt.Formatter": "Format",
    "flag.Value": "String Set",
    "sort.Interface": "Len Less Swap",
    "net.Conn": "Read Write Close LocalAddr RemoteAddr SetDeadline SetReadDeadline SetWriteDeadline",
    "net.Listener": "Accept Close Addr",
    "net.Addr": "Network String",
    "net.Error": "Error Timeout Temporary",
    "encoding.BinaryMarshaler": "MarshalBinary",
    "encoding.BinaryUnmarshaler": "UnmarshalBinary",
    "encoding.TextMarshaler": "MarshalText",
    "encoding.TextUnmarshaler": "UnmarshalText",
    "encoding/json.Marshaler": "MarshalJSON",
    "encoding/json.Unmarshaler": "UnmarshalJSON",
    "container/heap.Interface": "Len Less Swap Push Pop",
    "database/sql.Scanner": "Scan",
    "database/sql/driver.Valuer": "Value",
    "hash.Hash": "Write Sum Reset Size BlockSize",
    "log/slog.Handler": "Enabled Handle WithAttrs WithGroup",
}
OUTSIDE_MEMBERS = MappingProxyType({name: frozenset(members.split()) for name, members in _MEMBERS.items()})
