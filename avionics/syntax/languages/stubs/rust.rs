//! Rust's own containers and wrappers, as far as what they hold matters.

pub enum Option<T> {
    Some(T),
    None,
}

impl<T> IntoIterator<T> for Option<T> {}

impl<T> Option<T> {
    fn unwrap(self) -> T;
    fn expect(self, message: &str) -> T;
    fn unwrap_or(self, other: T) -> T;
    fn unwrap_or_else(self, f: impl FnOnce() -> T) -> T;
    fn unwrap_or_default(self) -> T;
    fn as_ref(&self) -> Option<T>;
    fn as_mut(&mut self) -> Option<T>;
    fn as_deref(&self) -> Option<T>;
    fn as_deref_mut(&mut self) -> Option<T>;
    fn cloned(self) -> Option<T>;
    fn copied(self) -> Option<T>;
    fn take(&mut self) -> Option<T>;
    fn replace(&mut self, value: T) -> Option<T>;
    fn insert(&mut self, value: T) -> T;
    fn get_or_insert(&mut self, value: T) -> T;
    fn get_or_insert_with(&mut self, f: impl FnOnce() -> T) -> T;
    fn filter(self, f: impl FnOnce(T) -> bool) -> Option<T>;
    fn or(self, other: Option<T>) -> Option<T>;
    fn or_else(self, f: impl FnOnce() -> Option<T>) -> Option<T>;
    fn map<U>(self, f: impl FnOnce(T) -> U) -> Option<U>;
    fn map_or<U>(self, default: U, f: impl FnOnce(T) -> U) -> U;
    fn map_or_else<U>(self, default: impl FnOnce() -> U, f: impl FnOnce(T) -> U) -> U;
    fn and_then<U>(self, f: impl FnOnce(T) -> Option<U>) -> Option<U>;
    fn is_some_and(self, f: impl FnOnce(T) -> bool) -> bool;
    fn is_none_or(self, f: impl FnOnce(T) -> bool) -> bool;
    fn inspect(self, f: impl FnOnce(T)) -> Option<T>;
    fn ok_or<E>(self, error: E) -> Result<T, E>;
    fn ok_or_else<E>(self, f: impl FnOnce() -> E) -> Result<T, E>;
    fn iter(&self) -> Iterator<T>;
    fn iter_mut(&mut self) -> Iterator<T>;
}

pub enum Result<T, E> {
    Ok(T),
    Err(E),
}

impl<T, E> IntoIterator<T> for Result<T, E> {}

impl<T, E> Result<T, E> {
    fn unwrap(self) -> T;
    fn expect(self, message: &str) -> T;
    fn unwrap_or(self, other: T) -> T;
    fn unwrap_or_else(self, f: impl FnOnce(E) -> T) -> T;
    fn unwrap_or_default(self) -> T;
    fn unwrap_err(self) -> E;
    fn expect_err(self, message: &str) -> E;
    fn ok(self) -> Option<T>;
    fn err(self) -> Option<E>;
    fn as_ref(&self) -> Result<T, E>;
    fn as_mut(&mut self) -> Result<T, E>;
    fn as_deref(&self) -> Result<T, E>;
    fn map<U>(self, f: impl FnOnce(T) -> U) -> Result<U, E>;
    fn map_err<F>(self, f: impl FnOnce(E) -> F) -> Result<T, F>;
    fn and_then<U>(self, f: impl FnOnce(T) -> Result<U, E>) -> Result<U, E>;
    fn or_else<F>(self, f: impl FnOnce(E) -> Result<T, F>) -> Result<T, F>;
    fn map_or<U>(self, default: U, f: impl FnOnce(T) -> U) -> U;
    fn map_or_else<U>(self, default: impl FnOnce(E) -> U, f: impl FnOnce(T) -> U) -> U;
    fn inspect(self, f: impl FnOnce(T)) -> Result<T, E>;
    fn inspect_err(self, f: impl FnOnce(E)) -> Result<T, E>;
    fn with_context<C>(self, f: impl FnOnce() -> C) -> Result<T, E>;
    fn context<C>(self, c: C) -> Result<T, E>;
}

