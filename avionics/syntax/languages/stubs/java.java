package java.lang;

class Object {
    boolean equals(Object other);
    int hashCode();
    String toString();
    Class<?> getClass();
    void notify();
    void notifyAll();
    void wait();
    Object clone();
    void finalize();
}

class __Array<T> {
    int length;
    T __getitem__(int index);
    T[] clone();
}

class __Enum<E> implements Comparable<E> {
    static E[] values();
    static E valueOf(String name);
    String name();
    int ordinal();
    int compareTo(E other);
    Class<E> getDeclaringClass();
}

class Enum<E> extends __Enum<E> {}

class __Record {}

class Record {}

interface Type { default String getTypeName(); }
interface ParameterizedType extends Type { Type getRawType(); Type getOwnerType(); Type[] getActualTypeArguments(); }
interface GenericArrayType extends Type { Type getGenericComponentType(); }
interface WildcardType extends Type { Type[] getUpperBounds(); Type[] getLowerBounds(); }
interface TypeVariable<D> extends Type { D getGenericDeclaration(); Type[] getBounds(); String getName(); }

class Class<T> implements Type {
    T cast(Object value);
    T newInstance();
    String getName();
    String getSimpleName();
    Class<?> getSuperclass();
    T[] getEnumConstants();
    boolean isInstance(Object value);
    Constructor<T> getConstructor();
    Constructor<T> getDeclaredConstructor();
    static Class<?> forName(String name);
}

class Constructor<T> {
    T newInstance();
    Class<T> getDeclaringClass();
}

interface Comparable<T> {
    int compareTo(T other);
}

interface Iterable<T> {
    Iterator<T> iterator();
    default void forEach(Consumer<? super T> action);
    default Iterator<T> __iter__();
    default Spliterator<T> spliterator();
}

interface Iterator<E> {
    boolean hasNext();
    E next();
    default E __next__();
    default void remove();
}

interface ListIterator<E> extends Iterator<E> {
    E previous();
    boolean hasPrevious();
    void set(E value);
    void add(E value);
}

interface Collection<E> extends Iterable<E> {
    int size();
    boolean isEmpty();
    boolean contains(Object value);
    boolean add(E value);
    boolean remove(Object value);
    boolean addAll(Collection<E> values);
    boolean removeAll(Collection<?> values);
    boolean retainAll(Collection<?> values);
    boolean containsAll(Collection<?> values);
    default boolean removeIf(Predicate<? super E> filter);
    void clear();
    default Stream<E> stream();
    default Stream<E> parallelStream();
    <T> T[] toArray(T[] into);
}

interface SequencedCollection<E> extends Collection<E> {
    default E getFirst();
    default E getLast();
    default E removeFirst();
    default E removeLast();
    default void addFirst(E value);
    default void addLast(E value);
}

interface List<E> extends SequencedCollection<E> {
    E get(int index);
    E set(int index, E value);
    void add(int index, E value);
    E remove(int index);
    int indexOf(Object value);
    int lastIndexOf(Object value);
    List<E> subList(int from, int to);
    ListIterator<E> listIterator();
    default void sort(Comparator<? super E> order);
    default void replaceAll(UnaryOperator<E> operator);
    default List<E> reversed();
    static <T> List<T> of(T... values);
    static <T> List<T> copyOf(Collection<T> values);
}

class AbstractCollection<E> implements Collection<E> {}
class AbstractList<E> extends AbstractCollection<E> implements List<E> { int modCount; }
class AbstractSequentialList<E> extends AbstractList<E> {}
class ArrayList<E> extends AbstractList<E> { void ensureCapacity(int size); void trimToSize(); }
class LinkedList<E> extends AbstractList<E> implements Deque<E> {}
class Vector<E> extends AbstractList<E> { E elementAt(int index); E firstElement(); E lastElement(); }
class Stack<E> extends Vector<E> { E push(E value); E pop(); E peek(); boolean empty(); }
class CopyOnWriteArrayList<E> extends AbstractList<E> {}

