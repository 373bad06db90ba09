// @ts-check
// Pictures of figures: a line of 24 hours, a strip of how a SIM stood, bars of a funnel. Each stands
// beside its figures in words or in a table, so none of them is read aloud.
import { html } from "./lib/preact.js";
import { figure, hourOfDay, say } from "./lang.js";

const SPARK = { width: 160, height: 32 };
const STRIP = { width: 288, height: 16 };
export const CELL_MS = 10 * 60e3;

/** Points of a line; it breaks where nothing is known. @param {(number | null)[]} values @param {number} max */
function lineOf(values, max) {
  const step = SPARK.width / Math.max(1, values.length - 1);
  const place = (/** @type {number} */ value) => (SPARK.height - 2 - (value / max) * (SPARK.height - 4)).toFixed(1);
  let path = "";
  values.forEach((value, i) => {
    if (value === null) return;
    const begins = i === 0 || values[i - 1] === null;
    path += `${begins ? "M" : "L"}${(i * step).toFixed(1)} ${place(value)}${begins ? "h0" : ""}`; // a point of its own is seen, too
  });
  return path;
}

/** Today against the day before, which is fainter. @param {{today: (number | null)[], before: (number | null)[]}} props */
export function Spark({ today, before }) {
  const max = Math.max(1, ...today.map(Number), ...before.map(Number));
  return html`<svg class="spark" viewBox=${`0 0 ${SPARK.width} ${SPARK.height}`} preserveAspectRatio="none" aria-hidden="true">
    <path class="before" d=${lineOf(before, max)} /><path d=${lineOf(today, max)} /></svg>`;
}

/** @type {Record<string, string>} */
export const STANDINGS = { r: "ready", p: "partly", s: "silent", d: "disabled", ".": "unknown" };

/** Neighbours that are alike, as one. @param {string} letters */
export function runsOf(letters) {
  /** @type {{letter: string, from: number, to: number}[]} */
  const runs = [];
  [...letters].forEach((letter, i) => {
    const last = runs.at(-1);
    if (last?.letter === letter) last.to = i + 1;
    else runs.push({ letter, from: i, to: i + 1 });
  });
  return runs;
}

/** How much of what is known was ready, from 0 to 1. @param {string} letters */
export function readyShare(letters) {
  const known = [...letters].filter((letter) => letter !== ".");
  const ready = known.reduce((sum, letter) => sum + (letter === "r" ? 1 : letter === "p" ? 0.5 : 0), 0);
  return known.length ? ready / known.length : null;
}

/**
 * How a SIM stood, a letter for each time of `stepMs`; what is pointed at says from when to when.
 * @param {{letters: string, since: number, stepMs?: number}} props
 */
export function Strip({ letters, since, stepMs = CELL_MS }) {
  const unit = STRIP.width / letters.length;
  return html`<svg class="strip" viewBox=${`0 0 ${STRIP.width} ${STRIP.height}`} preserveAspectRatio="none" aria-hidden="true">
    ${runsOf(letters).map(({ letter, from, to }) => html`<rect class=${STANDINGS[letter] ?? "unknown"} x=${(from * unit).toFixed(2)} width=${((to - from) * unit).toFixed(2)}
      y=${letter === "s" ? 6 : letter === "p" ? 3 : letter === "d" ? 11 : 0} height=${STRIP.height}><title>${hourOfDay(since + from * stepMs)}–${hourOfDay(since + to * stepMs)} ${say(`strip.${STANDINGS[letter] ?? "unknown"}`)}</title></rect>`)}
  </svg>`;
}

/** A part of a whole as a bar. @param {{part: number, whole: number}} props */
export const Bar = ({ part, whole }) => html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
  <rect class="whole" width="100" height="8" /><rect width=${whole > 0 ? Math.min(100, (100 * part) / whole).toFixed(1) : 0} height="8" /></svg>`;

/**
 * Columns side by side, with a part of each filled; its title says what they count, and below them stand the first one,
 * the one in the middle and the last.
 * @param {{rows: {whole: number, part: number, title: string, at: string}[], title: string}} props
 */
export function Columns({ rows, title: what }) {
  const max = Math.max(1, ...rows.map(({ whole, part }) => Math.max(whole, part)));
  const unit = 600 / Math.max(1, rows.length);
  const ticks = [0, Math.floor(rows.length / 2), rows.length - 1].map((i) => rows[i]?.at);
  return html`<p class="quiet caption">${what} <span class="number">${say("funnel.most", { n: figure(max) })}</span></p>
  <svg class="columns" viewBox="0 0 600 80" preserveAspectRatio="none" aria-hidden="true">${rows.map(({ whole, part, title }, i) => html`<g>
    <title>${title}</title>
    <rect class="whole" x=${i * unit} width=${unit * 0.8} y=${80 - (80 * whole) / max} height=${(80 * whole) / max} />
    <rect x=${i * unit} width=${unit * 0.8} y=${80 - (80 * part) / max} height=${(80 * part) / max} /></g>`)}</svg>
  <p class="quiet axis" aria-hidden="true">${ticks.map((tick) => html`<span>${tick}</span>`)}</p>`;
}
