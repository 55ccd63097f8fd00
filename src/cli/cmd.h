/*
 * The commands, one function in each cmd_NAME.c.
 *
 * argv[0] is the command's own name.  They return the exit status.
 */
#ifndef CLI_CMD_H
#define CLI_CMD_H

int cmd_check(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_prober(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_simulate(int argc, char **argv);

#endif
