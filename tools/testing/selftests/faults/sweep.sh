# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Sweeping: an operation is repeated. In the first try, the first command or allocation fails, in
# the second try the second command or allocation, and so on, until the operation ends before the
# fault. Source lib.sh first. $PCI is the PCI function under test. Operations are cases of the
# module ibx_faults.
#
# After each try, the device must have the same objects, except objects that the kernel log reports
# because the device refused to destroy them. DMA mappings have no such exception.

IBX_FAULTS=/sys/kernel/debug/ibx_faults
declare -A base now
left_behind=0
reset_when_left=		# function that resets the device when too many objects remain

# f_try CASE ARGUMENTS...: run a case of ibx_faults; sets LOG, RESULT (0 or -errno) and LEFT (number
# of allocations until one fails)
f_try() {
	local line

	echo "$*" 2> /dev/null > "$IBX_FAULTS/run" || :
	mapfile -t LOG < "$IBX_FAULTS/log"
	RESULT='' LEFT=''
	for line in "${LOG[@]}"; do
		case $line in
		"result "*) RESULT=${line#* } ;;
		"left "*) LEFT=${line#* } ;;
		esac
	done
	[ -n "$RESULT" ] || fail "case $*: ${LOG[*]}"
}

# f_do CASE ARGUMENTS...: run a case of ibx_faults, which must succeed
f_do() {
	f_try "$@"
	[ "$RESULT" = 0 ] || fail "$*: ${LOG[*]}"
}

# ---- objects of the function ----

# look: read the numbers of objects to now. mapfile reads the file at once; with "read", the device
# would count the objects again for each line.
look() {
	local line lines

	now=()
	mapfile -t lines < "$SIM_DEBUGFS/$PCI/objects"
	for line in "${lines[@]}"; do
		now[${line% *}]=${line#* }
	done
	mapfile -t lines < "$SIM_DEBUGFS/$PCI/info"
	for line in "${lines[@]}"; do
		case $line in
		"dma_mappings "*) now[dma_mappings]=${line#* } ;;
		esac
	done
	[ -n "${now[dma_mappings]:-}" ] || fail "no count of DMA mappings"
}

# remember: store the numbers of objects in base, which must be the same after each try
remember() {
	local name

	look
	base=()
	for name in "${!now[@]}"; do
		base[$name]=${now[$name]}
	done
	dmesg -C
}

# differ: do the numbers in now and base differ? Sets differences to the differences.
differ() {
	local name

	differences=
	for name in "${!base[@]}"; do
		[ "${now[$name]}" = "${base[$name]}" ] ||
			differences="$differences $name ${now[$name]} instead of ${base[$name]};"
	done
	[ -n "$differences" ]
}

# allow_reported: add to base the objects that the kernel log reports as left in the device, and
# clear the log. Sets reported to the number of these objects, and qps_reported to the number of
# these QPs.
allow_reported() {
	local line name

	reported=0 qps_reported=0
	while read -r line; do
		case $line in
		*": QP 0x"*" stays in the device"*) name=qp ;;
		*": DCT 0x"*" stays in the device"*) name=dct ;;
		*": CQ 0x"*" stays in the device"*) name=cq ;;
		*": RMP 0x"*" stays in the device"*) name=srq ;;
		*": PD 0x"*" stays in the device"*) name=pd ;;
		*": mkey 0x"*" stays in the device"*) name=mkey ;;
		*": PSV 0x"*" stays in the device"*) name=psv ;;
		*": counter set 0x"*" stays in the device"*) name=q_counter ;;
		*": user context 0x"*" stays in the device"*) name=uctx ;;
		*"failed to free uar index"*) name=uar ;;
		*) continue ;;
		esac
		base[$name]=$((base[$name] + 1))
		reported=$((reported + 1))
		[ "$name" != qp ] || qps_reported=$((qps_reported + 1))
	done < <(dmesg -c)
}

# same WHAT: check that the function has the objects in base
same() {
	look
	reported=0 qps_reported=0
	! differ || allow_reported
	! differ || fail "$1:$differences"
}

