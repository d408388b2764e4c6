# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# iSER: LIO's ib_isert on end B, open-iscsi's ib_iser on end A. Source lib.sh, block.sh and lio.sh
# first, and set DISK_MB. ISER_OPTIONS are module options of ib_iser, TPG_ATTRIBS are attributes of
# the target portal group that are set to 1.

IQN=iqn.2026-01.org.example:disk
TPG=$LIO/iscsi/$IQN/tpgt_1
PORTAL=$IP_B:3260
# After a command that ended with CHECK CONDITION, the target does not invalidate the MR: ib_iser
# invalidates the MR when it uses the MR again. The discovery of the disk has a few such commands.
# shellcheck disable=SC2034
INV_LATE=8

target_up() {
	local attrib

	lio_disk_up "$DISK_MB"
	modprobe iscsi_target_mod
	modprobe ib_isert
	mkdir -p "$LIO/iscsi"
	mkdir "$LIO/iscsi/$IQN"
	mkdir "$TPG"
	echo 1 > "$TPG/attrib/generate_node_acls"
	echo 0 > "$TPG/attrib/demo_mode_write_protect"
	echo 0 > "$TPG/attrib/authentication"
	for attrib in ${TPG_ATTRIBS:-}; do
		echo 1 > "$TPG/attrib/$attrib"
	done
	lio_lun_up "$TPG"
	mkdir "$TPG/np/$PORTAL"
	echo 1 > "$TPG/np/$PORTAL/iser"
	echo 1 > "$TPG/enable"
}

no_target_thread() {
	! pgrep -x 'iscsi_t[rt]x' > /dev/null
}

# Wait for the threads of the connection before the portal group is removed. After a logout, such a
# thread takes a lock of the portal group, to which it has no reference.
target_down() {
	wait_for 30 no_target_thread || fail "a connection of the target stays"
	echo 0 > "$TPG/enable"
	rmdir "$TPG/np/$PORTAL"
	lio_lun_down "$TPG"
	rmdir "$TPG"
	rmdir "$LIO/iscsi/$IQN"
	rmdir "$LIO/iscsi"
	# after an error, ib_isert releases the connection with a delay
	wait_for 30 modprobe -qr ib_isert || fail "ib_isert is in use"
	lio_disk_down
}

admin() {
	iscsiadm "$@" > "$WORK/iscsiadm" 2>&1 || fail "iscsiadm $*: $(cat "$WORK/iscsiadm")"
}

node() {
	admin -m node -T "$IQN" -p "$PORTAL" "$@"
}

# long timeouts: the VM may run on a slow host
iscsid_up() {
	# shellcheck disable=SC2086
	modprobe ib_iser ${ISER_OPTIONS:-}
	mkdir -p /etc/iscsi
	echo "InitiatorName=iqn.2026-01.org.example:host" > /etc/iscsi/initiatorname.iscsi
	# setsid: iscsid sends a signal to its process group when it ends
	setsid iscsid -f < /dev/null > /dev/null 2>&1 &
	wait_for 30 pgrep -x iscsid > /dev/null || fail "iscsid does not start"
	node -o new -I iser
	node -o update -n node.conn[0].timeo.noop_out_interval -v 0
	node -o update -n node.conn[0].timeo.noop_out_timeout -v 0
	node -o update -n node.conn[0].timeo.login_timeout -v 120
}

login() {
	! no_iscsid || iscsid_up
	node --login
	wait_for 60 host_bdev > /dev/null || fail "the disk does not appear"
}

logout() {
	node --logout
	wait_for 60 no_host_bdev || fail "the disk stays"
}

no_iscsid() {
	! pgrep -x iscsid > /dev/null
}

connect() {
	lio_connect "$DISK_MB"
	want_eq "transport" "$(iscsiadm -m session | cut -d: -f1)" iser
}

disconnect() {
	ends
	logout
	admin -k 0
	wait_for 30 no_iscsid || fail "iscsid stays"
	target_down
	modprobe -r ib_iser
}