interface Set<E> extends Collection<E> {
    static <T> Set<T> of(T... values);
    static <T> Set<T> copyOf(Collection<T> values);
}

interface SortedSet<E> extends Set<E> {
    E first();
    E last();
    SortedSet<E> headSet(E to);
    SortedSet<E> tailSet(E from);
}

interface NavigableSet<E> extends SortedSet<E> {
    E lower(E value);
    E floor(E value);
    E ceiling(E value);
    E higher(E value);
    E pollFirst();
    E pollLast();
    NavigableSet<E> descendingSet();
}

class AbstractSet<E> extends AbstractCollection<E> implements Set<E> {}
class HashSet<E> extends AbstractSet<E> {}
class LinkedHashSet<E> extends HashSet<E> {}
class TreeSet<E> extends AbstractSet<E> implements NavigableSet<E> {}
class EnumSet<E> extends AbstractSet<E> {
    static <T> EnumSet<T> of(T... values);
    static <T> EnumSet<T> allOf(Class<T> type);
    static <T> EnumSet<T> noneOf(Class<T> type);
}

interface Queue<E> extends Collection<E> {
    boolean offer(E value);
    E poll();
    E peek();
    E element();
    E remove();
}

interface Deque<E> extends Queue<E> {
    E getFirst();
    E getLast();
    E peekFirst();
    E peekLast();
    E pollFirst();
    E pollLast();
    E removeFirst();
    E removeLast();
    E pop();
    void push(E value);
    void addFirst(E value);
    void addLast(E value);
}

interface BlockingQueue<E> extends Queue<E> { E take(); void put(E value); }
class ArrayDeque<E> extends AbstractCollection<E> implements Deque<E> {}
class PriorityQueue<E> extends AbstractCollection<E> implements Queue<E> {}
class ConcurrentLinkedQueue<E> extends AbstractCollection<E> implements Queue<E> {}
class ConcurrentLinkedDeque<E> extends AbstractCollection<E> implements Deque<E> {}
class LinkedBlockingQueue<E> extends AbstractCollection<E> implements BlockingQueue<E> {}
class ArrayBlockingQueue<E> extends AbstractCollection<E> implements BlockingQueue<E> {}

interface Map<K, V> {
    interface Entry<K, V> {
        K getKey();
        V getValue();
        V setValue(V value);
        static <A, B> Comparator<Map.Entry<A, B>> comparingByKey();
        static <A, B> Comparator<Map.Entry<A, B>> comparingByValue();
    }

    V get(Object key);
    V put(K key, V value);
    V remove(Object key);
    default V getOrDefault(Object key, V other);
    default V putIfAbsent(K key, V value);
    default V computeIfAbsent(K key, Function<? super K, ? extends V> make);
    default V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends V> make);
    default V compute(K key, BiFunction<? super K, ? super V, ? extends V> make);
    default V merge(K key, V value, BiFunction<? super V, ? super V, ? extends V> join);
    default V replace(K key, V value);
    void putAll(Map<K, V> other);
    boolean containsKey(Object key);
    boolean containsValue(Object value);
    Set<K> keySet();
    Collection<V> values();
    Set<Map.Entry<K, V>> entrySet();
    default void forEach(BiConsumer<? super K, ? super V> action);
    default void replaceAll(BiFunction<? super K, ? super V, ? extends V> make);
    int size();
    boolean isEmpty();
    void clear();
    static <A, B> Map<A, B> of(A key, B value);
    static <A, B> Map<A, B> ofEntries(Map.Entry<A, B>... entries);
    static <A, B> Map.Entry<A, B> entry(A key, B value);
    static <A, B> Map<A, B> copyOf(Map<A, B> other);
}

interface SortedMap<K, V> extends Map<K, V> {
    K firstKey();
    K lastKey();
    SortedMap<K, V> headMap(K to);
    SortedMap<K, V> tailMap(K from);
}

