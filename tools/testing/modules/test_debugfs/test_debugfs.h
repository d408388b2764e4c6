/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * test_debugfs: a directory in debugfs through which a shell test drives a test module.
 *
 *	run	write "CASE ARGUMENTS": the case has run when write() returns; the
 *		errno of the write is the result of the case
 *	log	messages of the last case
 *	cases	one line for each case: "SUITE CASE"
 */
#ifndef TEST_DEBUGFS_H
#define TEST_DEBUGFS_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define TEST_DEBUGFS_LOG_SIZE	4096

struct dentry;

/**
 * struct test_debugfs - debugfs files of a test module
 * @name: name of the directory
 * @case_name: returns the name of case @nth and stores its suite in *suite; returns NULL when @nth
 *	is the number of cases; called under @lock
 * @run: runs case @nth with the text after the name of the case; called under @lock
 * @lock: held while a case runs, and by the module while it changes its devices or cases
 * @dir: the directory
 * @log_lock: protects @log and @log_len; a case may log in any context
 * @log_len: characters in @log
 * @log: messages of the running case; text beyond the end is dropped
 */
struct test_debugfs {
	const char *name;
	const char *(*case_name)(unsigned int nth, const char **suite);
	int (*run)(unsigned int nth, char *args);
	struct mutex lock;		/* held by a case and by changes of devices and cases */
	struct dentry *dir;
	spinlock_t log_lock;		/* protects log and log_len */
	size_t log_len;
	char log[TEST_DEBUGFS_LOG_SIZE];
};

#define TEST_DEBUGFS_INIT(tdfs, called) {				\
	.name = called,							\
	.lock = __MUTEX_INITIALIZER((tdfs).lock),			\
	.log_lock = __SPIN_LOCK_UNLOCKED((tdfs).log_lock),		\
}

void test_debugfs_open(struct test_debugfs *tdfs,
		       const char *(*case_name)(unsigned int nth, const char **suite),
		       int (*run)(unsigned int nth, char *args));
void test_debugfs_close(struct test_debugfs *tdfs);

__printf(2, 3)
void test_debugfs_log(struct test_debugfs *tdfs, const char *fmt, ...);

#endif /* TEST_DEBUGFS_H */