pub const None: Option;
pub fn Some<T>(value: T) -> Option<T>;
pub fn Ok<T, E>(value: T) -> Result<T, E>;
pub fn Err<T, E>(error: E) -> Result<T, E>;

pub trait IntoIterator<T> {
    fn into_iter(self) -> Iterator<T>;
    fn __iter__(self) -> Iterator<T>;
}

pub trait Iterator<T> {
    fn __iter__(self) -> Iterator<T>;
    fn __next__(&mut self) -> T;
    fn next(&mut self) -> Option<T>;
    fn next_back(&mut self) -> Option<T>;
    fn peek(&mut self) -> Option<T>;
    fn last(self) -> Option<T>;
    fn nth(&mut self, n: usize) -> Option<T>;
    fn into_iter(self) -> Iterator<T>;
    fn iter(&self) -> Iterator<T>;
    fn by_ref(&mut self) -> Iterator<T>;
    fn peekable(self) -> Iterator<T>;
    fn fuse(self) -> Iterator<T>;
    fn rev(self) -> Iterator<T>;
    fn skip(self, n: usize) -> Iterator<T>;
    fn take(self, n: usize) -> Iterator<T>;
    fn step_by(self, n: usize) -> Iterator<T>;
    fn cycle(self) -> Iterator<T>;
    fn cloned(self) -> Iterator<T>;
    fn copied(self) -> Iterator<T>;
    fn chain(self, other: impl IntoIterator<T>) -> Iterator<T>;
    fn filter(self, f: impl FnMut(T) -> bool) -> Iterator<T>;
    fn skip_while(self, f: impl FnMut(T) -> bool) -> Iterator<T>;
    fn take_while(self, f: impl FnMut(T) -> bool) -> Iterator<T>;
    fn inspect(self, f: impl FnMut(T)) -> Iterator<T>;
    fn enumerate(self) -> Iterator<(usize, T)>;
    fn zip<U>(self, other: impl IntoIterator<U>) -> Iterator<(T, U)>;
    fn map<U>(self, f: impl FnMut(T) -> U) -> Iterator<U>;
    fn map_while<U>(self, f: impl FnMut(T) -> Option<U>) -> Iterator<U>;
    fn filter_map<U>(self, f: impl FnMut(T) -> Option<U>) -> Iterator<U>;
    fn flat_map<U>(self, f: impl FnMut(T) -> IntoIterator<U>) -> Iterator<U>;
    fn for_each(self, f: impl FnMut(T));
    fn try_for_each<R>(self, f: impl FnMut(T) -> R) -> R;
    fn all(&mut self, f: impl FnMut(T) -> bool) -> bool;
    fn any(&mut self, f: impl FnMut(T) -> bool) -> bool;
    fn find(&mut self, f: impl FnMut(T) -> bool) -> Option<T>;
    fn find_map<U>(&mut self, f: impl FnMut(T) -> Option<U>) -> Option<U>;
    fn position(&mut self, f: impl FnMut(T) -> bool) -> Option<usize>;
    fn rposition(&mut self, f: impl FnMut(T) -> bool) -> Option<usize>;
    fn fold<B>(self, start: B, f: impl FnMut(B, T) -> B) -> B;
    fn reduce(self, f: impl FnMut(T, T) -> T) -> Option<T>;
    fn min(self) -> Option<T>;
    fn max(self) -> Option<T>;
    fn min_by_key<K>(self, f: impl FnMut(T) -> K) -> Option<T>;
    fn max_by_key<K>(self, f: impl FnMut(T) -> K) -> Option<T>;
    fn min_by(self, f: impl FnMut(T, T) -> Ordering) -> Option<T>;
    fn max_by(self, f: impl FnMut(T, T) -> Ordering) -> Option<T>;
    fn partition<P>(self, f: impl FnMut(T) -> bool) -> (P, P);
}

pub trait DoubleEndedIterator<T>: Iterator<T> {}
pub trait ExactSizeIterator<T>: Iterator<T> {}
pub trait Peekable<I>: Deref<I> {}

