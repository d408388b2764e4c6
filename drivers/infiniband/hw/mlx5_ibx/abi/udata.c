// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests and responses of processes, beside those of the core.
 */
#include "abi/abi.h"
#include "abi/check.h"

/**
 * ibx_udata_read() - copy a request from a process
 * @udata: request and response of the process
 * @req: gets the request; bytes that the process did not pass are 0
 * @size: size of @req in bytes
 * @min: number of bytes that a process must pass at least
 *
 * Context: process.
 * Return: 0; -EINVAL if the request is shorter than @min; -EOPNOTSUPP if it is
 * longer than @size and the rest is not 0; -EFAULT.
 */
int ibx_udata_read(struct ib_udata *udata, void *req, size_t size, size_t min)
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
 * ibx_udata_write() - copy a response to a process
 * @udata: request and response of the process
 * @resp: response
 * @size: size of @resp in bytes
 * @min: number of bytes that a process must have room for
 *
 * The response is truncated to the room that the process has.
 *
 * Context: process.
 * Return: 0; -EINVAL if there is less room than @min; -EFAULT.
 */
int ibx_udata_write(struct ib_udata *udata, void *resp, size_t size, size_t min)
{
	ssize_t len = ibx_abi_len(udata->outlen, min, size);

	if (len < 0)
		return len;
	return len ? ib_copy_to_udata(udata, resp, len) : 0;
}
