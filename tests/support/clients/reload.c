/*
 * reload PLUGIN LINK TARGET: loads PLUGIN and calls it, twice; then unloads it, lets LINK,
 * which is a library that it needs, point to TARGET, and does the same again.  The second
 * call of each pair is made while another thread holds the dynamic linker's lock.
 *
 * With -DPLUGIN: the plugin.  With -DWHO=NAME: the library, whose function says its name;
 * -DMOVED: from another place.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

void curl_easy_reset(void *handle);

#if defined(WHO)

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)

#ifdef MOVED
void in_its_place(void);

void
in_its_place(void)
{
	puts("in its place");
}
#endif

void
curl_easy_reset(void *handle)
{
	(void)handle;
	puts(TEXT_OF(WHO));
}

#elif defined(PLUGIN)

void call(void);

void
call(void)
{
	curl_easy_reset(NULL);
}

#else

static pthread_barrier_t barrier;

static int
hold(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)info;
	(void)size;
	(void)context;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return 1;
}

static void *
hold_lock(void *unused)
{
	dl_iterate_phdr(hold, NULL);
	return unused;
}

static int
call_twice(const char *plugin)
{
	void *handle = dlopen(plugin, RTLD_NOW);
	void (*call)(void) = handle != NULL ? (void (*)(void))dlsym(handle, "call") : NULL;
	pthread_t thread;

	if (call == NULL)
		return 1;
	call();
	if (pthread_create(&thread, NULL, hold_lock, NULL) != 0)
		return 1;
	pthread_barrier_wait(&barrier);
	call();
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	return dlclose(handle);
}

int
main(int argc, char **argv)
{
	pthread_barrier_init(&barrier, NULL, 2);
	return argc != 4 || call_twice(argv[1]) != 0 || unlink(argv[2]) != 0 ||
	       symlink(argv[3], argv[2]) != 0 || call_twice(argv[1]) != 0;
}

#endif