pub trait slice<T>: IntoIterator<T> {
    fn __getitem__(&self) -> T;
    fn get(&self, i: usize) -> Option<T>;
    fn get_mut(&mut self, i: usize) -> Option<T>;
    fn first(&self) -> Option<T>;
    fn first_mut(&mut self) -> Option<T>;
    fn last(&self) -> Option<T>;
    fn last_mut(&mut self) -> Option<T>;
    fn iter(&self) -> Iterator<T>;
    fn iter_mut(&mut self) -> Iterator<T>;
    fn as_slice(&self) -> slice<T>;
    fn as_mut_slice(&mut self) -> slice<T>;
    fn to_vec(&self) -> Vec<T>;
    fn into_vec(self) -> Vec<T>;
    fn as_ref(&self) -> slice<T>;
    fn as_mut(&mut self) -> slice<T>;
    fn windows(&self, n: usize) -> Iterator<slice<T>>;
    fn chunks(&self, n: usize) -> Iterator<slice<T>>;
    fn split_first(&self) -> Option<(T, slice<T>)>;
    fn split_last(&self) -> Option<(T, slice<T>)>;
    fn split_at(&self, n: usize) -> (slice<T>, slice<T>);
    fn sort_by(&mut self, f: impl FnMut(T, T) -> Ordering);
    fn sort_by_key<K>(&mut self, f: impl FnMut(T) -> K);
    fn sort_unstable_by(&mut self, f: impl FnMut(T, T) -> Ordering);
    fn sort_unstable_by_key<K>(&mut self, f: impl FnMut(T) -> K);
    fn binary_search_by(&self, f: impl FnMut(T) -> Ordering) -> Result<usize, usize>;
    fn binary_search_by_key<K>(&self, key: K, f: impl FnMut(T) -> K) -> Result<usize, usize>;
}

pub trait Vec<T>: slice<T> {
    fn new() -> Self;
    fn with_capacity(n: usize) -> Self;
    fn pop(&mut self) -> Option<T>;
    fn remove(&mut self, i: usize) -> T;
    fn swap_remove(&mut self, i: usize) -> T;
    fn drain(&mut self, r: usize) -> Iterator<T>;
    fn retain(&mut self, f: impl FnMut(T) -> bool);
    fn retain_mut(&mut self, f: impl FnMut(T) -> bool);
    fn dedup_by_key<K>(&mut self, f: impl FnMut(T) -> K);
    fn split_off(&mut self, i: usize) -> Vec<T>;
    fn into_boxed_slice(self) -> slice<T>;
}

pub trait VecDeque<T>: slice<T> {
    fn new() -> Self;
    fn with_capacity(n: usize) -> Self;
    fn pop_front(&mut self) -> Option<T>;
    fn pop_back(&mut self) -> Option<T>;
    fn front(&self) -> Option<T>;
    fn back(&self) -> Option<T>;
    fn front_mut(&mut self) -> Option<T>;
    fn back_mut(&mut self) -> Option<T>;
    fn drain(&mut self, r: usize) -> Iterator<T>;
}

pub trait BinaryHeap<T>: IntoIterator<T> {
    fn new() -> Self;
    fn with_capacity(n: usize) -> Self;
    fn pop(&mut self) -> Option<T>;
    fn peek(&self) -> Option<T>;
    fn iter(&self) -> Iterator<T>;
}

pub trait HashSet<T>: IntoIterator<T> {
    fn new() -> Self;
    fn with_capacity(n: usize) -> Self;
    fn get(&self, value: T) -> Option<T>;
    fn take(&mut self, value: T) -> Option<T>;
    fn iter(&self) -> Iterator<T>;
    fn drain(&mut self) -> Iterator<T>;
    fn union(&self, other: HashSet<T>) -> Iterator<T>;
    fn intersection(&self, other: HashSet<T>) -> Iterator<T>;
    fn difference(&self, other: HashSet<T>) -> Iterator<T>;
    fn first(&self) -> Option<T>;
    fn last(&self) -> Option<T>;
    fn retain(&mut self, f: impl FnMut(T) -> bool);
}

