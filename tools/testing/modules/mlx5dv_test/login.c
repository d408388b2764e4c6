// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Logins and wrapped DEKs, on a device that requires wrapped DEKs. While
 * login_deleted runs, the script deletes the credential.
 */
#include <linux/delay.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "crypto.h"

#define WRAPPED		(sizeof(crypto_credential) + 8)
#define DELETED_MS	120000
#define LOGOUTS		6
#define MOVES_EACH	3	/* transfers between a login and a logout */

static const u8 other_kek[16] = "not that of it.";

static struct ib_device *dev_of(const struct crypto_run *r)
{
	return r->p->end[0].dev;
}

/* fills in the attributes of a login; @wrapped receives the wrapped credential */
static int login_attr(struct mlx5dv_crypto_login_attr_ex *attr, u8 *wrapped)
{
	T_TRY(crypto_wrap(crypto_kek, crypto_credential, sizeof(crypto_credential), wrapped));
	*attr = (struct mlx5dv_crypto_login_attr_ex){
		.credential = wrapped, .credential_len = WRAPPED,
	};
	return 0;
}

static int log_in(struct crypto_run *r)
{
	struct mlx5dv_crypto_login_attr_ex attr;
	struct mlx5dv_crypto_login_obj *obj;
	u8 wrapped[WRAPPED];

	T_TRY(login_attr(&attr, wrapped));
	obj = mlx5dv_crypto_login_create(dev_of(r), &attr);
	if (IS_ERR(obj))
		return T_FAIL("no login: %ld", PTR_ERR(obj));
	r->login = obj;
	return 0;
}

static void log_out(struct crypto_run *r)
{
	if (r->login)
		mlx5dv_crypto_login_destroy(r->login);
	r->login = NULL;
}

/* runs a case with a login, and ends the login also if the case fails */
static int with_login(struct crypto_run *r)
{
	const struct dv_crypto_case *c = r->p->arg;
	int ret = log_in(r) ?: c->run(r);

	log_out(r);
	return ret;
}

static int run_login(struct t_pair *p)
{
	return crypto_with_peer(p, with_login);
}

/* entry of the table of cases, for the function @name */
#define DV_LOGIN(name)	{ #name, run_login, &dv_opts, &(const struct dv_crypto_case){ name } }

static int expect_state(struct crypto_run *r, enum mlx5dv_crypto_login_state state)
{
	struct mlx5dv_crypto_login_query_attr attr = { .state = ~state };

	T_EXPECT(mlx5dv_crypto_login_query(r->login, &attr), 0);
	T_EXPECT(attr.state, state);
	attr.comp_mask = 1;
	T_EXPECT(mlx5dv_crypto_login_query(r->login, &attr), -EINVAL);
	return 0;
}

static void set_case(struct crypto_run *r, int n)
{
	r->c = (struct crypto_case){
		.unit = MLX5DV_BLOCK_SIZE_512, .encrypt_on_tx = true, .pieces = 1, .len = 1024,
		.key_size = n & 1, .has_keytag = n & 2, .tweak = { n, 7 },
	};
}

/*
 * DEKs with keys of both sizes, with and without keytag, move data during the login
 * and after it.
 */
static int login_wrapped(struct crypto_run *r)
{
	int n;

	T_TRY(expect_state(r, MLX5DV_CRYPTO_LOGIN_STATE_VALID));
	for (n = 0; n < 4; n++) {
		set_case(r, n);
		T_TRY(crypto_new_dek(r));
		T_TRY(crypto_configure(r));
		T_TRY(crypto_move(r, MOVE_SEND, n));
		T_TRY(crypto_move(r, MOVE_WRITE_BY_PEER, n));
	}
	log_out(r);
	T_TRY(crypto_configure(r));
	return crypto_move(r, MOVE_READ_BY_PEER, 9);
}

/* a query of a wrapped DEK needs a login; the use of the DEK does not */
static int login_query(struct crypto_run *r)
{
	struct mlx5dv_dek_attr attr = {};

	set_case(r, 0);
	T_TRY(crypto_new_dek(r));
	T_EXPECT(mlx5dv_dek_query(r->dek, &attr), 0);
	T_EXPECT(attr.state, MLX5DV_DEK_STATE_READY);
	T_EXPECT(memcmp(attr.opaque, "opaque7", 8), 0);
	log_out(r);
	T_EXPECT(mlx5dv_dek_query(r->dek, &attr), -EINVAL);
	T_TRY(log_in(r));
	T_EXPECT(mlx5dv_dek_query(r->dek, &attr), 0);
	return 0;
}

