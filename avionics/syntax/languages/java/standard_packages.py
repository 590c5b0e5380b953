"""The public types of packages of Java's standard library that code imports as a whole, up to Java 25."""

from __future__ import annotations

from types import MappingProxyType

_PACKAGES = {
    "java.util": (
        "AbstractCollection AbstractList AbstractMap AbstractQueue AbstractSequentialList AbstractSet ArrayDeque "
        "ArrayList Arrays Base64 BitSet Calendar Collection Collections Comparator ConcurrentModificationException "
        "Currency Date Deque Dictionary DoubleSummaryStatistics DuplicateFormatFlagsException EmptyStackException "
        "EnumMap EnumSet Enumeration EventListener EventListenerProxy EventObject "
        "FormatFlagsConversionMismatchException Formattable FormattableFlags Formatter FormatterClosedException "
        "GregorianCalendar HashMap HashSet Hashtable HexFormat IdentityHashMap IllegalFormatCodePointException "
        "IllegalFormatConversionException IllegalFormatException IllegalFormatFlagsException "
        "IllegalFormatPrecisionException IllegalFormatWidthException IllformedLocaleException "
        "InputMismatchException IntSummaryStatistics InvalidPropertiesFormatException Iterator LinkedHashMap "
        "LinkedHashSet LinkedList List ListIterator ListResourceBundle Locale LongSummaryStatistics Map "
        "MissingFormatArgumentException MissingFormatWidthException MissingResourceException NavigableMap "
        "NavigableSet NoSuchElementException Objects Observable Observer Optional OptionalDouble OptionalInt "
        "OptionalLong PrimitiveIterator PriorityQueue Properties PropertyPermission PropertyResourceBundle Queue "
        "Random RandomAccess ResourceBundle Scanner SequencedCollection SequencedMap SequencedSet "
        "ServiceConfigurationError ServiceLoader Set SimpleTimeZone SortedMap SortedSet Spliterator Spliterators "
        "SplittableRandom Stack StringJoiner StringTokenizer TimeZone Timer TimerTask TooManyListenersException "
        "TreeMap TreeSet UUID UnknownFormatConversionException UnknownFormatFlagsException Vector WeakHashMap"
    ),
    "java.util.function": (
        "BiConsumer BiFunction BiPredicate BinaryOperator BooleanSupplier Consumer DoubleBinaryOperator "
        "DoubleConsumer DoubleFunction DoublePredicate DoubleSupplier DoubleToIntFunction DoubleToLongFunction "
        "DoubleUnaryOperator Function IntBinaryOperator IntConsumer IntFunction IntPredicate IntSupplier "
        "IntToDoubleFunction IntToLongFunction IntUnaryOperator LongBinaryOperator LongConsumer LongFunction "
        "LongPredicate LongSupplier LongToDoubleFunction LongToIntFunction LongUnaryOperator ObjDoubleConsumer "
        "ObjIntConsumer ObjLongConsumer Predicate Supplier ToDoubleBiFunction ToDoubleFunction ToIntBiFunction "
        "ToIntFunction ToLongBiFunction ToLongFunction UnaryOperator"
    ),
    "java.util.stream": (
        "BaseStream Collector Collectors DoubleStream Gatherer Gatherers IntStream LongStream Stream StreamSupport"
    ),
    "java.util.regex": (
        "MatchResult Matcher Pattern PatternSyntaxException"
    ),
    "java.util.concurrent": (
        "AbstractExecutorService ArrayBlockingQueue BlockingDeque BlockingQueue BrokenBarrierException Callable "
        "CancellationException CompletableFuture CompletionException CompletionService CompletionStage "
        "ConcurrentHashMap ConcurrentLinkedDeque ConcurrentLinkedQueue ConcurrentMap ConcurrentNavigableMap "
        "ConcurrentSkipListMap ConcurrentSkipListSet CopyOnWriteArrayList CopyOnWriteArraySet CountDownLatch "
        "CountedCompleter CyclicBarrier DelayQueue Delayed Exchanger ExecutionException Executor "
        "ExecutorCompletionService ExecutorService Executors Flow ForkJoinPool ForkJoinTask ForkJoinWorkerThread "
        "Future FutureTask LinkedBlockingDeque LinkedBlockingQueue LinkedTransferQueue Phaser PriorityBlockingQueue "
        "RecursiveAction RecursiveTask RejectedExecutionException RejectedExecutionHandler RunnableFuture "
        "RunnableScheduledFuture ScheduledExecutorService ScheduledFuture ScheduledThreadPoolExecutor Semaphore "
        "StructureViolationException StructuredTaskScope SubmissionPublisher SynchronousQueue ThreadFactory "
        "ThreadLocalRandom ThreadPoolExecutor TimeUnit TimeoutException TransferQueue"
    ),
    "java.util.concurrent.atomic": (
        "AtomicBoolean AtomicInteger AtomicIntegerArray AtomicIntegerFieldUpdater AtomicLong AtomicLongArray "
        "AtomicLongFieldUpdater AtomicMarkableReference AtomicReference AtomicReferenceArray "
        "AtomicReferenceFieldUpdater AtomicStampedReference DoubleAccumulator DoubleAdder LongAccumulator LongAdder"
    ),
    "java.util.concurrent.locks": (
        "AbstractOwnableSynchronizer AbstractQueuedLongSynchronizer AbstractQueuedSynchronizer Condition Lock "
        "LockSupport ReadWriteLock ReentrantLock ReentrantReadWriteLock StampedLock"
    ),
    "java.io": (
        "BufferedInputStream BufferedOutputStream BufferedReader BufferedWriter ByteArrayInputStream "
        "ByteArrayOutputStream CharArrayReader CharArrayWriter CharConversionException Closeable Console DataInput "
        "DataInputStream DataOutput DataOutputStream EOFException Externalizable File FileDescriptor FileFilter "
        "FileInputStream FileNotFoundException FileOutputStream FilePermission FileReader FileWriter FilenameFilter "
        "FilterInputStream FilterOutputStream FilterReader FilterWriter Flushable IO IOError IOException "
        "InputStream InputStreamReader InterruptedIOException InvalidClassException InvalidObjectException "
        "LineNumberInputStream LineNumberReader NotActiveException NotSerializableException ObjectInput "
        "ObjectInputFilter ObjectInputStream ObjectInputValidation ObjectOutput ObjectOutputStream "
        "ObjectStreamClass ObjectStreamConstants ObjectStreamException ObjectStreamField OptionalDataException "
        "OutputStream OutputStreamWriter PipedInputStream PipedOutputStream PipedReader PipedWriter PrintStream "
        "PrintWriter PushbackInputStream PushbackReader RandomAccessFile Reader SequenceInputStream Serial "
        "Serializable SerializablePermission StreamCorruptedException StreamTokenizer StringBufferInputStream "
        "StringReader StringWriter SyncFailedException UTFDataFormatException UncheckedIOException "
        "UnsupportedEncodingException WriteAbortedException Writer"
    ),
    "java.net": (
        "Authenticator BindException CacheRequest CacheResponse ConnectException ContentHandler "
        "ContentHandlerFactory CookieHandler CookieManager CookiePolicy CookieStore DatagramPacket DatagramSocket "
        "DatagramSocketImpl DatagramSocketImplFactory FileNameMap HttpCookie HttpRetryException HttpURLConnection "
        "IDN Inet4Address Inet6Address InetAddress InetSocketAddress InterfaceAddress JarURLConnection "
        "MalformedURLException MulticastSocket NetPermission NetworkInterface NoRouteToHostException "
        "PasswordAuthentication PortUnreachableException ProtocolException ProtocolFamily Proxy ProxySelector "
        "ResponseCache SecureCacheResponse ServerSocket Socket SocketAddress SocketException SocketImpl "
        "SocketImplFactory SocketOption SocketOptions SocketPermission SocketTimeoutException "
        "StandardProtocolFamily StandardSocketOptions URI URISyntaxException URL URLClassLoader URLConnection "
        "URLDecoder URLEncoder URLPermission URLStreamHandler URLStreamHandlerFactory UnixDomainSocketAddress "
        "UnknownHostException UnknownServiceException"
    ),
    "java.math": (
        "BigDecimal BigInteger MathContext RoundingMode"
    ),
    "java.text": (
        "Annotation AttributedCharacterIterator AttributedString Bidi BreakIterator CharacterIterator ChoiceFormat "
        "CollationElementIterator CollationKey Collator CompactNumberFormat DateFormat DateFormatSymbols "
        "DecimalFormat DecimalFormatSymbols FieldPosition Format ListFormat MessageFormat Normalizer NumberFormat "
        "ParseException ParsePosition RuleBasedCollator SimpleDateFormat StringCharacterIterator"
    ),
    "java.time": (
        "Clock DateTimeException DayOfWeek Duration Instant InstantSource LocalDate LocalDateTime LocalTime Month "
        "MonthDay OffsetDateTime OffsetTime Period Year YearMonth ZoneId ZoneOffset ZonedDateTime"
    ),
    "java.nio.file": (
        "AccessDeniedException AccessMode AtomicMoveNotSupportedException ClosedDirectoryStreamException "
        "ClosedFileSystemException ClosedWatchServiceException CopyOption DirectoryIteratorException "
        "DirectoryNotEmptyException DirectoryStream FileAlreadyExistsException FileStore FileSystem "
        "FileSystemAlreadyExistsException FileSystemException FileSystemLoopException FileSystemNotFoundException "
        "FileSystems FileVisitOption FileVisitResult FileVisitor Files InvalidPathException LinkOption "
        "LinkPermission NoSuchFileException NotDirectoryException NotLinkException OpenOption Path PathMatcher "
        "Paths ProviderMismatchException ProviderNotFoundException ReadOnlyFileSystemException "
        "SecureDirectoryStream SimpleFileVisitor StandardCopyOption StandardOpenOption StandardWatchEventKinds "
        "WatchEvent WatchKey WatchService Watchable"
    ),
    "java.nio.charset": (
        "CharacterCodingException Charset CharsetDecoder CharsetEncoder CoderMalfunctionError CoderResult "
        "CodingErrorAction IllegalCharsetNameException MalformedInputException StandardCharsets "
        "UnmappableCharacterException UnsupportedCharsetException"
    ),
    "java.lang.reflect": (
        "AccessFlag AccessibleObject AnnotatedArrayType AnnotatedElement AnnotatedParameterizedType AnnotatedType "
        "AnnotatedTypeVariable AnnotatedWildcardType Array ClassFileFormatVersion Constructor Executable Field "
        "GenericArrayType GenericDeclaration GenericSignatureFormatError InaccessibleObjectException "
        "InvocationHandler InvocationTargetException MalformedParameterizedTypeException "
        "MalformedParametersException Member Method Modifier Parameter ParameterizedType Proxy RecordComponent "
        "ReflectPermission Type TypeVariable UndeclaredThrowableException WildcardType"
    ),
    "java.sql": (
        "Array BatchUpdateException Blob CallableStatement ClientInfoStatus Clob Connection ConnectionBuilder "
        "DataTruncation DatabaseMetaData Date Driver DriverAction DriverManager DriverPropertyInfo JDBCType NClob "
        "ParameterMetaData PreparedStatement PseudoColumnUsage Ref ResultSet ResultSetMetaData RowId RowIdLifetime "
        "SQLClientInfoException SQLData SQLDataException SQLException SQLFeatureNotSupportedException SQLInput "
        "SQLIntegrityConstraintViolationException SQLInvalidAuthorizationSpecException "
        "SQLNonTransientConnectionException SQLNonTransientException SQLOutput SQLPermission SQLRecoverableException "
        "SQLSyntaxErrorException SQLTimeoutException SQLTransactionRollbackException SQLTransientConnectionException "
        "SQLTransientException SQLType SQLWarning SQLXML Savepoint ShardingKey ShardingKeyBuilder Statement Struct "
        "Time Timestamp Types Wrapper"
    ),
    "java.lang.annotation": (
        "Annotation AnnotationFormatError AnnotationTypeMismatchException Documented ElementType "
        "IncompleteAnnotationException Inherited Native Repeatable Retention RetentionPolicy Target"
    ),
}  # fmt: skip
PACKAGES = MappingProxyType({name: frozenset(types.split()) for name, types in _PACKAGES.items()})
