#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# On the host: tools/ibx-trace on a trace in a file. ibx-trace selects a life by
# each option, and --check fails if an event is missing, occurs twice, or belongs to
# another object. The trace has the events of one read of 64 KiB by NVMe over RDMA
# between two simulated devices, in the form of the kernel. Also tools/ibx-mkey, on
# the text of a file of debugfs.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"

IBX_TRACE=$TOP/tools/ibx-trace
TRACE=$TOP/tools/testing/selftests/ibxtrace/read.trace

# checked FILE: run ibx-trace --check on a trace; the output is in $WORK/out
checked() {
	"$IBX_TRACE" --read "$1" --check > "$WORK/out"
}

# spoilt PROGRAM REASON: the awk program changes the trace; --check must fail, with this reason
spoilt() {
	awk "$1" "$TRACE" > "$WORK/spoilt"
	! cmp -s "$TRACE" "$WORK/spoilt" || fail "changes nothing: $1"
	expect_fail checked "$WORK/spoilt"
	grep -q "$2" "$WORK/out" || fail "for another reason: $(cat "$WORK/out")"
}

whole() {
	checked "$TRACE"
	grep -q "complete in" "$WORK/out"
	grep -q "^registrations 1 complete 1 open 0 failed 0 cut 0 .* problems 0 lost 0$" \
		"$WORK/out" || fail "$(cat "$WORK/out")"
}

by_name() {
	local what value

	for what in dev mkey qpn wr-id; do
		value=$(awk -v what="${what/-/_}=" '/ibx_reg_mr/ {
			for (i = 1; i <= NF; i++)
				if (index($i, what) == 1) print substr($i, length(what) + 1)
			}' "$TRACE")
		"$IBX_TRACE" --read "$TRACE" "--$what" "$value" > "$WORK/out"
		grep -q "complete in" "$WORK/out" || fail "not found by $what $value"
		"$IBX_TRACE" --read "$TRACE" "--$what" 0x7ffffe > "$WORK/out"
		want_eq "lines without $what" "$(wc -l < "$WORK/out")" 1
	done
}

missing() {
	spoilt '!/ibx_map_mr/' ' cut 1 '
	spoilt '!/ibx_reg_mr/' 'without ibx_reg_mr'
	spoilt '!/ibx_post_send:.*op=REG_MR/' 'complete 0 open 1 '
	spoilt '!/ibx_comp:.*op=SEND /' 'complete 0 open 1 '
	spoilt '!/ibx_comp:.*op=RECV .*inv=0x0*[1-9a-f]/' 'not invalidated'
}

twice() {
	spoilt '{ print } /ibx_reg_mr/ { print }' 'registered while'
	spoilt '{ print } /ibx_comp:.*op=RECV .*inv=0x0*[1-9a-f]/ { print }' 'invalidated twice'
	# the events of the life again, while the key is still valid
	# shellcheck disable=SC2016
	spoilt '!/ibx_comp:.*op=RECV / { print; t = t $0 "\n" } END { printf "%s", t }' \
		'mapped while'
}

others() {
	spoilt '/ibx_comp:.*op=SEND / { sub(/wr_id=0x/, "wr_id=0xa") } { print }' 'was posted'
	spoilt '/ibx_comp:.*op=SEND / { sub(/status=SUCCESS/, "status=REM_ACCESS_ERR") }
		{ print }' 'failed: REM_ACCESS_ERR'
	spoilt '/ibx_reg_mr/ { sub(/length=65536/, "length=65535") } { print }' \
		'not what was mapped'
}

# Case: the kernel prints an opcode without a name as a number.
nameless() {
	sed '/ibx_comp:.*seq=245 / s/op=SEND/op=0x7a/' "$TRACE" > "$WORK/nameless"
	"$IBX_TRACE" --read "$WORK/nameless" --check > "$WORK/out" || fail "$(cat "$WORK/out")"
	grep -q " 0x7a SUCCESS" "$WORK/out" || fail "$(cat "$WORK/out")"
}

# Case: a bad signature is an event of the life of its registration, which is still complete.
bad_signature() {
	awk '{ print } /ibx_reg_mr/ {
		sub(/ibx_reg_mr/, "ibx_sig_error")
		print $0 " type=GUARD expected=0x1 actual=0x2 offset=520 syndrome=0x2000"
	}' "$TRACE" > "$WORK/signature"
	checked "$WORK/signature" || fail "$(cat "$WORK/out")"
	grep -q " signature QP 0x[0-9a-f]* GUARD of the block at 520: 0x2, expected 0x1$" \
		"$WORK/out" || fail "$(cat "$WORK/out")"
	grep -q " signature-errors 1 " "$WORK/out" || fail "$(cat "$WORK/out")"
}

