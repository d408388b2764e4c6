// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: hooks of drivers, one hook for each module that registers a hook.
 * See <rdma/ib_frwr_provider.h>.
 *
 * ib_create_mr() looks up the hook of the MR's driver. The MR keeps a pointer to
 * the hook and no reference to the module: the MR belongs to a device of the
 * driver, and the driver cannot be unloaded before its devices are unregistered.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/mutex.h>

#include "frwr.h"

static LIST_HEAD(frwr_providers);
static DEFINE_MUTEX(frwr_providers_lock);

static struct ib_frwr_provider *frwr_find_owner(const struct module *owner)
{
	struct ib_frwr_provider *p;

	lockdep_assert_held(&frwr_providers_lock);
	list_for_each_entry(p, &frwr_providers, entry)
		if (p->owner == owner)
			return p;
	return NULL;
}

/**
 * frwr_find_provider() - find the hook for a device
 * @dev: RDMA device
 *
 * Context: may sleep.
 * Return: hook of the device's driver, or NULL if no hook is registered.
 */
const struct ib_frwr_provider *frwr_find_provider(const struct ib_device *dev)
{
	const struct ib_frwr_provider *p;

	mutex_lock(&frwr_providers_lock);
	p = frwr_find_owner(dev->ops.owner);
	mutex_unlock(&frwr_providers_lock);
	return p;
}
EXPORT_SYMBOL_IF_KUNIT(frwr_find_provider);

int ib_frwr_register_provider(struct ib_frwr_provider *p)
{
	int err = 0;

	if (!p->owner || !p->set_sg)
		return -EINVAL;
	mutex_lock(&frwr_providers_lock);
	if (frwr_find_owner(p->owner))
		err = -EEXIST;
	else
		list_add(&p->entry, &frwr_providers);
	mutex_unlock(&frwr_providers_lock);
	return err;
}
EXPORT_SYMBOL_GPL(ib_frwr_register_provider);

void ib_frwr_unregister_provider(struct ib_frwr_provider *p)
{
	mutex_lock(&frwr_providers_lock);
	list_del(&p->entry);
	mutex_unlock(&frwr_providers_lock);
}
EXPORT_SYMBOL_GPL(ib_frwr_unregister_provider);
