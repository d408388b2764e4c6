// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests and responses of processes, beside those of the core.
 */
#include "abi/abi.h"
#include "abi/check.h"

/**
 * ibx_udata_read_part() - ibx_udata_read() of a request that is longer or shorter
 * @udata: request and response of the process
 * @req: as there
 * @size: size of @req in bytes
 * @min: as there
 *
 * Context: process.
 * Return: as there.
 */
int ibx_udata_read_part(struct ib_udata *udata, void *req, size_t size, size_t min)
{
	ssize_t len = ibx_abi_len(udata->inlen, min, size);

	memset(req, 0, size);
	if (len < 0)
		return len;
	if (udata->inlen > size && !ib_is_udata_cleared(udata, size, udata->inlen - size))
		return -EOPNOTSUPP;
	return len ? ib_copy_from_udata(req, udata, len) : 0;
}

/**
 * ibx_udata_write_part() - ibx_udata_write() to a process with other room for the response
 * @udata: request and response of the process
 * @resp: response
 * @size: size of @resp in bytes
 * @min: as there
 *
 * Context: process.
 * Return: as there.
 */
int ibx_udata_write_part(struct ib_udata *udata, void *resp, size_t size, size_t min)
{
	ssize_t len = ibx_abi_len(udata->outlen, min, size);

	if (len < 0)
		return len;
	return len ? ib_copy_to_udata(udata, resp, len) : 0;
}