interface NavigableMap<K, V> extends SortedMap<K, V> {
    Map.Entry<K, V> firstEntry();
    Map.Entry<K, V> lastEntry();
    Map.Entry<K, V> floorEntry(K key);
    Map.Entry<K, V> ceilingEntry(K key);
    Map.Entry<K, V> lowerEntry(K key);
    Map.Entry<K, V> higherEntry(K key);
    Map.Entry<K, V> pollFirstEntry();
    Map.Entry<K, V> pollLastEntry();
    K floorKey(K key);
    K ceilingKey(K key);
    NavigableMap<K, V> descendingMap();
    NavigableSet<K> navigableKeySet();
}

interface ConcurrentMap<K, V> extends Map<K, V> {}
class AbstractMap<K, V> implements Map<K, V> {}
class HashMap<K, V> extends AbstractMap<K, V> {}
class LinkedHashMap<K, V> extends HashMap<K, V> { boolean removeEldestEntry(Map.Entry<K, V> eldest); }
class TreeMap<K, V> extends AbstractMap<K, V> implements NavigableMap<K, V> {}
class WeakHashMap<K, V> extends AbstractMap<K, V> {}
class IdentityHashMap<K, V> extends AbstractMap<K, V> {}
class EnumMap<K, V> extends AbstractMap<K, V> {}
class Hashtable<K, V> extends AbstractMap<K, V> {}
class ConcurrentHashMap<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {}
class ConcurrentSkipListMap<K, V> extends AbstractMap<K, V> implements NavigableMap<K, V> {}

class Arrays {
    static <T> List<T> asList(T... values);
    static <T> Stream<T> stream(T[] values);
    static <T> T[] copyOf(T[] values, int length);
    static <T> T[] copyOfRange(T[] values, int from, int to);
}

class Collections {
    static <T> List<T> emptyList();
    static <T> Set<T> emptySet();
    static <K, V> Map<K, V> emptyMap();
    static <T> Iterator<T> emptyIterator();
    static <T> List<T> singletonList(T value);
    static <T> Set<T> singleton(T value);
    static <K, V> Map<K, V> singletonMap(K key, V value);
    static <T> List<T> unmodifiableList(List<T> values);
    static <T> Set<T> unmodifiableSet(Set<T> values);
    static <T> Collection<T> unmodifiableCollection(Collection<T> values);
    static <K, V> Map<K, V> unmodifiableMap(Map<K, V> values);
    static <T> List<T> synchronizedList(List<T> values);
    static <K, V> Map<K, V> synchronizedMap(Map<K, V> values);
    static <T> List<T> nCopies(int count, T value);
    static <T> T max(Collection<T> values);
    static <T> T min(Collection<T> values);
}

class Objects {
    static <T> T requireNonNull(T value);
    static <T> T requireNonNull(T value, String message);
    static <T> T requireNonNullElse(T value, T other);
    static <T> T requireNonNullElseGet(T value, Supplier<T> other);
}

class Optional<T> {
    static <U> Optional<U> of(U value);
    static <U> Optional<U> ofNullable(U value);
    static <U> Optional<U> empty();
    T get();
    T orElse(T other);
    T orElseGet(Supplier<? extends T> other);
    T orElseThrow();
    boolean isPresent();
    boolean isEmpty();
    void ifPresent(Consumer<? super T> action);
    void ifPresentOrElse(Consumer<? super T> action, Runnable other);
    Optional<T> filter(Predicate<? super T> test);
    <R> Optional<R> map(Function<? super T, ? extends R> mapper);
    <R> Optional<R> flatMap(Function<? super T, Optional<R>> mapper);
    Optional<T> or(Supplier<Optional<T>> other);
    Stream<T> stream();
}

