/* The words of a simulation's script, for its parser alone. */
#ifndef CLI_SIM_WORDS_H
#define CLI_SIM_WORDS_H

#include "cli/sim_script.h"

/* A list of words ends in NULL. */
extern const char *const sim_verbs[];	/* as enum sim_verb */
extern const char *const sim_endings[]; /* as enum sim_ending */
extern const char *const sim_forces[];	/* auto open closed, as enum force */
extern const char *const sim_fields[];	/* as enum sim_field; "" for the first two */
extern const char *const sim_states[];	/* as enum breaker_state */
extern const char *const sim_reasons[]; /* as enum reason */
extern const char *const sim_classes[]; /* as enum health_class */
extern const char *const sim_answers[]; /* refused, admitted */

/* How each statement is written, as enum sim_verb. */
extern const char *const sim_usages[];

/* Its place in the list, or -1. */
int sim_word_find(const char *const *list, struct span word);

/* Appends " (did you mean 'WORD'?)" where one of the list is near. */
void sim_word_suggest(struct text *t, const char *const *list, struct span word);

/* Seconds with up to nine decimals. */
bool sim_read_time(struct span word, uint64_t *ns);

/* 250ms 5s 1.5s 2m 1h */
bool sim_read_duration(struct span word, uint64_t *ns);

bool sim_read_number(struct span word, uint64_t max, uint64_t *number);

/* 0.689999 as millionths; at most 1. */
bool sim_read_score(struct span word, uint64_t *millionths);

/* Reads what stands behind NAME or ID in an expect statement. */
bool sim_term_read(struct span word, struct sim_term *out, struct text *why);

#endif
