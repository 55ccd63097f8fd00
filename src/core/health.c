#include "core/health.h"

uint32_t
health_ewma(uint32_t ewma, bool ok)
{
	return (7 * ewma + (ok ? 3 * HEALTH_ONE : 0)) / 10;
}

uint32_t
health_rate(uint64_t ok, uint64_t total)
{
	if (total == 0)
		return HEALTH_ONE;
	/* Keep the product within 64 bits after very many calls. */
	while (ok > UINT64_MAX / HEALTH_ONE) {
		ok >>= 1;
		total >>= 1;
	}
	return (uint32_t)(ok * HEALTH_ONE / total);
}

uint32_t
health_score(uint32_t rate, uint32_t ewma)
{
	return (3 * rate + 7 * ewma) / 10;
}

enum health_class
health_class(uint32_t score, bool open)
{
	if (open || score < HEALTH_ONE / 2)
		return HEALTH_UNHEALTHY;
	return score < HEALTH_ONE / 10 * 8 ? HEALTH_DEGRADED : HEALTH_HEALTHY;
}

const char *
health_class_name(enum health_class c)
{
	static const char *const names[] = {"healthy", "degraded", "unhealthy"};

	return names[c];
}
