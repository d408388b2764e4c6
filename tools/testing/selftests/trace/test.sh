#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The tracepoints of mlx5_ibx, with tools/ibx-trace. Every I/O of NVMe over RDMA has a complete life
# (the events of a registration). The number of lives is equal to the number of calls of
# ib_map_mr_sg() and to the counters of the devices. Commands, errors and port events are traced
# with their objects. The test ibxtrace checks that ibx-trace detects missing events.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/nvmeof.sh
. "$(dirname "$0")/../../runner/lib/nvmeof.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"
# shellcheck source=../../runner/lib/mlx5dv_test.sh
. "$(dirname "$0")/../../runner/lib/mlx5dv_test.sh"

IBX_TRACE=$TOP/tools/ibx-trace
EVENTS=$TRACEFS/events/mlx5_ibx
# commands that only an RDMA provider issues
COMMANDS="ALLOC_PD DEALLOC_PD CREATE_MKEY DESTROY_MKEY CREATE_CQ DESTROY_CQ CREATE_QP
	DESTROY_QP RST2INIT_QP INIT2RTR_QP RTR2RTS_QP 2ERR_QP 2RST_QP"

# sum_of FILE NAME: print a figure of the last line of ibx-trace's output
sum_of() {
	tail -n 1 "$1" | tr ' ' '\n' | grep -A 1 -x -e "$2" | tail -n 1 | grep -x '[0-9]*' ||
		fail "no $2 in: $(tail -n 1 "$1")"
}

# commands_of OP: print how often all functions together have executed a command
commands_of() {
	cat "$SIM_DEBUGFS/"*:*/commands | awk -v op="$1" '$2 == op { n += $3 } END { print n + 0 }'
}

# in_order FILE PATTERN...: check that the file has a line for each pattern, in this order
in_order() {
	local file=$1 at=0 n pattern

	shift
	for pattern in "$@"; do
		n=$(awk -v at="$at" -v p="$pattern" 'NR > at && $0 ~ p { print NR; exit }' "$file")
		[ -n "$n" ] || fail "after line $at no /$pattern/ in: $(cat "$file")"
		at=$n
	done
}

off_by_default() {
	no_task_names
	want_eq "state of the events" "$(cat "$EVENTS/enable")" 0
}

# Case: a connection creates objects, and each command of mlx5_ibx is traced once.
commands() {
	local op

	ends_up
	target_up 64
	for op in $COMMANDS; do
		echo "$op $(commands_of "$op")"
	done > "$WORK/before"
	export -f host_connect host_disconnect host_bdev wait_for fail say
	export NQN HOSTNQN HOSTID NVME_HOST NVME_PORT IP_A IP_B SECONDS
	"$IBX_TRACE" --events --number 0 -- bash -eu -c 'host_connect && host_disconnect' \
		> "$WORK/commands"
	while read -r op n; do
		want_eq "$op commands in the trace" \
			"$(grep -c "ibx_cmd: .* op=$op err=0 status=\(OK\|-\) " "$WORK/commands")" \
			$(($(commands_of "$op") - n))
	done < "$WORK/before"
	want_ge "QPs made" "$(grep -c op=CREATE_QP "$WORK/commands")" 4
	! grep "ibx_cmd: .* op=0x" "$WORK/commands" || fail "commands without a name"
	host_connect
}