interface Stream<T> {
    static <U> Stream<U> of(U... values);
    static <U> Stream<U> empty();
    static <U> Stream<U> iterate(U seed, UnaryOperator<U> next);
    static <U> Stream<U> generate(Supplier<U> make);
    static <U> Stream<U> concat(Stream<U> first, Stream<U> second);
    <R> Stream<R> map(Function<? super T, ? extends R> mapper);
    <R> Stream<R> flatMap(Function<? super T, Stream<R>> mapper);
    Stream<T> filter(Predicate<? super T> test);
    Stream<T> distinct();
    Stream<T> sorted();
    Stream<T> sorted(Comparator<? super T> order);
    Stream<T> peek(Consumer<? super T> action);
    Stream<T> limit(long count);
    Stream<T> skip(long count);
    default Stream<T> takeWhile(Predicate<? super T> test);
    default Stream<T> dropWhile(Predicate<? super T> test);
    Stream<T> parallel();
    Stream<T> sequential();
    Stream<T> onClose(Runnable action);
    IntStream mapToInt(ToIntFunction<? super T> mapper);
    LongStream mapToLong(ToLongFunction<? super T> mapper);
    DoubleStream mapToDouble(ToDoubleFunction<? super T> mapper);
    boolean anyMatch(Predicate<? super T> test);
    boolean allMatch(Predicate<? super T> test);
    boolean noneMatch(Predicate<? super T> test);
    Optional<T> findFirst();
    Optional<T> findAny();
    Optional<T> min(Comparator<? super T> order);
    Optional<T> max(Comparator<? super T> order);
    T reduce(T start, BinaryOperator<T> join);
    void forEach(Consumer<? super T> action);
    void forEachOrdered(Consumer<? super T> action);
    <R> R collect(Collector<? super T, ?, R> collector);
    default List<T> toList();
    T[] toArray(IntFunction<T[]> make);
    Iterator<T> iterator();
    long count();
}

interface IntStream {
    static IntStream range(int from, int to);
    static IntStream rangeClosed(int from, int to);
    <U> Stream<U> mapToObj(IntFunction<? extends U> mapper);
    Stream<Integer> boxed();
}

interface Collector<T, A, R> {}

class Collectors {
    static <T> Collector<T, ?, List<T>> toList();
    static <T> Collector<T, ?, Set<T>> toSet();
    static <T> Collector<T, ?, List<T>> toUnmodifiableList();
    static <T, K, V> Collector<T, ?, Map<K, V>> toMap(Function<? super T, K> key, Function<? super T, V> value);
    static <T, K> Collector<T, ?, Map<K, List<T>>> groupingBy(Function<? super T, K> key);
}

interface Comparator<T> {
    int compare(T first, T second);
    default Comparator<T> reversed();
    default Comparator<T> thenComparing(Comparator<? super T> other);
    static <A, B> Comparator<A> comparing(Function<? super A, ? extends B> key);
    static <A> Comparator<A> comparingInt(ToIntFunction<? super A> key);
    static <A> Comparator<A> naturalOrder();
    static <A> Comparator<A> reverseOrder();
}

interface Runnable { void run(); }
interface Callable<V> { V call(); }
interface Supplier<T> { T get(); }
interface BooleanSupplier { boolean getAsBoolean(); }
interface IntSupplier { int getAsInt(); }
interface LongSupplier { long getAsLong(); }
interface Consumer<T> { void accept(T value); default Consumer<T> andThen(Consumer<? super T> next); }
interface BiConsumer<T, U> { void accept(T first, U second); }
interface Function<T, R> {
    R apply(T value);
    default <V> Function<T, V> andThen(Function<? super R, ? extends V> next);
    static <U> Function<U, U> identity();
}
interface BiFunction<T, U, R> { R apply(T first, U second); }
interface UnaryOperator<T> extends Function<T, T> { default T __call__(T value); }
interface BinaryOperator<T> extends BiFunction<T, T, T> { default T __call__(T first, T second); }
interface Predicate<T> {
    boolean test(T value);
    default Predicate<T> and(Predicate<? super T> other);
    default Predicate<T> or(Predicate<? super T> other);
    default Predicate<T> negate();
    static <U> Predicate<U> not(Predicate<? super U> other);
}
interface BiPredicate<T, U> { boolean test(T first, U second); }
interface IntFunction<R> { R apply(int value); }
interface ToIntFunction<T> { int applyAsInt(T value); }
interface ToLongFunction<T> { long applyAsLong(T value); }
interface ToDoubleFunction<T> { double applyAsDouble(T value); }

