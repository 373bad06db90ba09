// @ts-check
// How many entries of the log came when. A span of it is chosen by dragging over the bars, or by the
// arrow keys: with Shift they stretch it, Enter chooses it.
import { html, useEffect, useMemo, useRef, useState } from "./lib/preact.js";
import { dayAndHour, figure, say, timeOfDay } from "./lang.js";

/** @typedef {{id: number, level: string, message: string, fields: Record<string, unknown>}} Entry */
/** @typedef {{at: number, all: number, level: number}} Bar */

export const LEVELS = ["debug", "info", "warning", "error"];
const BARS = 60;
const HEIGHT = 20;
const LEAST_MS = 60e3;
const HOUR_MS = 3600e3;
const DAY_MS = 24 * HOUR_MS;

/** @param {Entry} entry */
export const timeOf = (entry) => String(entry.fields.at);
/** @param {string} level */
export const classOf = (level) => (level === "error" ? "error-level" : level);

/** From when to when the bars are: the span that was chosen, or else what is there; and from when on it is known. */
function spanOf(/** @type {Entry[]} */ entries, /** @type {string | undefined} */ since, /** @type {string | undefined} */ until, /** @type {boolean} */ isWhole) {
  const oldest = entries.length ? Date.parse(timeOf(entries[entries.length - 1])) : Date.now();
  const to = Date.parse(until ?? "") || Math.ceil(Date.now() / 1000) * 1000;
  const from = Date.parse(since ?? "") || Math.min(oldest, isWhole ? to - HOUR_MS : to - LEAST_MS);
  return { from, to: Math.max(to, from + LEAST_MS / BARS), known: isWhole ? from : oldest };
}

/** @param {Entry[]} entries @param {number} from @param {number} step */
function countIn(entries, from, step) {
  const bars = Array.from({ length: BARS }, (_, index) => ({ at: from + index * step, all: 0, level: 0 }));
  for (const entry of entries) {
    const bar = bars[Math.floor((Date.parse(timeOf(entry)) - from) / step)];
    if (!bar) continue;
    bar.all++;
    bar.level = Math.max(bar.level, LEVELS.indexOf(entry.level));
  }
  return bars;
}

/** @param {number} at @param {number} length */
const wordOf = (at, length) => (length > DAY_MS ? dayAndHour : timeOfDay)(new Date(at).toISOString());

/** A span of bars as it is being chosen. @typedef {{from: number, to: number}} Chosen */

/** What the keys do to a span. @param {Chosen | null} chosen @param {KeyboardEvent} event @returns {Chosen | null | undefined} */
function moveBy(chosen, { key, shiftKey }) {
  const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
  if (key === "Escape") return null;
  if (!step) return undefined;
  if (!chosen) return { from: BARS - 1, to: BARS - 1 };
  const to = Math.min(BARS - 1, Math.max(0, chosen.to + step));
  return { from: shiftKey ? chosen.from : to, to };
}

const COUNTED_MS = 1000;

/** What is counted: anew once a second, since each count reads the time of every line. @param {Entry[]} entries */
function useSettled(entries) {
  const newest = useRef(entries);
  const [settled, settle] = useState(entries);
  newest.current = entries;
  useEffect(() => {
    const timer = setInterval(() => settle(newest.current), COUNTED_MS);
    return () => clearInterval(timer);
  }, []);
  return settled;
}

/**
 * @param {{entries: Entry[], since?: string, until?: string, isWhole: boolean, onPick: (span: {since: string, until: string}) => void}} props
 * Where it is not whole, what is before the oldest entry is not loaded yet, and looks so.
 */
export function Histogram({ entries, since, until, isWhole, onPick }) {
  const settled = useSettled(entries);
  const [chosen, choose] = useState(/** @type {Chosen | null} */ (null));
  const isDragging = useRef(false);
  const { from, to, known, bars } = useMemo(() => {
    const span = spanOf(settled, since, until, isWhole);
    return { ...span, bars: countIn(settled, span.from, (span.to - span.from) / BARS) };
  }, [settled, since, until, isWhole]);
  const step = (to - from) / BARS;
  const top = Math.max(1, ...bars.map((bar) => bar.all));
  const [first, last] = chosen ? [Math.min(chosen.from, chosen.to), Math.max(chosen.from, chosen.to) + 1] : [0, 0];
  const hidden = Math.max(0, Math.min(BARS, (known - from) / step));
  /** @param {any} event */
  const barAt = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(BARS - 1, Math.floor(((event.clientX - box.left) / box.width) * BARS)));
  };
  function finish() {
    isDragging.current = false;
    if (!chosen) return;
    choose(null);
    onPick({ since: new Date(from + first * step).toISOString(), until: new Date(from + last * step).toISOString() });
  }
  /** @param {any} event */
  function begin(event) {
    event.currentTarget.setPointerCapture(event.pointerId);
    isDragging.current = true;
    choose({ from: barAt(event), to: barAt(event) });
  }
  /** @param {any} event */
  function drag(event) {
    if (isDragging.current && chosen) choose({ from: chosen.from, to: barAt(event) });
  }
  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key === "Enter") return finish();
    const moved = moveBy(chosen, event);
    if (moved === undefined) return undefined;
    event.preventDefault();
    return choose(moved);
  }
  const count = bars.slice(first, last).reduce((sum, bar) => sum + bar.all, 0);
  const says = chosen
    ? say("log.span", { from: wordOf(from + first * step, to - from), to: wordOf(from + last * step, to - from), n: count })
    : say("log.histogram", { from: wordOf(from, to - from), to: wordOf(to, to - from) });
  return html`<div class="bars">
    <svg viewBox=${`0 0 ${BARS} ${HEIGHT}`} preserveAspectRatio="none" tabindex="0" role="slider" aria-label=${say("log.bars")}
      aria-valuemin="0" aria-valuemax=${BARS - 1} aria-valuenow=${chosen?.to ?? BARS - 1} aria-valuetext=${says}
      onPointerDown=${begin} onPointerMove=${drag} onPointerUp=${finish} onPointerCancel=${() => choose(null)} onKeyDown=${press} onBlur=${() => choose(null)}>
      ${hidden > 0 && html`<rect class="unknown" width=${hidden.toFixed(2)} height=${HEIGHT}><title>${say("log.unloaded")}</title></rect>`}
      ${chosen && html`<rect class="chosen" x=${first} width=${last - first} height=${HEIGHT} />`}
      ${bars.map((bar, index) => bar.all > 0 && html`<rect x=${index + 0.1} width="0.8" y=${HEIGHT - (HEIGHT * bar.all) / top} height=${(HEIGHT * bar.all) / top}
        class=${classOf(LEVELS[bar.level])}><title>${wordOf(bar.at, to - from)}: ${figure(bar.all)}</title></rect>`)}</svg>
    <p class="quiet">${says}</p>
  </div>`;
}
