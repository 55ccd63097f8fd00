/* UTF-8, one character at a time. */
#ifndef CORE_UTF8_H
#define CORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many bytes the character at the begin of len > 0 bytes takes, with its value; 0:
 * it is malformed (too long, cut short, a surrogate, beyond Unicode).
 */
unsigned utf8_decode(const char *bytes, size_t len, uint32_t *value);

/* C0, DEL and C1. */
bool utf8_is_control(uint32_t value);

#endif
