/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The list of PCI functions a user names. Pure: text in, numbers out, and back.
 */
#ifndef MLX5_IBX_CLAIM_LIST_H
#define MLX5_IBX_CLAIM_LIST_H

#include <linux/types.h>

#define IBX_CLAIM_MAX	64

struct ibx_claim_addr {
	u32 domain;
	u8 bus;
	u8 devfn;
};

/**
 * struct ibx_claim_list - a parsed list
 * @all: every function
 * @n: functions in @addr
 * @addr: the functions
 * @bad: after an error, where in the text it is
 */
struct ibx_claim_list {
	bool all;
	int n;
	struct ibx_claim_addr addr[IBX_CLAIM_MAX];
	const char *bad;
};

int ibx_claim_parse(const char *text, struct ibx_claim_list *list);
bool ibx_claim_has(const struct ibx_claim_list *list, u32 domain, u8 bus, u8 devfn);
int ibx_claim_format(const struct ibx_claim_list *list, char *buf, size_t size);

#endif /* MLX5_IBX_CLAIM_LIST_H */
