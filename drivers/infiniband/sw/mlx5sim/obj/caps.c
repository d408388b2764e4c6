// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Capabilities of the device.
 *
 * Each capability page exists twice: with the largest values (max), and with
 * the current values (cur). SET_HCA_CAP can change the current values of some
 * fields. The pages are filled from a table per model; a capability is set only
 * if the device implements it. Fields not in the table are zero.
 *
 * The module parameter "caps" overrides fields of both copies, for tests:
 *	caps=general.log_max_qp=10,roce.roce_version=4,general@0x23c/1=0
 * The bit offset and the length specify a field that is not in the table. If a
 * word cannot be parsed, the load fails.
 *
 * The pages belong to the hardware thread.
 */
#define pr_fmt(fmt) "mlx5sim: " fmt

#include <kunit/visibility.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "core/core.h"
#include "obj/caps.h"
#include "obj/klm.h"
#include "obj/obj.h"

static char *caps;
module_param(caps, charp, 0444);
MODULE_PARM_DESC(caps, "Capability overrides, PAGE.FIELD=VALUE or PAGE@BIT/LEN=VALUE, comma separated");

#define CAP2(_type, _typ, _fld, _cur, _max, _rw)	\
	{ MLX5_CAP_##_type, _rw, #_fld, SIM_F(_typ, _fld), _cur, _max }
#define GEN(_fld, _val)		CAP2(GENERAL, cmd_hca_cap, _fld, _val, _val, false)
#define GEN_RW(_fld, _cur, _max) CAP2(GENERAL, cmd_hca_cap, _fld, _cur, _max, true)
#define GEN_AT(_name, _field, _val)	\
	{ MLX5_CAP_GENERAL, false, _name, _field, _val, _val }
#define CRYPTO_AT(_name, _field, _val)	\
	{ MLX5_CAP_CRYPTO, false, _name, _field, _val, _val }
#define EVENT_AT(_name, _field, _val)	\
	{ MLX5_CAP_DEV_EVENT, false, _name, _field, _val, _val }
#define ROCE(_fld, _val)	CAP2(ROCE, roce_cap, _fld, _val, _val, false)
#define ATOMIC(_fld, _val)	CAP2(ATOMIC, atomic_caps, _fld, _val, _val, false)

/* ConnectX-6 Dx, as far as it is simulated */
static const struct sim_cap_def sim_caps_cx6dx[] = {
	/* a RoCE port without Ethernet NIC offloads */
	GEN(port_type, MLX5_CAP_PORT_TYPE_ETH),
	GEN(num_ports, 1),
	GEN_RW(roce, 1, 1),
	GEN_RW(pkey_table_size, 0, 5),
	GEN(gid_table_size, 0),
	GEN(vport_counters, 1),

	/* queue counter sets; without congestion control and its counters */
	GEN(max_qp_cnt, 128),
	GEN(rts2rts_qp_counters_set_id, 1),
	GEN(out_of_seq_cnt, 1),
	GEN(retransmission_q_counters, 1),
	GEN(enhanced_error_q_counters, 1),

	/* sizes of the tables */
	GEN_RW(log_max_qp, 18, 18),
	GEN(log_max_qp_sz, 15),
	GEN(log_max_cq, 16),
	GEN(log_max_cq_sz, 22),
	GEN(log_max_srq, 16),
	GEN(log_max_srq_sz, 15),
	GEN(log_max_rmp, 16),
	GEN(log_max_wq_sz, 15),
	GEN(log_max_mkey, 22),
	GEN(log_max_pd, 16),
	GEN(log_max_xrcd, 12),
	GEN(log_max_mcg, 21),
	GEN(max_qp_mcg, 240),
	GEN(log_max_transport_domain, 12),
	GEN(log_max_uctx, 12),
	GEN(log_max_umem, 12),
	GEN(max_flow_counter_15_0, 1024),
	GEN(log_max_eq, 7),
	GEN(max_num_eqs, 100),
	GEN(log_max_eq_sz, 16),

	/* transports and queues */
	GEN(rc, 1),
	GEN(uc, 1),
	GEN(ud, 1),
	GEN(xrc, 1),
	GEN(cqe_version, 1),
	GEN(cq_moderation, 1),
	GEN(cq_oi, 1),
	GEN(cq_resize, 1),
	GEN(log_max_msg, 30),
	GEN(fl_rc_qp_when_roce_disabled, 1),
	GEN(log_max_ra_req_qp, 4),
	GEN(log_max_ra_res_qp, 4),
	GEN_RW(dct, 0, 1),
	GEN(log_max_ra_req_dc, 4),
	GEN(log_max_ra_res_dc, 4),
	GEN(log_max_dci_stream_channels, 6),
	GEN(log_max_dci_errored_streams, 6),
	GEN(max_wqe_sz_sq_dc, 1024),
	GEN(max_wqe_sz_sq, 1024),
	GEN(max_wqe_sz_rq, 512),
	GEN(local_ca_ack_delay, 16),
	GEN(log_pg_sz, 12),
	GEN(atomic, 1),

	/* memory keys: fast registration with MTT and KLM lists, all by UMR */
	GEN(log_max_klm_list_size, 16),
	GEN(max_indirection, SIM_MAX_INDIRECTION),
	GEN(log_max_mrw_sz, 64),
	GEN(fixed_buffer_size, 1),
	GEN(imaicl, 1),
	GEN(umr_extended_translation_offset, 1),
	GEN(umr_fence, 1),		/* after a UMR, a small initiator fence is enough */
	GEN(umr_modify_atomic_disabled, 0),
	GEN(umr_modify_entity_size_disabled, 0),
	GEN(umr_indirect_mkey_disabled, 0),
	GEN(repeated_block_disabled, 0),
	GEN(relaxed_ordering_write, 1),	/* set by CREATE_MKEY; without effect */
	GEN(relaxed_ordering_read, 1),
	GEN(relaxed_ordering_write_umr, 0),
	GEN(relaxed_ordering_read_umr, 0),
	GEN(relaxed_ordering_read_pci_enabled, 0),
	GEN(ats, 0),

	/*
	 * memory copies, on QPs that enable them, of up to 64 MB (a
	 * log_dma_mmo_max_size of 0 would mean 2 GB)
	 */
	GEN_AT("dma_mmo_sq", SIM_CAP_DMA_MMO_SQ, 1),
	GEN_AT("dma_mmo_qp", SIM_CAP_DMA_MMO_QP, 1),
	GEN_AT("log_dma_mmo_max_size", SIM_CAP_LOG_DMA_MMO_MAX_SIZE, 26),
	GEN(qpc_extension, 1),

	/*
	 * signatures: T10-DIF and CRC32 in blocks of 512, 520, 4096 and 4160
	 * bytes, and the types below
	 */
	GEN(sho, 1),
	GEN(sigerr_cqe, 1),
	GEN(drain_sigerr, 1),
	GEN_AT("sig_crc64_xp10", SIM_CAP_SIG_CRC64_XP10, 1),
	GEN_AT("sig_crc32c", SIM_CAP_SIG_CRC32C, 1),
	GEN_AT("sig_block_4048", SIM_CAP_SIG_BLOCK_4048, 1),
	GEN_AT("sigerr_domain_and_sig_type", SIM_CAP_SIGERR_DOMAIN, 1),

	/*
	 * encryption with AES-XTS; data units have the sizes of the blocks of
	 * signatures
	 */
	GEN(crypto, 1),
	GEN_AT("aes_xts_single_block_le_tweak", SIM_CAP_XTS_SINGLE, 1),
	GEN_AT("aes_xts_multi_block_be_tweak", SIM_CAP_XTS_MULTI, 1),
	GEN_AT("general_obj_types_dek", SIM_CAP_OBJ_DEK, 1),
	GEN_AT("general_obj_types_crypto_login", SIM_CAP_OBJ_LOGIN, 1),
	CRYPTO_AT("log_max_num_deks", SIM_CRYPTO_LOG_MAX_DEKS, 12),
	CRYPTO_AT("failed_selftests", SIM_CRYPTO_FAILED_TESTS, 0),
	/*
	 * DEKs in plaintext; a device that supports wrapped DEKs accepts only
	 * wrapped DEKs
	 */
	CRYPTO_AT("wrapped_crypto_operational", SIM_CRYPTO_WRAPPED_WORKS, 0),
	CRYPTO_AT("wrapped_crypto_going_to_commissioning", SIM_CRYPTO_WRAPPED_GOES, 0),
	CRYPTO_AT("wrapped_import_method", SIM_CRYPTO_WRAPPED_METHOD, 0),

	/* events that user contexts may subscribe to; unrefereed: U-130 */
	GEN(event_cap, 1),
	EVENT_AT("user_affiliated_events", SIM_EVENT_OF_OBJECTS,
		 SIM_EVENT(PATH_MIG) | SIM_EVENT(COMM_EST) | SIM_EVENT(SQ_DRAINED) |
		 SIM_EVENT(SRQ_LAST_WQE) | SIM_EVENT(SRQ_RQ_LIMIT) | SIM_EVENT(CQ_ERROR) |
		 SIM_EVENT(WQ_CATAS_ERROR) | SIM_EVENT(PATH_MIG_FAILED) |
		 SIM_EVENT(WQ_INVAL_REQ_ERROR) | SIM_EVENT(WQ_ACCESS_ERROR) |
		 SIM_EVENT(SRQ_CATAS_ERROR) | SIM_EVENT(DCT_DRAINED)),
	EVENT_AT("user_unaffiliated_events", SIM_EVENT_OF_DEVICE, SIM_EVENT(PORT_CHANGE)),

	/* doorbells and clocks */
	GEN(log_bf_reg_size, 9),
	GEN(uar_sz, 4),
	GEN_RW(log_uar_page_sz, 0, PAGE_SHIFT - MLX5_ADAPTER_PAGE_SHIFT),
	GEN(num_of_uars_per_page, 1),
	GEN(device_frequency_mhz, 1000),
	GEN(device_frequency_khz, 1000000),
	GEN_RW(cmdif_checksum, 0, SIM_CMDIF_SIGNED),

	/* teardowns that a driver uses when the machine shuts down */
	GEN(fast_teardown, 1),
	GEN(force_teardown, 1),

	/*
	 * unsupported; in the table so that tests can set the fields with caps=
	 */
	GEN(pg, 0),
	GEN(eth_net_offloads, 0),
	GEN(page_request_disable, 0),
	GEN(terminate_scatter_list_mkey, 0),
	GEN(stat_rate_support, 0),	/* stored and returned, without effect */

	ROCE(l3_type, BIT(1) | BIT(2)),		/* IPv4, IPv6 */
	ROCE(roce_version, BIT(0) | BIT(2)),	/* v1, v2 */
	ROCE(r_roce_dest_udp_port, 4791),
	ROCE(r_roce_min_src_udp_port, 0xc000),
	ROCE(r_roce_max_src_udp_port, 0xffff),
	ROCE(roce_address_table_size, SIM_GID_TABLE_LEN),
	ROCE(qp_ts_format, MLX5_TIMESTAMP_FORMAT_CAP_FREE_RUNNING),
	ROCE(fl_rc_qp_when_roce_disabled, 1),
	ROCE(fl_rc_qp_when_roce_enabled, 1),
	CAP2(ROCE, roce_cap, sw_r_roce_src_udp_port, 1, 1, true),

	ATOMIC(atomic_operations, BIT(0) | BIT(1)),	/* compare and swap, fetch and add */
	ATOMIC(atomic_size_qp, BIT(3)),			/* 8 bytes */
	ATOMIC(atomic_size_dc, BIT(3)),
	ATOMIC(supported_atomic_req_8B_endianness_mode_1, 1),
	CAP2(ATOMIC, atomic_caps, atomic_req_8B_endianness_mode, 0, 1, true),
};

/* The capability pages of the device */
static const struct {
	u16 type;
	const char *name;
} sim_cap_pages[] = {
	{ MLX5_CAP_GENERAL, "general" },
	{ MLX5_CAP_ATOMIC, "atomic" },
	{ MLX5_CAP_ROCE, "roce" },
	{ MLX5_CAP_CRYPTO, "crypto" },
	{ MLX5_CAP_DEV_EVENT, "event" },
};

/**
 * struct sim_caps - capability pages of one simulated function
 * @cur: pages with the current values, in the order of sim_cap_pages
 * @max: pages with the largest values, in the same order
 */
struct sim_caps {
	u8 cur[ARRAY_SIZE(sim_cap_pages)][SIM_CAPS_PAGE_SIZE];
	u8 max[ARRAY_SIZE(sim_cap_pages)][SIM_CAPS_PAGE_SIZE];
};

/**
 * sim_terminate_lkey() - the lkey that ends a scatter list
 * @sdev: simulated function
 *
 * On a device with the capability terminate_scatter_list_mkey, a driver must
 * query the lkey. The lkey differs from the lkey of devices without the
 * capability, so that a driver that does not query the lkey fails.
 *
 * Context: hardware thread.
 * Return: the lkey.
 */
u32 sim_terminate_lkey(struct sim_dev *sdev)
{
	return SIM_CAP(sdev, terminate_scatter_list_mkey) ? SIM_TERMINATE_LKEY_CAP :
							   SIM_TERMINATE_LKEY;
}

static int sim_caps_index(u16 type)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sim_cap_pages); i++)
		if (sim_cap_pages[i].type == type)
			return i;
	return -1;
}

