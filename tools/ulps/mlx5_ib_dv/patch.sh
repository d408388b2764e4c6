# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # the script that sources this file sets top and kdir
#
# Functions that apply the semantic patches of this folder. Source this file after top (this tree)
# was set.

patches=$top/tools/ulps/mlx5_ib_dv

# field NAME COCCI: print the words of the lines "// NAME: ..." in a semantic patch
field() {
	sed -n "s|^// $1: ||p" "$2"
}

# apply_patch COCCI DIR: apply a semantic patch to its files in DIR. It must add each word of its
# lines "// adds:" (a regular expression; "." also stands for a blank) to one line.
apply_patch() {
	local file word

	for file in $(field file "$1"); do
		spatch --very-quiet --sp-file "$1" "$2/$file" -o "$2/new" \
			> "$2/spatch.log" 2>&1 || {
			cat "$2/spatch.log" >&2
			return 1
		}
		# behind a call of two lines, spatch indents a block by one tab too much
		sed -i '/^\t\tif (!sig) {$/,/^\t\t}$/s/^\t\t\t\t/\t\t\t/' "$2/new"
		{ diff "$2/$file" "$2/new" || [ $? = 1 ]; } | sed -n 's/^> //p' >> "$2/added"
		mv "$2/new" "$2/$file"
	done
	for word in $(field adds "$1"); do
		if [ "$(grep -c "$word" "$2/added")" != 1 ]; then
			echo "mlx5_ib_dv: ${1##*/} does not fit $(field file "$1"): $word" >&2
			return 1
		fi
	done
	rm "$2/added" "$2/spatch.log"
}

# add_files DIR: add the files that the last patch needs
add_files() {
	cp "$top/drivers/infiniband/hw/mlx5dv_ib/mlx5_ib_dv.h" "$patches/dv.c" "$1"
	echo "mlx5_ib-y += dv.o" >> "$1/Makefile"
}
