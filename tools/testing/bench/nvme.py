# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cost of an NVMe over RDMA request for the host's CPU: tables and targets.

A figure is a mean over the requests that were measured together. Interrupts and polls are counted
in the same run as instructions, other figures in a separate run (nvme_cost).
"""

STOCK = ("mlx5_ib", "nvme_rdma")
# (driver, host) of each column
COLUMNS = (STOCK, ("mlx5_ibx", "nvme_rdma"), ("mlx5_ib", "nvme_rdma_frwr"),
           ("mlx5_ibx", "nvme_rdma_frwr"))
# highest quotient of instructions to the instructions of STOCK: the target, and the known quotient
# above the target, which must not grow
LIMITS = {("mlx5_ibx", "nvme_rdma"): (0.90, 0.905), ("mlx5_ibx", "nvme_rdma_frwr"): (0.80, 0.80)}
DIGITS = 2      # of figures per request, also in comparisons
# The simulated devices and the scheduler determine when the target's responses come, and so the
# number of responses that share an interrupt and are polled before the CQ is armed again. For 256
# requests at a queue depth of 32 there are 16 interrupts, or up to 32.
SHARED = 16 / 256
# name of a figure, the numbers of nvme_cost whose sum it is, and the excess over STOCK's that is
# allowed, or None
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
    """{(driver, host): {(operation, bytes, depth): {name: number per request}}} of one VM."""
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
    """A line for each figure that the VMs did not print. costs: costs of all columns, from
    parse()"""
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
    """Of one request."""
    return sum(cost[name] for name in names)


def describe(load):
    """An operation, its bytes and its queue depth."""
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
    """Lines about targets, each with whether it is met; None: missed by no more than the known
    amount."""
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
