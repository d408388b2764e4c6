/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The files in debugfs.
 */
#ifndef MLX5SIM_FS_FS_H
#define MLX5SIM_FS_FS_H

#include <linux/types.h>

struct dentry;
struct seq_file;
struct sim_dev;
struct sim_fault_cmd;
struct sim_fault_irq;

/* ---- debugfs.c ---- */

int sim_debugfs_init(void);
void sim_debugfs_exit(void);

/* ---- fault_text.c ---- */

int sim_fault_parse(const char *line, struct sim_fault_cmd *f);
int sim_fault_print(const struct sim_fault_cmd *f, char *buf, size_t size);
int sim_fault_irq_write(struct sim_fault_irq *irq, const char *line);

/* ---- faults.c ---- */

void sim_fault_debugfs(struct sim_dev *sdev, struct dentry *parent);

/* ---- mkeys.c ---- */

int sim_mkeys_show(struct seq_file *m, void *unused);

#endif /* MLX5SIM_FS_FS_H */
