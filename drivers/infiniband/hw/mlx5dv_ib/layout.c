// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5dv_ib: comparison of the structures of the private headers with the
 * structures of the mlx5_ib that is loaded.
 *
 * The kernel shows the BTF of vmlinux and of each module in sysfs. The BTF of a
 * module continues the BTF of vmlinux: the first type of the module has the
 * number after the last type of vmlinux, and the first string the offset after
 * the last string.
 *
 * mlx5_ib is compared while a process loads it, or loads this module. Later, when
 * a device appears, the task may be a kernel thread, which may have no sysfs in
 * its root directory.
 */
#include <linux/btf.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/vmalloc.h>

#include "mlx5dv_ib.h"
#include "mlx5_ib.h"

#ifndef __LITTLE_ENDIAN_BITFIELD
#error "the bit fields of big endian machines are not compared"
#endif

/* nested types of a member: typedefs, arrays; structures and unions without name */
#define MAX_DEPTH	32

/**
 * struct types - a BTF
 * @data: contents of the file
 * @size: bytes of @data
 * @strings: string section
 * @strings_len: bytes of @strings
 * @first: section of the types
 * @end: end of @first
 * @nr: number of types
 * @offsets: offset in @first of each type
 */
struct types {
	void *data;
	size_t size;
	const char *strings;
	u32 strings_len;
	const void *first;
	const void *end;
	u32 nr;
	u32 *offsets;
};

/**
 * struct btf_pair - the BTF of a module, and of vmlinux, which it continues
 * @base: vmlinux. Its type 0 is void, which is not in the file
 * @module: module
 */
struct btf_pair {
	struct types base;
	struct types module;
};

/**
 * struct member - a member that mlx5dv_ib reads
 * @of: structure
 * @name: member; may be in a union without name
 * @bit: offset in bits
 * @size: bytes; 0 for a bit field
 */
struct member {
	const char *of;
	const char *name;
	u32 bit;
	u32 size;
};

#define MEMBER(type, m)								\
	{ #type, #m, offsetof(struct type, m) * BITS_PER_BYTE, sizeof_field(struct type, m) }

/*
 * Inner structures first: then the first difference is the cause of the others.
 * tools/ulps/mlx5_ib/build.sh fails if a member that the module reads has no line.
 */
static const struct member members[] = {
	MEMBER(wr_list, opcode),
	MEMBER(wr_list, next),
	MEMBER(mlx5_bf, buf_size),
	MEMBER(mlx5_bf, offset),
	MEMBER(mlx5_bf, bfreg),
	MEMBER(mlx5_ib_wq, fbc),
	MEMBER(mlx5_ib_wq, wrid),
	MEMBER(mlx5_ib_wq, wr_data),
	MEMBER(mlx5_ib_wq, w_list),
	MEMBER(mlx5_ib_wq, wqe_head),
	MEMBER(mlx5_ib_wq, lock),
	MEMBER(mlx5_ib_wq, wqe_cnt),
	MEMBER(mlx5_ib_wq, max_post),
	MEMBER(mlx5_ib_wq, max_gs),
	MEMBER(mlx5_ib_wq, head),
	MEMBER(mlx5_ib_wq, tail),
	MEMBER(mlx5_ib_wq, cur_post),
	MEMBER(mlx5_ib_wq, cur_edge),
	MEMBER(mlx5_ib_qp_base, mqp),
	MEMBER(mlx5_ib_qp_trans, base),
	MEMBER(mlx5_ib_qp, ibqp),
	MEMBER(mlx5_ib_qp, trans_qp),
	MEMBER(mlx5_ib_qp, db),
	MEMBER(mlx5_ib_qp, sq_signal_bits),
	MEMBER(mlx5_ib_qp, next_fence),
	MEMBER(mlx5_ib_qp, sq),
	MEMBER(mlx5_ib_qp, flags),
	MEMBER(mlx5_ib_qp, state),
	MEMBER(mlx5_ib_qp, max_inline_data),
	MEMBER(mlx5_ib_qp, bf),
	MEMBER(mlx5_ib_qp, qps_list),
	MEMBER(mlx5_ib_cq_buf, fbc),
	MEMBER(mlx5_ib_cq, ibcq),
	MEMBER(mlx5_ib_cq, mcq),
	MEMBER(mlx5_ib_cq, buf),
	MEMBER(mlx5_ib_cq, lock),
	MEMBER(mlx5_ib_cq, cqe_size),
	MEMBER(mlx5_ib_ah, ibah),
	MEMBER(mlx5_ib_ah, av),
	MEMBER(mlx5_ib_pd, ibpd),
	MEMBER(mlx5_ib_pd, pdn),
	MEMBER(mlx5_ib_dev, ib_dev),
	MEMBER(mlx5_ib_dev, mdev),
	MEMBER(mlx5_ib_dev, num_ports),
	MEMBER(mlx5_ib_dev, qp_list),
	MEMBER(mlx5_ib_dev, reset_flow_resource_lock),
	MEMBER(mlx5_ib_dev, sig_mrs),
};

/* bytes of a type in the file; 0 if its kind is not known */
static size_t bytes_of_type(const struct btf_type *t)
{
	const size_t n = btf_vlen(t);

	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return sizeof(*t);
	case BTF_KIND_INT:
		return sizeof(*t) + sizeof(u32);
	case BTF_KIND_ARRAY:
		return sizeof(*t) + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return sizeof(*t) + n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return sizeof(*t) + n * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return sizeof(*t) + n * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return sizeof(*t) + n * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(*t) + sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return sizeof(*t) + n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(*t) + sizeof(struct btf_decl_tag);
	default:
		return 0;
	}
}

