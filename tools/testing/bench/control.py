# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cost of creating and destroying objects in a process: table and targets.

control.c counts the instructions of the calling thread in libmlx5, the core and the driver. The
simulated device counts firmware commands, including those of the driver's work items.
"""

import os
import statistics

STOCK, OURS = "mlx5_ib", "mlx5_ibx"
LIMIT = 1.0     # target: highest quotient of the instructions of OURS and of STOCK
DIGITS = 2      # decimal digits of commands per operation, in the table and in comparisons
# targets that are known to be missed: {(operation, object, size, "instructions" or "commands"):
# highest accepted figure}. The figure is a quotient of instructions, or a number of commands.
KNOWN = {
    # mlx5_ibx limits the wait for the UMR by a timer; mlx5_ib waits without limit
    ("destroy", "mr", 1, "instructions"): 1.045,
    ("destroy", "mr", 256, "instructions"): 1.02,
}
# the targets are for the default kernel
OTHER_KERNEL = os.environ.get("KERNEL", "") not in ("", "6.12")
if OTHER_KERNEL:
    # the pools of mkeys in the core of 7.3 made the destruction of MRs cheaper on mlx5_ib
    KNOWN[("destroy", "mr", 1, "instructions")] = 1.07
    KNOWN[("destroy", "cq", 64, "instructions")] = 1.005


def parse(lines):
    """{(operation, object, size): (instructions, commands)} of one VM: the process with the median
    of the instructions."""
    costs = {}
    for line in lines:
        words = line.split()
        if words[:1] == ["control"]:
            costs.setdefault((words[1], words[2], int(words[3])), []).append(
                (int(words[4]), round(int(words[5]) / int(words[6]), DIGITS)))
    return {key: statistics.median_low(of_processes) for key, of_processes in costs.items()}


def table(costs):
    """Lines of all figures. costs: {driver: result of parse()}"""
    yield (f"{'of a process':12} {'object':6} {'size':>6} {'instructions':>22} {'quotient':>9}"
           f" {'commands':>16}")
    yield f"{'':26} {STOCK:>12} {OURS:>9} {'':9} {STOCK:>8} {OURS:>8}"
    for key in sorted(costs[STOCK].keys() & costs[OURS].keys()):
        stock, ours = costs[STOCK][key], costs[OURS][key]
        yield (f"{key[0]:12} {key[1]:6} {key[2]:6} {stock[0]:12} {ours[0]:9}"
               f" {ours[0] / stock[0]:9.3f} {stock[1]:8.2f} {ours[1]:8.2f}")


def verdict(figure, limit, key):
    """True if the target is met; None if it is missed by no more than the known amount."""
    return figure <= limit or (None if figure <= KNOWN.get(key, 0) else False)


def judge(costs):
    """(line, met) for each target. met: True, False, or None if the target is missed by no more
    than the known amount."""
    if not costs[STOCK] or costs[STOCK].keys() != costs[OURS].keys():
        yield "objects of processes: not measured", False
        return
    for key in sorted(costs[STOCK]):
        stock, ours = costs[STOCK][key], costs[OURS][key]
        what = f"{key[0]} {key[1]} {key[2]}"
        quotient = ours[0] / stock[0]
        yield (f"{what} by a process: {quotient:.3f} of {STOCK}'s instructions, target "
               f"{LIMIT:.2f}", verdict(quotient, LIMIT, (*key, "instructions")))
        yield (f"{what} by a process: {ours[1]:.2f} commands, {STOCK} {stock[1]:.2f}, target not "
               "above that", verdict(ours[1], stock[1], (*key, "commands")))
