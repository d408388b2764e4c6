#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# On the host, before the VM: the program build/pages/mrs, on libmlx5.
exec "$(dirname "$0")/../../programs/libmlx5/build.sh" pages mrs mrs.c
