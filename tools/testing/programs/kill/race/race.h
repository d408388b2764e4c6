/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The program racer: ten threads share a context. Each thread uses other kinds of objects. All
 * requests are valid: before the removal of the device, a failed request or a violation of a rule
 * of the device is an error.
 */
#ifndef RACE_H
#define RACE_H

#include "../../devx/devx.h"

/**
 * struct worker - a thread
 * @name: name of its kind of objects, for the log
 * @round: creates, uses and destroys objects. Return: false if a call failed
 * @e: the context of the process, and the memory and UMEM of the thread
 * @state: state of the random numbers of the thread
 */
struct worker {
	const char *name;
	bool (*round)(struct worker *w);
	struct end e;
	u64 state;
};

/* ---- worker.c ---- */
extern int *acted;	/* not 0: the device is being removed, or was removed */
bool is_gone(void);
u64 mix(u64 *state);
u32 draw(struct worker *w, u32 below);
bool failed(const char *what);

/* ---- devx.c ---- */
bool umems_round(struct worker *w);
bool mover_round(struct worker *w);
bool channels_round(struct worker *w);
bool queries_round(struct worker *w);
bool reader_round(struct worker *w);

/* ---- verbs.c ---- */
bool mrs_round(struct worker *w);
bool cqs_round(struct worker *w);
bool qps_round(struct worker *w);
bool xrc_round(struct worker *w);
bool events_round(struct worker *w);

#endif /* RACE_H */
