#define CURL_DISABLE_TYPECHECK
#include "shim/curl_hide.h"

#include <curl/curl.h>
#include <errno.h>

#include "shim/real.h"

#undef curl_easy_setopt

typedef CURLcode setopt_fn(CURL *, CURLoption, ...);

/* Not being verbose, libcurl does not tell the user either that there is no URL. */
bool
curl_hide(const struct curl_handle *h, void *handle)
{
	setopt_fn *setopt = (setopt_fn *)real_for("curl_easy_setopt", h->library);
	int saved = errno;
	bool hidden = setopt != NULL && setopt(handle, CURLOPT_URL, NULL) == CURLE_OK &&
		      (h->parsed_url == NULL || setopt(handle, CURLOPT_CURLU, NULL) == CURLE_OK);

	if (hidden && h->verbose != 0)
		setopt(handle, CURLOPT_VERBOSE, 0L);
	errno = saved;
	return hidden;
}

void
curl_unhide(const struct curl_handle *h, void *handle)
{
	setopt_fn *setopt = (setopt_fn *)real_for("curl_easy_setopt", h->library);
	int saved = errno;

	if (setopt == NULL)
		return;
	setopt(handle, CURLOPT_URL, h->url);
	if (h->parsed_url != NULL)
		setopt(handle, CURLOPT_CURLU, h->parsed_url);
	if (h->verbose != 0)
		setopt(handle, CURLOPT_VERBOSE, h->verbose);
	errno = saved;
}

bool
curl_hides(int option)
{
	return option == CURLOPT_URL || option == CURLOPT_CURLU || option == CURLOPT_VERBOSE;
}