pub trait BTreeSet<T>: HashSet<T> {}

pub trait HashMap<K, V>: IntoIterator<(K, V)> {
    fn new() -> Self;
    fn with_capacity(n: usize) -> Self;
    fn __getitem__(&self) -> V;
    fn get(&self, key: K) -> Option<V>;
    fn get_mut(&mut self, key: K) -> Option<V>;
    fn get_key_value(&self, key: K) -> Option<(K, V)>;
    fn insert(&mut self, key: K, value: V) -> Option<V>;
    fn remove(&mut self, key: K) -> Option<V>;
    fn remove_entry(&mut self, key: K) -> Option<(K, V)>;
    fn entry(&mut self, key: K) -> Entry<K, V>;
    fn iter(&self) -> Iterator<(K, V)>;
    fn iter_mut(&mut self) -> Iterator<(K, V)>;
    fn drain(&mut self) -> Iterator<(K, V)>;
    fn keys(&self) -> Iterator<K>;
    fn into_keys(self) -> Iterator<K>;
    fn values(&self) -> Iterator<V>;
    fn values_mut(&mut self) -> Iterator<V>;
    fn into_values(self) -> Iterator<V>;
    fn first_key_value(&self) -> Option<(K, V)>;
    fn last_key_value(&self) -> Option<(K, V)>;
    fn range(&self, r: K) -> Iterator<(K, V)>;
    fn retain(&mut self, f: impl FnMut(K, V) -> bool);
}

pub trait BTreeMap<K, V>: HashMap<K, V> {}

pub trait Entry<K, V> {
    fn or_insert(self, value: V) -> V;
    fn or_insert_with(self, f: impl FnOnce() -> V) -> V;
    fn or_default(self) -> V;
    fn and_modify(self, f: impl FnOnce(V)) -> Entry<K, V>;
}

pub trait Deref<T> {
    fn __deref__(&self) -> T;
}

pub trait DerefMut<T> {}

pub trait Box<T>: Deref<T> {
    fn new(value: T) -> Box<T>;
    fn pin(value: T) -> Pin<Box<T>>;
    fn as_ref(&self) -> T;
    fn as_mut(&mut self) -> T;
}

pub trait Rc<T>: Deref<T> {
    fn new(value: T) -> Rc<T>;
    fn clone(this: &Rc<T>) -> Rc<T>;
    fn as_ref(&self) -> T;
    fn downgrade(this: &Rc<T>) -> Weak<T>;
    fn get_mut(this: &mut Rc<T>) -> Option<T>;
    fn make_mut(this: &mut Rc<T>) -> T;
    fn try_unwrap(this: Rc<T>) -> Result<T, Rc<T>>;
}

pub trait Arc<T>: Deref<T> {
    fn new(value: T) -> Arc<T>;
    fn clone(this: &Arc<T>) -> Arc<T>;
    fn as_ref(&self) -> T;
    fn downgrade(this: &Arc<T>) -> Weak<T>;
    fn get_mut(this: &mut Arc<T>) -> Option<T>;
    fn make_mut(this: &mut Arc<T>) -> T;
    fn try_unwrap(this: Arc<T>) -> Result<T, Arc<T>>;
}

pub trait Weak<T> {
    fn upgrade(&self) -> Option<Arc<T>>;
}

pub trait Cow<T>: Deref<T> {
    fn into_owned(self) -> T;
    fn to_mut(&mut self) -> T;
    fn as_ref(&self) -> T;
}

pub trait Pin<P>: Deref<P> {
    fn new(value: P) -> Pin<P>;
    fn as_mut(&mut self) -> P;
    fn as_ref(&self) -> P;
    fn get_mut(self) -> P;
}

pub trait Cell<T> {
    fn new(value: T) -> Cell<T>;
    fn get(&self) -> T;
    fn take(&self) -> T;
    fn replace(&self, value: T) -> T;
    fn into_inner(self) -> T;
}