# texts NAME: print the texts of the picture that have this name
texts() {
	sed -n "s/^$1: //p" "$WORK/texts" | tr -s ' '
}

# Case: the picture has each event of the text output with its time, and the duration of each step.
# The sum of the durations is the time of the life.
picture() {
	"$IBX_TRACE" --read "$TRACE" --svg "$WORK/life.svg" > "$WORK/out"
	"$TESTLIB/svg_texts.py" "$WORK/life.svg" > "$WORK/texts"
	grep '^ .* us  ' "$WORK/out" | tr -s ' ' | sed 's/^ //' > "$WORK/expected"
	paste -d ' ' <(texts at) <(texts event) | diff "$WORK/expected" - ||
		fail "not the events of the text"
	awk 'NR > 1 { print $1 - last " us" } { last = $1 }' "$WORK/expected" > "$WORK/steps"
	texts step | diff "$WORK/steps" - || fail "not the steps between the events"
	texts box | grep -E '^(register|post|device|complete) ' | cut -d ' ' -f 2- |
		diff "$WORK/steps" - || fail "not the steps are drawn"
	want_eq "total" "$(texts total)" \
		"total $(awk '{ n += $1 } END { print n }' "$WORK/steps") us"
	grep -q "complete in $(texts total | cut -d ' ' -f 2) us\$" "$WORK/out" ||
		fail "not the time of the life: $(texts total)"
}

# Case: --svg draws a life without a completion, and fails if no life is selected.
pictures_of_part() {
	grep -v 'ibx_comp:.*op=SEND ' "$TRACE" > "$WORK/open"
	"$IBX_TRACE" --read "$WORK/open" --svg "$WORK/open.svg" > "$WORK/out"
	"$TESTLIB/svg_texts.py" "$WORK/open.svg" > "$WORK/texts"
	want_eq "requests that are open" "$(texts box | grep -c "^not completed")" 4
	expect_fail "$IBX_TRACE" --read "$TRACE" --mkey 0x7ffffe --svg "$WORK/none.svg"
	[ ! -e "$WORK/none.svg" ] || fail "a picture of nothing"
}

# Case: ibx-mkey on an mkey with two laps of sectors with T10-DIF in memory, and CRC32C on the wire.
# The picture has the lines of the text output, each piece with its address, and each signature.
mkey_layout() {
	cat > "$WORK/mkeys" << END
mkey 0x1a05 pd 5 state valid mode klm access rwRW- start 0x0 length 1040 entries 8 used 3 pci ---
  memory t10dif/512 psv 5 wire crc32c/512 psv 6 check 0xff copy 0x0 errors 0 armed 1
  laps 2 blocks 2 bytes 520
  key 0x1900 address 0x1000 bytes 512 every 768
  key 0x1900 address 0x9000 bytes 8 every 8
END
	"$TOP/tools/ibx-mkey" --read "$WORK/mkeys" --svg "$WORK/mkeys.svg" > "$WORK/out"
	"$TESTLIB/svg_texts.py" "$WORK/mkeys.svg" > "$WORK/texts"
	sed 1d "$WORK/out" | tr -s ' ' | diff - <(texts line) || fail "not the lines of the text"
	printf '%s\n' "512 bytes at 0x1000" "512 bytes at 0x1300" "8 bytes at 0x9000" \
		"8 bytes at 0x9008" | diff - <(texts box | grep ' at ') || fail "not the pieces"
	want_eq "T10-DIF in memory" "$(texts box | grep -c '^8 bytes of t10dif')" 2
	want_eq "CRC32C on the wire" "$(texts box | grep -c '^4 bytes of crc32c')" 2
	expect_fail "$TOP/tools/ibx-mkey" --read "$WORK/mkeys" --mkey 0x1b00
}

bad_usage() {
	expect_fail "$IBX_TRACE" --read "$TRACE" --mkey nonsense
	expect_fail "$IBX_TRACE" --read "$WORK/none"
	expect_fail "$IBX_TRACE" --read "$TRACE" -- true
}

ktap_run whole by_name missing twice others nameless bad_signature picture pictures_of_part \
	mkey_layout bad_usage