/**
 * sim_caps_page() - get a capability page
 * @sdev: simulated function
 * @type: MLX5_CAP_*
 * @max: true for the largest values, false for the current values
 *
 * Context: hardware thread.
 * Return: the page; NULL when the device has no page of this type, or the
 * GENERAL page does not report the page.
 */
void *sim_caps_page(struct sim_dev *sdev, u16 type, bool max)
{
	int i = sim_caps_index(type);

	if (i < 0)
		return NULL;
	if ((type == MLX5_CAP_ATOMIC && !SIM_CAP(sdev, atomic)) ||
	    (type == MLX5_CAP_ROCE && !SIM_CAP(sdev, roce)) ||
	    (type == MLX5_CAP_CRYPTO && !SIM_CAP(sdev, crypto)) ||
	    (type == MLX5_CAP_DEV_EVENT && !SIM_CAP(sdev, event_cap)))
		return NULL;
	return max ? sdev->caps->max[i] : sdev->caps->cur[i];
}

static u32 sim_bits_max(struct sim_field f)
{
	return f.len < 32 ? BIT(f.len) - 1 : U32_MAX;
}

/* Parses ".NAME" of a table row of page @type, or "@BIT/LEN". */
static int sim_caps_parse_field(u16 type, const char *word, struct sim_field *f)
{
	const struct sim_cap_def *def;
	unsigned int off, len;
	char end;
	int i;

	if (sscanf(word, "@%i/%u%c", &off, &len, &end) == 2) {
		if (!len || len > 32 || off >= SIM_CAPS_PAGE_SIZE * 8 ||
		    len > SIM_CAPS_PAGE_SIZE * 8 - off)
			return -ERANGE;
		*f = (struct sim_field){ off, len };
		return 0;
	}
	if (*word++ != '.')
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(sim_caps_cx6dx); i++) {
		def = &sim_caps_cx6dx[i];
		if (def->type == type && !strcmp(def->name, word)) {
			*f = def->f;
			return 0;
		}
	}
	return -ENOENT;
}

