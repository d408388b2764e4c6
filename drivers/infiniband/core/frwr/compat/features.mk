# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# This file finds the features of the kernel by compiling probes. A module is
# written for the newest kernel. Its compat.h defines the functions that older
# kernels lack, and includes compat/features.h, which this file generates. A
# probe is a file compat/NAME.c that compiles if the kernel has the feature. If
# the probe compiles, features.h defines HAVE_NAME, in capitals. Versions of the
# kernel are never compared, because distributions and stable kernels backport
# features.
#
# Include this file at the end of a Kbuild file that has set
#
#	features	names of the probes
#	features-dirs	folders of the probes, if they are not $(src)/compat
#	features-of	objects that include compat.h
#
# The errors of a probe that does not compile are in compat/NAME.log. The probe "control" uses only
# old functions and compiles on every kernel. If it does not compile, the build fails, because the
# other results are not valid.

features-mk := $(lastword $(MAKEFILE_LIST))
features-dirs ?= $(src)/compat
features-dirs += $(dir $(features-mk))

# The first command writes the dependencies, since the second may fail. If a header of the probe
# is missing, the only dependency is the probe.
quiet_cmd_probe = PROBE   $@
      cmd_probe = $(CC) $(c_flags) -E -o /dev/null $< 2> /dev/null || \
	echo "$@: $<" > $(depfile); \
	if $(CC) $(filter-out -Wp$(comma)%,$(c_flags)) -fsyntax-only $< 2> $(basename $@).log; \
	then echo "$(pound)define HAVE_$$(echo $(basetarget) | tr a-z A-Z) 1"; \
	else echo "/* not compiled: $(basetarget).c */"; fi > $@

quiet_cmd_features = GEN     $@
      cmd_features = if ! grep -q HAVE_CONTROL $(obj)/compat/control.h; \
	then cat $(obj)/compat/control.log; exit 1; fi; cat $(real-prereqs) > $@

features-h := $(patsubst %,$(obj)/compat/%.h,control $(features))

define features-rule
ifeq ($(wildcard $(patsubst %,%/$(1).c,$(features-dirs))),)
$$(error no probe $(1).c in $(features-dirs))
endif
$(obj)/compat/$(1).h: $(firstword $(wildcard $(patsubst %,%/$(1).c,$(features-dirs)))) \
		$(wildcard $(objtree)/include/generated/utsrelease.h) FORCE
	$$(call if_changed_dep,probe)
endef
$(foreach feature,control $(features),$(eval $(call features-rule,$(feature))))

$(obj)/compat/features.h: $(features-h) FORCE
	$(call if_changed,features)

targets += $(patsubst %,compat/%.h,control features $(features))
clean-files += $(patsubst %,compat/%.log,control $(features))
$(addprefix $(obj)/,$(features-of)): $(obj)/compat/features.h
ccflags-y += -I$(obj)
