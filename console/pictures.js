// @ts-check
// Pictures of figures: a strip of how a SIM stood, a part of a whole; what has axes is a chart (charts.js).
// Each stands beside its figures in words or in a table, so none of them is read aloud.
import { html } from "./lib/preact.js";
import { hourOfDay, say } from "./lang.js";

const STRIP = { width: 288, height: 16 };
export const CELL_MS = 10 * 60e3;

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
