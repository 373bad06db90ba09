// @ts-check
// The log: what is kept, and what comes. Filters stand in the URL; live entries are filtered here.
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { query, useData, useList } from "../api.js";
import { exactTime, say, timeOfDay } from "../lang.js";
import { Filters, timeFields } from "../filters.js";
import { Histogram, LEVELS, classOf, timeOf } from "../histogram.js";
import { ErrorNote, Head, Older, Skeleton } from "../parts.js";
import { go, linkTo, readPlace } from "../route.js";

const SHOWN_MAX = 500;
const FIRST = 200;
const FLUSH_MS = 250;

/** @typedef {import("../histogram.js").Entry} Entry */
/** @typedef {Record<string, string | undefined>} Chosen */

/** @param {Entry} entry @param {Chosen} filters */
function fits(entry, filters) {
  const at = Date.parse(timeOf(entry));
  if (at < Date.parse(filters.since ?? "") || at >= Date.parse(filters.until ?? "")) return false;
  if (filters.level && LEVELS.indexOf(entry.level) < LEVELS.indexOf(filters.level)) return false;
  if (filters.request_id && entry.fields.request_id !== filters.request_id) return false;
  const text = `${entry.message} ${JSON.stringify(entry.fields)}`.toLowerCase();
  return !filters.q || text.includes(filters.q.toLowerCase());
}

/** Entries that come, in batches, so that a crowd of them costs one drawing. @param {number | null} after @param {boolean} isPaused */
function useStream(after, isPaused) {
  const [entries, setEntries] = useState(/** @type {Entry[]} */ ([]));
  const [isLive, setLive] = useState(false);
  const waiting = useRef(/** @type {Entry[]} */ ([]));
  useEffect(() => {
    if (after === null) return undefined;
    const source = new EventSource(`/console/api/internal/v1/logs/stream${query({ after })}`);
    source.onopen = () => setLive(true);
    source.onerror = () => setLive(false);
    source.onmessage = (event) => {
      waiting.current.push(JSON.parse(event.data));
      if (waiting.current.length > SHOWN_MAX) waiting.current.shift();
    };
    return () => source.close();
  }, [after]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (isPaused || !waiting.current.length) return;
      const news = waiting.current.splice(0).reverse();
      setEntries((before) => [...news, ...before].slice(0, SHOWN_MAX));
    }, FLUSH_MS);
    return () => clearInterval(timer);
  }, [isPaused]);
  return { entries, isLive, waiting: waiting.current.length };
}

/** Looks for a value beside what else is chosen. @param {string} q */
const findToo = (q) => go(linkTo(["log"], { ...readPlace().filters, q }), true);

/** @param {{entry: Entry}} props */
const Line = ({ entry }) => html`<li>
  <time datetime=${timeOf(entry)} title=${exactTime(timeOf(entry))}>${timeOfDay(timeOf(entry))}</time>
  <span class=${`letter ${classOf(entry.level)}`} aria-label=${entry.level}>${entry.level[0].toUpperCase()}</span>
  <span><span class=${classOf(entry.level)}>${entry.message}</span>
    ${Object.entries(entry.fields).filter(([name]) => name !== "at").map(([name, value]) => html` <span class="field">${name}=<button type="button"
      title=${say("log.filter", { value })} onClick=${() => findToo(String(value))}>${String(value)}</button></span>`)}</span>
</li>`;

/** @type {WeakMap<Entry, unknown>} */
const drawn = new WeakMap();
/** An entry never changes, so its line is made once: of a crowd of them only those that are new cost anything. @param {Entry} entry */
function lineOf(entry) {
  const line = drawn.get(entry) ?? html`<${Line} key=${entry.id} entry=${entry} />`;
  drawn.set(entry, line);
  return line;
}

/** @param {import("../pages.js").PageProps} props */
export function Log({ place }) {
  const { level, q, request_id, since, until } = place.filters;
  const filters = { level, q, request_id, since, until };
  const [isPaused, setPaused] = useState(false);
  const list = useList("/logs", { limit: String(FIRST), ...filters }, "entries");
  const newest = useData(["/logs?limit=1"]).data?.[0].entries;
  const stream = useStream(newest ? (newest[0]?.id ?? 0) : null, isPaused);
  const kept = /** @type {Entry[] | null} */ (list.rows);
  const seen = new Set(kept?.map((entry) => entry.id));
  const entries = kept && [...stream.entries.filter((entry) => !seen.has(entry.id) && fits(entry, filters)), ...kept]
    .slice(0, SHOWN_MAX + Math.max(0, kept.length - FIRST));
  const pick = (/** @type {Chosen} */ change) => go(linkTo(["log"], { ...filters, ...change }), true);
  const pauseOnScroll = (/** @type {any} */ event) => setPaused(event.target.scrollTop > 40);
  const standing = say(until ? "log.past" : isPaused ? "log.paused" : stream.isLive ? "log.live" : "list.loading");
  return html`
    <${Head} title=${say("log.title")} says=${standing} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Filters} place=${place} fields=${[
      { name: "q", label: say("log.text") },
      { name: "level", label: say("log.level"), words: LEVELS.map((word) => [word, word]) },
      { name: "request_id", label: say("audit.request") },
      ...timeFields(),
    ]} />
    <p><button type="button" aria-pressed=${isPaused} onClick=${() => setPaused(!isPaused)}>${say(isPaused ? "log.resume" : "log.pause")}</button></p>
    <div class="card">
      ${entries ? html`<${Histogram} entries=${entries} since=${since} until=${until} isWhole=${!list.hasOlder} onPick=${pick} />
        <div class="log" tabindex="0" role="log" aria-label=${say("log.title")} aria-live="off" onScroll=${pauseOnScroll}>
          ${entries.length ? html`<ol>${entries.map(lineOf)}</ol>`
            : html`<p class="empty">${say("log.empty")}</p>`}
          <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />
        </div>` : !list.error && html`<${Skeleton} rows=${10} />`}
    </div>`;
}
