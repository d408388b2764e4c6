# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034,SC2154
#
# The tests of rdma-core, from Debian's packages: python3-pyverbs, and the files in the
# documentation of rdma-core. Each unittest case runs in a separate process, on the device of end A.
# Source lib.sh first, and set HERE to the directory of the selftest, which may contain further test
# files.

PV_FILES=/usr/share/doc/rdma-core/tests

# pv_source MODULE: print the file of a module, from HERE or from rdma-core
pv_source() {
	if [ -e "$HERE/$1.py" ]; then
		cat "$HERE/$1.py"
	else
		zcat -f "$PV_FILES/$1.py"*
	fi
}

# pv_cases MODULE: print the names of the cases in a module
pv_cases() {
	pv_source "$1" | sed -n 's/^    def \(test_[a-z0-9_]*\)(self.*/\1/p'
}

# pv_begin MODULE...: copy the modules, and the files of rdma-core that are not tests, except
# __init__.py, which would import every test; then start a process that waits for cases
pv_begin() {
	local file name

	ends_up
	mkdir "$WORK/tests"
	for file in "$PV_FILES"/*.py*; do
		name=${file##*/}
		name=${name%.gz}
		case $name in
		__init__.py | test_*) ;;
		*) zcat -f "$file" > "$WORK/tests/$name" ;;
		esac
	done
	for name in "$@"; do
		pv_source "$name" > "$WORK/tests/$name.py"
	done
	mkfifo "$WORK/ask" "$WORK/answer"
	setsid "$TESTLIB/pyverbs_serve.py" "$WORK" "$IB_A" > "$WORK/serve.log" 2>&1 < /dev/null &
}

pv_end() {
	timeout $((60 * PATIENCE)) tee "$WORK/ask" <<< '' || fail "$(cat "$WORK/serve.log")"
}

# pv_one MODULE.CASE: run a case; return its status: 0, 1 or $KTAP_SKIP
pv_one() {
	local status

	timeout $((60 * PATIENCE)) tee "$WORK/ask" <<< "$1" ||
		fail "no request: $(cat "$WORK/serve.log")"
	timeout $((120 * PATIENCE)) cat "$WORK/answer" > "$WORK/status" ||
		fail "no status: $(cat "$WORK/serve.log")"
	cat "$WORK/said"
	status=$(cat "$WORK/status")
	return "${status:-1}"
}

# want_violations CLASS[:N]...: expect exactly these violations, N (default 1) of each class
want_violations() {
	local class n sum=0

	[ $# = 0 ] || cat "$SIM_DEBUGFS/$(ib_pci "$IB_A")/violations"
	for class in "$@"; do
		n=1
		case $class in
		*:*) n=${class#*:} ;;
		esac
		class=${class%:*}
		want_eq "$class violations" "$(sim_violation_class "$class")" "$n"
		sum=$((sum + n))
	done
	if [ $# -gt 0 ]; then
		want_eq "violations" "$(sim_violations)" "$sum"
		clear_violations
	fi
	no_violations
}

# Destroy the free mkeys in the mkey cache of mlx5_ib.
empty_mkey_cache() {
	local size

	for size in "/sys/kernel/debug/mlx5/$(ib_pci "$IB_A")/mr_cache/"*/size; do
		[ ! -e "$size" ] || echo 0 > "$size"
	done
}

# Print the live objects of the device. EQs are omitted: mlx5_core creates an EQ when its vector is
# first used, and keeps it.
live_objects() {
	empty_mkey_cache
	grep -v '^eq ' "$SIM_DEBUGFS/$(ib_pci "$IB_A")/objects"
}

# pv_first_user MODULE.CASE: run a case, in which mlx5_ib creates its shared objects, and store the
# live objects
pv_first_user() {
	ends
	pv_one "$1"
	live_objects > "$WORK/objects"
	cat "$WORK/objects"
}

objects_as_before() {
	live_objects | cmp -s "$WORK/objects" -
}

# Case: no objects are left. The wait is long, because mlx5_ib keeps the mkey of a deregistered MR
# for half a minute, for the next MR of the same size.
no_objects_left() {
	ends
	wait_for 60 objects_as_before || {
		live_objects | diff "$WORK/objects" - || :
		fail "objects are left"
	}
}
