/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * test_front: what a shell test sees of a test module, a directory in debugfs.
 *
 *	run	write "CASE ARGUMENTS": runs the case before write() returns;
 *		the errno of the write is the case's
 *	log	what the case that ran last said
 *	cases	the names, one per line
 */
#ifndef TEST_DEBUGFS_H
#define TEST_DEBUGFS_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define FRONT_LOG_SIZE	4096

struct dentry;

/**
 * struct front - the front end of a test module
 * @name: of its directory
 * @case_name: name of the nth case, NULL when there are not so many
 * @run: run the nth case with what followed its name; under @lock
 * @lock: held while a case runs, and by the module when it changes what cases
 *	use: its devices
 * @dir: the directory
 * @log_lock: of the log, which a case may write to from any context
 * @log_len: characters in @log
 * @log: of the running case; what does not fit is lost
 */
struct front {
	const char *name;
	const char *(*case_name)(unsigned int nth);
	int (*run)(unsigned int nth, char *args);
	struct mutex lock;		/* the running case */
	struct dentry *dir;
	spinlock_t log_lock;		/* log, log_len */
	size_t log_len;
	char log[FRONT_LOG_SIZE];
};

#define FRONT_INIT(front, called, names, runs) {			\
	.name = called,							\
	.case_name = names,						\
	.run = runs,							\
	.lock = __MUTEX_INITIALIZER((front).lock),			\
	.log_lock = __SPIN_LOCK_UNLOCKED((front).log_lock),		\
}

void front_open(struct front *front);
void front_close(struct front *front);

__printf(2, 3)
void front_log(struct front *front, const char *fmt, ...);

#endif /* TEST_DEBUGFS_H */
