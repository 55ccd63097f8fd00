#include "shim/lookup.h"

#include <errno.h>

#include "shim/hooks.h"

static int
numeric(const struct dest_addr *addr, const char *service, const struct addrinfo *hints,
	struct addrinfo **out)
{
	struct addrinfo wanted = {.ai_family = AF_UNSPEC};
	char text[DEST_TEXT_MAX];

	if (hints != NULL)
		wanted = *hints;
	/* Which addresses the machine has would be asked of the network. */
	wanted.ai_flags = (wanted.ai_flags & ~(AI_ADDRCONFIG | AI_CANONNAME)) | AI_NUMERICHOST;
	dest_addr_print(addr, text);
	return REAL(getaddrinfo)(text, service, &wanted, out);
}

int
lookup_numeric(const struct dest_addr *addr, unsigned count, const char *service,
	       const struct addrinfo *hints, struct addrinfo **out)
{
	struct addrinfo *first = NULL, **end = &first;

	if (hints != NULL && (hints->ai_flags & AI_CANONNAME) != 0)
		return EAI_AGAIN;
	for (unsigned i = 0; i < count; i++) {
		if (numeric(&addr[i], service, hints, end) != 0)
			*end = NULL;
		while (*end != NULL)
			end = &(*end)->ai_next;
	}
	if (first == NULL)
		return EAI_AGAIN;
	*out = first;
	return 0;
}

void
lookup_count(const struct gate_call *call, const struct dest *d, int eai)
{
	uint64_t now_ns = gate_now_ns();

	if (eai == EAI_AGAIN || eai == EAI_FAIL)
		gate_done(call, d, LOOKUP_EDGE, now_ns, now_ns - call->ticket.start_ns,
			  OUTCOME_FAIL, eai == EAI_AGAIN ? "EAI_AGAIN" : "EAI_FAIL");
}