/* @offsets: NULL to count the types. Return: number of types, or -EINVAL */
static int walk_types(const struct types *b, u32 *offsets)
{
	const void *t = b->first;
	size_t size;
	int nr = 0;

	while (t < b->end) {
		size = b->end - t < sizeof(struct btf_type) ? 0 : bytes_of_type(t);
		if (!size || size > b->end - t)
			return -EINVAL;
		if (offsets)
			offsets[nr] = t - b->first;
		t += size;
		nr++;
	}
	return nr;
}

static int find_sections(struct types *b)
{
	const struct btf_header *h = b->data;
	const size_t size = b->size;

	if (size < sizeof(*h) || h->magic != BTF_MAGIC || h->hdr_len > size ||
	    h->type_off + (u64)h->type_len > size - h->hdr_len ||
	    h->str_off + (u64)h->str_len > size - h->hdr_len || !h->str_len)
		return -EINVAL;
	b->first = b->data + h->hdr_len + h->type_off;
	b->end = b->first + h->type_len;
	b->strings = b->data + h->hdr_len + h->str_off;
	b->strings_len = h->str_len;
	return b->strings[b->strings_len - 1] ? -EINVAL : 0;
}

static int index_types(struct types *b)
{
	int nr = find_sections(b) ?: walk_types(b, NULL);

	if (nr < 0)
		return nr;
	b->offsets = kvmalloc_array(nr, sizeof(*b->offsets), GFP_KERNEL);
	if (!b->offsets)
		return -ENOMEM;
	b->nr = walk_types(b, b->offsets);
	return 0;
}

static void close_types(struct types *b)
{
	kvfree(b->offsets);
	vfree(b->data);
}

/*
 * Read a file of sysfs to memory that close_types() frees, also after an error.
 * kernel_read_file() cannot read it, because the security
 * module IPE warns about files of no known purpose.
 */
static ssize_t read_file(struct file *file, void **data)
{
	const loff_t size = i_size_read(file_inode(file));
	loff_t pos = 0;
	ssize_t n;

	*data = vmalloc(size);
	if (!*data)
		return -ENOMEM;
	while (pos < size) {
		n = kernel_read(file, *data + pos, size - pos, &pos);
		if (n <= 0)
			return n ?: -EIO;
	}
	return size;
}

/* close_types() undoes it, also after an error */
static int open_types(struct types *b, const char *name)
{
	char path[sizeof("/sys/kernel/btf/") + MODULE_NAME_LEN];
	struct file *file;
	ssize_t size;

	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	file = filp_open(path, O_RDONLY, 0);
	if (IS_ERR(file))
		return PTR_ERR(file);
	size = read_file(file, &b->data);
	filp_close(file, NULL);
	if (size < 0)
		return size;
	b->size = size;
	return index_types(b);
}

static const struct btf_type *get_type(const struct btf_pair *p, u32 id)
{
	if (!id)
		return NULL;
	if (id <= p->base.nr)
		return p->base.first + p->base.offsets[id - 1];
	id -= p->base.nr + 1;
	return id < p->module.nr ? p->module.first + p->module.offsets[id] : NULL;
}

static const char *get_name(const struct btf_pair *p, u32 offset)
{
	if (offset < p->base.strings_len)
		return p->base.strings + offset;
	offset -= p->base.strings_len;
	return offset < p->module.strings_len ? p->module.strings + offset : "";
}

/* Return: bytes of a variable of the type */
static u32 size_of_type(const struct btf_pair *p, u32 id)
{
	const struct btf_type *t = get_type(p, id);
	u32 depth, elements = 1;

	for (depth = 0; t && depth < MAX_DEPTH; depth++) {
		switch (btf_kind(t)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			t = get_type(p, t->type);
			break;
		case BTF_KIND_ARRAY:
			elements *= btf_array(t)->nelems;
			t = get_type(p, btf_array(t)->type);
			break;
		case BTF_KIND_PTR:
			return elements * sizeof(void *);
		default:
			return elements * t->size;
		}
	}
	return 0;
}

static const struct btf_type *find_struct(const struct btf_pair *p, const char *name)
{
	const struct btf_type *t;
	u32 i;

	for (i = 0; i < p->module.nr; i++) {
		t = p->module.first + p->module.offsets[i];
		if (btf_kind(t) == BTF_KIND_STRUCT && !strcmp(get_name(p, t->name_off), name))
			return t;
	}
	return NULL;
}