# left_in_device N: N more objects stay in the device until the next reset
left_in_device() {
	local n

	read -r n < "$WORK/left"
	echo $((n + $1)) > "$WORK/left"
}

# make_way: prepare the next try. Reset the device if a QP is left, because there can be only one QP
# for MADs. Reset the device if RoCE stays on: mlx5_core counts the users of RoCE, and with a user
# left, the next try would execute no command for RoCE.
make_way() {
	[ -n "$reset_when_left" ] || return 0
	if [ "$qps_reported" != 0 ] || dmesg | grep "RoCE stays on"; then
		"$reset_when_left"
	fi
}

# ---- commands ----

arm() {
	echo clear > "$SIM_DEBUGFS/$PCI/faults/command"
	echo "fail $1 $2 ${3:-INT_ERR}" > "$SIM_DEBUGFS/$PCI/faults/command"
}

# disarm: remove the fault, and set FIRED to the command that failed, or to ""
disarm() {
	local words

	read -ra words < "$SIM_DEBUGFS/$PCI/faults/command"
	echo clear > "$SIM_DEBUGFS/$PCI/faults/command"
	FIRED=
	[ "${words[5]}" = 0 ] || FIRED=${words[6]}
}

destroys() {
	case $1 in
	DESTROY_* | DEALLOC_*) ;;
	*) return 1 ;;
	esac
}

# tolerable WHAT: check that the operation failed with the errno of the fault, or succeeded
tolerable() {
	case $RESULT in
	0 | "$errno") ;;
	*) fail "$1: ${LOG[*]}" ;;
	esac
}

# dispensable WHAT: check an operation that succeeded although a command failed: the command
# destroys an object, or is in does_without. mlx5_ib is not checked.
dispensable() {
	[ "$RESULT" = 0 ] && [ "$PROVIDER" = mlx5_ibx ] || return 0
	! destroys "$FIRED" || return 0
	case " $does_without " in
	*" $FIRED "*) without=$((without + 1)) ;;
	*) fail "$1: no error" ;;
	esac
}

