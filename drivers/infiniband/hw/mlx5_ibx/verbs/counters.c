// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue counters: sysfs hw_counters of the port, and `rdma statistic`.
 *
 * The device counts per counter set, and every QP names one set. A QP starts in
 * the port's set, which is allocated at probe. `rdma statistic qp bind`
 * allocates another set and moves QPs into that set. The core adds the values
 * of such sets to the port's values, and keeps the values of a set that is
 * freed.
 *
 * A device can move a QP to another set in RTS only. For a QP in RESET the new
 * set is named in the change to INIT; in INIT and RTR the move waits for RTS. A
 * QP in ERR stays in its old set, which counts the flushes of the QP until the
 * set is freed.
 *
 * On a device without counter sets, these verbs are not set.
 */
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#include "cmd/cmd.h"
#include "verbs/verbs.h"

enum need {
	NEED_NOTHING,
	NEED_SEQUENCE,
	NEED_RETRANS,
	NEED_ERRORS,
	NEED_ACCL,
};

struct source {
	const char *name;
	u16 offset;
	enum need need;
};

#define SRC(_name, _need)						\
	{ #_name, MLX5_BYTE_OFF(query_q_counter_out, _name), NEED_##_need }

/* the same names as in mlx5_ib, because tools depend on them */
static const struct source sources[] = {
	SRC(rx_write_requests, NOTHING),
	SRC(rx_read_requests, NOTHING),
	SRC(rx_atomic_requests, NOTHING),
	SRC(rx_dct_connect, NOTHING),
	SRC(out_of_buffer, NOTHING),
	SRC(out_of_sequence, SEQUENCE),
	SRC(duplicate_request, RETRANS),
	SRC(rnr_nak_retry_err, RETRANS),
	SRC(packet_seq_err, RETRANS),
	SRC(implied_nak_seq_err, RETRANS),
	SRC(local_ack_timeout_err, RETRANS),
	SRC(resp_local_length_error, ERRORS),
	SRC(resp_cqe_error, ERRORS),
	SRC(req_cqe_error, ERRORS),
	SRC(req_remote_invalid_request, ERRORS),
	SRC(req_remote_access_errors, ERRORS),
	SRC(resp_remote_access_errors, ERRORS),
	SRC(resp_cqe_flush_error, ERRORS),
	SRC(req_cqe_flush_error, ERRORS),
	SRC(req_transport_retries_exceeded, ERRORS),
	SRC(req_rnr_retries_exceeded, ERRORS),
	SRC(roce_adp_retrans, ACCL),
	SRC(roce_adp_retrans_to, ACCL),
	SRC(roce_slow_restart, ACCL),
	SRC(roce_slow_restart_cnps, ACCL),
	SRC(roce_slow_restart_trans, ACCL),
};

static_assert(ARRAY_SIZE(sources) <= IBX_MAX_COUNTERS);

static bool has_need(const struct mlx5_core_dev *mdev, enum need need)
{
	switch (need) {
	case NEED_SEQUENCE:
		return MLX5_CAP_GEN(mdev, out_of_seq_cnt);
	case NEED_RETRANS:
		return MLX5_CAP_GEN(mdev, retransmission_q_counters);
	case NEED_ERRORS:
		return MLX5_CAP_GEN(mdev, enhanced_error_q_counters);
	case NEED_ACCL:
		return MLX5_CAP_GEN(mdev, roce_accl);
	default:
		return true;
	}
}

static struct rdma_hw_stats *alloc_stats(const struct ibx_dev *dev)
{
	return rdma_alloc_hw_stats_struct(dev->counters.desc, dev->counters.num,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int read_set(struct ibx_dev *dev, u8 set, u64 *value)
{
	const struct ibx_counters *c = &dev->counters;
	u32 out[MLX5_ST_SZ_DW(query_q_counter_out)] = {};
	int err;
	int i;

	err = ibx_cmd_query_q_counter(dev, set, out);
	if (err)
		return err;
	for (i = 0; i < c->num; i++)
		value[i] = be32_to_cpup((__be32 *)((u8 *)out + c->offset[i]));
	return 0;
}

static struct rdma_hw_stats *alloc_port_stats(struct ib_device *ibdev, u32 port)
{
	return alloc_stats(to_idev(ibdev));
}

static int get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port,
			int index)
{
	struct ibx_dev *dev = to_idev(ibdev);
	int err;

	/*
	 * The core calls this function once during registration, and would leak
	 * its memory for the counters after an error. So no command is issued
	 * before the device is active.
	 */
	if (!READ_ONCE(dev->active))
		return dev->counters.num;
	/* one command reads all counters, so @index is ignored */
	err = read_set(dev, dev->counters.set, stats->value);
	return err ?: dev->counters.num;
}

static struct rdma_hw_stats *counter_alloc_stats(struct rdma_counter *counter)
{
	return alloc_stats(to_idev(counter->device));
}

static int counter_update_stats(struct rdma_counter *counter)
{
	return read_set(to_idev(counter->device), counter->id, counter->stats->value);
}

static void free_set(struct ibx_dev *dev, u32 set)
{
	ibx_cmd_left(dev, "counter set", set, ibx_cmd_dealloc_q_counter(dev, set));
}

/* the core ignores the return value */
static int counter_dealloc(struct rdma_counter *counter)
{
	if (counter->id)
		free_set(to_idev(counter->device), counter->id);
	return 0;
}

/* the first QP allocates the set; its number is the counter ID that users see */
static int bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp)
{
	struct ibx_dev *dev = to_idev(ibqp->device);
	bool fresh = !counter->id;
	int err;
	u8 set;

	if (fresh) {
		err = ibx_cmd_alloc_q_counter(dev, &set);
		if (err)
			return err;
		counter->id = set;
	}
	err = ibx_qp_set_counter(ibqp, counter);
	if (err && fresh) {
		free_set(dev, counter->id);
		counter->id = 0;
	}
	return err;
}

static int unbind_qp(struct ib_qp *ibqp)
{
	return ibx_qp_set_counter(ibqp, NULL);
}

IBX_DEFINE_COUNTER_BIND_QP(counter_bind_qp, bind_qp)
IBX_DEFINE_COUNTER_UNBIND_QP(counter_unbind_qp, unbind_qp)

/* all members of a counter belong to the core */
static void __maybe_unused init_counter(struct rdma_counter *counter)
{
}

static const struct ib_device_ops counter_ops = {
	.alloc_hw_port_stats = alloc_port_stats,
	.get_hw_stats = get_hw_stats,
	.counter_alloc_stats = counter_alloc_stats,
	.counter_update_stats = counter_update_stats,
	.counter_bind_qp = counter_bind_qp,
	.counter_unbind_qp = counter_unbind_qp,
	.counter_dealloc = counter_dealloc,
	IBX_COUNTER_INIT(init_counter)
};

/**
 * ibx_counters_init() - allocate the port's counter set
 * @dev: device without QPs, not registered yet
 *
 * Context: may sleep.
 * Return: 0, also when the device has no counter sets, or an errno from cmd.h.
 */
int ibx_counters_init(struct ibx_dev *dev)
{
	struct ibx_counters *c = &dev->counters;
	int err;
	int i;

	if (!MLX5_CAP_GEN(dev->mdev, max_qp_cnt))
		return 0;
	err = ibx_cmd_alloc_q_counter(dev, &c->set);
	if (err)
		return err;

	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		if (!has_need(dev->mdev, sources[i].need))
			continue;
		c->desc[c->num].name = sources[i].name;
		c->offset[c->num] = sources[i].offset;
		c->num++;
	}
	ib_set_device_ops(&dev->ibdev, &counter_ops);
	return 0;
}

/**
 * ibx_counters_exit() - undo ibx_counters_init()
 * @dev: device without QPs
 *
 * Context: may sleep.
 */
void ibx_counters_exit(struct ibx_dev *dev)
{
	if (dev->counters.num)
		free_set(dev, dev->counters.set);
}
