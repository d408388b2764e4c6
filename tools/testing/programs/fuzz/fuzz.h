/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The program fuzz sends three kinds of requests to the kernel: requests of unmodified libibverbs
 * and libmlx5 that are changed at random (intercept.c), random requests (raw.c), and recorded
 * sequences of requests that are sent again with changes (corpus.c).
 *
 * A process opens one or two contexts and starts a few threads. Only one thread uses each object of
 * the libraries, because the libraries do not lock their objects. Two processes run at a time. All
 * threads of both share the numbers of objects (numbers.c), and repeat requests of other threads
 * with the recorded handles.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "../devx/devx.h"

#define CONTEXTS	2
#define REQUEST_MAX	3072u	/* bytes of a stored request */
#define SEQUENCE	6u	/* requests */
#define ENTRIES		256u	/* sequences in the corpus */
#define EDGE_BITS	16
#define NUMBERS		16u	/* stored numbers of objects of a kind */
#define NO_HANDLE	(~0u)

/* kinds of objects that have numbers */
enum kind {
	CQ, QP, RMP, MKEY, PD, DOMAIN, XRCD, COUNTERS, PSV, UMEM, GENERAL, KINDS
};

/**
 * struct request - one request
 * @made: handle that the request returned, or NO_HANDLE
 * @len: bytes of the ioctl with its attributes, or of the command of write()
 * @is_write: a command of write()
 * @points: for an ioctl, bit mask of the attributes whose data is in @bytes, at the offset
 *	attribute.data; for a write(), not 0 if the kernel cannot write the response
 * @hdr: header of an ioctl
 * @bytes: header and attributes with their data, or the command
 */
struct request {
	u32 made;
	u16 len;
	bool is_write;
	u32 points;
	union {
		struct ib_uverbs_ioctl_hdr hdr;
		u8 bytes[REQUEST_MAX];
	};
};

/**
 * struct sequence - requests of one thread, one after the other
 * @num: number of requests
 * @req: requests
 */
struct sequence {
	u32 num;
	struct request req[SEQUENCE];
};

/**
 * struct shared - memory that all processes of a run share
 * @requests: number of requests
 * @changed: number of requests that were changed, or repeated with a change
 * @barred: number of requests whose response could not be written
 * @repeated: number of sequences that were sent again
 * @acted: the device is being removed, or was removed
 * @numbers: numbers of objects by kind
 * @edges: 1 for each edge (cover.c) that a request reached; the index is a hash of the edge
 * @found: number of edges that were reached
 * @entries: number of sequences that were put into @corpus
 * @corpus: sequences whose last request reached an edge for the first time
 */
struct shared {
	unsigned long requests;
	unsigned long changed;
	unsigned long barred;
	unsigned long repeated;
	int acted;
	u32 numbers[KINDS][NUMBERS];
	u8 edges[1 << EDGE_BITS];
	u32 found;
	u32 entries;
	struct sequence corpus[ENTRIES];
};

#define RESPONSE_AT	8	/* offset of the response's address in every command of write() */
#define BARRED_PERCENT	15

/* ---- shared.c ---- */
extern struct shared *shared;
extern u8 *barred;			/* a page without access */
extern int fuzzed_fds[CONTEXTS];
extern __thread unsigned int percent;	/* percentage of requests that are changed */
extern __thread int my_fd;
extern __thread bool bar_next;		/* the response to the next request cannot be written */
bool is_fuzzed(int fd);
void count(unsigned long *what);
void share_memory(void);

/* ---- random.c ---- */
void seed_random(u64 seed);
u64 next_random(void);
u32 below(u32 n);
bool in_percent(unsigned int p);
void mutate_bytes(void *data, size_t len);
size_t mutate_command(u8 *cmd, size_t len, size_t max_len);

/* ---- mutate.c ---- */
bool requests_context(const struct ib_uverbs_ioctl_hdr *hdr);
void mutate_request(struct request *req);

/* ---- cover.c ---- */
extern bool has_kcov;
void cover_thread(void);
void cover_begin(void);
bool cover_end(const struct request *req, int err);

/* ---- corpus.c ---- */
long send_recorded(int fd, void *arg, size_t len);
void replay_step(void);

/* ---- numbers.c ---- */
void note_number(enum kind kind, u32 nr);
void set_last(enum kind kind, u32 nr);
void skip_number(enum kind kind);
u32 next_number(enum kind kind);
u32 any_number(enum kind kind);
u32 random_number(void);

/* ---- raw.c ---- */
void raw_ioctl(void);
void raw_write(void);
void raw_mmap(void);
void raw_fork(void);

/* ---- devx.c, data.c, hunt.c, verbs.c, kinds.c ---- */
void devx_begin(const struct end *context);
void devx_step(struct end *e);
extern __thread bool hunts;		/* uses numbers that the next objects may get */
void data_step(struct end *e);
void hunt_step(struct end *e);
void bar_step(struct end *e);
void verbs_begin(struct end *e);
void verbs_step(struct end *e);
struct ibv_cq *any_cq(void);
struct ibv_qp *any_qp(void);
struct ibv_srq *any_srq(void);
void kinds_step(struct end *e);

#endif /* FUZZ_H */