/*
 * Find a member of a structure, or of a structure or union without name in it,
 * down to MAX_DEPTH. Return: is it found? Then its offset was added to
 * @found->bit.
 */
static bool find_member(const struct btf_pair *p, const struct btf_type *t, const char *name,
			struct member *found, u32 depth)
{
	const struct btf_type *inner;
	const struct btf_member *m;
	u32 i;

	for (i = 0; i < btf_vlen(t) && depth < MAX_DEPTH; i++) {
		m = btf_members(t) + i;
		inner = m->name_off ? NULL : get_type(p, m->type);
		if (!strcmp(get_name(p, m->name_off), name))
			found->size = btf_member_bitfield_size(t, i) ? 0 : size_of_type(p, m->type);
		else if (!inner || !btf_is_composite(inner) ||
			 !find_member(p, inner, name, found, depth + 1))
			continue;
		found->bit += btf_member_bit_offset(t, i);
		return true;
	}
	return false;
}

static int compare_member(const struct btf_pair *p, const struct member *want)
{
	const struct btf_type *t = find_struct(p, want->of);
	struct member found = {};

	if (!t || !find_member(p, t, want->name, &found, 0)) {
		pr_err("mlx5dv_ib: mlx5_ib has no member %s of struct %s\n", want->name, want->of);
		return -ENOEXEC;
	}
	if (found.bit != want->bit || found.size != want->size) {
		pr_err("mlx5dv_ib: in mlx5_ib, %s of struct %s is at bit %u with %u bytes, expected bit %u with %u bytes\n",
		       want->name, want->of, found.bit, found.size, want->bit, want->size);
		return -ENOEXEC;
	}
	return 0;
}

/* bit fields have no offsetof(): the only bit of a structure that is set */
#define FIND_BIT(type, m, zero)							\
	({									\
		struct type *_s = (zero);					\
										\
		_s->m = 1;							\
		(struct member){ #type, #m, find_first_bit((void *)_s,		\
							   sizeof(*_s) * BITS_PER_BYTE) }; \
	})

static int compare_bit_fields(const struct btf_pair *p)
{
	struct member is_rep, lag_active;
	struct mlx5_ib_dev *dev;

	dev = kvzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	is_rep = FIND_BIT(mlx5_ib_dev, is_rep, dev);
	dev->is_rep = 0;
	lag_active = FIND_BIT(mlx5_ib_dev, lag_active, dev);
	kvfree(dev);
	return compare_member(p, &is_rep) ?: compare_member(p, &lag_active);
}

static int compare_members(const struct btf_pair *p)
{
	int err = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(members) && !err; i++)
		err = compare_member(p, &members[i]);
	return err ?: compare_bit_fields(p);
}

static int check_structures(void)
{
	struct btf_pair p = {};
	int err;

	if (!IS_ENABLED(CONFIG_DEBUG_INFO_BTF_MODULES))
		return 0;
	err = open_types(&p.module, "mlx5_ib") ?:
	      open_types(&p.base, "vmlinux") ?:
	      compare_members(&p);
	close_types(&p.base);
	close_types(&p.module);
	return err;
}

static DEFINE_MUTEX(lock);	/* comparisons */
/* result of the comparison with the mlx5_ib that is loaded */
static int result;

static int update_result(void)
{
	int err;

	mutex_lock(&lock);
	err = check_structures();
	WRITE_ONCE(result, err);
	mutex_unlock(&lock);
	return err;
}

/* the kernel has made the BTF visible, and mlx5_ib has no device yet */
static int check_new_module(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *module = data;

	if (state == MODULE_STATE_COMING && !strcmp(module_name(module), "mlx5_ib"))
		update_result();
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = check_new_module };

/**
 * mlx5dv_ib_start_checks() - compare the structures of each mlx5_ib that is loaded
 *
 * A kernel without BTF of modules is accepted. The first difference is written to
 * the kernel log.
 *
 * Context: may sleep; when the module is loaded.
 * Return:
 * * 0: also if no mlx5_ib is loaded
 * * -ENOEXEC: a member has another offset or size, or does not exist
 * * -EINVAL: the BTF has another form than expected
 * * -ENOMEM
 * * another errno of filp_open() or kernel_read()
 */
int mlx5dv_ib_start_checks(void)
{
	int err = register_module_notifier(&notifier);

	if (err)
		return err;
	err = update_result();
	if (!err || err == -ENOENT)
		return 0;
	unregister_module_notifier(&notifier);
	return err;
}

/**
 * mlx5dv_ib_stop_checks() - undo mlx5dv_ib_start_checks()
 *
 * Context: may sleep.
 */
void mlx5dv_ib_stop_checks(void)
{
	unregister_module_notifier(&notifier);
}

/**
 * mlx5dv_ib_check_result() - result of the comparison with the mlx5_ib that is loaded
 *
 * Context: any.
 * Return: 0, or an errno of mlx5dv_ib_start_checks(); -ENOENT if mlx5_ib has no
 * BTF, or if the process that loaded it had no sysfs.
 */
int mlx5dv_ib_check_result(void)
{
	return READ_ONCE(result);
}
