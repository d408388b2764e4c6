# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Entry points for people: "make help" lists them. Scripts under tools/testing do the work; each can
# be called directly. Generated files go to build/, kernels for the VM and for KUnit to the cache
# (${XDG_CACHE_HOME:-~/.cache}/mlx5-frwr).
#
# The kernel's build system reads Kbuild, not this file.

TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
ifneq ($(words $(CURDIR)),1)
$(error the path of the tree has a blank, which make and the kernel's build system cannot handle)
endif
T ?=
F ?=
VM := $(TOP)/tools/testing/runner/vm
SELFTEST := $(TOP)/tools/testing/vmtest

# KERNEL is the kernel of the VM: empty for the default, or a NAME of
# tools/testing/runner/vm/kernel.py. ARCH selects the kernel for another machine. Without KDIR, ARCH
# is not passed to the kernel's build system. The selftest rt runs on the kernel with PREEMPT_RT.
KERNEL ?= $(if $(ARCH),6.12-$(ARCH),$(if $(filter rt,$(T)),6.12-rt))
export KERNEL
ifndef KDIR
unexport ARCH
override MAKEOVERRIDES := $(filter-out ARCH=%,$(MAKEOVERRIDES))
endif

# KDIR belongs to the running kernel if its headers are installed, otherwise to the kernel that the
# VM boots.
ifndef KDIR
ifndef KVER
KVER := $(shell r=$$(uname -r); [ -e /lib/modules/$$r/build/Makefile ] && echo $$r || \
	python3 -B $(VM)/kernel.py release 2> /dev/null || echo none)
endif
KDIR := /lib/modules/$(KVER)/build
endif
JOBS ?= $(shell nproc)
BUILD := $(TOP)/tools/testing/stages/build.sh

.PHONY: all modules modules_install vm-modules debug-modules mlx5_ib kunit vmtest demo demo-mkey \
	bench cross check check-full htmldocs pictures deb deps clean help files packages

all: modules

# selftest-dirs=: the test modules are not built, because they are not for installation
modules:
	+@$(BUILD) $(KDIR) -j$(JOBS) selftest-dirs= modules

modules_install: modules
	+@$(BUILD) $(KDIR) selftest-dirs= modules_install
	@# the kernel's Makefile skips depmod: packages of headers have no System.map
	@$(if $(INSTALL_MOD_PATH),,$(or $(DEPMOD),depmod) $$($(MAKE) -s -C $(KDIR) kernelrelease))

# modules for the stock and the debug kernel of the VM, not for the running kernel
vm-modules:
	+@kdir=$$(python3 -B $(VM)/kernel.py kdir) && exec $(BUILD) $$kdir -j$(JOBS) modules

debug-modules:
	+@d=$$($(VM)/kernel.py debug) && exec $(BUILD) $$d/build -j$(JOBS) modules

# direct verbs on mlx5_ib: mlx5dv_ib, and a patched mlx5_ib
mlx5_ib: modules
	@$(TOP)/tools/ulps/mlx5_ib/build.sh $(KDIR)
	@$(TOP)/tools/ulps/mlx5_ib_dv/build.sh $(KDIR)

kunit:
	@$(TOP)/tools/testing/kunit/run $(T)

# These targets first install missing packages. Without root, they use the packages that are
# installed: a test that needs a missing program fails.
ifneq ($(filter kunit vmtest bench cross,$(MAKECMDGOALS)),)
files vm-modules debug-modules kunit cross: | packages
endif
packages:
	@$(TOP)/tools/testing/stages/deps.sh || echo "deps: going on without these packages" >&2

# check the names of the files F before the modules are built
files:
	@$(if $(F),$(TOP)/tools/testing/tests_of.py $(F) > /dev/null)

ifeq ($(DEBUG),1)
vmtest: files debug-modules
else
vmtest: files vm-modules
endif
	@$(SELFTEST) $(if $(filter 1,$(DEBUG)),--debug-kernel) \
		$(if $(PROVIDER),--provider $(PROVIDER)) $(addprefix --of=,$(F)) $(T)

# selftest-dirs=: the demos need no test modules
demo:
	@PROVIDER=$(or $(PROVIDER),mlx5_ibx) ULP=$(ULP) exec $(TOP)/tools/testing/demo/plan nvme
	@$(TOP)/tools/testing/stages/deps.sh --demo=nvme $(if $(filter frwr,$(ULP)),coccinelle)
	@$(MAKE) --no-print-directory selftest-dirs= \
		$(if $(filter 1,$(DEBUG)),debug-modules,vm-modules)
	@PROVIDER=$(or $(PROVIDER),mlx5_ibx) ULP=$(ULP) exec $(TOP)/tools/testing/demo/run

demo-mkey:
	@PROVIDER=$(or $(PROVIDER),mlx5_ib) exec $(TOP)/tools/testing/demo/plan mkey
	@$(TOP)/tools/testing/stages/deps.sh --demo=mkey
	@$(MAKE) --no-print-directory selftest-dirs= \
		$(if $(filter 1,$(DEBUG)),debug-modules,vm-modules)
	@PROVIDER=$(or $(PROVIDER),mlx5_ib) exec $(TOP)/tools/testing/demo/mkey

bench: vm-modules
ifeq ($(PLOT),1)
	@$(TOP)/tools/testing/stages/deps.sh gnuplot-nox
endif
	@$(TOP)/tools/testing/bench/run $(if $(filter 1,$(PLOT)),--plot)

cross:
	@$(TOP)/tools/testing/stages/cross.py $(ARCH)

check:
	@$(TOP)/tools/testing/check

check-full:
	@$(TOP)/tools/testing/check --full

htmldocs:
	@$(TOP)/tools/testing/stages/htmldocs.sh $(TOP)/build/html

pictures: vm-modules
	@$(TOP)/tools/testing/pictures

deb:
	@$(TOP)/tools/testing/stages/deb.sh

deps:
	@$(TOP)/tools/testing/stages/deps.sh

clean:
	rm -rf $(TOP)/build

help:
	@echo 'make [W=1 C=2]                 the modules for this kernel (or KVER=, KDIR=)'
	@echo 'make modules_install           install them, as root (or INSTALL_MOD_PATH=)'
	@echo 'make mlx5_ib                   mlx5dv_ib, and a patched mlx5_ib, for the same kernel'
	@echo 'make demo [PROVIDER=mlx5_ib] [ULP=frwr]'
	@echo '                               NVMe-oF over simulated adapters in a VM, and the host'
	@echo '                               converted to ib_frwr'
	@echo 'make demo-mkey [PROVIDER=mlx5_ibx]'
	@echo '                               one mkey over scattered memory with T10-DIF, and a'
	@echo '                               spoilt block that the device finds'
	@echo 'make check                     what CI runs; ends "N passed, N failed, N skipped"'
	@echo 'make check-full                all selftests, in full, and most on a debug kernel'
	@echo 'make kunit                     KUnit suites on a small kernel'
	@echo 'make vmtest T=name             one selftest in the VM (PROVIDER=, DEBUG=1)'
	@echo 'make vmtest F="FILE..."        the KUnit suites and selftests that judge the files'
	@echo 'make vm-modules debug-modules  what runner/vm/run needs, for either kernel'
	@echo 'make bench [PLOT=1]            instructions per registration and NVMe-oF request, on'
	@echo '                               mlx5_ib and mlx5_ibx; drawn in build/bench/cost.svg'
	@echo 'make cross [ARCH=s390x]        the modules for other machines, with cross compilers'
	@echo 'make htmldocs                  the documentation, in build/html'
	@echo 'make pictures                  the pictures of the documentation, from the VM'
	@echo 'make deb                       Debian packages (DKMS, tools, headers), in build/deb'
	@echo 'make deps                      install, or name, missing Debian packages'
	@echo 'make clean                     remove build/'
	@echo
	@echo 'tools/testing/runner/vm/run -- CMD'
	@echo '                               a command in the VM (--help)'
	@echo 'KERNEL=name                    kernel of the VM: 6.12-trixie, 7, or a directory'
	@echo 'ARCH=arm64                     machine of the VM, emulated'
	@echo 'VM_SMP=n                       processors of the VM   JOBS=n  jobs of the build'
	@echo 'CONFIG_MLX5SIM=n               builds without the simulated adapter'