/**
 * sim_caps_parse() - parse one word of the "caps" parameter
 * @word: PAGE.FIELD=VALUE or PAGE@BIT/LEN=VALUE
 * @type: set to MLX5_CAP_* of the page
 * @f: set to the field
 * @val: set to the value
 *
 * Context: any; depends on its arguments only.
 * Return:
 * * 0
 * * -EINVAL: syntax error, word of more than 63 characters, or unknown page
 * * -ENOENT: unknown field
 * * -ERANGE: the offset, the length or the value is out of range
 */
int sim_caps_parse(const char *word, u16 *type, struct sim_field *f, u32 *val)
{
	char buf[64], *eq;
	size_t len;
	int i, err;

	if (strscpy(buf, word, sizeof(buf)) < 0)
		return -EINVAL;
	eq = strchr(buf, '=');
	if (!eq || kstrtou32(eq + 1, 0, val))
		return -EINVAL;
	*eq = '\0';
	for (i = 0; i < ARRAY_SIZE(sim_cap_pages); i++) {
		len = strlen(sim_cap_pages[i].name);
		if (strncmp(buf, sim_cap_pages[i].name, len) ||
		    (buf[len] != '.' && buf[len] != '@'))
			continue;
		*type = sim_cap_pages[i].type;
		err = sim_caps_parse_field(*type, buf + len, f);
		if (err)
			return err;
		return *val > sim_bits_max(*f) ? -ERANGE : 0;
	}
	return -EINVAL;
}
EXPORT_SYMBOL_IF_KUNIT(sim_caps_parse);

