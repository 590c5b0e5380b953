interface Iterator<T> {
  __next__(): T
  next(): IteratorResult<T>
}
interface IteratorResult<T> {
  value: T
  done: boolean
}
interface Iterable<T> {
  __iter__(): Iterator<T>
}
interface IterableIterator<T> extends Iterable<T> {
  next(): IteratorResult<T>
}
interface Generator<T> extends IterableIterator<T> {}
interface AsyncIterable<T> {
  __iter__(): Iterator<T>
}
interface AsyncIterator<T> extends AsyncIterable<T> {}
interface AsyncGenerator<T> extends AsyncIterable<T> {}
interface AsyncIterableIterator<T> extends AsyncIterable<T> {}
interface ArrayLike<T> {
  readonly length: number
  readonly [n: number]: T
}
interface PromiseLike<T> {
  __await__(): T
  then<U>(fulfilled: (value: T) => U, rejected?: (reason: unknown) => U): Promise<U>
}
declare class Promise<T> {
  constructor(executor: (resolve: (value: T) => void, reject: (reason: unknown) => void) => void)
  __await__(): T
  then<U>(fulfilled: (value: T) => U, rejected?: (reason: unknown) => U): Promise<U>
  catch(rejected: (reason: unknown) => unknown): Promise<T>
  finally(done: () => void): Promise<T>
  static resolve<T>(value: T): Promise<T>
  static reject(reason: unknown): Promise<unknown>
  static all<T>(values: Iterable<T>): Promise<Awaited<T>[]>
  static race<T>(values: Iterable<T>): Promise<T>
  static any<T>(values: Iterable<T>): Promise<T>
}
interface ReadonlyArray<T> {
  length: number
  __getitem__(index: number): T
  at(index: number): T
  concat(...items: T[]): T[]
  slice(start?: number, end?: number): T[]
  filter(predicate: (value: T, index: number, array: T[]) => unknown): T[]
  map<U>(callback: (value: T, index: number, array: T[]) => U): U[]
  flatMap<U>(callback: (value: T, index: number, array: T[]) => U[]): U[]
  forEach(callback: (value: T, index: number, array: T[]) => void): void
  find(predicate: (value: T, index: number, array: T[]) => unknown): T
  findLast(predicate: (value: T, index: number, array: T[]) => unknown): T
  findIndex(predicate: (value: T, index: number, array: T[]) => unknown): number
  findLastIndex(predicate: (value: T, index: number, array: T[]) => unknown): number
  some(predicate: (value: T, index: number, array: T[]) => unknown): boolean
  every(predicate: (value: T, index: number, array: T[]) => unknown): boolean
  reduce<U>(callback: (previous: U, value: T, index: number, array: T[]) => U, initial: U): U
  reduceRight<U>(callback: (previous: U, value: T, index: number, array: T[]) => U, initial: U): U
  includes(value: T): boolean
  indexOf(value: T): number
  join(separator?: string): string
  keys(): IterableIterator<number>
  values(): IterableIterator<T>
  entries(): IterableIterator<[number, T]>
}
declare class Array<T> implements ReadonlyArray<T> {
  push(...items: T[]): number
  unshift(...items: T[]): number
  pop(): T
  shift(): T
  splice(start: number, count?: number, ...items: T[]): T[]
  sort(compare?: (a: T, b: T) => number): T[]
  reverse(): T[]
  fill(value: T): T[]
  static from<T, U>(values: Iterable<T>, callback?: (value: T, index: number) => U): T[]
  static of<T>(...items: T[]): T[]
  static isArray(value: unknown): boolean
}
interface ReadonlyMap<K, V> {
  size: number
  get(key: K): V
  has(key: K): boolean
  forEach(callback: (value: V, key: K) => void): void
  keys(): IterableIterator<K>
  values(): IterableIterator<V>
  entries(): IterableIterator<[K, V]>
  __iter__(): Iterator<[K, V]>
}
declare class Map<K, V> implements ReadonlyMap<K, V> {
  constructor(entries?: Iterable<[K, V]>)
  set(key: K, value: V): Map<K, V>
  delete(key: K): boolean
  clear(): void
}
declare class WeakMap<K, V> {
  get(key: K): V
  has(key: K): boolean
  set(key: K, value: V): WeakMap<K, V>
  delete(key: K): boolean
}
interface ReadonlySet<T> {
  size: number
  has(value: T): boolean
  forEach(callback: (value: T) => void): void
  keys(): IterableIterator<T>
  values(): IterableIterator<T>
  __iter__(): Iterator<T>
}
declare class Set<T> implements ReadonlySet<T> {
  constructor(values?: Iterable<T>)
  add(value: T): Set<T>
  delete(value: T): boolean
  clear(): void
}
declare class WeakSet<T> {
  add(value: T): WeakSet<T>
  has(value: T): boolean
  delete(value: T): boolean
}
declare class WeakRef<T> {
  constructor(target: T)
  deref(): T
}
interface Record<K, V> {
  [key: string]: V
}
interface ThisType<T> {}
declare class Object {
  static keys(value: unknown): string[]
  static values<V>(value: Record<string, V>): V[]
  static entries<V>(value: Record<string, V>): [string, V][]
  static assign<T, U>(target: T, source: U, ...more: unknown[]): T
  static freeze<T>(value: T): T
  static create<T>(prototype: T): T
  static getPrototypeOf<T>(value: T): T
}
interface String {
  length: number
  split(separator: string | RegExp): string[]
  slice(start?: number, end?: number): string
  trim(): string
  replace(pattern: string | RegExp, replacement: string): string
  toLowerCase(): string
  toUpperCase(): string
  substring(start: number, end?: number): string
  __getitem__(index: number): string
}
interface Number {
  toFixed(digits?: number): string
  toString(radix?: number): string
}
interface Boolean {}
interface Symbol {}
interface BigInt {}
interface RegExp {
  source: string
  test(text: string): boolean
  exec(text: string): string[]
}
type Partial<T> = T
type Required<T> = T
type Readonly<T> = T
type Pick<T, K> = T
type Omit<T, K> = T
type NoInfer<T> = T
