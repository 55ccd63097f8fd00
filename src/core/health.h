/*
 * How a dependency does, for people; the gate never looks at it.
 *
 * Values are millionths.  A rate is the share of good calls since the start.  The
 * moving average starts at one million and goes three tenths of the way to each
 * new outcome.  Slow calls that succeed are good calls here.
 */
#ifndef CORE_HEALTH_H
#define CORE_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#define HEALTH_ONE 1000000U

enum health_class { HEALTH_HEALTHY, HEALTH_DEGRADED, HEALTH_UNHEALTHY };

/* The moving average after one more outcome; rounds down. */
uint32_t health_ewma(uint32_t ewma, bool ok);

/* ok/total rounded down; one million before the first call. */
uint32_t health_rate(uint64_t ok, uint64_t total);

/* Three tenths rate and seven tenths average; rounds down. */
uint32_t health_score(uint32_t rate, uint32_t ewma);

/* An open breaker is unhealthy whatever its score. */
enum health_class health_class(uint32_t score, bool open);

/* "healthy", "degraded" or "unhealthy". */
const char *health_class_name(enum health_class c);

#endif
