# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Cases of the kernel module mlx5dv_test, or of the module that a test names in DV_TEST. They run
# like the cases of ibx_test. Source ibx_test.sh first; with_caps and caps_again also need
# modules.sh.

DV_TEST=${DV_TEST:-mlx5dv_test}

# load_mlx5dv_test [PARAMETER=VALUE...]
load_mlx5dv_test() {
	load_ibx_test
	modprobe "$DV_TEST" "$@"
}

unload_mlx5dv_test() {
	# modprobe -r would also unload mlx5_ibx
	rmmod "$DV_TEST"
	unload_ibx_test
}

# like load_mlx5dv_test, but does not save the objects
start_suites() {
	start_ibx_test
	modprobe "$DV_TEST"
}

# also after a case that failed
stop_suites() {
	! loaded "$DV_TEST" || rmmod "$DV_TEST"
	! loaded ibx_test || modprobe -r ibx_test
}

# with_caps CASE OVERRIDES: run a case on new simulated devices with other capabilities
with_caps() {
	stop_suites
	sim_reload "caps=$2"
	start_suites
	ibx_test "$1"
	no_violations
	stop_suites
}

# Case after the last with_caps: create the devices that later tests in the VM expect.
caps_again() {
	stop_suites
	sim_reload
}
