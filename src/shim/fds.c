#include "shim/fds.h"

#include "core/seqlock.h"

#define KIND_MASK UINT32_C(3)
#define WRITING UINT32_C(8)
#define SEQUENCE_ONE UINT32_C(16)

atomic_u32 fds_words[FDS_MAX];

static atomic_u64 attempts[FDS_MAX][SEQ_WORDS(struct attempt)];

static atomic_u32 end;

static void
raise_end(int fd)
{
	uint32_t was = load_relaxed(&end);

	while (was <= (uint32_t)fd && !cas_acq_rel(&end, &was, (uint32_t)fd + 1))
		;
}

static uint32_t
next_sequence(uint32_t word)
{
	return (word & ~(SEQUENCE_ONE - 1)) + SEQUENCE_ONE;
}

void
fds_set_kind(int fd, enum fds_kind kind)
{
	if ((unsigned)fd >= FDS_MAX)
		return;
	store_relaxed(&fds_words[fd], next_sequence(load_relaxed(&fds_words[fd])) | kind);
	raise_end(fd);
}

enum fds_kind
fds_get_kind(int fd)
{
	return (unsigned)fd < FDS_MAX ? (enum fds_kind)(load_relaxed(&fds_words[fd]) & KIND_MASK)
				      : FDS_UNKNOWN;
}

bool
fds_unfollow(int fd)
{
	uint32_t word = load_relaxed(&fds_words[fd]);

	return (word & (KIND_MASK | FDS_PENDING)) == FDS_FOLLOWED &&
	       cas_acq_rel(&fds_words[fd], &word, next_sequence(word) | FDS_UNKNOWN);
}

bool
fds_put(int fd, const struct attempt *a)
{
	if ((unsigned)fd >= FDS_MAX)
		return false;
	uint32_t word = load_relaxed(&fds_words[fd]);
	uint32_t writing = next_sequence(word) | WRITING | (word & KIND_MASK);

	if ((word & WRITING) != 0 || !cas_acq_rel(&fds_words[fd], &word, writing))
		return false;
	seq_store_words(attempts[fd], a, sizeof(*a));
	raise_end(fd);
	return cas_acq_rel(&fds_words[fd], &writing, (writing & ~WRITING) | FDS_PENDING);
}

static bool
look(int fd, uint32_t word, struct attempt *out)
{
	if ((word & FDS_PENDING) == 0)
		return false;
	seq_load_words(out, attempts[fd], sizeof(*out));
	atomic_thread_fence(memory_order_acquire);
	return true;
}

static bool
take(int fd, struct attempt *out, bool connected)
{
	if (!fds_is_pending(fd))
		return false;
	uint32_t word = load_acquire(&fds_words[fd]);
	uint32_t kind = connected ? FDS_OTHER : word & KIND_MASK;

	return look(fd, word, out) &&
	       cas_acq_rel(&fds_words[fd], &word, next_sequence(word) | kind);
}

bool
fds_take(int fd, struct attempt *out)
{
	return take(fd, out, false);
}

bool
fds_take_connected(int fd, struct attempt *out)
{
	return take(fd, out, true);
}

unsigned
fds_end(void)
{
	return load_relaxed(&end);
}

void
fds_after_fork(void)
{
	for (unsigned fd = 0; fd < fds_end(); fd++)
		if (fds_is_pending((int)fd))
			fds_set_kind((int)fd, fds_get_kind((int)fd));
}
