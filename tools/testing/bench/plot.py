# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The figures of "make bench" as a drawing, by gnuplot."""

import subprocess

import nvme

SCRIPT = """
set terminal svg size 900,760 font "sans-serif,12" background "white"
set multiplot layout 2,1
set grid ytics
set style data linespoints
set title "attach a list of pages, none beside the other"
set xlabel "pages"
set ylabel "instructions"
set key top left
plot {curves}
set title "one request of NVMe over RDMA"
set xlabel ""
set style data histogram
set style fill solid 0.8 border -1
set yrange [0:]
set xtics scale 0 rotate by -20
set key above
plot {bars}
"""
# curves over the number of pages: (driver, operation, name in the drawing)
CURVES = (("mlx5_ib", "map_sg", "ib_map_mr_sg()"), ("mlx5_ibx", "map_sg", "ib_map_mr_sg()"),
          ("mlx5_ibx", "set_sg", "ib_mr_set_sg()"),
          ("mlx5_ib", "bvec_by_sg", "bio_vecs by scatterlist"),
          ("mlx5_ibx", "set_bvec", "ib_mr_set_biovec()"))


def blocks(figures, costs):
    """(name, lines of data) of each curve and each group of bars."""
    for nr, (driver, operation, _) in enumerate(CURVES):
        cells = figures[driver]
        yield f"$curve{nr}", [f"{key[2]} {cells[key]}" for key in sorted(cells)
                              if key[:2] == (operation, "scattered")]
    yield "$bars", [
        f'"{nvme.describe(load)}" ' + " ".join(
            f"{nvme.total(costs[column][load], nvme.FIGURES[0][1]):.0f}"
            for column in nvme.COLUMNS) for load in sorted(costs[nvme.STOCK])]


def draw(path, figures, costs):
    """Write an SVG file. subprocess.CalledProcessError when gnuplot fails."""
    curves = ", ".join(f'$curve{nr} title "{driver}: {name}" noenhanced'
                       for nr, (driver, _, name) in enumerate(CURVES))
    bars = ", ".join(f'$bars using {nr + 2}:xtic(1) title "{" under ".join(column)}" noenhanced'
                     for nr, column in enumerate(nvme.COLUMNS))
    script = [f'set output "{path}"']
    for name, lines in blocks(figures, costs):
        script += [f"{name} << END", *lines, "END"]
    script.append(SCRIPT.format(curves=curves, bars=bars))
    subprocess.run(["gnuplot", "-"], input="\n".join(script), text=True, check=True)
