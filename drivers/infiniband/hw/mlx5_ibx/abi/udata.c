// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The driver's part of the requests and responses of processes. */
#include "abi/abi.h"
#include "abi/check.h"

/**
 * ibx_udata_read_part() - read a request that is longer or shorter than its structure
 * @udata: request and response of the process
 * @req: gets the request; bytes that the process has not sent are 0
 * @size: size of @req in bytes
 * @min: number of bytes that a process must pass at least
 *
 * Context: process.
 * Return:
 * * 0
 * * -EINVAL: the request is shorter than @min
 * * -EOPNOTSUPP: the request is longer than @size and the rest is not 0
 * * -EFAULT
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
 * ibx_udata_write_part() - write a response to a buffer longer or shorter than its structure
 * @udata: request and response of the process
 * @resp: response
 * @size: size of @resp in bytes
 * @min: number of bytes of the response that the process must have space for
 *
 * The response is truncated to the space that the process has.
 *
 * Context: process.
 * Return:
 * * 0
 * * -EINVAL: the process has less space than @min
 * * -EFAULT
 */
int ibx_udata_write_part(struct ib_udata *udata, void *resp, size_t size, size_t min)
{
	ssize_t len = ibx_abi_len(udata->outlen, min, size);

	if (len < 0)
		return len;
	return len ? ib_copy_to_udata(udata, resp, len) : 0;
}
