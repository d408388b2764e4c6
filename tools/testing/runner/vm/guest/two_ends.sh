#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Two ends on one machine.
#
#   two_ends.sh [NETDEV_A IP_A NETDEV_B IP_B]
#
# or source it and call two_ends with the same arguments; without any it takes
# the first two simulated functions, in PCI order, with 192.168.77.1 and .2.
#
# Gives two netdevs of one network namespace an address each and makes traffic between the two
# addresses leave through one netdev and arrive at the other. Several ULPs (nvme-rdma, nvmet-rdma,
# iser, isert, srpt) create their connections in init_net whatever the caller's namespace, so the
# usual pair of namespaces is no help; and by default the kernel routes between two local addresses
# through lo, which leaves the second device idle.
#
# How: the local table is looked at first only for packets that came in through one of the two
# netdevs. A packet made here for IP_B meets the rule "to IP_B" before the local table, and that
# rule's table has one route: through A.
#
#   pref 10    iif A    lookup local
#   pref 11    iif B    lookup local
#   pref 20    to IP_A  lookup 100     (IP_A is out of B)
#   pref 21    to IP_B  lookup 101     (IP_B is out of A)
#   pref 1000           lookup local   (instead of pref 0)
#
# A and B must reach each other on their own: two simulated functions (one
# switch joins them) or the two ends of a veth pair.
#
# Idempotent: a second call with the same arguments changes nothing. A
# program that connects must give its source address too (host_traddr in NVMe), or
# the kernel chooses one. Needs root. Returns non-zero with one line on failure,
# and then undoes nothing.

te_fail() {
	echo "two_ends: $*" >&2
	return 1
}

# te_knob NAME VALUE
te_knob() {
	echo "$2" > "/proc/sys/net/ipv4/conf/$1" || te_fail "cannot set $1"
}

# rp_filter and arp_* take the larger of "all" and the netdev's own value.
te_knobs() {
	te_knob all/rp_filter 0 && te_knob all/arp_ignore 1 && te_knob all/arp_announce 2 ||
		return 1
	for te_dev in "$@"; do
		te_knob "$te_dev/rp_filter" 0 && te_knob "$te_dev/arp_ignore" 1 &&
			te_knob "$te_dev/arp_announce" 2 && te_knob "$te_dev/accept_local" 1 ||
			return 1
	done
}

# te_address NETDEV IP
te_address() {
	echo "addr replace $2/24 dev $1 noprefixroute"
	echo "link set $1 up"
}

# te_no_rule PREF: away with whatever rules had this preference
te_no_rule() {
	echo "$te_rules" | while IFS=: read -r te_pref _; do
		[ "$te_pref" != "$1" ] || echo "rule del pref $1"
	done
}

# te_rule PREF SELECTOR...: in place of whatever rules have this preference
te_rule() {
	te_no_rule "$1"
	echo "rule add pref $*"
}

# te_batch NETDEV_A IP_A NETDEV_B IP_B: commands for one call of ip
te_batch() {
	echo "link set lo up"
	te_address "$1" "$2"
	te_address "$3" "$4"
	echo "route replace $2/32 dev $3 src $4 table 100"
	echo "route replace $4/32 dev $1 src $2 table 101"
	te_rule 10 iif "$1" lookup local
	te_rule 11 iif "$3" lookup local
	te_rule 20 to "$2/32" lookup 100
	te_rule 21 to "$4/32" lookup 101
	# The replacement must be there before the original goes.
	te_rule 1000 lookup local
	te_no_rule 0
}

# te_check FROM TO NETDEV: shows the route that the kernel uses now
te_check() {
	case $(ip route get "$2" from "$1") in
	*" dev $3 "*) ;;
	*) te_fail "$2 is not routed through $3" ;;
	esac
}

# te_netdevs: the netdevs of the simulated functions in PCI order
te_netdevs() {
	for te_dev in /sys/bus/pci/devices/*/net/*; do
		[ -d "$te_dev" ] || continue
		read -r te_vendor < "${te_dev%/net/*}/vendor"
		[ "$te_vendor" != 0x15b3 ] || echo "${te_dev##*/}"
	done
}

two_ends() {
	if [ $# -eq 0 ]; then
		# shellcheck disable=SC2046
		set -- $(te_netdevs)
		[ $# -ge 2 ] || te_fail "$# simulated netdevs, two needed" || return 1
		set -- "$1" 192.168.77.1 "$2" 192.168.77.2
	fi
	[ $# -eq 4 ] || te_fail "usage: two_ends.sh [NETDEV_A IP_A NETDEV_B IP_B]" || return 1
	[ -d "/sys/class/net/$1" ] || te_fail "no netdev $1" || return 1
	[ -d "/sys/class/net/$3" ] || te_fail "no netdev $3" || return 1
	[ "$1" != "$3" ] || te_fail "$1 given twice" || return 1
	[ "$2" != "$4" ] || te_fail "$2 given twice" || return 1

	te_knobs "$1" "$3" || return 1
	te_rules=$(ip rule) || te_fail "no rules" || return 1
	te_batch "$@" | ip -batch - || te_fail "no addresses, routes and rules" || return 1
	te_check "$2" "$4" "$1" || return 1
	te_check "$4" "$2" "$3"
}

case ${0##*/} in
two_ends.sh) two_ends "$@" ;;
esac