class Reference<T> { T get(); void clear(); }
class WeakReference<T> extends Reference<T> {}
class SoftReference<T> extends Reference<T> {}

class ThreadLocal<T> {
    T get();
    void set(T value);
    void remove();
    T initialValue();
    static <S> ThreadLocal<S> withInitial(Supplier<? extends S> make);
}

class AtomicReference<V> {
    V get();
    void set(V value);
    V getAndSet(V value);
    V getAndUpdate(UnaryOperator<V> update);
    V updateAndGet(UnaryOperator<V> update);
    boolean compareAndSet(V expected, V value);
}

interface Future<V> {
    V get();
    V get(long timeout, TimeUnit unit);
    boolean cancel(boolean interrupt);
    boolean isDone();
}

interface CompletionStage<T> {}

class CompletableFuture<T> implements Future<T>, CompletionStage<T> {
    T join();
    T getNow(T other);
    boolean complete(T value);
    <U> CompletableFuture<U> thenApply(Function<? super T, ? extends U> next);
    <U> CompletableFuture<U> thenCompose(Function<? super T, CompletableFuture<U>> next);
    CompletableFuture<Void> thenAccept(Consumer<? super T> next);
    CompletableFuture<T> whenComplete(BiConsumer<? super T, ? super Throwable> next);
    static <U> CompletableFuture<U> supplyAsync(Supplier<U> make);
    static <U> CompletableFuture<U> completedFuture(U value);
}

interface Executor { void execute(Runnable task); }

interface ExecutorService extends Executor {
    <T> Future<T> submit(Callable<T> task);
    <T> List<Future<T>> invokeAll(Collection<Callable<T>> tasks);
    void shutdown();
}

