// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events of completions, of errors of objects, and of port changes.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "devx.h"

#define ACCESS_ERROR	0x11
#define WAIT_MS		120000
#define QUIET_MS	300
#define EQE_BYTES	64

/* offsets in an entry of an event queue */
#define EQE_TYPE	1
#define EQE_NR		0x38	/* number of a CQ or QP */

union event {
	struct mlx5dv_devx_async_event_hdr hdr;
	u8 bytes[sizeof(struct mlx5dv_devx_async_event_hdr) + EQE_BYTES];
};

struct mlx5dv_devx_event_channel *open_channel(struct end *e, bool omit)
{
	struct mlx5dv_devx_event_channel *ch = mlx5dv_devx_create_event_channel(e->ctx,
		omit ? MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA : 0);

	if (!ch)
		die("no event channel: %s", strerror(errno));
	return ch;
}

/* @m: object of the event; NULL: an event of the device. Return: 0 or an errno */
int subscribe(struct mlx5dv_devx_event_channel *ch, struct made *m, u16 event)
{
	return mlx5dv_devx_subscribe_devx_event(ch, m ? m->obj : NULL, sizeof(event), &event,
						COOKIE + event) ? errno : 0;
}

static bool is_ready(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

void want_event(struct mlx5dv_devx_event_channel *ch, u16 event, u32 nr)
{
	union event ev = {};
	ssize_t len;

	if (!is_ready(ch->fd, WAIT_MS))
		die("no event %#x", event);
	len = mlx5dv_devx_get_event(ch, &ev.hdr, sizeof(ev));
	if (len != sizeof(ev))
		die("event of %zd bytes, errno %d", len, errno);
	if (ev.hdr.cookie != COOKIE + event)
		tell("cookie %#llx", (unsigned long long)ev.hdr.cookie);
	if (ev.hdr.out_data[EQE_TYPE] != event)
		tell("event %#x, expected %#x", ev.hdr.out_data[EQE_TYPE], event);
	if (nr && get_bits(ev.hdr.out_data + EQE_NR, 8, 24) != nr)
		tell("event of %#x, expected %#x", (u32)get_bits(ev.hdr.out_data + EQE_NR, 8, 24),
		     nr);
}

static void want_none(struct mlx5dv_devx_event_channel *ch, const char *what)
{
	if (is_ready(ch->fd, QUIET_MS))
		tell("%s: an event", what);
}

/*
 * an armed CQ raises one event for one completion, and no event without a completion
 */
static void event_comp(const char *device)
{
	struct mlx5dv_devx_event_channel *ch;
	struct mover m;
	union event ev;
	int i;

	open_mover(&m, device);
	ch = open_channel(&m.e, false);
	want_errno("subscription", subscribe(ch, &m.cq, COMP), 0);
	move(&m, key_of(&m), 64);
	want_none(ch, "without arming");
	for (i = 0; i < 6; i++) {
		arm_cq(&m);
		move(&m, key_of(&m), 64);
		want_event(ch, COMP, m.cq.nr);
	}
	fcntl(ch->fd, F_SETFL, O_NONBLOCK);
	want_errno("empty channel",
		   mlx5dv_devx_get_event(ch, &ev.hdr, sizeof(ev)) < 0 ? errno : 0, EAGAIN);
	arm_cq(&m);
	move(&m, key_of(&m), 64);
	if (!is_ready(ch->fd, WAIT_MS))
		die("no event");
	want_errno("no space",
		   mlx5dv_devx_get_event(ch, &ev.hdr, sizeof(ev) - 1) < 0 ? errno : 0, EINVAL);
	want_event(ch, COMP, m.cq.nr);
	mlx5dv_devx_destroy_event_channel(ch);
	/* the CQ works without a subscription */
	arm_cq(&m);
	move(&m, key_of(&m), 64);
	close_mover(&m);
}

static u64 read_eventfd(int fd)
{
	u64 count = 0;

	if (!is_ready(fd, WAIT_MS) || read(fd, &count, sizeof(count)) != sizeof(count))
		die("no signal");
	return count;
}

/* an eventfd counts the events of a CQ; a channel without data keeps one unread event */
static void event_fd(const char *device)
{
	struct mlx5dv_devx_event_channel *ch, *omit;
	u64 cookie = 0, count = 0;
	struct mover m;
	int fd, i;

	open_mover(&m, device);
	ch = open_channel(&m.e, false);
	omit = open_channel(&m.e, true);
	fd = eventfd(0, EFD_NONBLOCK);
	want_errno("eventfd", mlx5dv_devx_subscribe_devx_event_fd(ch, fd, m.cq.obj, COMP) ?
		   errno : 0, 0);
	want_errno("subscription", subscribe(omit, &m.cq, COMP), 0);
	for (i = 0; i < 3; i++) {
		arm_cq(&m);
		move(&m, key_of(&m), 64);
		count += read_eventfd(fd);
	}
	if (count != 3)
		tell("%llu signals for 3 events", (unsigned long long)count);
	want_none(ch, "channel of an eventfd");
	for (i = 0; i < 2; i++) {
		if (!is_ready(omit->fd, WAIT_MS))
			die("no event");
		if (mlx5dv_devx_get_event(omit, (void *)&cookie, sizeof(cookie)) != sizeof(cookie))
			tell("the event has other than 8 bytes");
		if (cookie != COOKIE + COMP)
			tell("cookie %#llx", (unsigned long long)cookie);
		want_none(omit, "events that were joined");
		arm_cq(&m);
		move(&m, key_of(&m), 64);
		read_eventfd(fd);
	}
	/*
	 * an unread event can still be read after its CQ was destroyed
	 */
	destroy(&m.qp, "QP");
	destroy(&m.cq, "CQ");
	cookie = 0;
	if (mlx5dv_devx_get_event(omit, (void *)&cookie, sizeof(cookie)) != sizeof(cookie) ||
	    cookie != COOKIE + COMP)
		tell("the last event was lost");
	close(fd);
	mlx5dv_devx_destroy_event_channel(omit);
	mlx5dv_devx_destroy_event_channel(ch);
	close_mover(&m);
}

/* a WRITE with an invalid rkey fails and raises one of the eleven events of the QP */
static void event_qp(const char *device)
{
	struct mlx5dv_devx_event_channel *ch;
	u16 all[] = { 0x01, 0x02, 0x03, 0x04, 0x05, 0x07, 0x10, ACCESS_ERROR, 0x12, 0x13, 0x14 };
	struct mover m;

	open_mover(&m, device);
	ch = open_channel(&m.e, false);
	want_errno("eleven events", mlx5dv_devx_subscribe_devx_event(ch, m.qp.obj, sizeof(all), all,
								     COOKIE + ACCESS_ERROR) ?
		   errno : 0, 0);
	if (!move(&m, key_of(&m) ^ 1, 64))
		tell("the WRITE was not refused");
	want_event(ch, ACCESS_ERROR, m.qp.nr);
	want_none(ch, "after the error");
	mlx5dv_devx_destroy_event_channel(ch);
	close_mover(&m);
}

/* a QP that the device refused to destroy still raises events */
static void event_kept(const char *device)
{
	struct mlx5dv_devx_event_channel *ch;
	struct mover m;

	open_mover(&m, device);
	ch = open_channel(&m.e, false);
	want_errno("subscription", subscribe(ch, &m.qp, ACCESS_ERROR), 0);
	if (!mlx5dv_devx_obj_destroy(m.qp.obj))
		die("the QP was destroyed");
	if (!move(&m, key_of(&m) ^ 1, 64))
		tell("the WRITE was not refused");
	want_event(ch, ACCESS_ERROR, m.qp.nr);
	mlx5dv_devx_destroy_event_channel(ch);
	close_mover(&m);
}

/*
 * A new CQ gets the number of a destroyed CQ. The subscriber to the old CQ gets no event of the
 * new CQ.
 */
static void event_old(const char *device)
{
	struct mlx5dv_devx_event_channel *ch;
	struct made first;
	struct mover m;
	struct want w;
	struct end e;

	open_end(&e, device);
	w = want_of(&e);
	first = create_cq(&e, &w);
	ch = open_channel(&e, false);
	want_errno("subscription", subscribe(ch, &first, COMP), 0);
	destroy(&first, "CQ");
	open_mover(&m, device);
	if (m.cq.nr != first.nr)
		die("the device has not used number %#x again", first.nr);
	arm_cq(&m);
	move(&m, key_of(&m), 64);
	want_none(ch, "an old subscription");
	close_mover(&m);
	mlx5dv_devx_destroy_event_channel(ch);
	close_end(&e);
}

static void event_port(const char *device)
{
	struct mlx5dv_devx_event_channel *ch;
	struct end e;

	open_end(&e, device);
	ch = open_channel(&e, false);
	want_errno("subscription", subscribe(ch, NULL, PORT_CHANGE), 0);
	puts("ready");
	fflush(stdout);
	want_event(ch, PORT_CHANGE, 0);
	mlx5dv_devx_destroy_event_channel(ch);
	close_end(&e);
}

static void event_bad(const char *device)
{
	u16 many[17] = {}, mixed[2] = { COMP, 0x30 };
	struct mlx5dv_devx_event_channel *ch;
	struct mover m;
	int pipes[2];

	open_mover(&m, device);
	ch = open_channel(&m.e, false);
	want_errno("event of no object", subscribe(ch, &m.cq, PORT_CHANGE), EINVAL);
	want_errno("event of the device", subscribe(ch, NULL, ACCESS_ERROR), EINVAL);
	want_errno("completion of the device", subscribe(ch, NULL, COMP), EINVAL);
	want_errno("event that is not there", subscribe(ch, &m.cq, 0x30), EINVAL);
	want_errno("event 256", subscribe(ch, &m.cq, 0x100), EINVAL);
	want_errno("event 0xffff", subscribe(ch, &m.cq, 0xffff), EINVAL);
	want_errno("17 events", mlx5dv_devx_subscribe_devx_event(ch, m.cq.obj, sizeof(many), many,
								 0) ? errno : 0, EINVAL);
	want_errno("one of two", mlx5dv_devx_subscribe_devx_event(ch, m.cq.obj, sizeof(mixed),
								  mixed, 0) ? errno : 0, EINVAL);
	if (pipe(pipes))
		die("no pipe");
	want_errno("a pipe", mlx5dv_devx_subscribe_devx_event_fd(ch, pipes[0], m.cq.obj, COMP) ?
		   errno : 0, EINVAL);
	close(pipes[0]);
	want_errno("a closed file", mlx5dv_devx_subscribe_devx_event_fd(ch, pipes[0], m.cq.obj,
									COMP) ? errno : 0, EBADF);
	/* none of the refused calls left a subscription */
	arm_cq(&m);
	move(&m, key_of(&m), 64);
	want_none(ch, "refused subscriptions");
	mlx5dv_devx_destroy_event_channel(ch);
	close_mover(&m);
}

/* of 5000 unread events, the channel keeps 4096; one read returns EOVERFLOW */
static void event_overflow(const char *device)
{
	struct mlx5dv_devx_event_channel *ch;
	union event ev;
	struct mover m;
	unsigned int i;
	int fd;

	open_mover(&m, device);
	ch = open_channel(&m.e, false);
	for (i = 0; i < 50; i++)
		want_errno("subscription", subscribe(ch, &m.cq, COMP), 0);
	fd = eventfd(0, 0);
	want_errno("eventfd", mlx5dv_devx_subscribe_devx_event_fd(ch, fd, m.cq.obj, COMP) ?
		   errno : 0, 0);
	for (i = 0; i < 100; i++) {
		arm_cq(&m);
		move(&m, key_of(&m), 1);
		read_eventfd(fd);
	}
	fcntl(ch->fd, F_SETFL, O_NONBLOCK);
	want_errno("overflow", mlx5dv_devx_get_event(ch, &ev.hdr, sizeof(ev)) < 0 ? errno : 0,
		   EOVERFLOW);
	for (i = 0; mlx5dv_devx_get_event(ch, &ev.hdr, sizeof(ev)) == sizeof(ev); i++)
		;
	want_errno("end of the events", errno, EAGAIN);
	if (i != 4096)
		tell("%u events", i);
	mlx5dv_devx_destroy_event_channel(ch);
	close(fd);
	close_mover(&m);
}

/* the process ends with subscriptions of each kind, and with an unread event */
static void event_left(const char *device)
{
	struct mlx5dv_devx_event_channel *ch, *omit;
	static struct mover m;

	open_mover(&m, device);
	ch = open_channel(&m.e, false);
	omit = open_channel(&m.e, true);
	want_errno("subscription", subscribe(ch, &m.cq, COMP), 0);
	want_errno("subscription", subscribe(ch, NULL, PORT_CHANGE), 0);
	want_errno("subscription", subscribe(omit, &m.cq, COMP), 0);
	mlx5dv_devx_subscribe_devx_event_fd(ch, eventfd(0, 0), m.cq.obj, COMP);
	arm_cq(&m);
	move(&m, key_of(&m), 64);
	if (!is_ready(ch->fd, WAIT_MS))
		tell("no event");
	_exit(faults ? 1 : 0);
}

/* waits for an event until the device is removed */
static void event_unbound(const char *device)
{
	struct mlx5dv_devx_event_channel *ch;
	union event ev;
	struct end e;

	open_end(&e, device);
	ch = open_channel(&e, false);
	want_errno("subscription", subscribe(ch, NULL, PORT_CHANGE), 0);
	puts("ready");
	fflush(stdout);
	/* an event of the port may precede the removal */
	while (mlx5dv_devx_get_event(ch, &ev.hdr, sizeof(ev)) == sizeof(ev))
		;
	want_errno("event of a removed device", errno, EIO);
	_exit(faults ? 1 : 0);
}

const struct test event_tests[] = {
	{ "event_comp", event_comp },
	{ "event_fd", event_fd },
	{ "event_qp", event_qp },
	{ "event_kept", event_kept },
	{ "event_old", event_old },
	{ "event_port", event_port },
	{ "event_bad", event_bad },
	{ "event_overflow", event_overflow },
	{ "event_left", event_left },
	{ "event_unbound", event_unbound },
	{}
};
