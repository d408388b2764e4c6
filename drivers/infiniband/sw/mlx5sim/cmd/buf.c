// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The memory of queues in commands: a list of pages, or the number of a UMEM
 * and an offset in the UMEM. A queue in a UMEM has a copy of the addresses of
 * its pages. The queue is a user of the UMEM (sim_obj_use()), so that the UMEM
 * cannot be destroyed before the queue.
 */
#include "cmd/handlers.h"
#include "core/core.h"
#include "host/host.h"
#include "obj/obj.h"

static u64 sim_umem_size(const struct sim_umem *umem)
{
	return ((u64)umem->buf.npages << umem->buf.page_shift) - umem->buf.offset;
}

/**
 * sim_cmd_umem() - find a UMEM and check a range in the UMEM
 * @sdev: simulated function
 * @cmd: the command, for its uid and for the violation
 * @id: number of the UMEM
 * @off: bytes from the first byte of the UMEM
 * @len: bytes of the range
 * @status: set on failure, else unchanged
 *
 * Context: hardware thread.
 * Return: the UMEM; NULL, after a violation, when no UMEM has the number, the
 * UMEM has another uid, or the range exceeds the UMEM.
 */
struct sim_umem *sim_cmd_umem(struct sim_dev *sdev, struct sim_cmd *cmd, u32 id, u64 off, u64 len,
			      u8 *status)
{
	struct sim_umem *umem = sim_cmd_obj(sdev, cmd, SIM_OBJ_UMEM, id, status);

	if (!umem)
		return NULL;
	if (off > sim_umem_size(umem) || len > sim_umem_size(umem) - off) {
		*status = sim_cmd_bad_param(sdev, cmd, "%#llx bytes at %#llx of umem %#x", len, off,
					    id);
		return NULL;
	}
	return umem;
}

static u8 sim_buf_from_umem(struct sim_dev *sdev, struct sim_cmd *cmd,
			    const struct sim_cmd_buf *desc, struct sim_buf *buf,
			    struct sim_umem **umem)
{
	u64 off = desc->umem_offset +
		  ((u64)desc->page_offset << (desc->log_page_size + MLX5_ADAPTER_PAGE_SHIFT - 6));
	const struct sim_buf *whole;
	u64 first, last;
	u8 status;

	if (!desc->size)
		return MLX5_CMD_STAT_OK;
	*umem = sim_cmd_umem(sdev, cmd, desc->umem_id, off, desc->size, &status);
	if (!*umem)
		return status;
	whole = &(*umem)->buf;
	off += whole->offset;
	if (off % desc->align)
		return sim_cmd_bad_param(sdev, cmd, "umem offset %#llx for entries of %u", off,
					 desc->align);
	first = off >> whole->page_shift;
	last = (off + desc->size - 1) >> whole->page_shift;
	buf->pas = kvmemdup(whole->pas + first, (last - first + 1) * sizeof(*buf->pas), GFP_KERNEL);
	if (!buf->pas)
		return sim_cmd_errno(-ENOMEM);
	buf->npages = last - first + 1;
	buf->page_shift = whole->page_shift;
	buf->offset = off & (BIT_ULL(whole->page_shift) - 1);
	return MLX5_CMD_STAT_OK;
}

/**
 * sim_cmd_read_buf() - check and copy the page addresses of a queue
 * @sdev: simulated function
 * @cmd: the command, for the violation
 * @desc: memory of the queue, from the command
 * @buf: filled in, unless the queue has no memory
 * @umem: set to the UMEM that contains the memory, unchanged without a UMEM;
 *	may be NULL if @desc->umem is false
 *
 * Unrefereed: U-122.
 *
 * Context: hardware thread.
 * Return: MLX5_CMD_STAT_*; the caller frees @buf only after MLX5_CMD_STAT_OK.
 */