# count_violations: sets violations, and in_use to the violations of class cmd_in_use. It is called
# often, and starts no program.
count_violations() {
	local file line lines

	violations=0 in_use=0
	for file in "$SIM_DEBUGFS/"*:*/violations; do
		mapfile -t lines < "$file"
		for line in "${lines[@]}"; do
			case $line in
			"total "*) violations=$((violations + ${line#* })) ;;
			"cmd_in_use "*) in_use=$((in_use + ${line#* })) ;;
			esac
		done
	done
}

# refusals WHAT: check the number of reported objects. If the failed command destroys an object,
# that object stays. The device refuses to destroy the objects that it uses, and counts each refusal
# as a violation.
refusals() {
	local caused=0

	# after a failed destruction of a UMEM, the call is repeated
	! destroys "$FIRED" || [ "$FIRED" = DESTROY_UMEM ] || caused=1
	[ "$reported" -ge "$caused" ] || fail "$1: the driver reported no object"
	[ "$reported" -gt 0 ] || return 0
	count_violations
	want_eq "$1: violations of class cmd_in_use" "$in_use" $((reported - caused))
	want_eq "$1: violations" "$violations" $((reported - caused))
	clear_violations
	left_behind=$((left_behind + reported))
	left_in_device "$reported"
}

# sweep_commands WHAT TRY [COMMAND...]: sweep the commands of the operation WHAT. TRY NTH executes
# the operation once while the NTH command fails, and sets RESULT and FIRED. The operation may
# succeed if one of these COMMANDs fails, or a command that destroys an object.
sweep_commands() {
	local what=$1 nth ops='' errno=-5 does_without=${*:3}

	left_behind=0 without=0
	clear_violations
	remember
	for ((nth = 1; ; nth++)); do
		"$2" "$nth"
		[ -n "$FIRED" ] || break
		tolerable "$what with command $nth, $FIRED, failing"
		dispensable "$what with command $nth, $FIRED, failing"
		same "$what with command $nth, $FIRED, failing"
		refusals "$what with command $nth, $FIRED, failing"
		make_way
		ops="$ops $FIRED"
	done
	want_eq "$what without a fault" "$RESULT" 0
	same "$what without a fault"
	count_violations
	want_eq "violations" "$violations" 0
	say "$what: $((nth - 1)) commands failed, $without were done without," \
		"$left_behind objects reported as left:$ops"
	echo "$((nth - 1)) $left_behind" >> "$WORK/commands"
}

# ---- allocations ----

can_fail_allocations() {
	[ -d /sys/kernel/debug/failslab ]
}

# function_range NAME: print the first address of a function of the kernel, and the address after it
function_range() {
	awk -v name="$1" 'found { print "0x" $1; exit }
		$3 == name { print "0x" $1; found = 1 }' /proc/kallsyms
}

# prepare_allocations: configure fault injection: allocations that may sleep and allocations of
# single pages can fail, too, and no stack traces are printed. Allocations of kmemleak do not fail:
# they are not part of the operation.
prepare_allocations() {
	local dir range

	mapfile -t range < <(function_range __alloc_object)
	[ "${#range[@]}" = 2 ] || fail "kmemleak's function __alloc_object is not there"
	for dir in failslab fail_page_alloc; do
		dir=/sys/kernel/debug/$dir
		echo N > "$dir/ignore-gfp-wait"
		echo 0 > "$dir/verbose"
		echo "${range[0]}" > "$dir/reject-start"
		echo "${range[1]}" > "$dir/reject-end"
	done
	echo 0 > /sys/kernel/debug/fail_page_alloc/min-order
}

# called_from START END FRAMES: from now on, an allocation fails only if an address from START to
# END is among the innermost FRAMES frames of its call trace
called_from() {
	local dir

	for dir in failslab fail_page_alloc; do
		dir=/sys/kernel/debug/$dir
		echo "$1" > "$dir/require-start"
		echo "$2" > "$dir/require-end"
		echo "$3" > "$dir/stacktrace-depth"
	done
}

anywhere() {
	called_from 0 0xffffffffffffffff 32
}

# near_driver FRAMES: from now on, an allocation fails only if the driver is among the innermost
# FRAMES frames of its call trace: allocations deep in the RDMA core do not fail
near_driver() {
	local start size

	start=$(cat "/sys/module/$PROVIDER/sections/.text")
	size=$(awk -v name="$PROVIDER" '$1 == name { print $2 }' /proc/modules)
	called_from "$start" "$(printf '0x%x' $((start + size)))" "$1"
}

# only_refused WHAT: check that all violations are of class cmd_in_use (an object in use was to be
# destroyed), and not more than the reported objects
only_refused() {
	count_violations
	want_eq "$1: violations but for class cmd_in_use" $((violations - in_use)) 0
	want_ge "$1: objects reported" "$reported" "$in_use"
	[ "$violations" = 0 ] || clear_violations
}

# sweep_allocations WHAT TRY [STEP]: sweep each STEPth allocation of the operation WHAT. TRY NTH
# executes the operation once while the NTH allocation fails, and sets RESULT and LEFT. Allocations
# of kernel threads and interrupts do not fail.
sweep_allocations() {
	local what=$1 step=${3:-1} nth tried=0 failed=0 errno=-12

	left_behind=0
	clear_violations
	remember
	for ((nth = 1; ; nth += step)); do
		"$2" "$nth"
		[ "$LEFT" = 0 ] || break
		tolerable "$what with allocation $nth failing"
		[ "$RESULT" = 0 ] || failed=$((failed + 1))
		same "$what with allocation $nth failing"
		only_refused "$what with allocation $nth failing"
		left_behind=$((left_behind + reported))
		left_in_device "$reported"
		make_way
		tried=$((tried + 1))
	done
	want_eq "$what without a fault" "$RESULT" 0
	same "$what without a fault"
	want_eq "$what without a fault: objects left" "$reported" 0
	only_refused "$what without a fault"
	want_ge "allocations of $what that failed" "$tried" 1
	say "$what: $tried allocations failed, $failed times the operation with them," \
		"$left_behind objects reported as left"
	echo "$tried $left_behind" >> "$WORK/allocations"
}
