// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The work request API: threads that post to the same QP at the same time, half by builders and
 * half by ib_post_send().
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "dv.h"

#define POSTERS		4
#define ROUNDS		64
#define WORDS		3	/* WRITEs of one word in a chain */
#define PLACE		256	/* words of each poster in both buffers */

struct many;

/* a thread that posts; its round i has wr_id @nr * ROUNDS + i */
struct poster {
	struct many *m;
	int nr;
	struct task_struct *task;
	int ret;
};

struct many {
	struct t_pair *p;
	struct completion go;
	struct poster poster[POSTERS];
};

static u64 id_of(const struct poster *t, int round)
{
	return t->nr * ROUNDS + round;
}

/* offset of word @i of a round; no two words share a source, because the device may read late */
static u64 word_at(const struct poster *t, int round, int i)
{
	return t->nr * PLACE * 8 + (round * WORDS + i) * 8;
}

static u64 addr_of(const struct poster *t, int round, int i)
{
	return t->m->p->end[0].mr[0]->iova + word_at(t, round, i);
}

static int by_builders(struct poster *t, int round)
{
	struct t_end *e = &t->m->p->end[1];
	int i, ret;

	ret = ib_wr_start(dv_qpx(e));
	if (ret)
		return ret;
	for (i = 0; i < WORDS; i++) {
		dv_next(e, id_of(t, round), i == WORDS - 1 ? IB_SEND_SIGNALED : 0);
		ib_wr_rdma_write(dv_qpx(e), t->m->p->end[0].mr[0]->rkey, addr_of(t, round, i));
		ib_wr_set_sge(dv_qpx(e), e->pd->local_dma_lkey, e->dma + word_at(t, round, i), 8);
	}
	return ib_wr_complete(dv_qpx(e));
}

static int by_post_send(struct poster *t, int round)
{
	struct t_end *e = &t->m->p->end[1];
	struct ib_rdma_wr wr[WORDS] = {};
	struct ib_sge sge[WORDS];
	const struct ib_send_wr *bad = NULL;
	int i;

	for (i = 0; i < WORDS; i++) {
		sge[i] = t_sge(e, word_at(t, round, i), 8);
		wr[i].wr.wr_id = id_of(t, round);
		wr[i].wr.opcode = IB_WR_RDMA_WRITE;
		wr[i].wr.sg_list = &sge[i];
		wr[i].wr.num_sge = 1;
		wr[i].wr.send_flags = i == WORDS - 1 ? IB_SEND_SIGNALED : 0;
		wr[i].wr.next = i == WORDS - 1 ? NULL : &wr[i + 1].wr;
		wr[i].rkey = t->m->p->end[0].mr[0]->rkey;
		wr[i].remote_addr = addr_of(t, round, i);
	}
	return ib_post_send(e->qp, &wr[0].wr, &bad);
}

static int post_rounds(void *data)
{
	struct poster *t = data;
	int i;

	wait_for_completion(&t->m->go);
	for (i = 0; i < ROUNDS && !t->ret; i++) {
		t->ret = t->nr & 1 ? by_post_send(t, i) : by_builders(t, i);
		/* let other threads run, also on one CPU */
		if (i % 4 == 3)
			usleep_range(20, 50);
	}
	while (!kthread_should_stop())
		usleep_range(1000, 2000);
	return 0;
}

/*
 * checks that each round completed once, that the rounds of one thread completed in order, and that
 * rounds of other threads are in between
 */
static int check_order(const struct many *m)
{
	const struct t_queue *q = &m->p->end[1].sq;
	int next[POSTERS] = {}, i, nr, last = -1, changes = 0;

	T_EXPECT(q->nr, POSTERS * ROUNDS);
	for (i = 0; i < POSTERS * ROUNDS; i++) {
		nr = q->order[i] / ROUNDS;
		T_EXPECT(q->order[i] % ROUNDS, next[nr]);
		next[nr]++;
		changes += nr != last;
		last = nr;
	}
	T_EXPECT(changes > POSTERS, 1);
	return 0;
}

static int run_posters(struct many *m)
{
	struct t_end *to = &m->p->end[0], *e = &m->p->end[1];
	int i, k;

	for (i = 0; i < POSTERS; i++) {
		struct poster *t = &m->poster[i];

		t->task = kthread_run(post_rounds, t, "mlx5dv_test/%d", i);
		if (IS_ERR(t->task))
			return T_FAIL("no thread: %ld", PTR_ERR(t->task));
	}
	complete_all(&m->go);
	for (k = 0; k < ROUNDS; k++) {
		for (i = 0; i < POSTERS; i++) {
			T_EXPECT(READ_ONCE(m->poster[i].ret), 0);
			T_EXPECT(t_wait(&e->sq, id_of(&m->poster[i], k)), IB_WC_SUCCESS);
		}
	}
	T_TRY(check_order(m));
	for (i = 0; i < POSTERS; i++)
		T_TRY(t_check(to, word_at(&m->poster[i], 0, 0), ROUNDS * WORDS * 8, i));
	return 0;
}

static int wr_many(struct t_pair *p)
{
	struct many *m = kzalloc(sizeof(*m), GFP_KERNEL);
	int i, ret;

	if (!m)
		return -ENOMEM;
	m->p = p;
	init_completion(&m->go);
	t_set(&p->end[0], T_GUARD);
	for (i = 0; i < POSTERS; i++) {
		m->poster[i].m = m;
		m->poster[i].nr = i;
		t_fill(&p->end[1], word_at(&m->poster[i], 0, 0), ROUNDS * WORDS * 8, i);
	}
	ret = t_open(p, DV_REMOTE_RW);
	if (!ret)
		ret = run_posters(m);
	complete_all(&m->go);
	for (i = 0; i < POSTERS; i++)
		if (!IS_ERR_OR_NULL(m->poster[i].task))
			kthread_stop(m->poster[i].task);
	kfree(m);
	return ret;
}

/* the send queue has space for all work requests; other suites test full queues */
static const struct t_opts deep_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp,
	.post = dv_post, .sq_depth = POSTERS * ROUNDS * WORDS,
	.cqe = POSTERS * ROUNDS,
};

const struct t_case dv_wr_many_cases[] = {
	{ "wr_many", wr_many, &deep_opts },
	{ }
};
