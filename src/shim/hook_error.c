/*
 * The thread that was refused reads the message where it would read the system's text
 * for that error, or libcurl's.
 */
#include <curl/curl.h>
#include <errno.h>
#include <locale.h>
#include <netdb.h>
#include <string.h>

#include "shim/hooks.h"
#include "shim/real.h"
#include "shim/refusal.h"

/* As much as fits, and whole characters alone. */
static void
copy(char *to, size_t size, const char *from)
{
	size_t len = strlen(from);

	if (size == 0)
		return;
	if (len >= size) {
		len = size - 1;
		while (len > 0 && ((unsigned char)from[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(to, from, len);
	to[len] = '\0';
}

EXPORT char *
strerror(int number)
{
	char *message = refusal_text(REFUSAL_CONNECT, number);

	return message != NULL ? message : REAL(strerror)(number);
}

EXPORT char *
strerror_l(int number, locale_t locale)
{
	char *message = refusal_text(REFUSAL_CONNECT, number);

	return message != NULL ? message : REAL(strerror_l)(number, locale);
}

#ifdef __GLIBC__

EXPORT char *
strerror_r(int number, char *buf, size_t size)
{
	char *message = refusal_text(REFUSAL_CONNECT, number);

	if (message == NULL || size == 0)
		return REAL(strerror_r)(number, buf, size);
	copy(buf, size, message);
	return buf;
}

EXPORT int __xpg_strerror_r(int number, char *buf, size_t size);

EXPORT int
__xpg_strerror_r(int number, char *buf, size_t size)
{
	char *message = refusal_text(REFUSAL_CONNECT, number);

	if (message == NULL)
		return REAL(__xpg_strerror_r)(number, buf, size);
	copy(buf, size, message);
	return strlen(message) < size ? 0 : ERANGE;
}

#endif

/* libcurl itself asks for what it puts into the error of a later transfer. */
EXPORT const char *
curl_easy_strerror(CURLcode code)
{
	const void *caller = __builtin_return_address(0);
	const char *message = real_is_curl(caller) ? NULL : refusal_text(REFUSAL_CURL, (int)code);
	const char *(*text_of)(CURLcode) =
		message == NULL ? real_for("curl_easy_strerror", caller) : NULL;

	if (message != NULL)
		return message;
	return text_of != NULL ? text_of(code) : "";
}

EXPORT const char *
gai_strerror(int number)
{
	char *message = refusal_text(REFUSAL_RESOLVE, number);

	return message != NULL ? message : REAL(gai_strerror)(number);
}