static int sim_caps_override(struct sim_caps *c)
{
	char *copy, *rest, *word;
	struct sim_field f;
	int i, err = 0;
	u16 type;
	u32 val;

	if (!caps || !*caps)
		return 0;
	copy = kstrdup(caps, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	for (rest = copy; !err && (word = strsep(&rest, ","));) {
		err = sim_caps_parse(word, &type, &f, &val);
		if (err) {
			pr_err("caps: cannot make sense of \"%s\"\n", word);
			break;
		}
		i = sim_caps_index(type);
		sim_bits_set(c->cur[i], f, val);
		sim_bits_set(c->max[i], f, val);
	}
	kfree(copy);
	return err;
}

static int sim_caps_fill(struct sim_caps *c)
{
	const struct sim_cap_def *def;
	int i, page;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < ARRAY_SIZE(sim_caps_cx6dx); i++) {
		def = &sim_caps_cx6dx[i];
		page = sim_caps_index(def->type);
		sim_bits_set(c->cur[page], def->f, def->cur);
		sim_bits_set(c->max[page], def->f, def->max);
	}
	return sim_caps_override(c);
}

/**
 * sim_caps_init() - create the capability pages of a simulated function
 * @sdev: simulated function
 *
 * Context: process context.
 * Return: 0; -ENOMEM; an errno of sim_caps_parse(), with a line in the log.
 */