# io NAME FIO-OPTION...: run fio; N registrations have N complete lives
io() {
	local name=$1 regs regs0 inline0 fetched0

	shift
	ends
	kcount_on map_mr_sg ib_core:ib_map_mr_sg
	regs0=$(sim_sum registrations)
	inline0=$(sim_sum desc_inline)
	fetched0=$(sim_sum desc_fetched)
	"$IBX_TRACE" --check --number 0 -- fio --name="$name" --filename="$(host_bdev)" \
		--direct=1 --ioengine=libaio --output="$WORK/fio" "$@" > "$WORK/sum" ||
		fail "$(tail -n 20 "$WORK/sum" "$WORK/fio")"
	tail -n 1 "$WORK/sum"
	regs=$(kcount map_mr_sg)
	kcount_off map_mr_sg
	want_eq "registrations" "$(sum_of "$WORK/sum" registrations)" "$regs"
	want_eq "registrations of the devices" $(($(sim_sum registrations) - regs0)) "$regs"
	want_eq "complete ones" "$(sum_of "$WORK/sum" complete)" "$regs"
	want_eq "invalidated by the peer" "$(sum_of "$WORK/sum" remote-invalidated)" "$regs"
	want_eq "cut ones" "$(sum_of "$WORK/sum" cut)" 0
	want_eq "inline lists" "$(sum_of "$WORK/sum" inline)" \
		$(($(sim_sum desc_inline) - inline0))
	want_eq "fetched lists" "$(sum_of "$WORK/sum" fetched)" \
		$(($(sim_sum desc_fetched) - fetched0))
	echo "$regs" > "$WORK/regs.$name"
}

io_read_4k() {
	io read4k --bs=4k --rw=randread --iodepth=16 --number_ios=64
	want_ge "registrations" "$(cat "$WORK/regs.read4k")" 64
}

io_write_256k() {
	io write256k --bs=256k --rw=write --iodepth=8 --number_ios=16
	want_ge "registrations" "$(cat "$WORK/regs.write256k")" 16
}

# Case: the life of one read has the events of both ends, in the right order.
one_life() {
	ends
	"$IBX_TRACE" --check --events -- dd if="$(host_bdev)" of=/dev/null \
		bs=64k count=1 iflag=direct status=none > "$WORK/life"
	cat "$WORK/life"
	want_eq "registrations" "$(sum_of "$WORK/life" registrations)" 1
	in_order "$WORK/life" "^$IB_A mkey .* 65536 bytes in 16 pages of 4096, complete" \
		"us  $IB_A  *map " "us  $IB_A  *register .*RW" "us  $IB_A  *post .* REG_MR key" \
		"us  $IB_A  *post .* SEND .*doorbell" "us  $IB_B  *post .* RDMA_WRITE key" \
		"us  $IB_B  *post .* SEND_WITH_INV key .*doorbell" \
		"us  $IB_A  *complete .* RECV .*SUCCESS, invalidates"
	in_order "$WORK/life" "us  $IB_A  *post .* SEND .*doorbell" \
		"us  $IB_A  *complete .* SEND SUCCESS, and with it"
}

disconnect() {
	ends
	host_disconnect
	target_down
}

# Case: the events of a work request that fails, and of later work requests, which are flushed.
errors() {
	load_ibx_test
	export -f ibx_test fail say
	export IBX_TEST IB_A IB_B
	"$IBX_TRACE" --events --number -1 -- bash -eu -c 'ibx_test refused_invalidated' \
		> "$WORK/errors"
	grep -q "ibx_cqe_error: .* queue=send .* syndrome=0x13 vendor=0x" "$WORK/errors" ||
		fail "no remote access error: $(cat "$WORK/errors")"
	grep -q "ibx_comp: .* status=REM_ACCESS_ERR " "$WORK/errors"
	grep -q "ibx_comp: .* op=LOCAL_INV status=SUCCESS " "$WORK/errors"
	want_ge "flushed ones" "$(grep -c 'ibx_comp: .* status=WR_FLUSH_ERR ' "$WORK/errors")" 1
	want_eq "errors" "$(sum_of "$WORK/errors" errors)" \
		"$(grep -c ibx_cqe_error "$WORK/errors")"
	want_eq "problems" "$(sum_of "$WORK/errors" problems)" 0
	unload_ibx_test
}