u8 sim_cmd_read_buf(struct sim_dev *sdev, struct sim_cmd *cmd, const struct sim_cmd_buf *desc,
		    struct sim_buf *buf, struct sim_umem **umem)
{
	u32 shift = desc->log_page_size + MLX5_ADAPTER_PAGE_SHIFT;
	u32 npas = desc->pas_bytes / sizeof(u64);
	u64 offset, want;
	int err;

	if (shift > SIM_BUF_MAX_SHIFT)
		return sim_cmd_bad_param(sdev, cmd, "log_page_size %u", desc->log_page_size);
	if (desc->umem)
		return sim_buf_from_umem(sdev, cmd, desc, buf, umem);
	if (desc->umem_id || desc->umem_offset)
		return sim_cmd_reserved(sdev, cmd, "umem %#x, which is not valid", desc->umem_id);
	offset = (u64)desc->page_offset << (shift - 6);
	if (offset % desc->align)
		return sim_cmd_bad_param(sdev, cmd, "page offset %#llx for entries of %u", offset,
					 desc->align);
	want = desc->size ? (offset + desc->size + BIT_ULL(shift) - 1) >> shift : 0;
	if (npas != want)
		return sim_cmd_size(sdev, cmd, "%u pages, want %llu for %llu bytes", npas, want,
				    desc->size);
	if (!npas)
		return MLX5_CMD_STAT_OK;
	err = sim_buf_init(buf, desc->pas, npas, shift, offset);
	if (err == -EINVAL)
		return sim_cmd_bad_param(sdev, cmd, "addresses that no page of %#llx begins at",
					 BIT_ULL(shift));
	return sim_cmd_errno_ok(err);
}

/**
 * sim_cmd_read_dbr() - check and find the doorbell record of a queue
 * @sdev: simulated function
 * @cmd: the command, for the violation
 * @desc: the record, from the command
 * @addr: set to the bus address of the record
 * @umem: set to the UMEM that contains the record, unchanged without a UMEM
 *
 * Context: hardware thread.
 * Return: MLX5_CMD_STAT_*.
 */
u8 sim_cmd_read_dbr(struct sim_dev *sdev, struct sim_cmd *cmd, const struct sim_cmd_dbr *desc,
		    u64 *addr, struct sim_umem **umem)
{
	u8 status;

	if (desc->addr % desc->size)
		return sim_cmd_bad_param(sdev, cmd, "dbr_addr %#llx", desc->addr);
	*addr = desc->addr;
	if (!desc->umem && desc->umem_id)
		return sim_cmd_reserved(sdev, cmd, "umem %#x, which is not valid", desc->umem_id);
	if (!desc->umem)
		return MLX5_CMD_STAT_OK;
	*umem = sim_cmd_umem(sdev, cmd, desc->umem_id, desc->addr, desc->size, &status);
	if (!*umem)
		return status;
	*addr = sim_buf_addr(&(*umem)->buf, desc->addr);
	if (*addr % desc->size)
		return sim_cmd_bad_param(sdev, cmd, "dbr_addr %#llx of umem %#x", desc->addr,
					 desc->umem_id);
	return MLX5_CMD_STAT_OK;
}

/**
 * sim_umems_use() - add a queue to the users of its UMEMs
 * @umems: UMEMs of the ring and of the doorbell record; each may be NULL
 *
 * Context: hardware thread.
 */
void sim_umems_use(const struct sim_umems *umems)
{
	if (umems->ring)
		sim_obj_use(&umems->ring->obj);
	if (umems->dbr)
		sim_obj_use(&umems->dbr->obj);
}

/**
 * sim_umems_unuse() - undo sim_umems_use()
 * @umems: UMEMs of the ring and of the doorbell record; each may be NULL
 *
 * Context: hardware thread.
 */
void sim_umems_unuse(const struct sim_umems *umems)
{
	if (umems->ring)
		sim_obj_unuse(&umems->ring->obj);
	if (umems->dbr)
		sim_obj_unuse(&umems->dbr->obj);
}
