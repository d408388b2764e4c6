/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: Registration contexts with protection information
 *
 * A device with IBK_INTEGRITY_HANDOVER generates, checks, removes and passes on
 * T10-DIF: 8 bytes of protection information for each block of data. A
 * registration has two signature domains: memory, where protection information
 * is in a separate list or follows each block, and the wire, where it follows
 * each block. A domain may have no protection information. Between the two
 * domains, the device checks the protection information of the input, and
 * generates or passes on the protection information of the output.
 *
 * A context for protection information is a context of <rdma/ib_frwr.h> whose
 * attributes have IB_MR_TYPE_INTEGRITY::
 *
 *	qp_attr.create_flags |= IB_QP_CREATE_INTEGRITY_EN;
 *	...
 *	attr.mr.mr_type = IB_MR_TYPE_INTEGRITY;
 *	attr.mr.max_reg_descs = elements of the longest list of data;
 *	attr.mr.max_meta_descs = elements of the longest list of protection information;
 *	frwr = ib_frwr_create(qp, &attr);
 *
 * Its requests are struct ib_frwr_pi_req and are mapped by ib_frwr_map_pi() or
 * ib_frwr_map_pi_biovec(). All other calls (post, remote invalidation, release,
 * abort) are in <rdma/ib_frwr.h>, and get the member req. The result of the
 * checks is in the request after its release.
 *
 * The peer accesses a registration by rkey, iova and length of the member req,
 * like any registration. The ULP's own RDMA READs and WRITEs, for example in a
 * target, use lkey, iova and local_length.
 *
 * Size of queues
 * ~~~~~~~~~~~~~~
 *
 * A registration with protection information is one work request, also where
 * the driver builds several WQEs: drivers reserve space for the additional WQEs
 * in QPs of IB_QP_CREATE_INTEGRITY_EN. So the send queue needs no more entries for
 * the context than ib_frwr_slots(). Such a QP takes 512 bytes or more for each entry
 * of its send queue on mlx5, and ib_device_attr.max_qp_wr cannot be reached.
 *
 * A registration is up to four WQEs on mlx5, and each WQE takes an entry of the
 * send CQ if it is flushed. mlx5_ibx reserves these entries in the CQ when the
 * QP is created. On mlx5_ib, a ULP whose QP may be flushed adds three entries
 * for each MR: 3 * max_mrs.
 *
 * A signature error takes an entry of a CQ: of the receive CQ when the peer has
 * accessed the memory, of the send CQ when a work request of the ULP has accessed
 * the memory. The ULP adds ib_frwr_pi_errors() entries to both CQs, on every
 * device. (mlx5_ibx also reserves entries, for ULPs that do not add these entries.)
 *
 * When errors are known
 * ~~~~~~~~~~~~~~~~~~~~~
 *
 * A transfer with a signature error succeeds. The device reports the error in
 * front of the completion of the transfer: the completion of the ULP's own work
 * request, or of the receive in which the peer reports the end of the transfer.
 * The driver stores the error when the CQ of that completion is polled. So the
 * ULP polls the completion before it releases the request. The device reports
 * the first error of a registration.
 */
#ifndef RDMA_IB_FRWR_PI_H
#define RDMA_IB_FRWR_PI_H

#include <linux/bvec.h>
#include <rdma/ib_frwr.h>
#include <rdma/signature.h>

/**
 * struct ib_frwr_pi_req - request of a registration context with protection information
 * @req: request, as described in <rdma/ib_frwr.h>. length is the number of bytes on the
 *	wire: of data, and of protection information if the wire domain has any
 * @local_length: length for an SGE of the ULP's own RDMA READ or WRITE of all
 *	data, valid after a map. It includes the protection information on the
 *	wire. The length in rdma_rw.c differs: if only the wire has protection
 *	information, the length in rdma_rw.c includes only data (row U-98 of
 *	Documentation/infiniband/unrefereed.rst)
 * @status: valid after the release. fail_status is 0, or IB_MR_CHECK_SIG_STATUS if a
 *	check has failed; sig_err describes the first failure then. sig_err_offset
 *	counts data and protection information
 * @status_err: valid after the release: 0, or the errno with which the driver
 *	refused to return the status. The data may be wrong then
 *
 * Zeroed before its first use. The ULP reads all members, and sets only next and
 * released of @req (<rdma/ib_frwr.h>).
 */
struct ib_frwr_pi_req {
	struct ib_frwr_req req;
	u64 local_length;
	struct ib_mr_status status;
	int status_err;
};

