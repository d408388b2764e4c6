#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Information for administrators: counters of the port after a known number of requests (suite
# counting of ibx_test), `rdma statistic` with counters that are bound to a QP, attributes of QPs
# and `rdma resource`, and the events of a port whose netdev goes down and changes its addresses,
# its name and its namespace.
#
# The expectations are the same for both drivers.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"

HW=ports/1/hw_counters
EVENTS=$IBX_TEST/events

# ---- counters of the port ----

# hw_counters DEV: print a line "name value" for each counter. The sleep is longer than 10 ms
# ("lifespan"), for which the core caches the values.
hw_counters() {
	local file value

	sleep 0.02
	for file in "/sys/class/infiniband/$1/$HW"/*; do
		[ "${file##*/}" != lifespan ] || continue
		read -r value < "$file"
		echo "${file##*/} $value"
	done
}

# writes: print the number of RDMA WRITEs that the port of A has counted
writes() {
	local nr

	sleep 0.02
	read -r nr < "/sys/class/infiniband/$IB_A/$HW/rx_write_requests"
	echo "$nr"
}

# grown BEFORE AFTER: print the name and the increase of each counter that changed, in one line, in
# the order of names
grown() {
	local name old new sep=

	while read -r name old <&3 && read -r _ new <&4; do
		[ "$old" != "$new" ] || continue
		printf '%s%s %d' "$sep" "$name" $((new - old))
		sep=" "
	done 3< "$1" 4< "$2"
}

# counts CASE A B: run a case. The counters of the responder must grow as A says ("NAME NUMBER
# ..."), the counters of the requester as B says, and no other counters grow.
counts() {
	ends
	hw_counters "$IB_A" > "$WORK/a"
	hw_counters "$IB_B" > "$WORK/b"
	ibx_test "$1"
	hw_counters "$IB_A" > "$WORK/a_then"
	hw_counters "$IB_B" > "$WORK/b_then"
	want_eq "growth at the responder" "$(grown "$WORK/a" "$WORK/a_then")" "$2"
	want_eq "growth at the requester" "$(grown "$WORK/b" "$WORK/b_then")" "$3"
}

counts_requests() {
	counts count_requests "rx_read_requests 2 rx_write_requests 4" ""
}

counts_rnr() {
	counts count_rnr "out_of_buffer 3" \
		"req_cqe_error 1 req_rnr_retries_exceeded 1 rnr_nak_retry_err 2"
}

counts_timeout() {
	counts count_timeout "" "local_ack_timeout_err 2 req_cqe_error 2 \
req_cqe_flush_error 1 req_transport_retries_exceeded 1"
}

# The responder answers the first of three attempts with a NAK, and then waits for the right PSN.
counts_ahead() {
	counts count_ahead "out_of_sequence 3" "local_ack_timeout_err 1 packet_seq_err 1 \
req_cqe_error 1 req_transport_retries_exceeded 1"
}

counts_behind() {
	counts count_behind "duplicate_request 3" \
		"local_ack_timeout_err 2 req_cqe_error 1 req_transport_retries_exceeded 1"
}

counts_access() {
	counts count_access \
		"resp_cqe_error 2 resp_cqe_flush_error 2 resp_remote_access_errors 1" \
		"req_cqe_error 2 req_cqe_flush_error 1 req_remote_access_errors 1"
}

counts_length() {
	counts count_length "resp_cqe_error 1 resp_local_length_error 1" \
		"req_cqe_error 1 req_remote_invalid_request 1"
}

# Case: the counters have the names that mlx5_ib gives them on this device, because tools use these
names_of_counters() {
	ends
	want_eq "counters" "$(hw_counters "$IB_A" | cut -d' ' -f1 | paste -sd' ')" \
		"duplicate_request implied_nak_seq_err local_ack_timeout_err out_of_buffer \
out_of_sequence packet_seq_err req_cqe_error req_cqe_flush_error req_remote_access_errors \
req_remote_invalid_request req_rnr_retries_exceeded req_transport_retries_exceeded resp_cqe_error \
resp_cqe_flush_error resp_local_length_error resp_remote_access_errors rnr_nak_retry_err \
rx_atomic_requests rx_dct_connect rx_read_requests rx_write_requests"
}

# port_counter DEV NAME: print a counter of performance management
port_counter() {
	local nr

	read -r nr < "/sys/class/infiniband/$1/ports/1/counters/$2"
	echo "$nr"
}

