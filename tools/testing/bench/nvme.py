# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cost of an NVMe over RDMA request for the host's CPU: tables and targets.

A figure is a mean over the requests of one run. nvme_cost counts instructions, interrupts and polls
in one run, and the other figures in a second run.
"""

STOCK = ("mlx5_ib", "nvme_rdma")
# columns of the table: (RDMA driver, module of the NVMe host)
COLUMNS = (STOCK, ("mlx5_ibx", "nvme_rdma"), ("mlx5_ib", "nvme_rdma_frwr"),
           ("mlx5_ibx", "nvme_rdma_frwr"))
# instructions of a column divided by the instructions of STOCK: (target, highest accepted
# quotient). A quotient between the two is reported as short
LIMITS = {("mlx5_ibx", "nvme_rdma"): (0.90, 0.905), ("mlx5_ibx", "nvme_rdma_frwr"): (0.80, 0.80)}
DIGITS = 2      # decimal digits of figures per request, in the table and in comparisons
# Accepted excess of interrupts per request. Responses that arrive together share an interrupt. The
# simulated devices and the scheduler determine when they arrive: 256 requests at a queue depth of
# 32 have from 16 to 32 interrupts.
SHARED = 16 / 256
# name of a figure; the numbers of nvme_cost whose sum is the figure; the accepted excess of
# the figure over the figure of STOCK, or None if the figure has no target
FIGURES = (
    ("instructions", ("queue", "irq", "poll"), None),
    ("  to submit", ("queue",), None),
    ("  in interrupts", ("irq",), None),
    ("  to complete", ("poll",), None),
    ("registrations", ("registrations",), 0),
    ("doorbells", ("post_send", "notify"), SHARED),
    ("  of send queues", ("post_send",), 0),
    ("interrupts", ("irq_runs",), SHARED),
    ("completions", ("completions",), 0),
)


def parse(lines, driver):
    """Parses the lines of the VM of a driver.
    Returns {(driver, host): {(operation, bytes, depth): {name: number per request}}}."""
    costs = {}
    for line in lines:
        words = line.split()
        if words[:1] != ["nvme"]:
            continue
        host, operation = words[1:3]
        numbers = dict(zip(words[5::2], map(int, words[6::2])))
        requests = numbers.pop("requests")
        costs.setdefault((driver, host), {})[operation, int(words[3]), int(words[4])] = {
            name: number / requests for name, number in numbers.items()}
    return costs


def not_measured(costs):
    """A line for each figure that the VMs did not print. costs: results of parse() for all
    drivers."""
    loads = {load for cost in costs.values() for load in cost}
    if not loads:
        yield "requests of NVMe over RDMA: not measured"
    for column in COLUMNS:
        for load in sorted(loads):
            cost = costs.get(column, {}).get(load)
            if cost is None:
                yield f"{' under '.join(column[::-1])}: not measured: {describe(load)}"
                continue
            absent = {name for _, names, _ in FIGURES for name in names} - cost.keys()
            if absent:
                yield (f"{' under '.join(column[::-1])}: {describe(load)}: not measured: "
                       f"{' '.join(sorted(absent))}")


def total(cost, names):
    """The sum of the named numbers of one request."""
    return sum(cost[name] for name in names)


def describe(load):
    """A load (operation, bytes, queue depth) as a text."""
    operation, size, depth = load
    return f"{operation} {size // 1024} KiB depth {depth}"


def table(costs):
    """Lines of all figures."""
    yield f"{'request of NVMe over RDMA':32}" + "".join(f"{d:>16}" for d, _ in COLUMNS)
    yield f"{'':32}" + "".join(f"{host:>16}" for _, host in COLUMNS)
    for load in sorted(costs[STOCK]):
        yield describe(load)
        for name, names, _ in FIGURES:
            found = [total(costs[column][load], names) for column in COLUMNS]
            digits = 0 if names[0] in ("queue", "irq", "poll") else DIGITS
            yield f"  {name:30}" + "".join(f"{number:16.{digits}f}" for number in found)


def judge(costs):
    """(line, met) for each target. met: True, False, or None if the target is missed by no more
    than the known amount."""
    stock = costs[STOCK]
    for column, (limit, known) in LIMITS.items():
        for load in sorted(stock):
            quotient = total(costs[column][load], FIGURES[0][1]) / total(stock[load], FIGURES[0][1])
            met = quotient <= limit or (None if quotient <= known else False)
            yield (f"{describe(load)}, {' under '.join(column)}: {quotient:.3f} of "
                   f"{' under '.join(STOCK)}, target {limit:.2f}", met)
    for column in COLUMNS[1:]:
        above = [f"{name} of {describe(load)}" for load in sorted(stock)
                 for name, names, more in FIGURES
                 if more is not None and round(total(costs[column][load], names), DIGITS) >
                 round(total(stock[load], names) + more, DIGITS)]
        yield (f"counts of {' under '.join(column)} above {' under '.join(STOCK)}: "
               f"{', '.join(above) or 'none'}, target none", not above)
