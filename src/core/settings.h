/*
 * What a section of the rules file says, as values.  Durations are nanoseconds,
 * shares are thousandths, text points into the rules file that was read.
 */
#ifndef CORE_SETTINGS_H
#define CORE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of text that somebody else owns, without a terminating zero. */
struct span {
	const char *at;
	uint32_t len;
};

enum probe_kind { PROBE_CALL, PROBE_TCP, PROBE_TCP_TARGET, PROBE_URL };
enum answer_kind { ANSWER_TEXT, ANSWER_HTTP };
enum mode { MODE_ENFORCE, MODE_OBSERVE, MODE_OFF };

/* What the breaker itself needs. */
struct breaker_config {
	uint64_t window_ns;	   /* at least 10 slots of 1 ns */
	uint64_t slot_ns;	   /* a tenth of the window, rounded up */
	uint64_t latency_ns;	   /* the pNN limit; 0 off */
	uint32_t latency_permille; /* 990 for p99 */
	uint32_t failure_permille; /* 0 off */
	uint32_t consecutive;	   /* 0 never trips */
	uint32_t min_samples;
	uint64_t cooldown_ns;
	uint64_t cooldown_max_ns; /* at least cooldown_ns */
	uint32_t cooldown_jitter_permille;
	uint32_t probe_successes;
	uint64_t probe_interval_ns;
	uint64_t lease_ns; /* probe_timeout; 0 no lease */
	uint64_t ramp_ns;  /* 0 no ramp */
	bool probe_is_call;
	bool late_failure_extends;
};

#define STATUS_RANGES_MAX 16
#define FALLBACKS_MAX 8

struct status_ranges {
	uint8_t count;
	struct {
		uint16_t low, high;
	} range[STATUS_RANGES_MAX];
};

struct settings {
	struct breaker_config breaker;
	enum mode mode;
	enum probe_kind probe;
	struct span probe_target; /* HOST:PORT or the URL */
	struct status_ranges probe_expect;
	struct status_ranges fail_status;
	int refuse_errno; /* the platform's number */
	enum answer_kind answer;
	uint16_t answer_status;
	struct span message; /* len 0: the default text */
	struct span alert;   /* len 0: none */
	uint8_t fallback_count;
	struct span fallback[FALLBACKS_MAX];
};

/* The values of the contract's table. */
void settings_default(struct settings *s);

/*
 * A number below 2^48 for all that decides about a breaker: equal settings give the same;
 * not 0.
 * probe_is_call is left out: probe says it, and who has no prober may change it.
 */
uint64_t settings_hash(const struct settings *s);

/* True when status lies in one of the ranges. */
bool status_in(const struct status_ranges *r, unsigned status);

#endif
