// @ts-check
// Charts, drawn by uPlot in the colours of the page: a line of 24 hours, columns by the hour. Each stands beside
// a table of the same figures, so none of them is read aloud.
import uPlot from "./lib/uplot.js";
import { html, useEffect, useRef, useState } from "./lib/preact.js";
import { dayAndHour, figure, hourOfDay, say } from "./lang.js";

/** @typedef {(number | null)[]} Values */

const HOUR_MS = 3600e3;
const DAY_MS = 24 * HOUR_MS;
const DAY_HOURS = 24;
const FONT = "12px system-ui, sans-serif";
const STEPS = [1, 2, 5].flatMap((step) => [step, 10 * step, 100 * step, 1000 * step, 10000 * step]).sort((a, b) => a - b);
const scheme = matchMedia("(prefers-color-scheme: dark)");

/** A colour of the style sheet, as it is when it is drawn. @param {string} name */
const colour = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/**
 * As large as its place; drawn anew with other figures, in another size or in another scheme of colours.
 * @param {{name: string, data: Values[], options: object}} props
 */
function Chart({ name, data, options }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const box = place.current;
    if (!box) return undefined;
    const sizeOf = () => {
      const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(box);
      return { width: box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight), height: box.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom) };
    };
    const chart = new uPlot({ ms: 1, legend: { show: false }, ...sizeOf(), ...options }, data, box);
    const sizes = new ResizeObserver(() => chart.setSize(sizeOf()));
    const redraw = () => chart.redraw();
    sizes.observe(box);
    scheme.addEventListener("change", redraw);
    return () => {
      sizes.disconnect();
      scheme.removeEventListener("change", redraw);
      chart.destroy();
    };
  }, [JSON.stringify(data)]);
  return html`<div class=${name} ref=${place} aria-hidden="true" />`;
}

/** What has no neighbour is no line, and is a point of its own. @param {Values} values */
const lonely = (values) => values.flatMap((value, i) => (value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? [i] : []));

/** @param {string} name @param {number} width */
const line = (name, width) => ({
  stroke: colour(name), width,
  points: { show: false, size: 4, width: 0, fill: colour(name), filter: (/** @type {any} */ chart, /** @type {number} */ series) => lonely(chart.data[series]) },
});

const SPARK = {
  cursor: { show: false }, padding: [3, 3, 3, 3], axes: [{ show: false }, { show: false }], series: [{}, line("off-fill", 1.5), line("accent", 1.5)],
  scales: { x: { time: false }, y: { range: (/** @type {any} */ _, /** @type {number} */ __, /** @type {number | null} */ max) => [0, Math.max(1, max ?? 0)] } },
};

/** Today against the day before, which is fainter. @param {{today: Values, before: Values}} props */
export function Spark({ today, before }) {
  const hours = Array.from({ length: DAY_HOURS }, (_, i) => i);
  const whole = (/** @type {Values} */ values) => hours.map((i) => values[values.length - DAY_HOURS + i] ?? null);
  return html`<${Chart} name="spark" data=${[hours, whole(before), whole(today)]} options=${SPARK} />`;
}

/** @param {(index: number | null) => void} onPoint @param {number} span */
const columnsOf = (onPoint, span) => ({
  padding: [8, 40, 0, 0], // the last hour is written whole
  cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
  hooks: { setCursor: [(/** @type {any} */ chart) => onPoint(chart.cursor.idx)] },
  series: [{}, ...["off-fill", "good-fill"].map((name) => ({ fill: colour(name), width: 0, points: { show: false }, paths: uPlot.paths.bars({ size: [0.8, 40] }) }))],
  scales: {
    x: { time: true, range: (/** @type {any} */ _, /** @type {number} */ min, /** @type {number} */ max) => [min - HOUR_MS / 2, max + HOUR_MS / 2] },
    y: SPARK.scales.y,
  },
  axes: [
    { stroke: colour("quiet"), font: FONT, grid: { show: false }, ticks: { stroke: colour("line"), size: 4 }, size: 28, space: 96,
      values: (/** @type {any} */ _, /** @type {number[]} */ splits) => splits.map((at) => (span > DAY_MS ? dayAndHour(new Date(at).toISOString()) : hourOfDay(at))) },
    { stroke: colour("quiet"), font: FONT, grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, size: 48, incrs: STEPS,
      values: (/** @type {any} */ _, /** @type {number[]} */ splits) => splits.map(figure) },
  ],
});

/**
 * Columns by the hour, with a part of each filled; its title says what they count, and what the one that is pointed at does.
 * @param {{rows: {at: number, whole: number, part: number}[], title: string}} props
 */
export function Columns({ rows, title }) {
  const [index, point] = useState(/** @type {number | null} */ (null));
  const row = index === null ? undefined : rows[index];
  const data = [rows.map(({ at }) => at), rows.map(({ whole }) => whole), rows.map(({ part }) => part)];
  const says = row && say("funnel.at", { time: dayAndHour(new Date(row.at).toISOString()), created: row.whole, confirmed: row.part });
  return html`<p class="quiet caption">${title} <span class="number">${says}</span></p>
    <${Chart} name="columns" data=${data} options=${columnsOf(point, rows.length * HOUR_MS)} />`;
}
