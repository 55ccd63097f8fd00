/*
 * One transfer by the libcurl that this file is linked with: as a plugin, or with
 * -DMAIN as a program that loads plugins and whole libraries (and with -DLINKED makes
 * a transfer of its own before).
 *
 *     curl_get URL [PLUGIN.so|LIBRARY.so]...
 *
 * Prints `WHO VERSION CODE STATUS TEXT` for each.
 */
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo

struct easy {
	char *(*version)(void);
	CURL *(*init)(void);
	CURLcode (*setopt)(CURL *, CURLoption, ...);
	CURLcode (*perform)(CURL *);
	CURLcode (*getinfo)(CURL *, CURLINFO, ...);
	void (*cleanup)(CURL *);
};

static size_t
sink(char *data, size_t size, size_t count, void *unused)
{
	(void)data;
	(void)unused;
	return size * count;
}

static int
transfer(const struct easy *e, const char *who, const char *url)
{
	char error[CURL_ERROR_SIZE] = "";
	CURL *handle = e->init();
	long status = -1;
	CURLcode code;

	e->setopt(handle, CURLOPT_URL, url);
	e->setopt(handle, CURLOPT_ERRORBUFFER, error);
	e->setopt(handle, CURLOPT_WRITEFUNCTION, sink);
	code = e->perform(handle);
	e->getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
	e->cleanup(handle);
	printf("%s %s %d %ld %s\n", who,
	       strstr(e->version(), "GnuTLS") ? "gnutls"
	       : strstr(e->version(), "NSS")  ? "nss"
					      : "openssl",
	       (int)code, status, error);
	return code == CURLE_OK ? 0 : 1;
}

#if !defined(MAIN) || defined(LINKED)

int get(const char *url);

int
get(const char *url)
{
	const struct easy linked = {curl_version,      curl_easy_init,	  curl_easy_setopt,
				    curl_easy_perform, curl_easy_getinfo, curl_easy_cleanup};

	return transfer(&linked, "linked", url);
}

#endif

#ifdef MAIN

static void *
find(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (found == NULL)
		fprintf(stderr, "%s\n", dlerror());
	return found;
}

static int
by_hand(void *library, const char *url)
{
	const struct easy loaded = {
		(char *(*)(void))find(library, "curl_version"),
		(CURL * (*)(void)) find(library, "curl_easy_init"),
		(CURLcode(*)(CURL *, CURLoption, ...))find(library, "curl_easy_setopt"),
		(CURLcode(*)(CURL *))find(library, "curl_easy_perform"),
		(CURLcode(*)(CURL *, CURLINFO, ...))find(library, "curl_easy_getinfo"),
		(void (*)(CURL *))find(library, "curl_easy_cleanup"),
	};

	return transfer(&loaded, "loaded", url);
}

int
main(int argc, char **argv)
{
	int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
#ifdef LINKED
	failed += get(argv[1]);
#endif
	for (int i = 2; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		int (*plugin)(const char *);

		if (library == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			return 99;
		}
		plugin = (int (*)(const char *))dlsym(library, "get");
		failed += plugin ? plugin(argv[1]) : by_hand(library, argv[1]);
		dlclose(library);
	}
	return failed;
}

#endif
