/* A library with nothing in it: what preloading costs by itself. */
extern int bench_empty;

int bench_empty;