static int try_login(struct ib_device *dev, const struct mlx5dv_crypto_login_attr_ex *attr)
{
	struct mlx5dv_crypto_login_obj *obj = mlx5dv_crypto_login_create(dev, attr);

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	mlx5dv_crypto_login_destroy(obj);
	return 0;
}

/* values that the driver refuses, and values that the device refuses: no login is left */
static int login_refused(struct crypto_run *r)
{
	struct mlx5dv_crypto_login_attr_ex good, bad;
	u8 wrapped[WRAPPED], wrong[WRAPPED];
	char credential[sizeof(crypto_credential)];

	T_TRY(login_attr(&good, wrapped));
#define BAD(field, value)							\
	do {									\
		bad = good;							\
		bad.field = (value);						\
		T_EXPECT(try_login(dev_of(r), &bad), -EINVAL);			\
	} while (0)
	BAD(comp_mask, 1);
	BAD(credential_id, 0x1000000);
	BAD(import_kek_id, 0x1000000);
	BAD(credential_len, 0);
	BAD(credential_len, 49);
	BAD(credential_id, 1);
	BAD(import_kek_id, 1);
	BAD(credential_len, 40);
	memcpy(wrong, wrapped, sizeof(wrong));
	wrong[20] ^= 1;
	BAD(credential, wrong);
	memcpy(credential, crypto_credential, sizeof(credential));
	credential[39]++;
	T_TRY(crypto_wrap(crypto_kek, credential, sizeof(credential), wrong));
	BAD(credential, wrong);
	T_TRY(crypto_wrap(other_kek, crypto_credential, sizeof(crypto_credential), wrong));
	BAD(credential, wrong);
#undef BAD
	T_EXPECT(try_login(dev_of(r), &good), 0);
	return 0;
}

static int login_second(struct crypto_run *r)
{
	struct mlx5dv_crypto_login_attr_ex attr;
	u8 wrapped[WRAPPED];

	T_TRY(login_attr(&attr, wrapped));
	T_EXPECT(try_login(dev_of(r), &attr), -EEXIST);
	/* the login of another device is independent */
	T_EXPECT(try_login(r->p->end[1].dev, &attr), 0);
	log_out(r);
	T_EXPECT(try_login(dev_of(r), &attr), 0);
	return 0;
}

static int login_bad_deks(struct crypto_run *r)
{
	struct t_end *e = &r->p->end[0];
	struct mlx5dv_dek_init_attr attr;

	set_case(r, 3);
	/* a plaintext key is refused, without and with the login */
	crypto_dek_attr(&r->c, e->pd, &attr);
	T_EXPECT(crypto_try_dek(e->dev, &attr), -EOPNOTSUPP);
	attr.comp_mask = 0;
	T_EXPECT(crypto_try_dek(e->dev, &attr), -EOPNOTSUPP);
	attr.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN;
	attr.crypto_login = r->login;
	T_EXPECT(crypto_try_dek(e->dev, &attr), -EINVAL);
	T_TRY(crypto_wrap_key(&attr, other_kek));
	T_EXPECT(crypto_try_dek(e->dev, &attr), -EINVAL);
	crypto_dek_attr(&r->c, e->pd, &attr);
	attr.crypto_login = r->login;
	T_TRY(crypto_wrap_key(&attr, crypto_kek));
	attr.key[50] ^= 1;
	T_EXPECT(crypto_try_dek(e->dev, &attr), -EINVAL);
	attr.key[50] ^= 1;
	/* the keytag is wrapped together with the key */
	attr.has_keytag = false;
	T_EXPECT(crypto_try_dek(e->dev, &attr), -EINVAL);
	attr.has_keytag = true;
	T_EXPECT(crypto_try_dek(e->dev, &attr), 0);
	/* a login is valid for its device only */
	crypto_dek_attr(&r->c, r->p->end[1].pd, &attr);
	attr.crypto_login = r->login;
	T_EXPECT(crypto_try_dek(r->p->end[1].dev, &attr), -EINVAL);
	return 0;
}

