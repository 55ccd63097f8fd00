#include "shim/refusal.h"

#include "core/answer.h"

static __thread struct {
	int number; /* 0: none */
	struct gate_target target;
} refused[REFUSAL_KINDS];

static __thread char text[ANSWER_TEXT_MAX];

void
refusal_set(enum refusal_kind kind, int number, const struct gate_target *t)
{
	refused[kind].number = number;
	refused[kind].target = *t;
}

void
refusal_clear(enum refusal_kind kind)
{
	refused[kind].number = 0;
}

void
refusal_outdate(enum refusal_kind kind, int number)
{
	if (refused[kind].number == number)
		refused[kind].number = 0;
}

char *
refusal_text(enum refusal_kind kind, int number)
{
	if (__builtin_expect(number == 0 || refused[kind].number != number, 1) ||
	    !gate_is_there(&refused[kind].target))
		return NULL;
	gate_message(&refused[kind].target, gate_now_ns(), text, sizeof(text));
	return text;
}