# Case: port_xmit_data and port_rcv_data count words of 4 bytes (IBTA)
counts_traffic() {
	local tx rx

	ends
	tx=$(port_counter "$IB_B" port_xmit_data)
	rx=$(port_counter "$IB_A" port_rcv_data)
	ibx_test count_requests
	# 7 pages are sent to the responder. The 2 pages that the requester reads are not in these
	# counters
	want_eq "words sent" $(($(port_counter "$IB_B" port_xmit_data) - tx)) $((7 * 1024))
	want_eq "words received" $(($(port_counter "$IB_A" port_rcv_data) - rx)) $((7 * 1024))
	want_ge "packets sent" "$(port_counter "$IB_A" port_xmit_packets)" 8
	want_eq "unicast packets sent" "$(port_counter "$IB_A" unicast_xmit_packets)" \
		"$(port_counter "$IB_A" port_xmit_packets)"
}

# ---- rdma statistic ----

# find_qp DEV [STATE]: set qpn to the QP of the running case of ibx_test. A QP in RESET is listed
# without a port.
find_qp() {
	local line state=" state ${2:-}"

	while read -r line; do
		case $line in
		"link $1/"*"$state"*"comm [ibx_test]"*)
			qpn=${line#* lqpn }
			qpn=${qpn%% *}
			return 0
			;;
		esac
	done < <(rdma resource show qp)
	return 1
}

stat_show() {
	rdma statistic qp show link "$IB_A/1"
}

# stat_is NAME VALUE: has the only bound counter this value? Sets cntn to the counter's number.
stat_is() {
	local stat

	stat=$(stat_show)
	[[ $stat =~ \ cntn\ ([0-9]+)\  ]] || return 1
	cntn=${BASH_REMATCH[1]}
	[[ $stat == *" $1 $2 "* ]]
}

# q_counters_are N: the device of A has N sets of queue counters
q_counters_are() {
	local pci what nr

	on_sim || return 0
	pci=$(cd -P "/sys/class/infiniband/$IB_A/device" && echo "${PWD##*/}")
	while read -r what nr _; do
		[ "$what" != q_counter ] || break
	done < "$SIM_DEBUGFS/$pci/objects"
	want_eq "counter sets" "$what $nr" "q_counter $1"
}

# bind CASE [STATE]: start a case; when its QP on A is in this state, bind a counter to the QP. Sets
# the variables qpn (number of the QP), before (result of writes) and pid (process of the case).
bind() {
	ends
	before=$(writes)
	ibx_test "$1" &
	pid=$!
	wait_for 10 find_qp "$IB_A" "${2:-}" || fail "$1 has no QP ${2:-}"
	rdma statistic qp bind link "$IB_A/1" lqpn "$qpn"
}

unbind() {
	rdma statistic qp unbind link "$IB_A/1" cntn "$cntn" lqpn "$qpn"
	want_eq "counters after" "$(stat_show)" ""
}

# binds CASE: 5 WRITEs while a counter is bound to the QP, and 3 without; the port counts all 8
binds() {
	bind "$1"
	q_counters_are 2
	wait_for 10 stat_is rx_write_requests 5 || fail "the counter does not get to 5"
	want_eq "growth of the port" $(($(writes) - before)) 5
	unbind
	wait "$pid"
	want_eq "growth of the port" $(($(writes) - before)) 8
	q_counters_are 1
}

binds_in_reset() {
	binds bound_in_reset
}

binds_in_init() {
	binds bound_in_init
}

binds_in_rts() {
	binds bound_in_rts
}

# Case: bind a counter to a QP in ERR. The driver learns the state by a query of `rdma resource`.
binds_in_error() {
	bind bound_in_error ERR
	stat_is rx_write_requests 0 || fail "the counter is not 0"
	unbind
	wait "$pid"
	q_counters_are 1
}

# Case: the QP is destroyed while a counter is bound to it; the counter ends with the QP
binds_until_destroyed() {
	bind destroyed_bound
	wait "$pid"
	want_eq "counters after" "$(stat_show)" ""
	want_eq "growth of the port" $(($(writes) - before)) 2
	q_counters_are 1
}

# Case: in mode auto, the core binds counters to QPs of processes, but not to QPs of the kernel
binds_none_by_itself() {
	ends
	rdma statistic qp set link "$IB_A/1" auto type on
	ibx_test count_requests
	want_eq "counters" "$(stat_show)" ""
	rdma statistic qp set link "$IB_A/1" auto off
}

refuses_to_bind() {
	ends
	expect_fail rdma statistic qp bind link "$IB_A/1" lqpn 16777214
	expect_fail rdma statistic qp unbind link "$IB_A/1" cntn 77 lqpn 16777214
	want_eq "counters" "$(stat_show)" ""
}

# ---- rdma resource ----

