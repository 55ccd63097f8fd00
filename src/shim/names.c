#include "shim/names.h"

#include <netinet/in.h>
#include <string.h>

#include "core/seqlock.h"
#include "shim/hooks.h"

#define SLOTS 2048 /* names; a power of two */
#define SLOT_BITS 11
#define WAYS 8	       /* places that a name may have */
#define ADDRESSES 4096 /* a power of two */
#define ADDRESS_WAYS 4
#define RECENT 16 /* look-ups of one thread */

struct name_value {
	uint32_t epoch; /* of the text: counts the names that this slot has held */
	uint32_t stamp;
	uint8_t len;
	uint8_t count;
	struct dest_addr addr[NAMES_ADDRESSES];
	char text[DEST_NAME_MAX + 1];
};

struct address_value {
	struct dest_addr addr;
	struct named named;
	uint32_t stamp;
};

static struct {
	atomic_u32 seq;
	atomic_u64 words[SEQ_WORDS(struct name_value)];
} names[SLOTS];

static struct {
	atomic_u32 seq;
	atomic_u64 words[SEQ_WORDS(struct address_value)];
} addresses[ADDRESSES];

static __thread struct {
	uint32_t tag;
	struct named named;
} recent[RECENT];

static atomic_u32 stamps;

static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* The name in lower case without its trailing dot.  False: empty or too long. */
static bool
normalize(const char *name, struct name_value *v)
{
	size_t len = strnlen(name, DEST_NAME_MAX + 2);

	if (len > 0 && name[len - 1] == '.')
		len--;
	if (len == 0 || len > DEST_NAME_MAX)
		return false;
	for (size_t i = 0; i < len; i++)
		v->text[i] = lower(name[i]);
	v->text[len] = '\0';
	v->len = (uint8_t)len;
	return true;
}

static uint64_t
hash_text(const struct name_value *v)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < v->len; i++)
		hash = (hash ^ (uint8_t)v->text[i]) * UINT64_C(0x100000001b3);
	return mix(hash);
}

bool
names_sockaddr(const struct sockaddr *sa, socklen_t len, struct dest_addr *addr, int32_t *port)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (!may_be_read(sa) || len < sizeof(sa->sa_family))
		return false;
	memset(addr, 0, sizeof(*addr));
	if (sa->sa_family == AF_INET && len >= sizeof(in)) {
		memcpy(&in, sa, sizeof(in));
		addr->family = 4;
		memcpy(addr->bytes, &in.sin_addr, 4);
		*port = ntohs(in.sin_port);
		return true;
	}
	/* Older programs leave out the scope. */
	if (sa->sa_family != AF_INET6 || len < sizeof(in6) - sizeof(in6.sin6_scope_id))
		return false;
	memset(&in6, 0, sizeof(in6));
	memcpy(&in6, sa, len < sizeof(in6) ? len : sizeof(in6));
	*port = ntohs(in6.sin6_port);
	addr->family = IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr) ? 4 : 6;
	if (addr->family == 4)
		memcpy(addr->bytes, &in6.sin6_addr.s6_addr[12], 4);
	else
		memcpy(addr->bytes, &in6.sin6_addr, 16);
	return true;
}

uint64_t
names_hash(const struct dest_addr *addr)
{
	uint64_t high, low;

	memcpy(&high, addr->bytes, 8);
	memcpy(&low, addr->bytes + 8, 8);
	return mix(high + mix(low + addr->family));
}

static bool
read_name(unsigned slot, struct name_value *out)
{
	return seq_read(&names[slot].seq, names[slot].words, out, sizeof(*out));
}

