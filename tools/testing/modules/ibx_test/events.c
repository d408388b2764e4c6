// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Asynchronous events of devices and ports, as consumers get them.
 *
 * debugfs ibx_test/events has a line "DEVICE: EVENT" for each of the first T_MAX_LINES events,
 * oldest first, with the names of ib_event_msg(). Later events are not listed. Any write clears the
 * list. Events of queues are passed to the handlers of the queues (pair.c).
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "ibx_test.h"

#define T_MAX_LINES	64

struct t_line {
	char dev[IB_DEVICE_NAME_MAX];
	enum ib_event_type event;
};

static DEFINE_SPINLOCK(t_lines_lock);	/* protects the lines below */
static struct t_line t_lines[T_MAX_LINES];
static unsigned int t_nr_lines;

static void t_device_event(struct ib_event_handler *handler, struct ib_event *event)
{
	unsigned long flags;

	spin_lock_irqsave(&t_lines_lock, flags);
	if (t_nr_lines < T_MAX_LINES) {
		strscpy(t_lines[t_nr_lines].dev, dev_name(&event->device->dev));
		t_lines[t_nr_lines++].event = event->event;
	}
	spin_unlock_irqrestore(&t_lines_lock, flags);
}

static int t_events_show(struct seq_file *s, void *unused)
{
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&t_lines_lock, flags);
	for (i = 0; i < t_nr_lines; i++)
		seq_printf(s, "%s: %s\n", t_lines[i].dev, ib_event_msg(t_lines[i].event));
	if (t_nr_lines == T_MAX_LINES)
		seq_puts(s, "and perhaps more\n");
	spin_unlock_irqrestore(&t_lines_lock, flags);
	return 0;
}

static int t_events_open(struct inode *inode, struct file *file)
{
	return single_open(file, t_events_show, NULL);
}

static ssize_t t_events_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	unsigned long flags;

	spin_lock_irqsave(&t_lines_lock, flags);
	t_nr_lines = 0;
	spin_unlock_irqrestore(&t_lines_lock, flags);
	return len;
}

static const struct file_operations t_events_fops = {
	.owner = THIS_MODULE,
	.open = t_events_open,
	.read = seq_read,
	.write = t_events_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/**
 * t_events_file() - create the file, which is removed with its directory
 * @dir: directory of the module in debugfs
 */
void t_events_file(struct dentry *dir)
{
	debugfs_create_file("events", 0600, dir, NULL, &t_events_fops);
}

/**
 * t_listen() - begin to list the events of a device
 * @handler: event handler for this device
 * @dev: the device
 */
void t_listen(struct ib_event_handler *handler, struct ib_device *dev)
{
	INIT_IB_EVENT_HANDLER(handler, dev, t_device_event);
	ib_register_event_handler(handler);
}

/**
 * t_listen_end() - undo t_listen()
 * @handler: argument of t_listen()
 */
void t_listen_end(struct ib_event_handler *handler)
{
	ib_unregister_event_handler(handler);
}
