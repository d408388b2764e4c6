// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: drivers with a hook.
 *
 * An MR finds its provider once, when it is created. It needs no reference: the
 * MR belongs to a device of that driver, which cannot go before its devices.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/mutex.h>

#include "frwr.h"

static LIST_HEAD(providers);
static DEFINE_MUTEX(providers_lock);

static struct ib_frwr_provider *find_locked(const struct module *owner)
{
	struct ib_frwr_provider *p;

	lockdep_assert_held(&providers_lock);
	list_for_each_entry(p, &providers, entry)
		if (p->owner == owner)
			return p;
	return NULL;
}

/**
 * frwr_find_provider() - the hook for a device
 * @dev: the device
 *
 * Context: may sleep.
 * Return: it, or NULL when its driver has none.
 */
const struct ib_frwr_provider *frwr_find_provider(const struct ib_device *dev)
{
	const struct ib_frwr_provider *p;

	mutex_lock(&providers_lock);
	p = find_locked(dev->ops.owner);
	mutex_unlock(&providers_lock);
	return p;
}
EXPORT_SYMBOL_IF_KUNIT(frwr_find_provider);

int ib_frwr_register_provider(struct ib_frwr_provider *p)
{
	int err = 0;

	if (!p->owner || !p->set_sg)
		return -EINVAL;
	mutex_lock(&providers_lock);
	if (find_locked(p->owner))
		err = -EEXIST;
	else
		list_add(&p->entry, &providers);
	mutex_unlock(&providers_lock);
	return err;
}
EXPORT_SYMBOL_GPL(ib_frwr_register_provider);

void ib_frwr_unregister_provider(struct ib_frwr_provider *p)
{
	mutex_lock(&providers_lock);
	list_del(&p->entry);
	mutex_unlock(&providers_lock);
}
EXPORT_SYMBOL_GPL(ib_frwr_unregister_provider);
