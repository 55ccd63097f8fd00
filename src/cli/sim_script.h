/*
 * A simulation's script: from a buffer to statements.  The format is cutout(1)'s.
 *
 * The parser is pure.  It calls back for the breaker that each name means and for
 * every error, one a line, in the order of the lines.
 */
#ifndef CLI_SIM_SCRIPT_H
#define CLI_SIM_SCRIPT_H

#include "core/breaker.h"
#include "core/text.h"

#define SIM_TIME_MAX_S UINT64_C(1000000000) /* of a time and of a duration */
#define SIM_CALLS_MAX UINT64_C(1000000)	    /* of one statement */
#define SIM_WORDS_MAX 64		    /* of one line */
#define SIM_ERROR_MAX 512

enum sim_verb {
	SIM_CALL,
	SIM_END,
	SIM_BURST,
	SIM_EVERY,
	SIM_PROBE,
	SIM_FORCE,
	SIM_MARK,
	SIM_EXPECT
};

/* The first three are the values of enum outcome. */
enum sim_ending { SIM_OK, SIM_FAIL, SIM_NEUTRAL, SIM_HANG };

enum sim_field {
	SIM_ADMISSION, /* of a call; value: it was admitted */
	SIM_STATE,     /* enum breaker_state */
	SIM_REASON,    /* enum reason */
	SIM_CLASS,     /* enum health_class */
	SIM_SCORE,     /* millionths */
	SIM_TOTAL,
	SIM_FAILED,
	SIM_SLOW,
	SIM_CONSECUTIVE,
	SIM_ADMITTED,
	SIM_REFUSED,
	SIM_PROBES,
	SIM_COOLDOWN_MS,
	SIM_GENERATION
};

/* One thing that an expect statement says. */
struct sim_term {
	enum sim_field field;
	uint64_t value;
};

struct sim_breaker;

struct sim_statement {
	uint64_t at_ns;
	struct sim_breaker *breaker; /* NULL: it is about a call */
	struct span id;
	uint32_t call; /* number of the id */
	uint32_t line;
	enum sim_verb verb;
	enum sim_ending ending;
	enum force force;
	uint64_t count;
	uint64_t apart_ns;
	uint64_t length_ns;		 /* of each call or probe; UINT64_MAX: it never ends */
	uint32_t first_term, term_count; /* in the script's terms */
};

struct sim_script {
	struct sim_statement *statements;
	struct sim_term *terms;
	uint32_t statement_count;
	uint32_t term_count;
	uint32_t call_count; /* different ids */
};

/* Finds the breaker that name means.  NULL: none; *why then holds the reason. */
typedef struct sim_breaker *sim_find_fn(void *context, struct span name, struct text *why);

/* A sentence without a full stop. */
typedef void sim_error_fn(void *context, unsigned line, const char *text);

/*
 * Parses len bytes of text, which must outlive *out.  False: there was an error.
 * sim_script_free() follows in both cases.
 */
bool sim_script_parse(struct sim_script *out, const char *text, size_t len, sim_find_fn *find,
		      sim_error_fn *on_error, void *context);
void sim_script_free(struct sim_script *script);

/* Appends FIELD=VALUE, or the word alone for a state and an admission. */
void sim_term_print(struct text *t, struct sim_term term);

#endif