# Case: `rdma resource` lists the objects of a case, on all providers
shows_resources() {
	local type pid peer

	ends
	ibx_test bound_in_rts &
	pid=$!
	wait_for 10 find_qp "$IB_B" RTS || fail "no QP in RTS"
	peer=$qpn
	wait_for 10 find_qp "$IB_A" RTS || fail "no QP in RTS"
	for type in qp cq mr pd; do
		rdma resource show "$type" -dd > "$WORK/$type"
	done
	want_eq "QPs in RTS" "$(grep -c 'type RC state RTS.*comm \[ibx_test\]' "$WORK/qp")" 2
	grep -q "^link $IB_A/1 .* rqpn $peer " "$WORK/qp" || fail "the peer's number is not shown"
	want_eq "CQs" "$(grep -c 'comm \[ibx_test\]' "$WORK/cq")" 4
	want_eq "MRs" "$(grep -c 'comm \[ibx_test\]' "$WORK/mr")" 2
	want_eq "PDs" "$(grep -c 'comm \[ibx_test\]' "$WORK/pd")" 2
	rdma statistic qp bind link "$IB_A/1" lqpn "$qpn"
	[ "$PROVIDER" != mlx5_ibx ] || shows_details
	wait_for 10 stat_is rx_write_requests 5 || fail "the counter does not get to 5"
	unbind
	wait "$pid"
}

# Check the details of mlx5_ibx, and the QP context of the device, which begins with the state: RTS
# is 3.
shows_details() {
	local raw

	grep -q " lqpn $qpn .* drv_hw_qpn 0x$(printf %x "$qpn") drv_sq_wqe_cnt [1-9]" "$WORK/qp" ||
		fail "no details of the QP: $(cat "$WORK/qp")"
	want_eq "CQs with details" "$(grep -c 'comm \[ibx_test\].* drv_hw_cqn 0x' "$WORK/cq")" 4
	want_eq "MRs with details" "$(grep -c 'comm \[ibx_test\].* drv_mkey 0x' "$WORK/mr")" 2
	raw=$(rdma -r -j resource show qp link "$IB_A/1" lqpn "$qpn")
	python3 -c '
import json, sys
qp, = json.loads(sys.argv[1])
sys.exit(qp["data"][0] >> 4 != 3)' "$raw" || fail "no context of a QP in RTS: $raw"
}

# Case: no objects of the case are left
resources_are_gone() {
	local type

	for type in qp cq mr pd; do
		rdma resource show "$type"
	done > "$WORK/left"
	! grep ibx_test "$WORK/left" || fail "objects of ibx_test are left"
}

# ---- events of the port ----

# saw EVENT: has the device of A reported the event?
saw() {
	local line

	while read -r line; do
		[ "$line" != "$IB_A: $1" ] || return 0
	done < "$EVENTS"
	return 1
}

# happens EVENT COMMAND...: run a command; the event follows at least once. Other events may follow.
happens() {
	local event=$1

	shift
	echo 0 > "$EVENTS"
	"$@"
	wait_for 20 saw "$event" || {
		cat "$EVENTS"
		fail "no $event after: $*"
	}
}

port_not_active() {
	! port_active "$1"
}

port_down_and_up() {
	ends
	happens "port error" ip link set "$NET_A" down
	port_not_active "$IB_A" || fail "ACTIVE with the netdev down"
	happens "port active" ip link set "$NET_A" up
	port_active "$IB_A" || fail "not ACTIVE with the netdev up"
}

no_gid_of_ip() {
	! gid_of_ip "$@"
}

addresses_come_and_go() {
	ends
	happens "GID changed" ip addr add 10.9.9.9/24 dev "$NET_A"
	wait_for 20 gid_of_ip "$IB_A" 10.9.9.9 || fail "no GID"
	happens "GID changed" ip addr del 10.9.9.9/24 dev "$NET_A"
	wait_for 20 no_gid_of_ip "$IB_A" 10.9.9.9 || fail "the GID stays"
}

# gid_netdev_is NETDEV: does the core report this netdev for GID 0?
gid_netdev_is() {
	[ "$(cat "/sys/class/infiniband/$IB_A/ports/1/gid_attrs/ndevs/0")" = "$1" ]
}

netdev_is_renamed() {
	ends
	trap 'ip link set renamed0 name "$NET_A" 2> /dev/null || :' EXIT
	ip link set "$NET_A" name renamed0
	wait_for 20 gid_netdev_is renamed0 || fail "the GID does not follow"
	rdma link show "$IB_A/1" > "$WORK/link"
	grep "netdev renamed0" "$WORK/link"
	ip link set renamed0 name "$NET_A"
	wait_for 20 gid_netdev_is "$NET_A" || fail "the GID does not follow"
}

# comes_back: move the netdev back to this namespace, also after a failure
comes_back() {
	[ -e "/sys/class/net/$NET_A" ] || ip -n elsewhere link set "$NET_A" netns 1
	ip netns del elsewhere
	ends_up
}

