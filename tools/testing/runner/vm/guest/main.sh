#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Process 1 of the guest once guest/init made the host's root its own: sets the devices up, runs the
# command and reports.
#
# The report goes line by line through the control port to runner/vm/run: "setup N" when the devices
# could not be set up, "exit N" with the command's status, "leaks N", "taint N", and as the very
# last word "end NONCE", after the leak scan and after the same nonce went to the kernel log. A
# guest that ends early does not print it: that is a failure, whatever was printed before. $1 is the
# directory of this run on the host: env, cmd, modroot.

dir=$1
# shellcheck disable=SC1091
. "$dir/env"
export HOME=/root TERM=dumb LANG=C.UTF-8 VM_DIR=$dir
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
guest=${0%/*}

# Ports of virtio-serial can be opened once only; a cat in front of each lets the command's children
# open /dev/stdout as they would anywhere.
run_cmd() {
	local out err rc i

	mkfifo /run/out /run/err
	cat /run/out > /dev/vport0p2 & out=$!
	cat /run/err > /dev/vport0p3 & err=$!
	bash "$dir/cmd" < /dev/null > /run/out 2> /run/err
	rc=$?
	# a daemon left behind may hold the pipe open: later output is ignored
	for ((i = 0; i < 20; i++)); do
		kill -0 $out 2>/dev/null || kill -0 $err 2>/dev/null || break
		sleep 0.1
	done
	echo "exit $rc" >&3
}

# kmemleak reports nothing younger than five seconds, and an object whose only pointer moved during
# the scan is found again in the second.
leak_scan() {
	local f=/sys/kernel/debug/kmemleak n

	if ! [ -w $f ] || [ "$VM_LEAK_SCAN" = 0 ]; then
		return
	fi
	sleep 6
	# refused if kmemleak has disabled itself for lack of memory
	if ! echo scan > $f || ! echo scan > $f; then
		echo "leaks unknown" >&3
		return
	fi
	n=$(grep -c '^unreferenced object' $f)
	echo "leaks $n" >&3
	if [ "$n" != 0 ]; then
		head -c 16000 $f > /dev/console
	fi
}

say_time() {
	local up

	read -r up _ < /proc/uptime
	echo "$1 $up" >&3
}

# When the guest runs out of time, the host requests its state by sysrq letters.
answer_host() {
	local key

	while read -r key <&3; do
		echo "$key" > /proc/sysrq-trigger
	done
}

main() {
	exec 3<> /dev/vport0p1
	answer_host &
	say_time boot
	(
		# shellcheck source=tools/testing/runner/vm/guest/lib.sh
		. "$guest/lib.sh"
		vm_setup
	)
	local rc=$?
	if [ $rc = 0 ]; then
		say_time ready
		run_cmd
	else
		echo "setup $rc" >&3
	fi
	leak_scan
	echo "taint $(< /proc/sys/kernel/tainted)" >&3
	echo "vm: end $VM_NONCE" > /dev/kmsg
	echo "end $VM_NONCE" >&3
	sleep 5
	echo b > /proc/sysrq-trigger
	sleep 60
}

main