/**
 * struct ib_frwr_pi_lists - memory of a request
 * @data: scatterlist of data, mapped for DMA by the caller until the request is released
 * @data_nents: number of DMA segments of @data
 * @meta: scatterlist of protection information, also mapped for DMA. NULL if
 *	the memory has no protection information, or if @data contains 8 bytes
 *	of protection information behind each block
 * @meta_nents: number of DMA segments of @meta; 0 if @meta is NULL
 *
 * Elements have any length and any address.
 */
struct ib_frwr_pi_lists {
	struct scatterlist *data;
	int data_nents;
	struct scatterlist *meta;
	int meta_nents;
};

/**
 * ib_frwr_pi_errors() - number of CQ entries that signature errors of a context need
 * @attr: attributes of the context
 *
 * Add the number to the entries of the send CQ and of the receive CQ; once if
 * both are the same CQ.
 *
 * Context: any.
 * Return: number of entries; 0 for a context without protection information.
 */
static inline u32 ib_frwr_pi_errors(const struct ib_frwr_attr *attr)
{
	return attr->mr.mr_type == IB_MR_TYPE_INTEGRITY ? attr->max_mrs : 0;
}

/**
 * ib_frwr_map_pi() - map data and protection information to an MR of the pool
 * @frwr: registration context of IB_MR_TYPE_INTEGRITY
 * @req: request that is not mapped
 * @lists: both lists, not accessed after the call
 * @attrs: signature attributes; meta_length is ignored. At least one domain has
 *	T10-DIF. If the memory domain has T10-DIF, there are 8 bytes of
 *	protection information for each pi_interval bytes of data: in the list
 *	meta or, if meta is NULL, in the list data, behind each block. If the
 *	memory domain has no T10-DIF, meta is NULL
 * @dir: DMA_TO_DEVICE if the memory is read, DMA_FROM_DEVICE if it is written,
 *	DMA_BIDIRECTIONAL for both
 *
 * In other respects, the function does the same as ib_frwr_map_sg(). The driver
 * chooses the iova, so ib_frwr_set_iova() fails for the request.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: the context is not of IB_MR_TYPE_INTEGRITY; the length of a list
 *   does not fit @attrs; data ends inside a block; a list has an empty element
 *   or one that wraps; or @attrs has an unknown type, a seed other than 0 and
 *   0xffff, or no T10-DIF at all
 * * -EOPNOTSUPP: the device does not have the type of guard, or a pi_interval is not 512, 520,
 *   4096 or 4160
 * * -ENOSPC: a list has more elements than the MRs of the context, or data and
 *   protection information together have 2 GiB or more
 * * -EAGAIN: as by ib_frwr_map_sg()
 * * -EBUSY: as by ib_frwr_map_sg()
 */
int ib_frwr_map_pi(struct ib_frwr *frwr, struct ib_frwr_pi_req *req,
		   const struct ib_frwr_pi_lists *lists, const struct ib_sig_attrs *attrs,
		   enum dma_data_direction dir);

/**
 * struct ib_frwr_pi_bvecs - memory of a request, which is not mapped for DMA
 * @data: bio_vecs of data
 * @data_vcnt: number of bio_vecs in @data
 * @meta: bio_vecs of protection information. NULL if the memory has none, or if
 *	@data contains 8 bytes of protection information behind each block
 * @meta_vcnt: number of bio_vecs in @meta; 0 if @meta is NULL
 *
 * Bio_vecs have any length and any offset.
 */
struct ib_frwr_pi_bvecs {
	const struct bio_vec *data;
	unsigned int data_vcnt;
	const struct bio_vec *meta;
	unsigned int meta_vcnt;
};

/**
 * ib_frwr_map_pi_biovec() - map bio_vecs of data and protection information to an MR of the pool
 * @frwr: registration context of IB_MR_TYPE_INTEGRITY, without IB_MR_REG_SG_ONLY
 * @req: request that is not mapped
 * @vecs: both lists, not accessed after the call
 * @attrs: as for ib_frwr_map_pi()
 * @dir: as for ib_frwr_map_pi()
 *
 * Does the same as ib_frwr_map_pi(), and also maps the memory for DMA, until the
 * request is released. Bio_vecs that continue each other count as one element.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: as by ib_frwr_map_pi(), the context has IB_MR_REG_SG_ONLY, there is no
 *   bio_vec of data, or a bio_vec is empty or too long
 * * another error of ib_frwr_map_pi()
 * * an error of dma_map_sgtable()
 */
int ib_frwr_map_pi_biovec(struct ib_frwr *frwr, struct ib_frwr_pi_req *req,
			  const struct ib_frwr_pi_bvecs *vecs, const struct ib_sig_attrs *attrs,
			  enum dma_data_direction dir);

#endif /* RDMA_IB_FRWR_PI_H */
