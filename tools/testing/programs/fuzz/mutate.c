// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Changes to requests of the corpus
 */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>

#include "fuzz.h"

/*
 * The fuzzer does not send requests for a context. A file can have only one. When ib_uverbs of
 * Linux 6.12 refuses a second context, it frees the context without rdma_restrack_put(), and the
 * task_struct of the process is never freed.
 */
bool requests_context(const struct ib_uverbs_ioctl_hdr *hdr)
{
	return hdr->object_id == UVERBS_OBJECT_DEVICE &&
	       hdr->method_id == UVERBS_METHOD_GET_CONTEXT;
}

/* Return: true if attribute @i has its data in req->bytes */
static bool has_data(const struct request *req, u32 i)
{
	const struct ib_uverbs_ioctl_hdr *hdr = &req->hdr;
	const struct ib_uverbs_attr *attr = &hdr->attrs[i];

	return i < 32 && req->points & 1u << i && attr->data < sizeof(req->bytes) &&
	       attr->len <= sizeof(req->bytes) - attr->data;
}

/* Changes a request of the corpus. The data of the attributes follows the attributes. */
void mutate_request(struct request *req)
{
	struct ib_uverbs_ioctl_hdr *hdr = &req->hdr;
	struct ib_uverbs_attr *attr;
	u32 i;

	count(&shared->changed);
	if (req->is_write) {
		mutate_bytes(req->bytes, req->len);
		if (in_percent(BARRED_PERCENT) && req->len >= RESPONSE_AT + sizeof(u64))
			req->points |= 2;
		return;
	}
	if (!hdr->num_attrs || in_percent(10)) {
		mutate_bytes(hdr, sizeof(*hdr));
		return;
	}
	i = below(hdr->num_attrs) % ((sizeof(req->bytes) - sizeof(*hdr)) / sizeof(*attr));
	attr = &hdr->attrs[i];
	if (in_percent(BARRED_PERCENT)) {
		if (i < 32)
			req->points &= ~(1u << i);
		attr->data = (uintptr_t)barred;
	} else if (has_data(req, i) && in_percent(80)) {
		mutate_bytes(req->bytes + attr->data, attr->len);
	} else if (has_data(req, i)) {
		mutate_bytes(attr, offsetof(struct ib_uverbs_attr, data));
	} else {
		mutate_bytes(attr, sizeof(*attr));
	}
}
