/*
 * Libraries that load libraries, each part by its own -D:
 *
 *   PROGRAM   deepbind HOST FLAGS PORT...: loads HOST, has it load the plugin with
 *             RTLD_NOW and FLAGS (a number), and the plugin connect to each port
 *   HOST      finds the plugin by its own RUNPATH alone
 *   PLUGIN    connects; its constructor loads as well
 *   EARLY     a preload whose constructor does what the program does, with EARLY_HOST
 *             and EARLY_PORT; it stands behind the shim and so runs before it
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef void *open_plugin(int flags);
typedef void talk(int port);

#if defined(PROGRAM) || defined(PLUGIN)
const char *whose(void);

/* Both have it: which one the plugin calls is what RTLD_DEEPBIND is about. */
const char *
whose(void)
{
#ifdef PROGRAM
	return "program";
#else
	return "plugin";
#endif
}
#endif

#ifdef HOST
void *host_open(int flags);

void *
host_open(int flags)
{
	return dlopen("libplugin-of-host.so", RTLD_NOW | flags);
}
#endif

#ifdef PLUGIN
void plugin_talk(int port);

__attribute__((constructor)) static void
load(void)
{
	if (!dlopen("libm.so.6", RTLD_NOW | RTLD_DEEPBIND))
		dprintf(1, "nested: %s\n", dlerror());
}

void
plugin_talk(int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	dprintf(1, "%s: %s\n", whose(),
		connect(fd, (struct sockaddr *)&to, sizeof(to)) ? strerror(errno) : "connected");
	close(fd);
}
#endif

#if defined(PROGRAM) || defined(EARLY)
static talk *
open_host(const char *host, int flags)
{
	void *object = dlopen(host, RTLD_NOW | RTLD_LOCAL);
	open_plugin *open = object ? (open_plugin *)dlsym(object, "host_open") : NULL;
	void *plugin = open ? open(flags) : NULL;

	if (!plugin)
		dprintf(1, "%s\n", dlerror());
	return plugin ? (talk *)dlsym(plugin, "plugin_talk") : NULL;
}
#endif

#ifdef EARLY
__attribute__((constructor)) static void
early(void)
{
	const char *host = getenv("EARLY_HOST");
	talk *talk = host ? open_host(host, RTLD_DEEPBIND) : NULL;

	if (talk)
		talk(atoi(getenv("EARLY_PORT")));
}
#endif

#ifdef PROGRAM
static void
fail(const char *file, int mode)
{
	errno = 0;

	void *found = dlopen(file, mode);
	int error = errno;
	const char *text = dlerror();

	printf("%d: %s: %s\n", found != NULL, strerror(error), text ? text : "none");
}

int
main(int argc, char **argv)
{
	int flags = argc > 2 ? atoi(argv[2]) : 0;
	talk *talk = argc > 2 ? open_host(argv[1], flags) : NULL;

	setbuf(stdout, NULL);
	for (int i = 3; talk && i < argc; i++)
		talk(atoi(argv[i]));
	fail("libno-such.so", RTLD_NOW | flags);
	fail("libm.so.6", flags);
	fail(NULL, RTLD_NOW | flags);
	return talk ? 0 : 1;
}
#endif