interface Serializable {}
interface Cloneable {}
interface CharSequence { int length(); char charAt(int index); CharSequence subSequence(int from, int to); }
interface Appendable { Appendable append(CharSequence text); }
interface AutoCloseable { void close(); }
interface Closeable extends AutoCloseable {}
interface Flushable { void flush(); }
class String implements CharSequence, Comparable<String>, Serializable {
    String trim(); String strip(); String toLowerCase(); String toUpperCase(); String concat(String other);
    String substring(int from); String substring(int from, int to); String replace(CharSequence from, CharSequence to);
    String replaceAll(String pattern, String to); String intern(); String repeat(int count); String formatted(Object... values);
    String[] split(String pattern); char[] toCharArray(); byte[] getBytes(); Stream<String> lines();
    int indexOf(String text); int lastIndexOf(String text); boolean startsWith(String text); boolean endsWith(String text);
    boolean contains(CharSequence text); boolean isBlank(); boolean equalsIgnoreCase(String other); boolean matches(String pattern);
    static String valueOf(Object value); static String format(String text, Object... values);
    static String join(CharSequence by, CharSequence... parts);
}
class AbstractStringBuilder implements CharSequence, Appendable { int indexOf(String text); void setLength(int length); }
class StringBuilder extends AbstractStringBuilder { StringBuilder append(Object value); StringBuilder insert(int at, Object value); StringBuilder reverse(); }
class StringBuffer extends AbstractStringBuilder { StringBuffer append(Object value); }
class Number implements Serializable { int intValue(); long longValue(); float floatValue(); double doubleValue(); short shortValue(); byte byteValue(); }
class Integer extends Number implements Comparable<Integer> { int __deref__(); static int MAX_VALUE; static int MIN_VALUE; static Integer valueOf(int value); static int parseInt(String text); static int compare(int first, int second); }
class Long extends Number implements Comparable<Long> { long __deref__(); static long MAX_VALUE; static long MIN_VALUE; static Long valueOf(long value); static long parseLong(String text); static int compare(long first, long second); }
class Short extends Number implements Comparable<Short> { short __deref__(); static short MAX_VALUE; static short MIN_VALUE; static Short valueOf(short value); static short parseShort(String text); static int compare(short first, short second); }
class Byte extends Number implements Comparable<Byte> { byte __deref__(); static byte MAX_VALUE; static byte MIN_VALUE; static Byte valueOf(byte value); static byte parseByte(String text); static int compare(byte first, byte second); }
class Float extends Number implements Comparable<Float> { float __deref__(); static float MAX_VALUE; static float MIN_VALUE; static Float valueOf(float value); static float parseFloat(String text); static int compare(float first, float second); static float NaN; static float POSITIVE_INFINITY; static float NEGATIVE_INFINITY; static boolean isNaN(float value); static boolean isInfinite(float value); }
class Double extends Number implements Comparable<Double> { double __deref__(); static double MAX_VALUE; static double MIN_VALUE; static Double valueOf(double value); static double parseDouble(String text); static int compare(double first, double second); static double NaN; static double POSITIVE_INFINITY; static double NEGATIVE_INFINITY; static boolean isNaN(double value); static boolean isInfinite(double value); }
class Boolean implements Comparable<Boolean>, Serializable { boolean __deref__(); static Boolean TRUE; static Boolean FALSE; boolean booleanValue(); static Boolean valueOf(boolean value); static boolean parseBoolean(String text); }
class Character implements Comparable<Character>, Serializable { char __deref__(); char charValue(); static Character valueOf(char value); static boolean isDigit(char value); static boolean isLetter(char value); }
class BigInteger extends Number implements Comparable<BigInteger> {}
class BigDecimal extends Number implements Comparable<BigDecimal> {}
class AtomicInteger extends Number { int get(); void set(int value); }
class AtomicLong extends Number { long get(); void set(long value); }
class AtomicBoolean { boolean get(); void set(boolean value); }

class Reader implements Closeable { int read(); }
class InputStreamReader extends Reader {}
class FileReader extends InputStreamReader {}
class StringReader extends Reader {}
class CharArrayReader extends Reader {}
class BufferedReader extends Reader { String readLine(); Stream<String> lines(); }
class Writer implements Appendable, Closeable, Flushable { void write(String text); Writer append(CharSequence text); }
class OutputStreamWriter extends Writer {}
class FileWriter extends OutputStreamWriter {}
class StringWriter extends Writer { StringBuffer getBuffer(); }
class CharArrayWriter extends Writer {}
class BufferedWriter extends Writer { void newLine(); }
class PrintWriter extends Writer { void print(Object value); void println(Object value); }
class InputStream implements Closeable { int read(); }
class FilterInputStream extends InputStream {}
class FileInputStream extends InputStream {}
class ByteArrayInputStream extends InputStream {}
class BufferedInputStream extends FilterInputStream {}
class OutputStream implements Closeable, Flushable { void write(int value); }
class FilterOutputStream extends OutputStream {}
class FileOutputStream extends OutputStream {}
class ByteArrayOutputStream extends OutputStream { byte[] toByteArray(); }
class BufferedOutputStream extends FilterOutputStream {}
class PrintStream extends FilterOutputStream implements Appendable { void print(Object value); void println(Object value); PrintStream printf(String text, Object... values); }

