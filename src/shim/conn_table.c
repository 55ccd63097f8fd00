#include "shim/conn_table.h"

#include <string.h>

#include "shim/fds.h"
#include "shim/guard.h"
#include "sys/rawproc.h"

#define PLACES 8192 /* a power of two; place 0 stays empty */
#define WAYS 64
#define SPINS 200
#define YIELDS 2000 /* of who holds the lock and was put off by the scheduler */
#define HELLO_BUCKETS 2048
#define HELLO_WAYS 8
#define AT_ONCE_NS UINT64_C(5000000)
#define CLOSING UINT32_MAX /* instead of a number of descriptors */

static struct conn conns[PLACES];
static atomic_u32 of_fd[FDS_MAX];		       /* a struct conn_ref */
static atomic_u64 of_hello[HELLO_BUCKETS][HELLO_WAYS]; /* half a random, a struct conn_ref */
static atomic_u32 has_hellos;
static atomic_u32 end;

static uint32_t
word_of(struct conn_ref ref)
{
	return (uint32_t)ref.version << 16 | ref.place;
}

static struct conn_ref
ref_of(uint32_t word)
{
	return (struct conn_ref){(uint16_t)word, (uint16_t)(word >> 16)};
}

static void
raise_end(uint32_t place)
{
	uint32_t was = load_relaxed(&end);

	while (was <= place && !cas_acq_rel(&end, &was, place + 1))
		;
}

static void
clear(struct conn *c)
{
	size_t from = offsetof(struct conn, is_paused), to = offsetof(struct conn, asked);

	memset((char *)c + from, 0, to - from);
	c->far_host[0] = '\0';
}

struct conn *
conn_new(int fd, struct conn_ref *ref)
{
	for (uint32_t way = 0; way < WAYS; way++) {
		uint32_t place = 1 + ((uint32_t)fd + way) % (PLACES - 1), none = 0;
		struct conn *c = &conns[place];

		if (load_relaxed(&c->refs) != 0 || !cas_acq_rel(&c->refs, &none, 1))
			continue;
		raise_end(place);
		store_relaxed(&c->lock, guard_thread());
		store_relaxed(&c->is_lost, 0);
		clear(c);
		store_relaxed(&c->fd, (uint32_t)fd);
		*ref = (struct conn_ref){(uint16_t)place, (uint16_t)load_relaxed(&c->version)};
		return c;
	}
	return NULL;
}

/* The same thread holds it where a signal handler came in between, or never came back. */
static bool
take_lock(struct conn *c)
{
	uint32_t me = guard_thread();

	for (unsigned tries = 0; tries < SPINS + YIELDS; tries++) {
		uint32_t holder = 0;

		if (cas_acq_rel(&c->lock, &holder, me))
			return true;
		if (holder == me)
			break;
		if (tries >= SPINS)
			raw_yield();
	}
	store_relaxed(&c->is_lost, 1);
	return false;
}

static bool
is_of(const struct conn *c, struct conn_ref ref)
{
	return ref.place != 0 && (uint16_t)load_relaxed(&c->version) == ref.version;
}

/* Locked; NULL: it is not that connection any more. */
static struct conn *
still(struct conn *c, struct conn_ref ref)
{
	if (is_of(c, ref) && load_relaxed(&c->is_lost) == 0)
		return c;
	conn_unlock(c);
	return NULL;
}

struct conn *
conn_lock(struct conn_ref ref)
{
	struct conn *c = &conns[ref.place % PLACES];

	if (!is_of(c, ref) || load_relaxed(&c->is_lost) != 0 || !take_lock(c))
		return NULL;
	return still(c, ref);
}

struct conn *
conn_try_lock(struct conn_ref ref)
{
	struct conn *c = &conns[ref.place % PLACES];
	uint32_t holder = 0;

	if (!is_of(c, ref) || load_relaxed(&c->is_lost) != 0 ||
	    !cas_acq_rel(&c->lock, &holder, guard_thread()))
		return NULL;
	return still(c, ref);
}

struct conn *
conn_lock_last(struct conn_ref ref)
{
	struct conn *c = &conns[ref.place % PLACES];

	if (!take_lock(c))
		store_relaxed(&c->lock, guard_thread());
	return c;
}

void
conn_unlock(struct conn *c)
{
	store_release(&c->lock, 0);
}

struct conn_ref
conn_at(int fd)
{
	if (!fds_is_followed(fd))
		return (struct conn_ref){0, 0};
	return ref_of(load_relaxed(&of_fd[fd]));
}

uint32_t
conn_stands_in(struct conn_ref ref)
{
	const struct conn *c = &conns[ref.place % PLACES];

	return is_of(c, ref) ? load_relaxed(&c->stands_in) : 0;
}

