// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibx_test: the module. debugfs ibx_test/run takes "CASE DEVICE DEVICE".
 *
 * A device that goes away waits for the case that runs, so a case never sees
 * its device die under it.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "ibx_test.h"

#define T_MAX_DEVS	8
#define T_MAX_MORE	16

static const struct t_case *const t_suites[] = {
	t_key_cases,
	t_bad_cases,
	t_chain_cases,
	t_rc_cases,
	t_ud_cases,
	t_error_cases,
	t_state_cases,
	t_cq_cases,
	t_sg_cases,
	t_load_cases,
	t_limit_cases,
	t_srq_cases,
	t_uc_cases,
	t_dim_cases,
	t_gaps_cases,
	t_resize_cases,
	t_counting_cases,
	t_attr_cases,
	t_dying_cases,
	t_frwr_cases,
	t_frwr_long_cases,
	t_frwr_bad_cases,
	t_frwr_ctx_cases,
	t_frwr_fault_cases,
	t_bench_cases,
};

static const struct t_case *t_more[T_MAX_MORE];	/* of other modules, under t_front.lock */
static struct ib_device *t_devs[T_MAX_DEVS];	/* under t_front.lock */
static struct ib_event_handler t_listeners[T_MAX_DEVS];

static const struct t_case *t_case(unsigned int nth)
{
	const struct t_case *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(t_suites); i++)
		for (c = t_suites[i]; c->name; c++)
			if (!nth--)
				return c;
	for (i = 0; i < ARRAY_SIZE(t_more); i++)
		for (c = t_more[i]; c && c->name; c++)
			if (!nth--)
				return c;
	return NULL;
}

/**
 * t_suite_add - cases of another module
 * @suite: them, until t_suite_remove()
 *
 * Return: 0, or -ENOSPC.
 */
int t_suite_add(const struct t_case *suite)
{
	int i, ret = -ENOSPC;

	mutex_lock(&t_front.lock);
	for (i = 0; ret && i < T_MAX_MORE; i++) {
		if (t_more[i])
			continue;
		t_more[i] = suite;
		ret = 0;
	}
	mutex_unlock(&t_front.lock);
	return ret;
}
EXPORT_SYMBOL_GPL(t_suite_add);

/**
 * t_suite_remove - undo t_suite_add()
 * @suite: what was added, or not
 */
void t_suite_remove(const struct t_case *suite)
{
	int i;

	mutex_lock(&t_front.lock);
	for (i = 0; i < T_MAX_MORE; i++)
		if (t_more[i] == suite)
			t_more[i] = NULL;
	mutex_unlock(&t_front.lock);
}
EXPORT_SYMBOL_GPL(t_suite_remove);

static const char *t_case_name(unsigned int nth)
{
	const struct t_case *c = t_case(nth);

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

	if (!a || !b) {
		t_log("two devices are needed\n");
		return -ENODEV;
	}
	return t_run_pair(t_case(nth), a, b);
}

struct front t_front = FRONT_INIT(t_front, "ibx_test", t_case_name, t_run);
EXPORT_SYMBOL_GPL(t_front);

static int t_add_one(struct ib_device *dev)
{
	int i, ret = -ENOSPC;

	mutex_lock(&t_front.lock);
	for (i = 0; i < T_MAX_DEVS; i++) {
		if (t_devs[i])
			continue;
		t_devs[i] = dev;
		t_listen(&t_listeners[i], dev);
		ret = 0;
		break;
	}
	mutex_unlock(&t_front.lock);
	return ret;
}

static void t_remove_one(struct ib_device *dev, void *data)
{
	int i;

	mutex_lock(&t_front.lock);
	for (i = 0; i < T_MAX_DEVS; i++) {
		if (t_devs[i] != dev)
			continue;
		t_listen_end(&t_listeners[i]);
		t_devs[i] = NULL;
	}
	mutex_unlock(&t_front.lock);
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
	front_open(&t_front);
	t_events_file(t_front.dir);
	return 0;
}
module_init(t_init);

static void __exit t_exit(void)
{
	front_close(&t_front);
	ib_unregister_client(&t_client);
}
module_exit(t_exit);

MODULE_DESCRIPTION("Selftests of RDMA providers on public verbs");
MODULE_LICENSE("Dual BSD/GPL");
