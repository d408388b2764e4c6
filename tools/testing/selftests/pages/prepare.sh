#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds the program build/pages/mrs, which uses libmlx5.
exec "$(dirname "$0")/../../programs/libmlx5/build.sh" pages mrs mrs.c