interface DataInput {}
interface ObjectInput extends DataInput, AutoCloseable {}
interface DataOutput {}
interface ObjectOutput extends DataOutput, AutoCloseable {}
class DataInputStream extends FilterInputStream implements DataInput {}
class DataOutputStream extends FilterOutputStream implements DataOutput {}
class ObjectInputStream extends InputStream implements ObjectInput {}
class ObjectOutputStream extends OutputStream implements ObjectOutput {}
class RandomAccessFile implements DataInput, DataOutput, Closeable {}
class InflaterInputStream extends FilterInputStream {}
class DeflaterOutputStream extends FilterOutputStream {}
class GZIPInputStream extends InflaterInputStream {}
class GZIPOutputStream extends DeflaterOutputStream {}
interface ZipConstants {}
class ZipInputStream extends InflaterInputStream implements ZipConstants { ZipEntry getNextEntry(); }
class ZipOutputStream extends DeflaterOutputStream implements ZipConstants { void putNextEntry(ZipEntry entry); }
class ZipEntry implements ZipConstants, Cloneable { String getName(); long getSize(); long getTime(); boolean isDirectory(); }
class ZipFile implements ZipConstants, Closeable { ZipEntry getEntry(String name); InputStream getInputStream(ZipEntry entry); String getName(); int size(); }

class File implements Serializable, Comparable<File> {
    String getName(); String getParent(); File getParentFile(); String getPath(); Path toPath(); URI toURI();
    String getAbsolutePath(); File getAbsoluteFile(); String getCanonicalPath(); File getCanonicalFile();
    boolean canRead(); boolean canWrite(); boolean exists(); boolean isDirectory(); boolean isFile(); boolean isHidden();
    boolean isAbsolute(); boolean delete(); boolean mkdir(); boolean mkdirs(); boolean createNewFile();
    boolean renameTo(File other); boolean setLastModified(long time); long lastModified(); long length();
    String[] list(); String[] list(FilenameFilter filter); File[] listFiles(); File[] listFiles(FileFilter filter);
    static File createTempFile(String prefix, String suffix); static File createTempFile(String prefix, String suffix, File directory);
}
interface FileFilter { boolean accept(File file); }
interface FilenameFilter { boolean accept(File directory, String name); }
interface Watchable {}
interface Path extends Comparable<Path>, Iterable<Path>, Watchable {
    Path getFileName(); Path getParent(); default Path resolve(String other); Path toAbsolutePath(); Path normalize();
    default File toFile(); URI toUri(); static Path of(String first, String... more);
}
class Paths { static Path get(String first, String... more); }
class URL implements Serializable { InputStream openStream(); String getPath(); String getHost(); String getProtocol(); URI toURI(); }
class URI implements Serializable, Comparable<URI> { String getPath(); String getHost(); String getScheme(); URL toURL(); static URI create(String text); }
class Charset implements Comparable<Charset> { String name(); static Charset forName(String name); static Charset defaultCharset(); }
class UUID implements Serializable, Comparable<UUID> { static UUID randomUUID(); }
interface MatchResult {}
class Pattern implements Serializable { static Pattern compile(String text); Matcher matcher(CharSequence text); String pattern(); int flags(); }
class Matcher implements MatchResult { boolean find(); boolean matches(); boolean lookingAt(); String group(); int start(); int end(); int groupCount(); }
class Buffer { int position(); int limit(); int capacity(); int remaining(); boolean hasRemaining(); }
class ByteBuffer extends Buffer implements Comparable<ByteBuffer> { static ByteBuffer allocate(int size); static ByteBuffer wrap(byte[] data); ByteBuffer slice(); ByteBuffer duplicate(); byte[] array(); }

class Throwable implements Serializable { String getMessage(); Throwable getCause(); StackTraceElement[] getStackTrace(); void printStackTrace(); Throwable initCause(Throwable cause); void addSuppressed(Throwable other); }
class Exception extends Throwable {}
class Error extends Throwable {}
class RuntimeException extends Exception {}
class IllegalArgumentException extends RuntimeException {}
class IllegalStateException extends RuntimeException {}
class NullPointerException extends RuntimeException {}
class UnsupportedOperationException extends RuntimeException {}
class IndexOutOfBoundsException extends RuntimeException {}
class IOException extends Exception {}
