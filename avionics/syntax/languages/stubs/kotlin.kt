package kotlin

open class Any {
    fun equals(other: Any?): Boolean
    fun hashCode(): Int
    fun toString(): String
}

class Array<T> {
    val size: Int
    fun get(index: Int): T
    fun __getitem__(index: Int): T
    fun __iter__(): Iterator<T>
}

interface Iterator<T> {
    fun hasNext(): Boolean
    fun next(): T
    fun __next__(): T
}

interface Iterable<T> {
    fun iterator(): Iterator<T>
    fun __iter__(): Iterator<T>
    fun forEach(action: (T) -> Unit)
    fun <R> map(transform: (T) -> R): List<R>
    fun <R> mapNotNull(transform: (T) -> R?): List<R>
    fun <R> flatMap(transform: (T) -> Iterable<R>): List<R>
    fun filter(test: (T) -> Boolean): List<T>
    fun filterNot(test: (T) -> Boolean): List<T>
    fun filterNotNull(): List<T>
    fun first(test: (T) -> Boolean = 1): T
    fun firstOrNull(test: (T) -> Boolean = 1): T?
    fun last(test: (T) -> Boolean = 1): T
    fun lastOrNull(test: (T) -> Boolean = 1): T?
    fun single(test: (T) -> Boolean = 1): T
    fun singleOrNull(test: (T) -> Boolean = 1): T?
    fun find(test: (T) -> Boolean): T?
    fun any(test: (T) -> Boolean = 1): Boolean
    fun all(test: (T) -> Boolean): Boolean
    fun none(test: (T) -> Boolean = 1): Boolean
    fun count(test: (T) -> Boolean = 1): Int
    fun <R> sortedBy(key: (T) -> R): List<T>
    fun <R> maxByOrNull(key: (T) -> R): T?
    fun <R> minByOrNull(key: (T) -> R): T?
    fun <K> groupBy(key: (T) -> K): Map<K, List<T>>
    fun <K> associateBy(key: (T) -> K): Map<K, T>
    fun distinct(): List<T>
    fun reversed(): List<T>
    fun take(count: Int): List<T>
    fun drop(count: Int): List<T>
    fun toList(): List<T>
    fun toMutableList(): MutableList<T>
    fun toSet(): Set<T>
    fun asSequence(): Sequence<T>
    fun joinToString(separator: String = "", transform: (T) -> String = 1): String
}

interface Sequence<T> : Iterable<T> {
    fun <R> map(transform: (T) -> R): Sequence<R>
    fun <R> mapNotNull(transform: (T) -> R?): Sequence<R>
    fun <R> flatMap(transform: (T) -> Iterable<R>): Sequence<R>
    fun filter(test: (T) -> Boolean): Sequence<T>
    fun filterNot(test: (T) -> Boolean): Sequence<T>
    fun filterNotNull(): Sequence<T>
    fun <R> sortedBy(key: (T) -> R): Sequence<T>
    fun distinct(): Sequence<T>
    fun take(count: Int): Sequence<T>
    fun drop(count: Int): Sequence<T>
}
interface Collection<T> : Iterable<T> {
    val size: Int
    fun isEmpty(): Boolean
    fun isNotEmpty(): Boolean
    fun contains(value: T): Boolean
}
interface MutableCollection<T> : Collection<T> {
    fun add(value: T): Boolean
    fun remove(value: T): Boolean
    fun clear()
}
interface List<T> : Collection<T> {
    val lastIndex: Int
    fun get(index: Int): T
    fun getOrNull(index: Int): T?
    fun indexOf(value: T): Int
    fun subList(from: Int, to: Int): List<T>
    fun __getitem__(index: Int): T
}
interface MutableList<T> : List<T>, MutableCollection<T> {
    fun set(index: Int, value: T): T
    fun removeAt(index: Int): T
    fun removeFirst(): T
    fun removeLast(): T
}
class ArrayList<T> : MutableList<T>
class ArrayDeque<T> : MutableList<T>
interface Set<T> : Collection<T>
interface MutableSet<T> : Set<T>, MutableCollection<T>
class HashSet<T> : MutableSet<T>
class LinkedHashSet<T> : MutableSet<T>

interface Map<K, V> : Iterable<Map.Entry<K, V>> {
    interface Entry<K, V> {
        val key: K
        val value: V
    }
    val size: Int
    val keys: Set<K>
    val values: Collection<V>
    val entries: Set<Map.Entry<K, V>>
    fun get(key: K): V?
    fun getValue(key: K): V
    fun getOrElse(key: K, other: () -> V): V
    fun containsKey(key: K): Boolean
    fun filter(test: (Map.Entry<K, V>) -> Boolean): Map<K, V>
    fun filterNot(test: (Map.Entry<K, V>) -> Boolean): Map<K, V>
    fun toList(): List<Pair<K, V>>
    fun __getitem__(key: K): V
}
interface MutableMap<K, V> : Map<K, V> {
    fun put(key: K, value: V): V?
    fun remove(key: K): V?
    fun getOrPut(key: K, make: () -> V): V
}
class HashMap<K, V> : MutableMap<K, V>
class LinkedHashMap<K, V> : MutableMap<K, V>

class Pair<A, B>(val first: A, val second: B)
class Triple<A, B, C>(val first: A, val second: B, val third: C)
class IndexedValue<T>(val index: Int, val value: T)
interface Lazy<T> { val value: T }

fun <T> listOf(vararg values: T): List<T>
fun <T> mutableListOf(vararg values: T): MutableList<T>
fun <T> arrayListOf(vararg values: T): ArrayList<T>
fun <T> arrayOf(vararg values: T): Array<T>
fun <T> setOf(vararg values: T): Set<T>
fun <T> mutableSetOf(vararg values: T): MutableSet<T>
fun <T> emptyList(): List<T>
fun <T> sequenceOf(vararg values: T): Sequence<T>
fun <T> requireNotNull(value: T?): T
fun <T> checkNotNull(value: T?): T
