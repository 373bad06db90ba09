// @ts-check
// The log: what is kept, and what comes. Filters stand in the URL, and the service chooses by them.
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { query, useData, useList } from "../api.js";
import { exactTime, say, sayWord, timeOfDay } from "../lang.js";
import { Filters, timeFields } from "../filters.js";
import { Histogram, LEVELS, classOf, timeOf } from "../histogram.js";
import { ErrorNote, Head, Older, Pending, Skeleton } from "../parts.js";
import { go, linkTo, readPlace } from "../route.js";

const SHOWN_MAX = 500;
const FIRST = 200;
const FLUSH_MS = 150;

/** @typedef {import("../histogram.js").Entry} Entry */
/** @typedef {Record<string, string | undefined>} Chosen */

/** What the stream does not choose by itself. @param {Entry} entry @param {Chosen} filters */
function fits(entry, filters) {
  const at = Date.parse(timeOf(entry));
  if (at < Date.parse(filters.since ?? "") || at >= Date.parse(filters.until ?? "")) return false;
  return !filters.request_id || entry.fields.request_id === filters.request_id;
}

/**
 * Entries that come, in batches, so that a crowd of them costs one drawing. The newest are kept, also
 * while they are held back; `missing` says how many others came.
 * @param {number | null} after @param {Chosen} filters @param {boolean} isPaused
 */
function useStream(after, filters, isPaused) {
  const [shown, show] = useState({ entries: /** @type {Entry[]} */ ([]), missing: 0 });
  const [isLive, setLive] = useState(false);
  const [held, setHeld] = useState(0);
  const waiting = useRef({ entries: /** @type {Entry[]} */ ([]), came: 0 });
  const isPast = Date.parse(filters.until ?? "") < Date.now();
  useEffect(() => {
    if (after === null || isPast) return undefined;
    const { level, q, request_id } = filters;
    const source = new EventSource(`/console/api/internal/v1/logs/stream${query({ after, level, q: q || request_id })}`);
    source.onopen = () => setLive(true);
    source.onerror = () => setLive(false);
    source.onmessage = (event) => {
      const entry = JSON.parse(event.data);
      if (!fits(entry, filters)) return;
      waiting.current.came++;
      waiting.current.entries.push(entry);
      if (waiting.current.entries.length > SHOWN_MAX) waiting.current.entries.shift();
    };
    return () => source.close();
  }, [after]);
  useEffect(() => {
    const timer = setInterval(() => {
      const { entries, came } = waiting.current;
      setHeld(isPaused ? came : 0);
      if (isPaused || !came) return;
      waiting.current = { entries: [], came: 0 };
      show((before) => {
        const all = [...entries.reverse(), ...before.entries];
        const kept = all.slice(0, SHOWN_MAX);
        return { entries: kept, missing: before.missing + came - entries.length + all.length - kept.length };
      });
    }, FLUSH_MS);
    return () => clearInterval(timer);
  }, [isPaused]);
  return { ...shown, isLive, held };
}

/** Looks for a value beside what else is chosen. @param {string} q */
const findToo = (q) => go(linkTo(["log"], { ...readPlace().filters, q }), true);

/** @param {{entry: Entry}} props */
const Line = ({ entry }) => html`<li>
  <time datetime=${timeOf(entry)} title=${exactTime(timeOf(entry))}>${timeOfDay(timeOf(entry))}</time>
  <span class=${`letter ${classOf(entry.level)}`} aria-label=${sayWord("level", entry.level)}>${sayWord("level", entry.level)[0].toUpperCase()}</span>
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

/** What came between two lines and is not shown here has a page of its own. @param {{missing: number, newer: Entry, older?: Entry, filters: Chosen}} props */
function Gap({ missing, newer, older, filters }) {
  const until = new Date(Date.parse(timeOf(newer)) + 1).toISOString();
  const span = { ...filters, since: older ? timeOf(older) : filters.since, until };
  return html`<p class="gap">${say("log.gap", { n: missing })} <a href=${linkTo(["log"], span)}>${say("log.gap.show")}</a></p>`;
}

const NAMES = ["level", "q", "request_id", "since", "until"];

/** The newest entry is read before the list: the stream goes on behind it, so that nothing is lost between the two. @param {import("../pages.js").PageProps} props */
export function Log({ place }) {
  const filters = Object.fromEntries(NAMES.map((name) => [name, place.filters[name]]));
  return html`<${Reader} key=${JSON.stringify(filters)} place=${place} filters=${filters} />`;
}

/** @param {{place: import("../route.js").Place, filters: Chosen}} props */
function Reader({ place, filters }) {
  const { data, error, again } = useData(["/logs?limit=1"]);
  return html`
    ${data ? html`<${Lines} after=${data[0].entries[0]?.id ?? 0} place=${place} filters=${filters} />`
      : html`<${Pending} title=${say("log.title")} error=${error} again=${again} />`}`;
}

/** @param {{after: number, place: import("../route.js").Place, filters: Chosen}} props */
function Lines({ after, place, filters }) {
  const { since, until } = filters;
  const [isHeld, hold] = useState(false);
  const [isAway, setAway] = useState(false);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const isPaused = isHeld || isAway;
  const list = useList("/logs", { limit: String(FIRST), ...filters }, "entries");
  const stream = useStream(after, filters, isPaused);
  const kept = /** @type {Entry[] | null} */ (list.rows);
  const seen = new Set(kept?.map((entry) => entry.id));
  const live = stream.entries.filter((entry) => !seen.has(entry.id));
  const entries = kept && [...live, ...kept];
  const pick = (/** @type {Chosen} */ change) => go(linkTo(["log"], { ...filters, ...change }), true);
  function goOn() {
    hold(!isPaused);
    setAway(false);
    if (isPaused && box.current) box.current.scrollTop = 0;
  }
  const standing = say(until ? "log.past" : isPaused ? "log.paused" : stream.isLive ? "log.live" : "list.loading");
  return html`
    <${Head} title=${say("log.title")} says=${standing} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Filters} place=${place} fields=${[
      { name: "q", label: say("log.text") },
      { name: "level", label: say("log.level"), words: LEVELS.map((word) => [word, sayWord("level", word)]) },
      { name: "request_id", label: say("audit.request") },
      ...timeFields(),
    ]} />
    <p><button type="button" aria-pressed=${isPaused} onClick=${goOn}>${say(isPaused ? "log.resume" : "log.pause")}</button>
      ${" "}<span class="held" role="status">${stream.held > 0 && say("log.held", { n: stream.held })}
        ${stream.held > SHOWN_MAX && html` ${say("log.held.most", { most: SHOWN_MAX })}`}</span></p>
    <div class="card">
      ${entries ? html`<${Histogram} entries=${entries} since=${since} until=${until} isWhole=${!list.hasOlder} onPick=${pick} />
        <div class="log" ref=${box} tabindex="0" role="log" aria-label=${say("log.title")} aria-live="off" onScroll=${(/** @type {any} */ event) => setAway(event.target.scrollTop > 40)}>
          <ol>${live.map(lineOf)}</ol>
          ${stream.missing > 0 && html`<${Gap} missing=${stream.missing} newer=${stream.entries[stream.entries.length - 1]} older=${kept[0]} filters=${filters} />`}
          ${kept.length > 0 && html`<ol>${kept.map(lineOf)}</ol>`}
          ${!entries.length && html`<p class="empty">${say(list.hasOlder ? "list.goes_on" : "log.empty")}</p>`}
          <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />
        </div>` : !list.error && html`<${Skeleton} rows=${10} />`}
    </div>`;
}