# Case: the opcodes of work requests of the direct verbs have names.
direct_verbs() {
	local run pair

	load_mlx5dv_test
	export -f ibx_test fail say
	export IBX_TEST IB_A IB_B
	for pair in UMR:mkey_list RAW_WQE:raw_wqe MEMCPY:memcpy_chain; do
		run=$WORK/${pair#*:}
		"$IBX_TRACE" --events -- bash -eu -c "ibx_test ${pair#*:}" > "$run"
		grep -q "ibx_wr_complete: .* err=0" "$run" || fail "nothing posted by builders"
		grep -q "ibx_comp: .* op=${pair%:*} status=SUCCESS " "$run" ||
			fail "no ${pair%:*}: $(grep ibx_comp: "$run")"
		! grep "ibx_comp: .* op=0x" "$run" || fail "opcodes without a name"
	done
	unload_mlx5dv_test
}

# sig_lines FILE PATTERN: print the number of traced signature errors that match
sig_lines() {
	grep -c "ibx_sig_error: dev=$IB_A .*$2" "$1" || true
}

# Case: pi_bad_memory has transfers in which one part of one of four blocks is bad. Each causes an
# error event in the life of its registration. The device counts the errors, too.
signatures() {
	local log=$WORK/signatures before

	load_ibx_test
	export -f ibx_test fail say
	export IBX_TEST IB_A IB_B
	before=$(sim_counter "$IB_A" sig_errors_reported)
	"$IBX_TRACE" --events --number -1 -- bash -eu -c 'ibx_test pi_bad_memory' > "$log"
	want_eq "errors" "$(sig_lines "$log" syndrome=0x)" 16
	want_eq "errors of the device" $(($(sim_counter "$IB_A" sig_errors_reported) - before)) 16
	want_eq "errors in the sum" "$(sum_of "$log" signature-errors)" 16
	want_eq "guards" "$(sig_lines "$log" ' type=GUARD ')" 8
	want_eq "application tags" \
		"$(sig_lines "$log" ' type=APPTAG expected=0x1235 actual=0x1234 ')" 4
	want_eq "reference tags" "$(sig_lines "$log" ' type=REFTAG ')" 4
	want_eq "reference tags of the third block" \
		"$(sig_lines "$log" ' type=REFTAG expected=0x1 actual=0x0 offset=1040 ')" 1
	# a bad and a good transfer for each part of each block
	want_eq "complete registrations" "$(sum_of "$log" complete)" 32
	want_eq "cut registrations" "$(sum_of "$log" cut)" 0
	want_eq "problems" "$(sum_of "$log" problems)" 0
	in_order "$log" "^$IB_A mkey " "us  $IB_A  *map " "us  $IB_A  *register " \
		"us  $IB_A  *post .* REG_MR_INTEGRITY key" "us  $IB_A  *signature .* GUARD of "
	unload_ibx_test
}

# Case: the first signature error of each transfer by an mkey of the direct verbs, in order
dv_signatures() {
	local log=$WORK/dv_signatures

	load_mlx5dv_test
	export -f ibx_test fail say
	export IBX_TEST IB_A IB_B
	"$IBX_TRACE" --events -- bash -eu -c 'ibx_test sig_several' > "$log"
	want_eq "errors" "$(sig_lines "$log" ' offset=520 ')" 2
	in_order "$log" "ibx_sig_error: .* type=APPTAG .* offset=520 " \
		"ibx_sig_error: .* type=GUARD .* offset=520 "
	unload_mlx5dv_test
}

port_not_active() {
	! port_active "$1"
}

port_down_and_up() {
	ip link set "$NET_B" down
	wait_for 20 port_not_active "$IB_B" || fail "the port stays ACTIVE"
	ip link set "$NET_B" up
	wait_for 20 port_active "$IB_B" || fail "the port does not become ACTIVE"
}

port_events() {
	ends
	export -f port_down_and_up port_not_active port_active wait_for fail say
	export NET_B IB_B
	"$IBX_TRACE" --events --number 0 -- bash -eu -c port_down_and_up > "$WORK/port"
	in_order "$WORK/port" "ibx_event_port: dev=$IB_B port=1 event=PORT_ERR" \
		"ibx_event_port: dev=$IB_B port=1 event=PORT_ACTIVE"
	! grep "ibx_event_port: dev=$IB_A" "$WORK/port" || fail "the other port has an event"
}

off_again() {
	want_eq "state of the events" "$(cat "$EVENTS/enable")" 0
	! ls -d "$TRACEFS"/instances/ibx-trace.* 2> /dev/null || fail "an instance is left"
}

ktap_run off_by_default commands io_read_4k io_write_256k one_life disconnect errors \
	direct_verbs signatures dv_signatures port_events off_again no_violations
