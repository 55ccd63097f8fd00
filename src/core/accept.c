#include "core/accept.h"

#include "core/letters.h"

#define WEIGHT_ONE 1000

static struct span
trim(struct span s)
{
	while (s.len > 0 && (*s.at == ' ' || *s.at == '\t')) {
		s.at++;
		s.len--;
	}
	while (s.len > 0 && (s.at[s.len - 1] == ' ' || s.at[s.len - 1] == '\t'))
		s.len--;
	return s;
}

/* Cuts the piece up to the separator off the front of *rest; quoted ones are skipped. */
static struct span
next_piece(struct span *rest, char separator)
{
	struct span piece = {rest->at, 0};
	bool quoted = false;

	while (piece.len < rest->len && (quoted || rest->at[piece.len] != separator)) {
		if (rest->at[piece.len] == '"')
			quoted = !quoted;
		else if (quoted && rest->at[piece.len] == '\\' && piece.len + 1 < rest->len)
			piece.len++;
		piece.len++;
	}
	uint32_t taken = piece.len + (piece.len < rest->len);

	rest->at += taken;
	rest->len -= taken;
	return trim(piece);
}

/* Thousandths; what is no weight stands for one. */
static uint16_t
weight_of(struct span q)
{
	uint16_t weight = 0, unit = WEIGHT_ONE;
	uint32_t i = 0;

	if (q.len > 0 && (*q.at == '0' || *q.at == '1')) {
		weight = *q.at == '1' ? WEIGHT_ONE : 0;
		i = 1;
	}
	if (i == q.len)
		return i == 0 ? WEIGHT_ONE : weight;
	if (q.at[i] != '.')
		return WEIGHT_ONE;
	for (i++; i < q.len && unit > 1; i++) {
		if (q.at[i] < '0' || q.at[i] > '9')
			return WEIGHT_ONE;
		unit /= 10;
		weight = (uint16_t)(weight + unit * (q.at[i] - '0'));
	}
	return weight < WEIGHT_ONE ? weight : WEIGHT_ONE;
}

static uint16_t *
place_of(struct accept *a, struct span type)
{
	if (letters_are(type, "text/event-stream"))
		return &a->events;
	if (letters_begin(type, "text/"))
		return &a->text;
	if (letters_are(type, "application/json") || letters_end(type, "+json"))
		return &a->json;
	if (letters_are(type, "application/*"))
		return &a->any_application;
	/* Java's older client writes a single star. */
	if (letters_are(type, "*/*") || letters_are(type, "*"))
		return &a->any;
	return NULL;
}

void
accept_read(struct accept *a, struct span value)
{
	while (value.len > 0) {
		struct span range = next_piece(&value, ',');
		uint16_t *place = place_of(a, next_piece(&range, ';'));
		uint16_t weight = WEIGHT_ONE;

		while (range.len > 0) {
			struct span parameter = next_piece(&range, ';');

			if (letters_begin(parameter, "q="))
				weight = weight_of(
					(struct span){parameter.at + 2, parameter.len - 2});
		}
		if (place != NULL && *place < weight + 1)
			*place = (uint16_t)(weight + 1);
	}
}

bool
accept_prefers_text(const struct accept *a)
{
	bool names_json = a->json > 0 || a->any_application > 0;
	uint16_t json = a->json > 0 ? a->json : names_json ? a->any_application : a->any;
	uint16_t text = a->text > 0 ? a->text : a->any;

	/* A weight of zero says "not that". */
	if (text <= 1)
		return false;
	return text > json || (text == json && a->text > 0 && !names_json);
}

bool
accept_wants_events(const struct accept *a)
{
	return a->events > 1;
}
