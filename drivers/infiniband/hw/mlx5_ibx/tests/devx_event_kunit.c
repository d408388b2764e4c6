// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of the events of DEVX (devx/event_key.c).
 *
 * EQEs are built from the byte offsets of the device's layout, not from the
 * structures that the code under test uses.
 */
#include <kunit/test.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/mlx5_ifc.h>

#include "devx/event_key.h"

#define NR	0x123456
#define EQE_DATA	0x20	/* offset of the data in an EQE */

struct event_case {
	const char *name;
	u16 event;
	u16 creator;
	u8 at;		/* offset in the data of the word with the number */
	int queue;	/* value of the byte with the type of queue; -1: not written */
	bool same;	/* the event has the key of the object */
};

static const struct event_case event_cases[] = {
	{ "path migrated", 0x01, MLX5_CMD_OP_CREATE_QP, 24, 0, true },
	{ "communication established", 0x02, MLX5_CMD_OP_CREATE_QP, 24, 0, true },
	{ "send queue drained", 0x03, MLX5_CMD_OP_CREATE_QP, 24, 0, true },
	{ "last WQE", 0x13, MLX5_CMD_OP_CREATE_QP, 24, 0, true },
	{ "WQ catastrophic error", 0x05, MLX5_CMD_OP_CREATE_QP, 24, 0, true },
	{ "path migration failed", 0x07, MLX5_CMD_OP_CREATE_QP, 24, 0, true },
	{ "invalid request", 0x10, MLX5_CMD_OP_CREATE_QP, 24, 0, true },
	{ "access error", 0x11, MLX5_CMD_OP_CREATE_QP, 24, 0, true },
	{ "access error of an RQ", 0x11, MLX5_CMD_OP_CREATE_QP, 24, 1, false },
	{ "access error of an SQ", 0x11, MLX5_CMD_OP_CREATE_QP, 24, 2, false },
	{ "access error of another queue", 0x11, MLX5_CMD_OP_CREATE_QP, 24, 0x77, false },
	{ "limit of an RMP", 0x14, MLX5_CMD_OP_CREATE_RMP, 24, 1, true },
	{ "limit of an XRC SRQ", 0x14, MLX5_CMD_OP_CREATE_XRC_SRQ, 24, 0, true },
	{ "SRQ catastrophic error", 0x12, MLX5_CMD_OP_CREATE_RMP, 24, 1, true },
	{ "CQ error", 0x04, MLX5_CMD_OP_CREATE_CQ, 0, -1, true },
	{ "completion", 0x00, MLX5_CMD_OP_CREATE_CQ, 24, -1, true },
	{ "CQ error of a QP", 0x04, MLX5_CMD_OP_CREATE_QP, 0, -1, false },
	{ "limit of a CQ", 0x14, MLX5_CMD_OP_CREATE_CQ, 24, 1, false },
	{ "event of a PD", 0x11, MLX5_CMD_OP_ALLOC_PD, 24, 0, false },
};

KUNIT_ARRAY_PARAM_DESC(event, event_cases, name);

static void put_word(u8 *eqe, unsigned int at, u32 v)
{
	*(__be32 *)(eqe + EQE_DATA + at) = cpu_to_be32(v);
}

static bool same_key(const struct ibx_devx_key *a, const struct ibx_devx_key *b)
{
	return a->event == b->event && a->type == b->type && a->nr == b->nr;
}

static void find_the_object(struct kunit *test)
{
	const struct event_case *c = test->param_value;
	const struct ibx_devx_id id = { .creator = c->creator, .nr = NR };
	struct ibx_devx_key raised, wanted;
	struct mlx5_eqe eqe = {};

	/* the highest byte of the word belongs to another field */
	put_word((u8 *)&eqe, c->at, 0xff000000 | NR);
	if (c->queue >= 0)
		((u8 *)&eqe)[EQE_DATA + 20] = c->queue;
	ibx_devx_key_of_obj(&id, c->event, &wanted);
	ibx_devx_key_of_eqe(NULL, c->event, &eqe, &raised);
	KUNIT_EXPECT_EQ(test, same_key(&raised, &wanted), c->same);
	put_word((u8 *)&eqe, c->at, NR + 1);
	ibx_devx_key_of_eqe(NULL, c->event, &eqe, &raised);
	KUNIT_EXPECT_FALSE(test, same_key(&raised, &wanted));
	ibx_devx_key_of_eqe(NULL, c->event ^ 1, &eqe, &raised);
	KUNIT_EXPECT_FALSE(test, same_key(&raised, &wanted));
}