int sim_caps_init(struct sim_dev *sdev)
{
	int err;

	sdev->caps = kvzalloc(sizeof(*sdev->caps), GFP_KERNEL);
	if (!sdev->caps)
		return -ENOMEM;
	err = sim_caps_fill(sdev->caps);
	if (err)
		sim_caps_exit(sdev);
	return err;
}

/**
 * sim_caps_exit() - undo sim_caps_init()
 * @sdev: simulated function
 */
void sim_caps_exit(struct sim_dev *sdev)
{
	kvfree(sdev->caps);
	sdev->caps = NULL;
}

/**
 * sim_caps_reset() - set the capability pages to their power-on values
 * @sdev: simulated function
 *
 * Context: hardware thread.
 */
void sim_caps_reset(struct sim_dev *sdev)
{
	/*
	 * the words were parsed at load, so the only possible error is -ENOMEM
	 */
	if (sim_caps_fill(sdev->caps))
		sim_trace(sdev, "capability overrides lost: no memory");
}

/**
 * sim_caps_merge() - copy the fields that a driver may change into a page
 * @sdev: simulated function
 * @type: MLX5_CAP_* of a page that the device has
 * @want: page with the values that the driver requests
 * @page: copy of the current page; set to @want in its writable fields
 *
 * Context: hardware thread.
 * Return: NULL after success; otherwise the first field whose value is above
 * the maximum. Some fields of @page are changed then.
 */
const struct sim_cap_def *sim_caps_merge(struct sim_dev *sdev, u16 type, const void *want,
					 void *page)
{
	const struct sim_cap_def *def;
	u32 val;

	for (def = sim_caps_cx6dx; def < sim_caps_cx6dx + ARRAY_SIZE(sim_caps_cx6dx); def++) {
		if (def->type != type || !def->rw)
			continue;
		val = sim_bits_get(want, def->f);
		if (val > sim_bits_get(sim_caps_page(sdev, type, true), def->f))
			return def;
		sim_bits_set(page, def->f, val);
	}
	return NULL;
}