# Case: a netdev moves to another namespace. Its port is ACTIVE only there; the RDMA device does not
# move.
netdev_moves() {
	ends
	ip netns add elsewhere
	trap comes_back EXIT
	happens "port error" ip link set "$NET_A" netns elsewhere
	port_not_active "$IB_A" || fail "ACTIVE with the netdev elsewhere and down"
	happens "port active" ip -n elsewhere link set "$NET_A" up
	port_active "$IB_A" || fail "not ACTIVE with the netdev up"
	happens "port error" ip -n elsewhere link set "$NET_A" netns 1
	port_not_active "$IB_A" || fail "ACTIVE with the netdev down"
	happens "port active" ip link set "$NET_A" up
}

netdev_is_back() {
	ends
	ibx_test count_requests
}

# ---- the end of the device ----

# dies_under CASE N: run a case; cause a fatal error of the device of A when N QPs are in RTS
dies_under() {
	local pci

	ends
	pci=$(ib_pci "$IB_A")
	quick_recovery "$pci"
	ibx_test "$1" &
	wait_for 20 in_rts "$2" || fail "not all QPs"
	# in this second, the case posts work requests to the last QP
	sleep 1
	die_of_error "$pci"
	wait $!
	cat "$IBX_TEST/log"
	ends_recovered "$pci"
	ibx_test count_requests
}

dies_while_resetting() {
	dies_under dying_reset 9
}

# 2: the QP of the pair is in RTS, too. Only in dies_with_srq, it is in ERR.
dies_with_recvs() {
	dies_under recvs_told 2
}

dies_with_sends() {
	dies_under sends_told 2
}

dies_with_srq() {
	dies_under last_wqe_once 1
}

reset_unheard() {
	ends
	lying "$IB_B" 2RST_QP 1 reset_unheard
}

reset_refused() {
	ends
	refusing "$IB_B" 2RST_QP 1 reset_refused
}

error_refused() {
	ends
	refusing "$IB_B" 2ERR_QP 1 error_refused
}

# ---- interrupts ----

# async_irq PCI: print the number of the interrupt for asynchronous events and commands
async_irq() {
	awk -v name="mlx5_async0@pci:$1" '$NF == name { sub(":", "", $1); print $1 }' \
		/proc/interrupts
}

# irqs_on IRQ CPU: print the number of times that an interrupt was raised on a processor
irqs_on() {
	awk -v irq="$1:" -v column=$(($2 + 2)) '$1 == irq { print $column }' /proc/interrupts
}

# Case: a new affinity of an interrupt takes effect at once, in both directions, and no interrupt is
# lost. With one processor, the case writes the same affinity again.
interrupt_moves() {
	local irq cpu before pci i cpus="1 0 1 0"

	[ "$(nproc)" -gt 1 ] || cpus="0 0"
	ends
	pci=$(ib_pci "$IB_A")
	irq=$(async_irq "$pci")
	[ -n "$irq" ] || fail "no interrupt of $pci: $(cat /proc/interrupts)"
	for cpu in $cpus; do
		echo "$cpu" > "/proc/irq/$irq/smp_affinity_list"
		want_eq "CPU of interrupt $irq" \
			"$(cat "/proc/irq/$irq/effective_affinity_list")" "$cpu"
		before=$(irqs_on "$irq" "$cpu")
		for i in 1 2 3 4 5; do
			cat "/sys/class/infiniband/$IB_A/ports/1/rate" > /dev/null ||
				fail "query $i on CPU $cpu failed"
		done
		want_ge "interrupts on CPU $cpu" "$(irqs_on "$irq" "$cpu")" $((before + 5))
	done
}

cases="interrupt_moves names_of_counters counts_requests counts_rnr counts_timeout
	counts_ahead counts_behind
	counts_access counts_length counts_traffic
	binds_in_reset binds_in_init binds_in_rts binds_in_error binds_until_destroyed
	binds_none_by_itself refuses_to_bind shows_resources resources_are_gone
	port_down_and_up addresses_come_and_go netdev_is_renamed netdev_moves
	netdev_is_back"
# cases for mlx5_ibx only: mlx5_ib resets rings without the lock of polling, and only on request
[ "$PROVIDER" != mlx5_ibx ] || dying="reset_unheard reset_refused error_refused
	dies_while_resetting dies_with_recvs dies_with_sends dies_with_srq"

[ "$PROVIDER" != mlx5_ibx ] || SUITES="$SUITES details"

modprobe ibx_test
# shellcheck disable=SC2046,SC2086
on_pair $(suite $SUITES)

# shellcheck disable=SC2086
ktap_run load_ibx_test $cases no_violations $pair_cases no_violations ${dying:-} \
	unload_ibx_test no_violations
