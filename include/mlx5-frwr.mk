# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# For the Kbuild file of a module that is built outside of this tree and uses <rdma/ib_frwr.h>,
# <rdma/ib_wr.h> or <rdma/mlx5dv.h>:
#
#	include /usr/include/mlx5-frwr/mlx5-frwr.mk
#	obj-m := my_ulp.o
#
# The headers are next to this file. The symbol versions are from the modules
# that DKMS has built for the same kernel. MLX5_FRWR_SYMVERS= on the command
# line or in the environment names another Module.symvers, such as
# build/<release>/Module.symvers of this tree.

mlx5-frwr-include := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
subdir-ccflags-y += -I$(mlx5-frwr-include)

MLX5_FRWR_SYMVERS ?= $(firstword \
	$(wildcard /var/lib/dkms/mlx5-frwr/kernel-$(KERNELRELEASE)-$(shell uname -m)/Module.symvers))

# "make clean" reads the Kbuild file, too
ifeq ($(MLX5_FRWR_SYMVERS)$(filter __clean,$(PHONY)),)
$(error no ib_frwr and mlx5_ibx for $(KERNELRELEASE): install mlx5-frwr-dkms and the headers of that \
	kernel, or name a file by MLX5_FRWR_SYMVERS=)
endif
KBUILD_EXTRA_SYMBOLS += $(MLX5_FRWR_SYMVERS)
