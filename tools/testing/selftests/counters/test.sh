#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# What an administrator sees: counters of the port after traffic of known number
# (suite counting of ibx_test), `rdma statistic` with counters of one's own,
# attributes of QPs and `rdma resource`, and the events of a port whose netdev
# goes down, changes its addresses, its name and its namespace.
#
# Both drivers have to meet the same expectations.
set -eu
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../ibx_test/ibx_test.sh
. "$(dirname "$0")/../ibx_test/ibx_test.sh"

HW=ports/1/hw_counters
EVENTS=$IBX_TEST/events

# ---- counters of the port ----

# hw_counters DEV: "name value" lines. The core keeps what it read for "lifespan" ms.
hw_counters() {
	local dir=/sys/class/infiniband/$1/$HW file

	sleep "$(awk '{ print $1 / 1000 + 0.01 }' "$dir/lifespan")"
	for file in "$dir"/*; do
		[ "${file##*/}" = lifespan ] || echo "${file##*/} $(cat "$file")"
	done
}

hw_counter() {
	hw_counters "$1" | awk -v name="$2" '$1 == name { print $2; found = 1 } END { exit !found }'
}

# grown BEFORE AFTER: what changed, "name by" in one line, in order of names
grown() {
	join "$1" "$2" | awk '$2 != $3 { printf "%s%s %d", sep, $1, $3 - $2; sep = " " }'
}

# counts CASE A B: the case makes exactly these counters grow, at its two ends
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

# the responder answers the first of three attempts, then waits for the right one
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

# the names mlx5_ib gives them on this device, which tools know
names_of_counters() {
	ends
	want_eq "counters" "$(hw_counters "$IB_A" | cut -d' ' -f1 | paste -sd' ')" \
		"duplicate_request implied_nak_seq_err local_ack_timeout_err out_of_buffer \
out_of_sequence packet_seq_err req_cqe_error req_cqe_flush_error req_remote_access_errors \
req_remote_invalid_request req_rnr_retries_exceeded req_transport_retries_exceeded resp_cqe_error \
resp_cqe_flush_error resp_local_length_error resp_remote_access_errors rnr_nak_retry_err \
rx_atomic_requests rx_dct_connect rx_read_requests rx_write_requests"
}

# port_counter DEV NAME: those of performance management
port_counter() {
	cat "/sys/class/infiniband/$1/ports/1/counters/$2"
}

# IBTA counts data in words of 4 bytes
counts_traffic() {
	local tx rx

	ends
	tx=$(port_counter "$IB_B" port_xmit_data)
	rx=$(port_counter "$IB_A" port_rcv_data)
	ibx_test count_requests
	# 7 pages to the responder and 2 read from it
	want_eq "words sent" $(($(port_counter "$IB_B" port_xmit_data) - tx)) $((7 * 1024))
	want_eq "words received" $(($(port_counter "$IB_A" port_rcv_data) - rx)) $((7 * 1024))
	want_ge "packets sent" "$(port_counter "$IB_A" port_xmit_packets)" 8
	want_eq "unicast packets sent" "$(port_counter "$IB_A" unicast_xmit_packets)" \
		"$(port_counter "$IB_A" port_xmit_packets)"
}

# ---- rdma statistic ----

# qpn_of DEV: the QP that a case of ibx_test has there
qpn_of() {
	rdma resource show qp | awk -v dev="$1" '
		index($2, dev "/") == 1 && /comm \[ibx_test\]/ {
			for (i = 3; i < NF; i++)
				if ($i == "lqpn")
					print $(i + 1)
		}'
}

# has_qp DEV [STATE]
has_qp() {
	[ -n "$(qpn_of "$1")" ] || return 1
	[ -z "${2:-}" ] || rdma resource show qp | grep "^link $1/.*state $2 " |
		grep -q 'comm \[ibx_test\]'
}

stat_show() {
	rdma statistic qp show link "$IB_A/1"
}

# stat_value NAME: of the only counter there is
stat_value() {
	stat_show | awk -v name="$1" '{
		for (i = 1; i < NF; i++)
			if ($i == name) {
				gsub(/[^0-9]/, "", $(i + 1))
				print $(i + 1)
				found = 1
			}
		} END { exit !found }'
}