static int wait_deleted(struct crypto_run *r)
{
	struct mlx5dv_crypto_login_query_attr attr = {};
	int ms;

	for (ms = 0; ms < DELETED_MS; ms += 20) {
		T_EXPECT(mlx5dv_crypto_login_query(r->login, &attr), 0);
		if (attr.state == MLX5DV_CRYPTO_LOGIN_STATE_INVALID)
			return 0;
		msleep(20);
	}
	return T_FAIL("the credential was not deleted");
}

/* after the deletion, existing DEKs can be used; new DEKs and logins are refused */
static int login_deleted(struct crypto_run *r)
{
	struct mlx5dv_crypto_login_attr_ex attr;
	struct mlx5dv_dek_init_attr dek;
	struct mlx5dv_dek_attr query = {};
	u8 wrapped[WRAPPED];

	set_case(r, 1);
	T_TRY(crypto_new_dek(r));
	T_TRY(crypto_configure(r));
	T_TRY(wait_deleted(r));
	T_TRY(crypto_move(r, MOVE_SEND, 1));
	T_EXPECT(mlx5dv_dek_query(r->dek, &query), -EINVAL);
	crypto_dek_attr(&r->c, r->p->end[0].pd, &dek);
	T_TRY(crypto_wrap_key(&dek, crypto_kek));
	dek.crypto_login = r->login;
	T_EXPECT(crypto_try_dek(dev_of(r), &dek), -EINVAL);
	log_out(r);
	T_TRY(login_attr(&attr, wrapped));
	T_EXPECT(try_login(dev_of(r), &attr), -EINVAL);
	return 0;
}

/* a worker that ends the login and logs in again while data move */
struct log_worker {
	struct work_struct work;
	struct crypto_run *r;
	unsigned int moves;		/* transfers that have completed */
	bool stop;			/* the transfers have ended */
	bool done;
	int ret;
};

static void wait_moves(struct log_worker *w)
{
	const unsigned int until = READ_ONCE(w->moves) + MOVES_EACH;

	while (READ_ONCE(w->moves) < until && !READ_ONCE(w->stop))
		usleep_range(100, 200);
}

static void log_out_and_in(struct work_struct *work)
{
	struct log_worker *w = container_of(work, struct log_worker, work);
	int i;

	for (i = 0; i < LOGOUTS && !w->ret; i++) {
		wait_moves(w);
		log_out(w->r);
		wait_moves(w);
		w->ret = log_in(w->r);
	}
	wait_moves(w);
	log_out(w->r);
	/* MOVES_EACH more transfers without a login */
	wait_moves(w);
	WRITE_ONCE(w->done, true);
}

static int move_until_done(struct log_worker *w)
{
	unsigned int n;

	for (n = 0; !READ_ONCE(w->done); n++) {
		/* the mkey is configured again, with or without a login at that time */
		if (n % MOVE_OPS == 0)
			T_TRY(crypto_configure(w->r));
		T_TRY(crypto_move(w->r, n % MOVE_OPS, n));
		WRITE_ONCE(w->moves, n + 1);
	}
	if (n < 2 * LOGOUTS * MOVES_EACH)
		return T_FAIL("%u transfers only", n);
	return 0;
}

/* logins are created and destroyed while data move; the DEK was created with the first login */
static int login_traffic(struct crypto_run *r)
{
	struct log_worker w = { .r = r };
	int ret;

	set_case(r, 3);
	T_TRY(crypto_new_dek(r));
	INIT_WORK_ONSTACK(&w.work, log_out_and_in);
	schedule_work(&w.work);
	ret = move_until_done(&w);
	WRITE_ONCE(w.stop, true);
	flush_work(&w.work);
	destroy_work_on_stack(&w.work);
	return ret ?: w.ret;
}

const struct t_case dv_login_cases[] = {
	DV_LOGIN(login_wrapped),
	DV_LOGIN(login_query),
	DV_CRYPTO(login_refused),
	DV_LOGIN(login_second),
	DV_LOGIN(login_bad_deks),
	DV_LOGIN(login_deleted),
	DV_LOGIN(login_traffic),
	{ }
};
