namespace System;

class __Array<T> : IList<T> { int Length; }
delegate void Action();
class Type { string Name; string FullName; object Assembly; }
class __Mapper<A, R> { R __call__(A value); }
class __Test<A> { bool __call__(A value); }
class __Use<A> { void __call__(A value); }

interface IEnumerator<T> { T Current { get; } bool MoveNext(); T __next__(); }

interface IEnumerable<T>
{
    IEnumerator<T> GetEnumerator();
    IEnumerator<T> __iter__();
    IEnumerable<R> Select<R>(__Mapper<T, R> map);
    IEnumerable<R> SelectMany<R>(__Mapper<T, IEnumerable<R>> map);
    IEnumerable<T> Where(__Test<T> test);
    IEnumerable<T> OrderBy<K>(__Mapper<T, K> key);
    IEnumerable<T> OrderByDescending<K>(__Mapper<T, K> key);
    IEnumerable<T> Concat(IEnumerable<T> other);
    IEnumerable<T> Distinct();
    IEnumerable<T> Skip(int count);
    IEnumerable<T> Take(int count);
    IEnumerable<T> Reverse();
    T First(__Test<T> test);
    T FirstOrDefault(__Test<T> test);
    T Last(__Test<T> test);
    T LastOrDefault(__Test<T> test);
    T Single(__Test<T> test);
    T SingleOrDefault(__Test<T> test);
    bool Any(__Test<T> test);
    bool All(__Test<T> test);
    int Count(__Test<T> test);
    List<T> ToList();
    T[] ToArray();
}

interface ICollection<T> : IEnumerable<T> { int Count { get; } void Add(T item); bool Remove(T item); bool Contains(T item); void Clear(); }
interface IReadOnlyCollection<T> : IEnumerable<T> { int Count { get; } }
interface IReadOnlyList<T> : IReadOnlyCollection<T> { T __getitem__(int index); }
interface IList<T> : ICollection<T> { T __getitem__(int index); int IndexOf(T item); void Insert(int index, T item); void RemoveAt(int index); }
class List<T> : IList<T>
{
    void AddRange(IEnumerable<T> items);
    T Find(__Test<T> test);
    void ForEach(__Use<T> action);
    int RemoveAll(__Test<T> test);
}
interface ISet<T> : ICollection<T> { }
class HashSet<T> : ISet<T> { }
class SortedSet<T> : ISet<T> { }
class Queue<T> : IEnumerable<T> { int Count { get; } void Enqueue(T item); T Dequeue(); T Peek(); }
class Stack<T> : IEnumerable<T> { int Count { get; } void Push(T item); T Pop(); T Peek(); }
class ConcurrentQueue<T> : IEnumerable<T> { void Enqueue(T item); }
class ConcurrentBag<T> : IEnumerable<T> { void Add(T item); }

class KeyValuePair<K, V> { K Key; V Value; }
interface IReadOnlyDictionary<K, V> : IEnumerable<KeyValuePair<K, V>> { int Count { get; } IEnumerable<K> Keys { get; } IEnumerable<V> Values { get; } V __getitem__(K key); bool ContainsKey(K key); bool TryGetValue(K key, V value); }
interface IDictionary<K, V> : IReadOnlyDictionary<K, V> { void Add(K key, V value); bool Remove(K key); void Clear(); }
class Dictionary<K, V> : IDictionary<K, V> { bool TryAdd(K key, V value); }
class SortedDictionary<K, V> : IDictionary<K, V> { }
class ConcurrentDictionary<K, V> : IDictionary<K, V> { V GetOrAdd(K key, __Mapper<K, V> make); bool TryAdd(K key, V value); }

class Task<T> { T Result { get; } T __await__(); Task<T> ConfigureAwait(bool keep); }
class ValueTask<T> { T Result { get; } T __await__(); ValueTask<T> ConfigureAwait(bool keep); }
class Lazy<T> { T Value { get; } bool IsValueCreated { get; } }
class Nullable<T> { T Value { get; } bool HasValue { get; } }
class ThreadLocal<T> { T Value { get; } }
class AsyncLocal<T> { T Value { get; } }
class WeakReference<T> { bool TryGetTarget(T target); }