stat_is() {
	[ "$(stat_value "$1")" = "$2" ]
}

# q_counters DEV: counter sets in the device
q_counters() {
	awk '$1 == "q_counter" { print $2; found = 1 } END { exit !found }' \
		"$SIM_DEBUGFS/$(ib_pci "$1")/objects"
}

# bind CASE [STATE]: start it and give its QP on A a counter, when it is in that state; sets qpn,
# cntn, before, pid
bind() {
	ends
	want_eq "counters before" "$(stat_show)" ""
	before=$(hw_counter "$IB_A" rx_write_requests)
	ibx_test "$1" &
	pid=$!
	wait_for 10 has_qp "$IB_A" "${2:-}" || fail "$1 has no QP ${2:-}"
	qpn=$(qpn_of "$IB_A")
	rdma statistic qp bind link "$IB_A/1" lqpn "$qpn"
	stat_show
	cntn=$(stat_value cntn)
}

unbind() {
	rdma statistic qp unbind link "$IB_A/1" cntn "$cntn" lqpn "$qpn"
	want_eq "counters after" "$(stat_show)" ""
}

# 5 WRITEs with a counter of its own and 3 without; the port has counted all 8
binds() {
	bind "$1"
	! on_sim || want_eq "counter sets" "$(q_counters "$IB_A")" 2
	wait_for 10 stat_is rx_write_requests 5 || fail "the counter does not get to 5"
	want_eq "growth of the port" \
		$(($(hw_counter "$IB_A" rx_write_requests) - before)) 5
	unbind
	wait "$pid"
	want_eq "growth of the port" \
		$(($(hw_counter "$IB_A" rx_write_requests) - before)) 8
	! on_sim || want_eq "counter sets" "$(q_counters "$IB_A")" 1
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

# asking for the QP, as `rdma resource` does, has told the driver of the error
binds_in_error() {
	bind bound_in_error ERR
	unbind
	wait "$pid"
	! on_sim || want_eq "counter sets" "$(q_counters "$IB_A")" 1
}

binds_until_destroyed() {
	bind destroyed_bound
	wait "$pid"
	want_eq "counters after" "$(stat_show)" ""
	want_eq "growth of the port" \
		$(($(hw_counter "$IB_A" rx_write_requests) - before)) 2
	! on_sim || want_eq "counter sets" "$(q_counters "$IB_A")" 1
}

# the core binds user QPs automatically, never those of the kernel
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

# the objects of a case, as all providers show them
shows_resources() {
	local type pid

	ends
	ibx_test bound_in_rts &
	pid=$!
	wait_for 10 has_qp "$IB_A" RTS || fail "no QP in RTS"
	wait_for 10 has_qp "$IB_B" RTS || fail "no QP in RTS"
	for type in qp cq mr pd; do
		rdma resource show "$type" -dd > "$WORK/$type"
		grep 'ibx_test' "$WORK/$type"
	done
	want_eq "QPs in RTS" "$(grep -c 'type RC state RTS.*comm \[ibx_test\]' "$WORK/qp")" 2
	grep -q "rqpn $(qpn_of "$IB_B") " <(grep "link $IB_A/1 " "$WORK/qp") ||
		fail "the peer's number is not shown"
	want_eq "CQs" "$(grep -c 'comm \[ibx_test\]' "$WORK/cq")" 4
	want_eq "MRs" "$(grep -c 'comm \[ibx_test\]' "$WORK/mr")" 2
	want_eq "PDs" "$(grep -c 'comm \[ibx_test\]' "$WORK/pd")" 2
	rdma statistic qp bind link "$IB_A/1" lqpn "$(qpn_of "$IB_A")"
	rdma statistic qp unbind link "$IB_A/1" cntn "$(stat_value cntn)" lqpn "$(qpn_of "$IB_A")"
	wait "$pid"
}

# what is left behind shows
resources_are_gone() {
	want_eq "objects of ibx_test" \
		"$(for t in qp cq mr pd; do rdma resource show "$t"; done | grep -c ibx_test)" 0
}

# ---- events of the port ----

nr_events() {
	wc -l < "$EVENTS"
}

# port_events: what the first device reported, in order, but for its GIDs, which are the core's
port_events() {
	awk -v dev="$IB_A: " '
		index($0, dev) == 1 && !/GID changed/ {
			printf "%s%s", sep, substr($0, length(dev) + 1)
			sep = ","
		}' "$EVENTS"
}

# happens EXPECTED COMMAND...: these events follow, and no more
happens() {
	local want=$1 nr=-1

	shift
	say "$*: $want"
	echo 0 > "$EVENTS"
	"$@"
	while [ "$nr" != "$(nr_events)" ]; do
		nr=$(nr_events)
		sleep 0.3
	done
	want_eq "events" "$(port_events)" "$want"
}

# gids_change COMMAND...: and nothing else
gids_change() {
	happens "" "$@"
	grep -q "^$IB_A: GID changed" "$EVENTS" || fail "no event of a GID"
}

port_down_and_up() {
	ends
	happens "port error" ip link set "$NET_A" down
	happens "" ip link set "$NET_A" down
	happens "port active" ip link set "$NET_A" up
	port_active "$IB_A"
}

addresses_come_and_go() {
	ends
	gids_change ip addr add 10.9.9.9/24 dev "$NET_A"
	gid_of_ip "$IB_A" 10.9.9.9
	gids_change ip addr del 10.9.9.9/24 dev "$NET_A"
	! gid_of_ip "$IB_A" 10.9.9.9 || fail "the GID stays"
}

# the first GID's netdev, as the core says
gid_netdev() {
	cat "/sys/class/infiniband/$IB_A/ports/1/gid_attrs/ndevs/0"
}

netdev_is_renamed() {
	ends
	happens "" ip link set "$NET_A" name renamed0
	want_eq "netdev" "$(gid_netdev)" renamed0
	rdma link show "$IB_A/1" | grep -q "netdev renamed0"
	happens "" ip link set renamed0 name "$NET_A"
	want_eq "netdev" "$(gid_netdev)" "$NET_A"
}

# a port is where its netdev is; the device stays where it was
netdev_moves() {
	ends
	ip netns add elsewhere
	happens "port error" ip link set "$NET_A" netns elsewhere
	! port_active "$IB_A" || fail "ACTIVE without a netdev"
	happens "port active" ip -n elsewhere link set "$NET_A" up
	port_active "$IB_A"
	happens "port error" ip -n elsewhere link set "$NET_A" netns 1
	! port_active "$IB_A" || fail "ACTIVE with the netdev down"
	happens "port active" ip link set "$NET_A" up
	ip netns del elsewhere
	ends_up
	ibx_test count_requests
}

# ---- the end of the device ----

# recovery is refused for a minute after the last one otherwise
quick_recovery() {
	devlink health set "pci/$(ib_pci "$IB_A")" reporter fw_fatal grace_period 0
}

sim_runs() {
	[ "$(cat "$SIM_DEBUGFS/$1/faults/device")" = running ]
}

two_devices() {
	[ "$(ib_devices | wc -l)" = 2 ]
}

dies_while_resetting() {
	local pci

	ends
	quick_recovery
	pci=$(ib_pci "$IB_A")
	ibx_test dying_reset &
	wait_for 10 has_qp "$IB_A" || fail "no QP"
	sleep 1
	echo fatal > "$SIM_DEBUGFS/$pci/faults/device"
	wait $!
	cat "$IBX_TEST/log"
	wait_for 60 sim_runs "$pci" || fail "no recovery"
	wait_for 60 two_devices || fail "the device does not come back"
	ends_up
	ibx_test count_requests
}

cases="names_of_counters counts_requests counts_rnr counts_timeout counts_ahead counts_behind
	counts_access counts_length counts_traffic
	binds_in_reset binds_in_init binds_in_rts binds_in_error binds_until_destroyed
	binds_none_by_itself refuses_to_bind shows_resources resources_are_gone
	port_down_and_up addresses_come_and_go netdev_is_renamed netdev_moves"
# mlx5_ib resets its rings without the lock that polling holds
[ "$PROVIDER" != mlx5_ibx ] || dying=dies_while_resetting

# shellcheck disable=SC2046
on_pair $(suite attrs)

# shellcheck disable=SC2086
ktap_run load_ibx_test $cases no_violations $pair_cases no_violations ${dying:-} \
	unload_ibx_test no_violations
