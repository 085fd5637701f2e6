//! Plots of how cost grows with size, both axes logarithmic: one small plot for each call.

use std::fmt::Write as _;

use super::measure::{Cost, Figure};

/// Size of a plot, and of what stands around it.
const WIDTH: f64 = 190.0;
const HEIGHT: f64 = 120.0;
const GAP: (f64, f64) = (70.0, 60.0);
const COLUMNS: usize = 4;

/// The plots of these figures as one image.
#[expect(clippy::cast_precision_loss, reason = "places of a few plots")]
pub(super) fn svg(
    figures: &[Figure],
    title: &str,
    of: impl Fn(&Cost) -> f64,
    shown: impl Fn(f64) -> String,
) -> String {
    let mut names: Vec<&str> = Vec::new();
    for figure in figures {
        if !names.contains(&figure.workload.name) {
            names.push(figure.workload.name);
        }
    }
    let rows = names.len().div_ceil(COLUMNS);
    let (width, height) = (COLUMNS as f64 * (WIDTH + GAP.0) + 20.0, rows as f64 * (HEIGHT + GAP.1) + 40.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"20\" y=\"20\" font-size=\"14\">{title}, by size: <tspan fill=\"#06c\">allready</tspan>, \
         <tspan fill=\"#c30\">peer</tspan> (both axes logarithmic)</text>\n"
    );
    for (index, name) in names.iter().enumerate() {
        let mine: Vec<&Figure> = figures.iter().filter(|figure| figure.workload.name == *name).collect();
        let (x, y) = (
            (index % COLUMNS) as f64 * (WIDTH + GAP.0) + GAP.0,
            (index / COLUMNS) as f64 * (HEIGHT + GAP.1) + GAP.1,
        );
        svg.push_str(&panel(&mine, name, (x, y), &of, &shown));
    }
    svg.push_str("</svg>\n");
    svg
}

#[expect(clippy::cast_precision_loss, reason = "sizes to draw")]
fn panel(
    figures: &[&Figure],
    name: &str,
    (x, y): (f64, f64),
    of: &impl Fn(&Cost) -> f64,
    shown: &impl Fn(f64) -> String,
) -> String {
    // Nothing has no place on a logarithmic axis.
    let of = |cost: &Cost| of(cost).max(1.0);
    let costs = || figures.iter().flat_map(|figure| [of(&figure.ours), of(&figure.theirs)]);
    let (low, high) = (costs().fold(f64::MAX, f64::min), costs().fold(f64::MIN, f64::max));
    let largest = figures.iter().map(|figure| figure.size as f64).fold(1.0, f64::max);
    let across = |size: f64| x + WIDTH * size.log10() / largest.log10().max(1.0);
    let up = |cost: f64| y + HEIGHT - HEIGHT * (cost / low).log10() / (high / low).log10().max(0.1);
    let mut panel = format!(
        "<text x=\"{x}\" y=\"{:.0}\">{name}</text>\n\
         <path d=\"M{x} {y}V{:.0}H{:.0}\" fill=\"none\" stroke=\"#999\"/>\n",
        y - 8.0,
        y + HEIGHT,
        x + WIDTH
    );
    for cost in [low, high] {
        // A String takes what is written to it.
        let _ = writeln!(
            panel,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\" fill=\"#666\">{}</text>",
            x - 4.0,
            up(cost) + 4.0,
            shown(cost)
        );
    }
    for figure in figures {
        let _ = writeln!(
            panel,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\" fill=\"#666\">{}</text>",
            across(figure.size as f64),
            y + HEIGHT + 14.0,
            figure.size
        );
    }
    let line = |side: fn(&Figure) -> Cost, colour: &str| {
        let points: Vec<String> = figures
            .iter()
            .map(|figure| format!("{:.1},{:.1}", across(figure.size as f64), up(of(&side(figure)))))
            .collect();
        format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n",
            points.join(" ")
        )
    };
    panel.push_str(&line(|figure| figure.theirs, "#c30"));
    panel.push_str(&line(|figure| figure.ours, "#06c"));
    panel
}