bool
conn_hold(struct conn_ref ref)
{
	struct conn *c = &conns[ref.place % PLACES];
	uint32_t refs = load_relaxed(&c->refs);

	while (is_of(c, ref) && refs != 0 && refs != CLOSING)
		if (cas_acq_rel(&c->refs, &refs, refs + 1))
			return true;
	return false;
}

void
conn_add(struct conn_ref ref, int fd)
{
	if ((unsigned)fd >= FDS_MAX)
		return;
	store_relaxed(&of_fd[fd], word_of(ref));
	fds_set_kind(fd, FDS_FOLLOWED);
}

/* fd stands for it no longer, another one does. */
static void
find_fd(struct conn *c, struct conn_ref ref, int fd)
{
	if (load_relaxed(&c->fd) != (uint32_t)fd)
		return;
	for (unsigned other = 0; other < fds_end(); other++)
		if (fds_is_followed((int)other) && load_relaxed(&of_fd[other]) == word_of(ref))
			store_relaxed(&c->fd, other);
}

bool
conn_drop(int fd, struct conn_ref *ref)
{
	*ref = conn_at(fd);
	if (ref->place == 0 || !fds_unfollow(fd))
		return false;
	struct conn *c = &conns[ref->place % PLACES];
	uint32_t refs = load_relaxed(&c->refs);

	if (!is_of(c, *ref))
		return false;
	while (refs != 0 && refs != CLOSING)
		if (cas_acq_rel(&c->refs, &refs, refs == 1 ? CLOSING : refs - 1)) {
			if (refs > 1)
				find_fd(c, *ref, fd);
			return refs == 1;
		}
	return false;
}

void
conn_free(struct conn *c)
{
	add_relaxed(&c->version, 1);
	store_relaxed(&c->lock, 0);
	store_release(&c->refs, 0);
}

bool
conn_wait_begin(struct conn_ref ref, uint64_t now_ns)
{
	struct conn *c = &conns[ref.place % PLACES];

	if (!is_of(c, ref) || load_relaxed(&c->waits_since_ns) != 0)
		return false;
	store_relaxed(&c->waits_since_ns, now_ns);
	return load_relaxed(&c->is_paused) != 0;
}

bool
conn_wait_end(struct conn_ref ref, uint64_t since_ns, uint64_t now_ns)
{
	struct conn *c = &conns[ref.place % PLACES];

	if (now_ns - since_ns >= AT_ONCE_NS || !is_of(c, ref) ||
	    load_relaxed(&c->waits_since_ns) != since_ns)
		return false;
	store_relaxed(&c->waits_since_ns, 0);
	return load_relaxed(&c->is_paused) != 0;
}

static atomic_u64 *
bucket_of(uint64_t hello)
{
	return of_hello[(uint32_t)hello % HELLO_BUCKETS];
}

static bool
is_named(uint64_t word, uint64_t hello)
{
	struct conn_ref ref = ref_of((uint32_t)word);

	return word >> 32 == hello >> 32 && is_of(&conns[ref.place % PLACES], ref);
}

bool
conn_name_hello(struct conn *c, struct conn_ref ref, uint64_t hello)
{
	atomic_u64 *bucket = bucket_of(hello);

	for (unsigned way = 0; way < HELLO_WAYS; way++) {
		uint64_t word = load_relaxed(&bucket[way]);
		struct conn_ref other = ref_of((uint32_t)word);

		if (is_of(&conns[other.place % PLACES], other) ||
		    !cas_acq_rel(&bucket[way], &word, hello >> 32 << 32 | word_of(ref)))
			continue;
		c->hello = hello;
		store_relaxed(&has_hellos, 1);
		return true;
	}
	return false;
}

bool
conn_has_hellos(void)
{
	return load_relaxed(&has_hellos) != 0;
}

struct conn_ref
conn_by_hello(uint64_t hello)
{
	atomic_u64 *bucket = bucket_of(hello);

	for (unsigned way = 0; way < HELLO_WAYS; way++) {
		uint64_t word = load_relaxed(&bucket[way]);

		if (is_named(word, hello))
			return ref_of((uint32_t)word);
	}
	return (struct conn_ref){0, 0};
}

void
conn_each(void (*visit)(struct conn *c))
{
	for (uint32_t place = 1; place < load_relaxed(&end); place++)
		if (load_relaxed(&conns[place].refs) != 0)
			visit(&conns[place]);
}

void
conn_each_after_fork(void (*visit)(struct conn *c))
{
	for (uint32_t place = 1; place < load_relaxed(&end); place++) {
		struct conn *c = &conns[place];
		uint32_t refs = load_relaxed(&c->refs);

		if (refs == 0)
			continue;
		if (refs == CLOSING || load_relaxed(&c->lock) != 0)
			store_relaxed(&c->is_lost, 1);
		store_relaxed(&c->lock, 0);
		if (refs == CLOSING)
			conn_free(c);
		else
			visit(c);
	}
}