static bool
same_text(const struct name_value *a, const struct name_value *b)
{
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* Where the name lies, or the oldest of its places and false. */
static bool
find_name(const struct name_value *wanted, unsigned *slot, struct name_value *found)
{
	unsigned home = (unsigned)hash_text(wanted) % SLOTS;
	uint32_t now = load_relaxed(&stamps), age = 0;

	*slot = home;
	for (unsigned way = 0; way < WAYS; way++) {
		unsigned s = (home + way) % SLOTS;

		if (!read_name(s, found))
			continue;
		if (same_text(found, wanted)) {
			*slot = s;
			return true;
		}
		if (found->epoch == 0 || now - found->stamp > age) {
			age = found->epoch == 0 ? UINT32_MAX : now - found->stamp;
			*slot = s;
		}
	}
	return false;
}

/* The place of addr in v, added when it is new and there is room; the last place else. */
static uint8_t
place_of(struct name_value *v, const struct dest_addr *addr)
{
	uint8_t i = 0;

	while (i < v->count && !dest_addr_equal(&v->addr[i], addr))
		i++;
	if (i == NAMES_ADDRESSES)
		return NAMES_ADDRESSES - 1;
	if (i == v->count)
		v->addr[v->count++] = *addr;
	return i;
}

/* What a fallback was told for is no name of the address. */
static bool
becomes_shared(const struct named *was, const struct named *is)
{
	return was->is_shared || (was->ref != 0 && is->ref != 0 && was->ref != is->ref &&
				  !was->of_fallback && !is->of_fallback);
}

static void
learn_address(const struct address_value *learnt)
{
	struct address_value value = *learnt, *v = &value;
	uint64_t hash = names_hash(&v->addr);
	unsigned home = (unsigned)hash % ADDRESSES, place = home;
	struct address_value there;
	uint32_t age = 0;

	for (unsigned way = 0; way < ADDRESS_WAYS; way++) {
		unsigned p = (home + way) % ADDRESSES;

		if (!seq_read(&addresses[p].seq, addresses[p].words, &there, sizeof(there)))
			continue;
		if (dest_addr_equal(&there.addr, &v->addr) || there.addr.family == 0) {
			v->named.is_shared = becomes_shared(&there.named, &v->named);
			place = p;
			break;
		}
		if (v->stamp - there.stamp > age) {
			age = v->stamp - there.stamp;
			place = p;
		}
	}
	seq_write(&addresses[place].seq, addresses[place].words, v, sizeof(*v));
	recent[(unsigned)hash % RECENT].tag = (uint32_t)(hash >> 32);
	recent[(unsigned)hash % RECENT].named = learnt->named;
}

unsigned
names_list(const struct addrinfo *list, struct dest_addr out[NAMES_ADDRESSES])
{
	struct name_value v = {0};
	struct dest_addr addr;
	int32_t port;

	for (const struct addrinfo *a = list; a != NULL; a = a->ai_next)
		if (names_sockaddr(a->ai_addr, a->ai_addrlen, &addr, &port))
			place_of(&v, &addr);
	memcpy(out, v.addr, v.count * sizeof(v.addr[0]));
	return v.count;
}

/* Writes the name with its addresses and fills in the rest of v; its reference, 0: none. */
static uint32_t
write_name(const char *name, struct name_value *v)
{
	struct name_value old;
	unsigned slot;

	if (!normalize(name, v))
		return 0;
	v->stamp = add_relaxed(&stamps, 1);
	bool known = find_name(v, &slot, &old);

	if (!known && !read_name(slot, &old))
		return 0;
	/* Zero would make a reference that stands for no name. */
	v->epoch = known ? old.epoch : old.epoch % (UINT32_MAX >> SLOT_BITS) + 1;
	if (!seq_write(&names[slot].seq, names[slot].words, v, sizeof(*v)))
		return 0;
	return v->epoch << SLOT_BITS | slot;
}

uint32_t
names_note(const char *name, const struct dest_addr *addr, unsigned count)
{
	struct name_value v = {0};

	for (unsigned i = 0; i < count; i++)
		place_of(&v, &addr[i]);
	return write_name(name, &v);
}

void
names_learn(const char *name, const struct addrinfo *list)
{
	struct name_value v = {0};
	struct named named;
	struct dest_addr addr;
	int32_t port;

	v.count = (uint8_t)names_list(list, v.addr);
	named = (struct named){.ref = write_name(name, &v), .total = v.count};
	/* The list has an address once for each type of socket; learning it again is harmless. */
	for (const struct addrinfo *a = list; named.ref != 0 && a != NULL; a = a->ai_next) {
		if (!names_sockaddr(a->ai_addr, a->ai_addrlen, &addr, &port))
			continue;
		named.index = place_of(&v, &addr);
		learn_address(
			&(struct address_value){.addr = addr, .named = named, .stamp = v.stamp});
	}
}

struct named
names_of(const struct dest_addr *addr, uint64_t hash)
{
	unsigned home = (unsigned)hash % ADDRESSES;
	struct address_value there;

	if (recent[(unsigned)hash % RECENT].named.ref != 0 &&
	    recent[(unsigned)hash % RECENT].tag == (uint32_t)(hash >> 32))
		return recent[(unsigned)hash % RECENT].named;
	for (unsigned way = 0; way < ADDRESS_WAYS; way++) {
		unsigned p = (home + way) % ADDRESSES;

		/* The first free place is taken first, and none is ever freed. */
		if (load_relaxed(&addresses[p].seq) == 0)
			break;
		if (seq_read(&addresses[p].seq, addresses[p].words, &there, sizeof(there)) &&
		    dest_addr_equal(&there.addr, addr))
			return there.named;
	}
	return (struct named){.total = 1};
}

bool
names_learn_fallback(const char *name, int32_t port, bool is_its_port, const struct addrinfo *list)
{
	struct named named = {
		.ref = names_reference(name),
		.total = 1,
		.of_fallback = true,
		.fallback_port = (uint16_t)(port > 0 ? port : 0),
	};
	struct dest_addr addr[NAMES_ADDRESSES];
	unsigned count = names_list(list, addr);
	uint32_t stamp = add_relaxed(&stamps, 1);
	struct named now[NAMES_ADDRESSES];

	for (unsigned i = 0; i < count; i++) {
		now[i] = names_of(&addr[i], names_hash(&addr[i]));
		if (now[i].ref != 0 && now[i].ref != named.ref &&
		    (now[i].of_fallback || !is_its_port))
			return false;
	}
	for (unsigned i = 0; i < count; i++) {
		named.index = (uint8_t)i;
		if (now[i].ref == 0 || now[i].of_fallback)
			learn_address(&(struct address_value){addr[i], named, stamp});
	}
	return true;
}

void
names_forget_fallback(const struct addrinfo *list)
{
	struct dest_addr addr[NAMES_ADDRESSES];
	unsigned count = names_list(list, addr);

	for (unsigned i = 0; i < count; i++)
		if (names_of(&addr[i], names_hash(&addr[i])).of_fallback)
			learn_address(&(struct address_value){
				addr[i], {.total = 1}, add_relaxed(&stamps, 1)});
}

struct span
names_text(uint32_t ref, char buf[DEST_NAME_MAX + 1])
{
	struct name_value v;

	buf[0] = '\0';
	if (ref == 0 || !read_name(ref % SLOTS, &v) || v.epoch != ref >> SLOT_BITS)
		return (struct span){buf, 0};
	memcpy(buf, v.text, v.len);
	buf[v.len] = '\0';
	return (struct span){buf, v.len};
}

uint32_t
names_reference(const char *name)
{
	struct name_value wanted = {0}, found;
	unsigned slot;

	return normalize(name, &wanted) && find_name(&wanted, &slot, &found)
		       ? found.epoch << SLOT_BITS | slot
		       : 0;
}

unsigned
names_addresses(const char *name, struct dest_addr out[NAMES_ADDRESSES])
{
	struct name_value wanted = {0}, found;
	unsigned slot;

	if (!normalize(name, &wanted) || !find_name(&wanted, &slot, &found))
		return 0;
	memcpy(out, found.addr, sizeof(found.addr));
	return found.count;
}
