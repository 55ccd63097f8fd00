#include "shim/curl_refusal.h"

#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <stddef.h>
#include <strings.h>

#define NUMBER_OF(info) ((info)&CURLINFO_MASK)

/* Infos newer than the headers of curl 7.88. */
#define INFO_XFER_ID 63
#define INFO_CONN_ID 64

/* By the number of an info; what is not listed is zero, or no text. */
enum tell { TELL_ZERO, TELL_MINUS_ONE, TELL_EMPTY, TELL_URL, TELL_ERROR, TELL_REAL };

static const unsigned char tells[] = {
	[NUMBER_OF(CURLINFO_EFFECTIVE_URL)] = TELL_URL,
	[NUMBER_OF(CURLINFO_OS_ERRNO)] = TELL_ERROR,
	[NUMBER_OF(CURLINFO_PRIMARY_IP)] = TELL_EMPTY,
	[NUMBER_OF(CURLINFO_LOCAL_IP)] = TELL_EMPTY,
	[NUMBER_OF(CURLINFO_FILETIME_T)] = TELL_MINUS_ONE,
	[NUMBER_OF(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)] = TELL_MINUS_ONE,
	[NUMBER_OF(CURLINFO_CONTENT_LENGTH_UPLOAD_T)] = TELL_MINUS_ONE,
	[NUMBER_OF(CURLINFO_ACTIVESOCKET)] = TELL_MINUS_ONE,
	[29 /* CURLINFO_LASTSOCKET */] = TELL_MINUS_ONE,
	[INFO_CONN_ID] = TELL_MINUS_ONE,

	/* Of the handle, not of a transfer. */
	[NUMBER_OF(CURLINFO_PRIVATE)] = TELL_REAL,
	[NUMBER_OF(CURLINFO_SSL_ENGINES)] = TELL_REAL,
	[NUMBER_OF(CURLINFO_COOKIELIST)] = TELL_REAL,
	[NUMBER_OF(CURLINFO_FTP_ENTRY_PATH)] = TELL_REAL,
	[NUMBER_OF(CURLINFO_RTSP_SESSION_ID)] = TELL_REAL,
	[NUMBER_OF(CURLINFO_RTSP_CLIENT_CSEQ)] = TELL_REAL,
	[NUMBER_OF(CURLINFO_RTSP_SERVER_CSEQ)] = TELL_REAL,
	[NUMBER_OF(CURLINFO_RTSP_CSEQ_RECV)] = TELL_REAL,
	[43 /* CURLINFO_TLS_SESSION */] = TELL_REAL,
	[NUMBER_OF(CURLINFO_TLS_SSL_PTR)] = TELL_REAL,
	[NUMBER_OF(CURLINFO_EFFECTIVE_METHOD)] = TELL_REAL,
	[NUMBER_OF(CURLINFO_REFERER)] = TELL_REAL,
	[NUMBER_OF(CURLINFO_CAINFO)] = TELL_REAL,
	[NUMBER_OF(CURLINFO_CAPATH)] = TELL_REAL,
	[INFO_XFER_ID] = TELL_REAL,
};

static enum tell
tell_of(int info)
{
	unsigned number = (unsigned)info & CURLINFO_MASK;

	return number < sizeof(tells) ? (enum tell)tells[number] : TELL_ZERO;
}

static long
number_of(const struct curl_refusal *r, int info)
{
	switch (tell_of(info)) {
	case TELL_MINUS_ONE:
		return -1;
	case TELL_ERROR:
		return r->error;
	default:
		return 0;
	}
}

static const char *
text_of(const struct curl_refusal *r, int info)
{
	switch (tell_of(info)) {
	case TELL_URL:
		return r->url;
	case TELL_EMPTY:
		return "";
	default:
		return NULL;
	}
}

/* A list: the certificates, of which there are none. */
static bool
no_certificates(int info, void *out)
{
	static struct curl_certinfo none;

	if (info != CURLINFO_CERTINFO)
		return false;
	*(struct curl_certinfo **)out = &none;
	return true;
}

static bool
is_tls(const char *url)
{
	return strncasecmp(url, "https:", 6) == 0;
}

/* Older ones write the scheme in upper case. */
static const char *
scheme_of(const char *told)
{
	return told == NULL ? NULL : told[0] == 'H' ? "HTTPS" : "https";
}

void
curl_answer_info(const struct curl_refusal *r, int info, void *out)
{
	if (out == NULL)
		return;
	switch (info) {
	case CURLINFO_EFFECTIVE_URL:
		*(const char **)out = r->url;
		break;
	case CURLINFO_PRIMARY_IP:
	case CURLINFO_LOCAL_IP:
		*(const char **)out = "";
		break;
	case CURLINFO_SCHEME:
		if (is_tls(r->url))
			*(const char **)out = scheme_of(*(const char **)out);
		break;
	case CURLINFO_PROTOCOL:
		if (is_tls(r->url))
			*(long *)out = CURLPROTO_HTTPS;
		break;
	}
}

bool
curl_refusal_info(const struct curl_refusal *r, int info, void *out)
{
	if (out == NULL || tell_of(info) == TELL_REAL)
		return false;
	switch (info & CURLINFO_TYPEMASK) {
	case CURLINFO_STRING:
		*(const char **)out = text_of(r, info);
		return true;
	case CURLINFO_LONG:
		*(long *)out = number_of(r, info);
		return true;
	case CURLINFO_DOUBLE:
		*(double *)out = (double)number_of(r, info);
		return true;
	case CURLINFO_OFF_T:
		*(curl_off_t *)out = number_of(r, info);
		return true;
	case CURLINFO_SOCKET:
		*(curl_socket_t *)out = CURL_SOCKET_BAD;
		return true;
	case CURLINFO_SLIST:
		return no_certificates(info, out);
	default:
		return false;
	}
}