pub trait RefCell<T> {
    fn new(value: T) -> RefCell<T>;
    fn borrow(&self) -> Ref<T>;
    fn borrow_mut(&self) -> Ref<T>;
    fn get_mut(&mut self) -> T;
    fn take(&self) -> T;
    fn replace(&self, value: T) -> T;
    fn into_inner(self) -> T;
}

pub trait Ref<T>: Deref<T> {}
pub trait RefMut<T>: Deref<T> {}
pub trait MutexGuard<T>: Deref<T> {}
pub trait RwLockReadGuard<T>: Deref<T> {}
pub trait RwLockWriteGuard<T>: Deref<T> {}

pub trait Mutex<T> {
    fn new(value: T) -> Mutex<T>;
    fn lock(&self) -> Result<Ref<T>, PoisonError>;
    fn try_lock(&self) -> Result<Ref<T>, PoisonError>;
    fn get_mut(&mut self) -> Result<T, PoisonError>;
    fn into_inner(self) -> Result<T, PoisonError>;
}

pub trait RwLock<T> {
    fn new(value: T) -> RwLock<T>;
    fn read(&self) -> Result<Ref<T>, PoisonError>;
    fn write(&self) -> Result<Ref<T>, PoisonError>;
    fn get_mut(&mut self) -> Result<T, PoisonError>;
    fn into_inner(self) -> Result<T, PoisonError>;
}

pub trait OnceCell<T> {
    fn new() -> OnceCell<T>;
    fn get(&self) -> Option<T>;
    fn get_or_init(&self, f: impl FnOnce() -> T) -> T;
    fn set(&self, value: T) -> Result<(), T>;
    fn into_inner(self) -> Option<T>;
}

pub trait OnceLock<T>: OnceCell<T> {}
pub trait LazyLock<T>: Deref<T> {}
pub trait LazyCell<T>: Deref<T> {}
pub trait ManuallyDrop<T>: Deref<T> {}
pub trait AssertUnwindSafe<T>: Deref<T> {}

pub trait Sender<T> {
    fn send(&self, value: T) -> Result<(), SendError>;
}

pub trait Receiver<T>: IntoIterator<T> {
    fn recv(&self) -> Result<T, RecvError>;
    fn try_recv(&self) -> Result<T, TryRecvError>;
    fn iter(&self) -> Iterator<T>;
}

pub trait JoinHandle<T> {
    fn join(self) -> Result<T, Any>;
}

pub trait Future<T> {
    fn __await__(self) -> T;
}

pub trait str {
    fn as_ref(&self) -> &str;
    fn lines(&self) -> Iterator<&str>;
    fn chars(&self) -> Iterator<char>;
    fn char_indices(&self) -> Iterator<(usize, char)>;
    fn bytes(&self) -> Iterator<u8>;
    fn split(&self, pattern: &str) -> Iterator<&str>;
    fn splitn(&self, n: usize, pattern: &str) -> Iterator<&str>;
    fn split_whitespace(&self) -> Iterator<&str>;
    fn split_once(&self, pattern: &str) -> Option<(&str, &str)>;
    fn rsplit_once(&self, pattern: &str) -> Option<(&str, &str)>;
    fn strip_prefix(&self, pattern: &str) -> Option<&str>;
    fn strip_suffix(&self, pattern: &str) -> Option<&str>;
    fn trim(&self) -> &str;
    fn trim_start(&self) -> &str;
    fn trim_end(&self) -> &str;
    fn to_string(&self) -> String;
    fn as_bytes(&self) -> slice<u8>;
    fn find(&self, pattern: &str) -> Option<usize>;
    fn get(&self, r: usize) -> Option<&str>;
}

pub trait String: str {
    fn new() -> String;
    fn with_capacity(n: usize) -> String;
    fn as_str(&self) -> &str;
    fn into_bytes(self) -> Vec<u8>;
    fn pop(&mut self) -> Option<char>;
}

pub trait bool {
    fn then<T>(self, f: impl FnOnce() -> T) -> Option<T>;
    fn then_some<T>(self, value: T) -> Option<T>;
}
