// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibx_test: the module. debugfs ibx_test/run takes "CASE DEVICE DEVICE".
 *
 * The removal of a device waits for the running case, so the devices of a case exist until the case
 * returns.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "ibx_test.h"

#define T_MAX_DEVS	8

static const struct t_suite t_suites[] = {
#define T_SUITE(suite)	{ #suite, t_##suite##_cases },
#include "suites.h"
#undef T_SUITE
	{ }
};

static const struct t_suite *t_more;		/* suites of another module, under t_debugfs.lock */
static struct ib_device *t_devs[T_MAX_DEVS];	/* under t_debugfs.lock */
static struct ib_event_handler t_listeners[T_MAX_DEVS];

/*
 * Returns case *nth of @suites, and its suite in *suite. If there are fewer cases, returns NULL and
 * subtracts their number from *nth.
 */
static const struct t_case *t_case_in(const struct t_suite *suites, unsigned int *nth,
				      const char **suite)
{
	const struct t_suite *s;
	const struct t_case *c;

	for (s = suites; s && s->name; s++)
		for (c = s->cases; c->name; c++)
			if (!(*nth)--) {
				*suite = s->name;
				return c;
			}
	return NULL;
}

static const struct t_case *t_case(unsigned int nth, const char **suite)
{
	const struct t_case *c = t_case_in(t_suites, &nth, suite);

	return c ? c : t_case_in(t_more, &nth, suite);
}

/**
 * t_suites_add() - add the suites of another module
 * @suites: suites with names that differ from all others; the last entry has no name
 *
 * Context: process context. @suites must exist until t_suites_remove().
 *
 * Return: 0, or -EBUSY when another module has added suites.
 */
int t_suites_add(const struct t_suite *suites)
{
	int ret = -EBUSY;

	mutex_lock(&t_debugfs.lock);
	if (!t_more) {
		t_more = suites;
		ret = 0;
	}
	mutex_unlock(&t_debugfs.lock);
	return ret;
}
EXPORT_SYMBOL_GPL(t_suites_add);

/**
 * t_suites_remove() - undo t_suites_add()
 * @suites: suites that were added
 *
 * Context: process context; waits for the running case.
 */
void t_suites_remove(const struct t_suite *suites)
{
	mutex_lock(&t_debugfs.lock);
	if (t_more == suites)
		t_more = NULL;
	mutex_unlock(&t_debugfs.lock);
}
EXPORT_SYMBOL_GPL(t_suites_remove);

static const char *t_case_name(unsigned int nth, const char **suite)
{
	const struct t_case *c = t_case(nth, suite);

	return c ? c->name : NULL;
}

static struct ib_device *t_find_dev(const char *name)
{
	int i;

	for (i = 0; name && i < T_MAX_DEVS; i++)
		if (t_devs[i] && !strcmp(dev_name(&t_devs[i]->dev), name))
			return t_devs[i];
	return NULL;
}

static int t_run_pair(const struct t_case *c, struct ib_device *a, struct ib_device *b)
{
	static const struct t_opts usual;
	struct t_pair *p;
	int ret;

	p = kvzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	p->arg = c->arg;
	ret = t_pair_create(p, a, b, c->opts ? c->opts : &usual);
	if (ret) {
		t_log("cannot make a pair: %d\n", ret);
		goto free;
	}
	ret = p->opts->unconnected ? 0 : t_pair_connect(p);
	if (ret)
		t_log("cannot connect the pair: %d\n", ret);
	else
		ret = c->run(p);
	t_pair_destroy(p);
free:
	kvfree(p);
	return ret;
}

static int t_run(unsigned int nth, char *args)
{
	struct ib_device *a = t_find_dev(strsep(&args, " "));
	struct ib_device *b = t_find_dev(args);
	const char *suite;

	if (!a || !b) {
		t_log("two devices are needed\n");
		return -ENODEV;
	}
	return t_run_pair(t_case(nth, &suite), a, b);
}

static int t_add_one(struct ib_device *dev)
{
	int i, ret = -ENOSPC;

	mutex_lock(&t_debugfs.lock);
	for (i = 0; i < T_MAX_DEVS; i++) {
		if (t_devs[i])
			continue;
		t_devs[i] = dev;
		t_listen(&t_listeners[i], dev);
		ret = 0;
		break;
	}
	mutex_unlock(&t_debugfs.lock);
	return ret;
}

static void t_remove_one(struct ib_device *dev, void *data)
{
	int i;

	mutex_lock(&t_debugfs.lock);
	for (i = 0; i < T_MAX_DEVS; i++) {
		if (t_devs[i] != dev)
			continue;
		t_listen_end(&t_listeners[i]);
		t_devs[i] = NULL;
	}
	mutex_unlock(&t_debugfs.lock);
}

static struct ib_client t_client = {
	.name = "ibx_test",
	.add = t_add_one,
	.remove = t_remove_one,
};

static int __init t_init(void)
{
	int ret;

	ret = ib_register_client(&t_client);
	if (ret)
		return ret;
	test_debugfs_open(&t_debugfs, t_case_name, t_run);
	t_events_file(t_debugfs.dir);
	t_fragment_file(t_debugfs.dir);
	return 0;
}
module_init(t_init);

static void __exit t_exit(void)
{
	test_debugfs_close(&t_debugfs);
	t_fragment_end();
	ib_unregister_client(&t_client);
}
module_exit(t_exit);

MODULE_DESCRIPTION("Selftests of RDMA providers on public verbs");
MODULE_LICENSE("Dual BSD/GPL");