/*
 * Numbers of general objects have 32 bits. Two general objects of different
 * types may have the same number.
 */
static void find_general_object(struct kunit *test)
{
	struct ibx_devx_id id = { .creator = MLX5_CMD_OP_CREATE_GENERAL_OBJECT, .type = 0xc,
				  .nr = 0x89abcdef };
	struct ibx_devx_key raised, wanted;
	struct mlx5_eqe eqe = {};

	put_word((u8 *)&eqe, 0, 0xffff000c);
	put_word((u8 *)&eqe, 4, 0x89abcdef);
	ibx_devx_key_of_eqe(NULL, 0x27, &eqe, &raised);
	ibx_devx_key_of_obj(&id, 0x27, &wanted);
	KUNIT_EXPECT_TRUE(test, same_key(&raised, &wanted));
	id.type = 0xd;
	ibx_devx_key_of_obj(&id, 0x27, &wanted);
	KUNIT_EXPECT_FALSE(test, same_key(&raised, &wanted));
}

/* the key of a device event does not depend on the data of the EQE */
static void find_the_device(struct kunit *test)
{
	__be64 object[4] = {}, device[4] = { [0] = cpu_to_be64(BIT_ULL(0x09)) };
	const struct ibx_devx_event_caps caps = { object, device };
	const struct ibx_devx_key wanted = { .event = 0x09 };
	struct ibx_devx_key raised;
	struct mlx5_eqe eqe;

	memset(&eqe, 0xa5, sizeof(eqe));
	ibx_devx_key_of_eqe(NULL, 0x09, &eqe, &raised);
	KUNIT_EXPECT_TRUE(test, same_key(&raised, &wanted));
	ibx_devx_key_of_eqe(&caps, 0x09, &eqe, &raised);
	KUNIT_EXPECT_TRUE(test, same_key(&raised, &wanted));
	device[0] = 0;
	ibx_devx_key_of_eqe(&caps, 0x09, &eqe, &raised);
	KUNIT_EXPECT_FALSE(test, same_key(&raised, &wanted));
}

static void subscribe_without_masks(struct kunit *test)
{
	static const u8 of_objects[] = { 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x07, 0x10, 0x11, 0x12,
					 0x13, 0x14, 0x18, 0x1c, 0x1d };
	unsigned int event, i = 0;

	for (event = 0; event <= U16_MAX; event++) {
		bool listed = i < ARRAY_SIZE(of_objects) && event == of_objects[i];

		i += listed;
		KUNIT_EXPECT_EQ(test, ibx_devx_may_subscribe(NULL, true, event), listed);
		KUNIT_EXPECT_EQ(test, ibx_devx_may_subscribe(NULL, false, event), event == 0x09);
	}
}

/* word 0 of a mask has events 0 to 63, with event 0 in its lowest bit */
static void subscribe_by_masks(struct kunit *test)
{
	__be64 object[4] = {}, device[4] = {};
	const struct ibx_devx_event_caps caps = { object, device };
	unsigned int event;

	((u8 *)object)[7] = 0x02;
	((u8 *)object)[31] = 0x80;
	((u8 *)device)[24] = 0x80;
	for (event = 0; event <= U16_MAX; event++) {
		KUNIT_EXPECT_EQ(test, ibx_devx_may_subscribe(&caps, true, event),
				event == 0 || event == 1 || event == 199);
		KUNIT_EXPECT_EQ(test, ibx_devx_may_subscribe(&caps, false, event), event == 255);
	}
}

static struct kunit_case devx_event_cases[] = {
	KUNIT_CASE_PARAM(find_the_object, event_gen_params),
	KUNIT_CASE(find_general_object),
	KUNIT_CASE(find_the_device),
	KUNIT_CASE(subscribe_without_masks),
	KUNIT_CASE(subscribe_by_masks),
	{}
};

static struct kunit_suite devx_event_suite = {
	.name = "mlx5_ibx_devx_event",
	.test_cases = devx_event_cases,
};

kunit_test_suite(devx_event_suite);
