# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Cases of the kernel module mlx5dv_test, which run as those of ibx_test do (source
# ibx_test.sh first).

# load_mlx5dv_test [PARAMETER=VALUE...]
load_mlx5dv_test() {
	load_ibx_test
	modprobe mlx5dv_test "$@"
}

unload_mlx5dv_test() {
	# modprobe would unload the driver with it
	rmmod mlx5dv_test
	unload_ibx_test
}
