namespace std {
template <typename T> class initializer_list { T __getitem__(int at); };
template <typename T> class vector {
  public:
    typedef __iterator<T> iterator; typedef __iterator<T> const_iterator; typedef __iterator<T> reverse_iterator; typedef __iterator<T> const_reverse_iterator;
    typedef T value_type; typedef T reference; typedef T const_reference;
    T __getitem__(int at); T at(int at); T front(); T back(); T data(); __iterator<T> begin(); __iterator<T> end();
    __iterator<T> cbegin(); __iterator<T> cend(); __iterator<T> rbegin(); __iterator<T> rend(); __iterator<T> erase(int at);
    __iterator<T> insert(int at, T value); T emplace_back(int value);
};
template <typename T> class deque : public vector<T> {};
template <typename T> class list : public vector<T> {};
template <typename T> class forward_list : public vector<T> {};
template <typename T, int N> class array : public vector<T> {};
template <typename T> class span : public vector<T> {};
template <typename T> class set {
  public:
    typedef __iterator<T> iterator; typedef __iterator<T> const_iterator; typedef __iterator<T> reverse_iterator; typedef __iterator<T> const_reverse_iterator;
    typedef T value_type; typedef T reference; typedef T const_reference;
    T __getitem__(int at); __iterator<T> begin(); __iterator<T> end(); __iterator<T> find(T key);
    __iterator<T> lower_bound(T key); __iterator<T> upper_bound(T key); pair<__iterator<T>, int> insert(T value);
    pair<__iterator<T>, int> emplace(int value); __iterator<T> erase(T key);
};
template <typename T> class multiset : public set<T> {};
template <typename T> class unordered_set : public set<T> {};
template <typename T> class queue { public: T front(); T back(); T top(); };
template <typename T> class priority_queue : public queue<T> {};
template <typename T> class stack : public queue<T> {};
template <typename A, typename B> class pair { public: A first; B second; };
template <typename A, typename B, typename C, typename D, typename E, typename F, typename G, typename H> class tuple {
  public: A _0; B _1; C _2; D _3; E _4; F _5; G _6; H _7;
};
template <typename K, typename V> class map {
  public:
    typedef __iterator<pair<K, V>> iterator; typedef __iterator<pair<K, V>> const_iterator; typedef __iterator<pair<K, V>> reverse_iterator; typedef __iterator<pair<K, V>> const_reverse_iterator;
    typedef pair<K, V> value_type; typedef pair<K, V> reference; typedef pair<K, V> const_reference;
    typedef K key_type; typedef V mapped_type;
    V __getitem__(K key); V at(K key); __iterator<pair<K, V>> __iter__(); __iterator<pair<K, V>> begin();
    __iterator<pair<K, V>> end(); __iterator<pair<K, V>> rbegin(); __iterator<pair<K, V>> rend();
    __iterator<pair<K, V>> find(K key); __iterator<pair<K, V>> lower_bound(K key);
    __iterator<pair<K, V>> upper_bound(K key); pair<__iterator<pair<K, V>>, int> insert(pair<K, V> value);
    pair<__iterator<pair<K, V>>, int> emplace(K key, V value); __iterator<pair<K, V>> erase(K key);
};
template <typename K, typename V> class unordered_map : public map<K, V> {};
template <typename K, typename V> class multimap : public map<K, V> {};
template <typename T> class unique_ptr { public: T __deref__(); T get(); T release(); void reset(T value); };
template <typename T> class shared_ptr { public: T __deref__(); T get(); void reset(T value); int use_count(); };
template <typename T> class weak_ptr { public: shared_ptr<T> lock(); void reset(); int expired(); };
template <typename T> class optional { public: T __deref__(); T value(); T value_or(T other); int has_value(); };
template <typename T> class atomic { public: T load(int order); void store(T value, int order); T exchange(T value); };
template <typename T> class reference_wrapper { public: T __deref__(); T get(); };
template <typename T> class function { public: T __call__(); };
class string { public: const char* c_str(); int size(); string substr(int at, int count); string append(string more); };
class string_view : public string {};
template <typename T> class remove_reference { public: typedef T type; };
template <typename T> class remove_const : public remove_reference<T> {};
template <typename T> class remove_volatile : public remove_reference<T> {};
template <typename T> class remove_cv : public remove_reference<T> {};
template <typename T> class remove_cvref : public remove_reference<T> {};
template <typename T> class remove_extent : public remove_reference<T> {};
template <typename T> class remove_all_extents : public remove_reference<T> {};
template <typename T> class remove_pointer : public remove_reference<T> {};
template <typename T> class decay : public remove_reference<T> {};
template <typename T> class type_identity : public remove_reference<T> {};
template <typename T> class add_const : public remove_reference<T> {};
template <typename T> class add_pointer : public remove_reference<T> {};
template <typename T> class add_lvalue_reference : public remove_reference<T> {};
template <typename T> class add_rvalue_reference : public remove_reference<T> {};
template <typename T> T declval();
template <typename T> T move(T value);
template <typename T> T forward(T value);
template <typename T> T ref(T value);
template <typename T> T cref(T value);
template <typename T> T as_const(T value);
template <typename T> T addressof(T value);
template <typename T, typename U> T exchange(T value, U given);
template <typename T, typename U> T max(T one, U other);
template <typename T, typename U> T min(T one, U other);
template <typename I> I next(I at, int count = 1);
template <typename I> I prev(I at, int count = 1);
template <typename I, typename V> I find(I begin, I end, V value);
template <typename I, typename F> I find_if(I begin, I end, F test);
template <typename I, typename F> I find_if_not(I begin, I end, F test);
template <typename I, typename F> I max_element(I begin, I end, F before = 0);
template <typename I, typename F> I min_element(I begin, I end, F before = 0);
template <typename I, typename V, typename F> I lower_bound(I begin, I end, V value, F before = 0);
template <typename I, typename V, typename F> I upper_bound(I begin, I end, V value, F before = 0);
template <typename I, typename F> I partition(I begin, I end, F test);
template <typename I, typename F> I remove_if(I begin, I end, F test);
template <typename A, typename B, typename C, typename D, typename E, typename F, typename G, typename H>
tuple<A, B, C, D, E, F, G, H> make_tuple(A a, B b = 0, C c = 0, D d = 0, E e = 0, F f = 0, G g = 0, H h = 0);
template <typename A, typename B> pair<A, B> make_pair(A first, B second);
}
template <typename T> class __iterator { public: T __deref__(); T __next__(); };
