/* What the errno of a connect says. */
#ifndef SYS_NETERR_H
#define SYS_NETERR_H

#include <stdbool.h>

/* Whether it tells of the dependency or of the way to it, rather than of this machine. */
bool neterr_blames_peer(int error);

#endif
