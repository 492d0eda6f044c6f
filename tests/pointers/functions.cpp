// Twenty functions that publish, read and reclaim memory through atomic pointers.
#include <atomic>
#include <cstdint>
using std::atomic;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

struct Node { int value; atomic<Node *> next; };
struct Counted { atomic<int> strong; int value; };
struct Slot { atomic<unsigned> sequence; int value; };
struct Ring { atomic<unsigned> head, tail; int cells[2]; };

extern "C" {

// Read-copy-update: a reader follows a published pointer, twice.
int rcu_read(atomic<Node *> *root) {
  Node *node = root->load(memory_order_acquire);
  return node->value + node->value;
}
// A writer publishes a node.
void rcu_publish(atomic<Node *> *root, Node *node, int value) {
  node->value = value;
  node->next.store(nullptr, memory_order_relaxed);
  root->store(node, memory_order_release);
}
// A reader that is ready for an empty root.
int rcu_read_or(atomic<Node *> *root, int otherwise) {
  Node *node = root->load(memory_order_acquire);
  return node ? node->value : otherwise;
}
// Two hops through a list.
int list_second(atomic<Node *> *root) {
  Node *first = root->load(memory_order_acquire);
  if (!first) return -1;
  Node *second = first->next.load(memory_order_acquire);
  return second ? second->value : -2;
}
// One attempt to push onto a Treiber stack.
bool stack_push(atomic<Node *> *top, Node *node) {
  Node *old = top->load(memory_order_relaxed);
  node->next.store(old, memory_order_relaxed);
  return top->compare_exchange_strong(old, node, memory_order_release, memory_order_relaxed);
}
// One attempt to pop.
Node *stack_pop(atomic<Node *> *top) {
  Node *old = top->load(memory_order_acquire);
  if (!old) return nullptr;
  Node *next = old->next.load(memory_order_relaxed);
  return top->compare_exchange_strong(old, next, memory_order_acquire, memory_order_relaxed) ? old : nullptr;
}
// Taking a whole stack at once.
Node *stack_take(atomic<Node *> *top) { return top->exchange(nullptr, memory_order_acq_rel); }
// A hazard pointer is set and checked.
Node *hazard_protect(atomic<Node *> *root, atomic<Node *> *hazard) {
  Node *node = root->load(memory_order_relaxed);
  hazard->store(node, memory_order_seq_cst);
  return root->load(memory_order_seq_cst) == node ? node : nullptr;
}
// The other side: unlink, then look whether anybody holds it.
bool hazard_retire(atomic<Node *> *root, atomic<Node *> *hazard) {
  Node *old = root->exchange(nullptr, memory_order_seq_cst);
  return hazard->load(memory_order_seq_cst) != old;
}
void hazard_clear(atomic<Node *> *hazard) { hazard->store(nullptr, memory_order_release); }
// Arc: another owner.
void arc_clone(Counted *object) { object->strong.fetch_add(1, memory_order_relaxed); }
// Arc: the last owner may free.
int arc_drop(Counted *object) {
  if (object->strong.fetch_sub(1, memory_order_release) != 1) return 0;
  std::atomic_thread_fence(memory_order_acquire);
  return object->value;
}
// Arc: an owner who is alone.
int *arc_get_mut(Counted *object) {
  return object->strong.load(memory_order_acquire) == 1 ? &object->value : nullptr;
}
// Double-checked locking, the fast path.
int dclp_fast(atomic<Node *> *instance) {
  Node *found = instance->load(memory_order_acquire);
  if (found) return found->value;
  return 0;
}
// Double-checked locking: two who make it, one wins.
Node *dclp_install(atomic<Node *> *instance, Node *mine) {
  Node *expected = nullptr;
  mine->value = 42;
  if (instance->compare_exchange_strong(expected, mine, memory_order_acq_rel, memory_order_acquire)) return mine;
  return expected;
}
// A sequence lock: one attempt to read.
bool seqlock_read(Slot *slot, int *out) {
  unsigned before = slot->sequence.load(memory_order_acquire);
  int value = __atomic_load_n(&slot->value, __ATOMIC_RELAXED);
  std::atomic_thread_fence(memory_order_acquire);
  unsigned after = slot->sequence.load(memory_order_relaxed);
  *out = value;
  return before == after && !(before & 1);
}
// A sequence lock: write.
void seqlock_write(Slot *slot, int value) {
  unsigned sequence = slot->sequence.load(memory_order_relaxed);
  slot->sequence.store(sequence + 1, memory_order_relaxed);
  std::atomic_thread_fence(memory_order_release);
  __atomic_store_n(&slot->value, value, __ATOMIC_RELAXED);
  slot->sequence.store(sequence + 2, memory_order_release);
}
// A queue of one producer and one consumer.
bool ring_push(Ring *ring, int value) {
  unsigned tail = ring->tail.load(memory_order_relaxed);
  if (tail - ring->head.load(memory_order_acquire) == 2) return false;
  ring->cells[tail & 1] = value;
  ring->tail.store(tail + 1, memory_order_release);
  return true;
}
bool ring_pop(Ring *ring, int *out) {
  unsigned head = ring->head.load(memory_order_relaxed);
  if (head == ring->tail.load(memory_order_acquire)) return false;
  *out = ring->cells[head & 1];
  ring->head.store(head + 1, memory_order_release);
  return true;
}
// A deque of Chase and Lev: the owner takes from its end.
int deque_take(Ring *ring) {
  unsigned bottom = ring->tail.load(memory_order_relaxed) - 1;
  ring->tail.store(bottom, memory_order_relaxed);
  std::atomic_thread_fence(memory_order_seq_cst);
  unsigned top = ring->head.load(memory_order_relaxed);
  if (top == bottom) {
    bool won = ring->head.compare_exchange_strong(top, top + 1, memory_order_seq_cst, memory_order_relaxed);
    ring->tail.store(bottom + 1, memory_order_relaxed);
    return won ? ring->cells[bottom & 1] : -1;
  }
  return ring->cells[bottom & 1];
}
}
