#include "shim/curl_outcome.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>

/* Codes newer than the headers of curl 7.88. */
#define CODE_TOO_LARGE 100
#define CODE_ECH_REQUIRED 101
#define CODES 102

#define GIVE_UP_NS UINT64_C(1000000000)

#define OK (OUTCOME_OK + 1)
#define FAIL (OUTCOME_FAIL + 1)

/* What is not listed is neutral: a proxy that has no address is not the dependency. */
static const unsigned char verdicts[CODES] = {
	[CURLE_OK] = OK,

	[CURLE_COULDNT_RESOLVE_HOST] = FAIL,
	[CURLE_COULDNT_CONNECT] = FAIL,
	[CURLE_PROXY] = FAIL,
	[CURLE_OPERATION_TIMEDOUT] = FAIL,
	[CURLE_SEND_ERROR] = FAIL,
	[CURLE_RECV_ERROR] = FAIL,
	[CURLE_GOT_NOTHING] = FAIL,
	[CURLE_PARTIAL_FILE] = FAIL,
	[CURLE_WEIRD_SERVER_REPLY] = FAIL,
	[CURLE_BAD_CONTENT_ENCODING] = FAIL,
	[CURLE_HTTP2] = FAIL,
	[CURLE_HTTP2_STREAM] = FAIL,
	[CURLE_HTTP3] = FAIL,
	[CURLE_QUIC_CONNECT_ERROR] = FAIL,

	[CURLE_SSL_CONNECT_ERROR] = FAIL,
	[CURLE_PEER_FAILED_VERIFICATION] = FAIL,
	[CURLE_USE_SSL_FAILED] = FAIL,
	[CURLE_SSL_SHUTDOWN_FAILED] = FAIL,
	[CURLE_SSL_ISSUER_ERROR] = FAIL,
	[CURLE_SSL_PINNEDPUBKEYNOTMATCH] = FAIL,
	[CURLE_SSL_INVALIDCERTSTATUS] = FAIL,
	[CODE_ECH_REQUIRED] = FAIL,

	[CURLE_FTP_ACCEPT_FAILED] = FAIL,
	[CURLE_FTP_ACCEPT_TIMEOUT] = FAIL,
	[CURLE_FTP_WEIRD_PASS_REPLY] = FAIL,
	[CURLE_FTP_WEIRD_PASV_REPLY] = FAIL,
	[CURLE_FTP_WEIRD_227_FORMAT] = FAIL,
	[CURLE_FTP_CANT_GET_HOST] = FAIL,
	[CURLE_FTP_COULDNT_SET_TYPE] = FAIL,
	[CURLE_FTP_PRET_FAILED] = FAIL,
	[CURLE_FTP_BAD_FILE_LIST] = FAIL,
	[CURLE_REMOTE_DISK_FULL] = FAIL,
	[CURLE_TFTP_ILLEGAL] = FAIL,
	[CURLE_TFTP_UNKNOWNID] = FAIL,
	[CURLE_LDAP_CANNOT_BIND] = FAIL,
	[CURLE_LDAP_SEARCH_FAILED] = FAIL,
	[CURLE_RTSP_CSEQ_ERROR] = FAIL,
	[CURLE_RTSP_SESSION_ERROR] = FAIL,
	[CURLE_SSH] = FAIL,

	/* There was an answer: no. */
	[CURLE_HTTP_RETURNED_ERROR] = OK,
	[CURLE_RANGE_ERROR] = OK,
	[CURLE_REMOTE_ACCESS_DENIED] = OK,
	[CURLE_LOGIN_DENIED] = OK,
	[CURLE_REMOTE_FILE_NOT_FOUND] = OK,
	[CURLE_REMOTE_FILE_EXISTS] = OK,
	[CURLE_FTP_COULDNT_RETR_FILE] = OK,
	[CURLE_FTP_COULDNT_USE_REST] = OK,
	[CURLE_QUOTE_ERROR] = OK,
	[CURLE_UPLOAD_FAILED] = OK,
	[CURLE_TFTP_NOTFOUND] = OK,
	[CURLE_TFTP_PERM] = OK,
	[CURLE_TFTP_NOSUCHUSER] = OK,
};

static bool
status_fails(unsigned status, const struct status_ranges *fail_status)
{
	return status != 0 && status_in(fail_status, status);
}

static bool
is_connections_end(int code)
{
	return code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING;
}

enum outcome
curl_outcome(const struct curl_end *e, const struct status_ranges *fail_status)
{
	unsigned verdict = e->code >= 0 && e->code < CODES ? verdicts[e->code] : 0;

	if (status_fails(e->status, fail_status))
		return OUTCOME_FAIL;
	if (e->code == CURLE_COULDNT_CONNECT && e->local_errno)
		return OUTCOME_NEUTRAL;
	if (e->code == CURLE_COULDNT_RESOLVE_HOST && e->name_missing)
		return OUTCOME_NEUTRAL;
	if (e->code == CURLE_OPERATION_TIMEDOUT && e->was_held)
		return OUTCOME_NEUTRAL;
	if (is_connections_end(e->code) && e->is_stale)
		return OUTCOME_NEUTRAL;
	return verdict != 0 ? (enum outcome)(verdict - 1) : OUTCOME_NEUTRAL;
}

void
curl_detail(const struct curl_end *e, const struct status_ranges *fail_status,
	    char out[CURL_DETAIL_MAX])
{
	bool answered = e->code == CURLE_OK || e->code == CURLE_HTTP_RETURNED_ERROR;

	if (e->status != 0 && (answered || status_fails(e->status, fail_status)))
		snprintf(out, CURL_DETAIL_MAX, "%u", e->status);
	else
		snprintf(out, CURL_DETAIL_MAX, "curl-%d", e->code);
}

enum outcome
curl_left_outcome(const struct curl_left *l, const struct status_ranges *fail_status)
{
	if (status_fails(l->status, fail_status))
		return OUTCOME_FAIL;
	if (l->has_answer || l->was_held || l->is_sending || l->waited_ns < GIVE_UP_NS)
		return OUTCOME_NEUTRAL;
	return OUTCOME_FAIL;
}

void
curl_left_detail(const struct curl_left *l, const struct status_ranges *fail_status,
		 char out[CURL_DETAIL_MAX])
{
	if (status_fails(l->status, fail_status))
		snprintf(out, CURL_DETAIL_MAX, "%u", l->status);
	else
		snprintf(out, CURL_DETAIL_MAX, "%s", l->has_answer ? "left" : "gave-up");
}

bool
curl_errno_is_local(int number)
{
	switch (number) {
	case EMFILE:
	case ENFILE:
	case ENOBUFS:
	case ENOMEM:
	case EADDRNOTAVAIL:
	case EADDRINUSE:
	case EACCES:
	case EPERM:
	case EAFNOSUPPORT:
	case EPROTONOSUPPORT:
	case EINVAL:
		return true;
	default:
		return false;
	}
}
