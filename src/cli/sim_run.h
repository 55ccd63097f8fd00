/* A script runs through its world. */
#ifndef CLI_SIM_RUN_H
#define CLI_SIM_RUN_H

#include "cli/sim_world.h"

enum sim_result {
	SIM_ALL_HELD, /* every expectation */
	SIM_NOT_HELD, /* one did not */
	SIM_BROKEN    /* the script asks for what cannot be; the run ended there */
};

/*
 * Runs all statements; on_error is called for each expectation that did not hold
 * and for what is wrong with the script itself.
 */
enum sim_result sim_run(struct sim_world *w, const struct sim_script *script,
			sim_error_fn *on_error, void *context);

#endif
