#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Two ends on one machine.
#
#   two_ends.sh [NETDEV_A IP_A NETDEV_B IP_B]
#
# or source this file and call two_ends with the same arguments. Without arguments, two_ends uses
# the first two simulated functions, in PCI order, with 192.168.77.1 and .2.
#
# Each of two netdevs in one network namespace gets an address. Traffic between the two addresses
# leaves one netdev and arrives at the other. Two namespaces would not help: several ULPs
# (nvme-rdma, nvmet-rdma, iser, isert, srpt) create their connections in init_net, whatever the
# caller's namespace is. By default, the kernel routes between two local addresses through lo: then
# the second device is idle.
#
# The rules: packets that arrive at one of the two netdevs use the local table (pref 10 and 11). For
# a local packet to IP_B, the rule "to IP_B" (pref 21) precedes the local table. The table of that
# rule has one route: out of netdev A.
#
#   pref 10    iif A    lookup local
#   pref 11    iif B    lookup local
#   pref 20    to IP_A  lookup 100     (table 100: packets to IP_A leave netdev B)
#   pref 21    to IP_B  lookup 101     (table 101: packets to IP_B leave netdev A)
#   pref 1000           lookup local   (instead of pref 0)
#
# A and B must be connected: two simulated functions (a simulated switch connects
# them), or the two ends of a veth pair.
#
# A second call with the same arguments changes nothing. A program that connects must
# also set its source address (host_traddr in NVMe); otherwise the kernel chooses the
# source address. Needs root. After a failure, two_ends prints one line and returns
# non-zero; it does not undo earlier changes.

te_fail() {
	echo "two_ends: $*" >&2
	return 1
}

# te_knob NAME VALUE: set a value in /proc/sys/net/ipv4/conf
te_knob() {
	echo "$2" > "/proc/sys/net/ipv4/conf/$1" || te_fail "cannot set $1"
}

# The kernel uses the larger of the values of "all" and of the netdev for rp_filter and arp_*: set
# both.
te_knobs() {
	te_knob all/rp_filter 0 && te_knob all/arp_ignore 1 && te_knob all/arp_announce 2 ||
		return 1
	for te_dev in "$@"; do
		te_knob "$te_dev/rp_filter" 0 && te_knob "$te_dev/arp_ignore" 1 &&
			te_knob "$te_dev/arp_announce" 2 && te_knob "$te_dev/accept_local" 1 ||
			return 1
	done
}

# te_address NETDEV IP: print commands of ip that set an address
te_address() {
	echo "addr replace $2/24 dev $1 noprefixroute"
	echo "link set $1 up"
}

# te_no_rule PREF: print commands that delete the rules with this preference
te_no_rule() {
	echo "$te_rules" | while IFS=: read -r te_pref _; do
		[ "$te_pref" != "$1" ] || echo "rule del pref $1"
	done
}

# te_rule PREF SELECTOR...: print commands that replace the rules with this preference
te_rule() {
	te_no_rule "$1"
	echo "rule add pref $*"
}

# te_batch NETDEV_A IP_A NETDEV_B IP_B: print the commands for one call of ip -batch
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
	# Add the rule with pref 1000 before the deletion of pref 0: a rule for "local" always
	# exists.
	te_rule 1000 lookup local
	te_no_rule 0
}

# te_check FROM TO NETDEV: fail unless the kernel routes packets from FROM to TO through NETDEV
te_check() {
	case $(ip route get "$2" from "$1") in
	*" dev $3 "*) ;;
	*) te_fail "$2 is not routed through $3" ;;
	esac
}

# te_netdevs: print the netdevs of the simulated functions, in PCI order
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
