#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The hardware thread of mlx5sim does not wait for the host. The file "thread" in debugfs counts the
# sleeps of the thread. The health counters of the devices advance while a process creates the first
# key for encryption, although the loading of modules is slow.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"

PROBE=$TOP/build/hwthread/probe
SLOW_LOAD=20		# seconds that each loading of a module takes
MODPROBE=/proc/sys/kernel/modprobe

# thread NAME: print a value of the file "thread"
thread() {
	awk -v name="$1" '$1 == name { print $2; found = 1 } END { exit !found }' \
		"$SIM_DEBUGFS/thread"
}

no_sleeps() {
	cat "$SIM_DEBUGFS/thread"
	want_eq "sleeps of the hardware thread" "$(thread sleeps)" 0
}

start() {
	ends_up
	clear_violations
	modprobe ib_uverbs
	no_sleeps
}

# Case: replace the program that the kernel runs to load a module by a slow program, and check that
# the loading is slow.
slow_modprobe() {
	local began=$SECONDS

	printf '#!/bin/bash\nsleep %s\nexec /sbin/modprobe "$@"\n' "$SLOW_LOAD" > /run/slow_modprobe
	chmod +x /run/slow_modprobe
	cat "$MODPROBE" > /run/modprobe_was
	echo /run/slow_modprobe > "$MODPROBE"
	ip link add dum0 type dummy
	ip link del dum0
	want_ge "seconds that loading a module took" $((SECONDS - began)) "$SLOW_LOAD"
}

# ciphers NAME: print the modules that implement a cipher; "kernel" stands for a built-in cipher
ciphers() {
	awk -v name="$1" '$1 == "name" { is = $3 == name } $1 == "module" && is { print $3 }' \
		/proc/crypto
}

first_key() {
	local began=$SECONDS

	ends
	# no module may have loaded the cipher yet; newer kernels have it built in
	! ciphers "xts(aes)" | grep -v '^kernel$' || fail "the kernel has loaded the cipher already"
	timeout $((10 * SLOW_LOAD * SLOWER)) "$PROBE" cost "$IB_A" > "$WORK/said" ||
		fail "$(dmesg | tail -n 5)"
	cat "$WORK/said"
	say "$((SECONDS - began)) seconds"
	grep -q "^bench mkey_configure_crypto" "$WORK/said" || fail "no key for encryption"
	! dmesg | grep "health compromised" || fail "the health counter stood still"
}

usual_modprobe() {
	cat /run/modprobe_was > "$MODPROBE"
}

ktap_run start slow_modprobe first_key usual_modprobe no_sleeps no_violations
