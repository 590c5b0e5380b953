// Package prelude declares what Go has built in: the types behind []T, map[K]V and chan T, and the functions
// whose result follows from their arguments.
package prelude

type __pairs__[K any, V any] interface {
	__next__() (K, V)
}

type __slice__[T any] interface {
	__getitem__(index int) T
	__iter__() __pairs__[int, T]
}

type __map__[K any, V any] interface {
	__getitem__(key K) V
	__iter__() __pairs__[K, V]
}

type __chan__[T any] interface {
	__iter__() __pairs__[T, T]
	__receive__() T
}

type error interface {
	Error() string
}

func append[S any](slice S, values ...any) S
func cap(value any) int
func clear(value any)
func close(channel any)
func complex(real float64, imaginary float64) complex128
func copy(target any, source any) int
func delete(from any, key any)
func imag(value complex128) float64
func len(value any) int
func make[T any](kind T) T
func max[T any](value T, others ...T) T
func min[T any](value T, others ...T) T
func new[T any](kind T) T
func panic(value any)
func print(values ...any)
func println(values ...any)
func real(value complex128) float64
func recover() any

// The interfaces of the standard library whose methods are called without being named where they are declared.

type Stringer interface {
	String() string
}

type GoStringer interface {
	GoString() string
}

type Formatter interface {
	Format(state any, verb rune)
}

type Unwrapper interface {
	Unwrap() error
}

type Reader interface {
	Read(p []byte) (n int, err error)
}

type Writer interface {
	Write(p []byte) (n int, err error)
}

type Closer interface {
	Close() error
}

type StringWriter interface {
	WriteString(s string) (n int, err error)
}

type ReaderFrom interface {
	ReadFrom(r any) (n int64, err error)
}

type WriterTo interface {
	WriteTo(w any) (n int64, err error)
}

type Seeker interface {
	Seek(offset int64, whence int) (int64, error)
}

type Handler interface {
	ServeHTTP(writer any, request any)
}

type RoundTripper interface {
	RoundTrip(request any) (any, error)
}

type Flusher interface {
	Flush()
}

type Hijacker interface {
	Hijack() (any, any, error)
}

type Sorter interface {
	Len() int
	Less(i int, j int) bool
	Swap(i int, j int)
}

type Heap interface {
	Sorter
	Push(x any)
	Pop() any
}

type Locker interface {
	Lock()
	Unlock()
}

type JSONMarshaler interface {
	MarshalJSON() ([]byte, error)
}

type JSONUnmarshaler interface {
	UnmarshalJSON(data []byte) error
}

type TextMarshaler interface {
	MarshalText() (text []byte, err error)
}

type TextUnmarshaler interface {
	UnmarshalText(text []byte) error
}

type BinaryMarshaler interface {
	MarshalBinary() (data []byte, err error)
}

type BinaryUnmarshaler interface {
	UnmarshalBinary(data []byte) error
}

type YAMLMarshaler interface {
	MarshalYAML() (any, error)
}

type YAMLUnmarshaler interface {
	UnmarshalYAML(value any) error
}

type Scanner interface {
	Scan(src any) error
}

type Valuer interface {
	Value() (any, error)
}

type FlagValue interface {
	String() string
	Set(value string) error
}
