#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Process 1 of the guest, which guest/init executes: sets up the devices, runs the command and
# reports the result.
#
# The report is a list of lines to runner/vm/run on the control port: "boot SECONDS" and "ready
# SECONDS" are the uptime; "setup N" means that the devices could not be set up; "exit N" has the
# status of the command; then "leaks N" and "taint N". The last line is "end NONCE", after the leak
# scan and after the nonce was written to the kernel log. A guest without this line has ended early:
# the run has failed. $1 is the run directory on the host, with env, cmd and modroot.

dir=$1
# shellcheck disable=SC1091
. "$dir/env"
export HOME=/root TERM=dumb LANG=C.UTF-8 VM_DIR=$dir
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
guest=${0%/*}

# A port of virtio-serial can be opened only once. The command writes to pipes, and a cat copies
# each pipe to its port: children of the command can open /dev/stdout.
run_cmd() {
	local out err rc i

	mkfifo /run/out /run/err
	cat /run/out > /dev/vport0p2 & out=$!
	cat /run/err > /dev/vport0p3 & err=$!
	bash "$dir/cmd" < /dev/null > /run/out 2> /run/err
	rc=$?
	# a daemon of the command may keep the pipes open: wait for at most two seconds
	for ((i = 0; i < 20; i++)); do
		kill -0 $out 2>/dev/null || kill -0 $err 2>/dev/null || break
		sleep 0.1
	done
	echo "exit $rc" >&3
}

# kmemleak does not report objects younger than five seconds. A scan may miss the pointer to an
# object if the pointer moves during the scan. The second scan finds it.
leak_scan() {
	local f=/sys/kernel/debug/kmemleak n

	if ! [ -w $f ] || [ "$VM_LEAK_SCAN" = 0 ]; then
		return
	fi
	sleep 6
	# the write fails if kmemleak has disabled itself for lack of memory
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

# Execute the sysrq letters that the host sends when the guest has run out of time.
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
