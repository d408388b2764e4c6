# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Cases of the kernel module mlx5dv_test, or of the module that a test names in DV_TEST. They run
# like the cases of ibx_test. Source ibx_test.sh first; with_caps and caps_again also need
# modules.sh. A script without a config, such as demo/mkey.sh, sets BACKEND itself.

DV_TEST=${DV_TEST:-mlx5dv_test}
BACKEND=${BACKEND:-$(sed -n s/^BACKEND=//p "$(dirname "$0")/config")}

# has_direct_verbs: do the devices of the provider have direct verbs?
has_direct_verbs() {
	[ "$PROVIDER" = mlx5_ibx ] || on_backend
}

# on_unchanged: does the test use direct verbs on an mlx5_ib that is not patched? selftest.py sets
# PATCHED.
on_unchanged() {
	on_backend && [ -z "${PATCHED:-}" ]
}

# on_backend: does the test use direct verbs on mlx5_ib? selftest.py explains BACKEND.
on_backend() {
	[ "$PROVIDER" = mlx5_ib ] && [ "$BACKEND" = 1 ]
}

# load_backend: load the modules that give direct verbs to devices of mlx5_ib
load_backend() {
	if on_backend; then
		# vm_modprobe_conf makes mlx5_ibx claim all devices
		modprobe mlx5_ibx claim=
		modprobe mlx5dv_ib
	fi
}

unload_backend() {
	! on_backend || rmmod mlx5dv_ib mlx5_ibx
}

# load_direct_verbs [PARAMETER=VALUE...]: load $DV_TEST and the modules that it needs
load_direct_verbs() {
	load_backend
	modprobe "$DV_TEST" ${PATCHED:+patched=1} "$@"
}

# rmmod, because modprobe -r would also unload mlx5_ibx, which may drive the devices
unload_direct_verbs() {
	rmmod "$DV_TEST"
	unload_backend
}

# load_mlx5dv_test [PARAMETER=VALUE...]
load_mlx5dv_test() {
	load_ibx_test
	load_direct_verbs "$@"
}

unload_mlx5dv_test() {
	unload_direct_verbs
	unload_ibx_test
}

# start_suites: like load_mlx5dv_test, but without save_objects
start_suites() {
	start_ibx_test
	load_direct_verbs
}

# stop_suites: unload the modules that are loaded, also after a case that failed
stop_suites() {
	! loaded "$DV_TEST" || unload_direct_verbs
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
