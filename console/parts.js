// @ts-check
// What the pages are made of.
import { html, useEffect, useRef, useState } from "./lib/preact.js";
import { ago, exactTime, plain, say } from "./lang.js";
import { ApiError } from "./api.js";
import { tellTitle } from "./crumbs.js";

const SHAPES = {
  good: html`<circle cx="5" cy="5" r="4.5" fill="var(--good-fill)" />`,
  wait: html`<path d="M5 0.5 9.5 9.5H0.5Z" fill="var(--wait-fill)" />`,
  bad: html`<path d="M0.5 0.5h9v9h-9z" fill="var(--bad-fill)" />`,
  off: html`<circle cx="5" cy="5" r="3.7" fill="none" stroke="var(--off)" stroke-width="1.5" />`,
};

/** @typedef {keyof typeof SHAPES} Tone */

/** A shape alone. @param {{tone: Tone}} props */
export const Shape = ({ tone }) => html`<svg viewBox="0 0 10 10" aria-hidden="true">${SHAPES[tone]}</svg>`;

/** A state has a shape and a word, not only a colour. @param {{tone: Tone, children?: unknown}} props */
export const State = ({ tone, children }) =>
  html`<span class=${`state ${tone}`}><${Shape} tone=${tone} /><span>${children}</span></span>`;

/** A time says how long ago; the exact one is behind it. @param {{at: string | null, none?: string}} props */
export function Time({ at, none = "time.never" }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 10e3);
    return () => clearInterval(timer);
  }, []);
  if (!at) return html`<span class="quiet">${say(none)}</span>`;
  return html`<time class="nowrap" datetime=${at} title=${exactTime(at)}>${ago(at)}</time>`;
}

/** Whether a text was copied just now, and what copies it. @param {string} text @returns {[boolean, () => Promise<void>]} */
export function useCopy(text) {
  const [isCopied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  }
  return [isCopied, copy];
}

/** An id is shortened in its middle; a click copies it. @param {{id: string}} props */
export function Id({ id }) {
  const [isCopied, copy] = useCopy(id);
  const short = id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
  return html`<button type="button" class="plain mono" title=${say("copy.id", { id })} onClick=${copy}>
    ${isCopied ? say("copy.done") : short}</button>`;
}

/** The title is the question; the sentence behind it answers it. @param {{title: string, says?: unknown}} props */
export function Head({ title, says }) {
  useEffect(() => {
    document.title = `${plain(title)} · herald`;
    tellTitle(title);
  }, [title]);
  return html`<div class="head"><h1>${title}</h1><span class="says">${says}</span></div>`;
}

/** What happened, what was not lost, what to do. @param {{error: ApiError | null, again?: () => void}} props */
export function ErrorNote({ error, again }) {
  if (!error) return null;
  return html`<div class="error" role="alert">
    <p>${sentenceOf(error)}</p>
    ${error.requestId && html`<p class="quiet">${say("error.request")} <${Id} id=${error.requestId} /></p>`}
    ${again && html`<button type="button" onClick=${again}>${say("error.retry")}</button>`}
  </div>`;
}

/** @param {ApiError} error */
export function sentenceOf(error) {
  if (!(error instanceof ApiError)) return /** @type {Error} */ (error).message;
  if (error.status === 0) return say("error.offline");
  if (error.status === 404) return say("error.missing");
  if (error.code === "insufficient_role") return say("error.role", { role: say(`frame.role.${error.role}`) });
  if (error.code === "number_taken" && error.number) return say("error.number", { number: error.number });
  if (error.status === 429) return say("error.slow", { seconds: error.retryAfter });
  if (error.faults.length) return error.faults.map((fault) => `${fault.path ? `${fault.path}: ` : ""}${fault.message}`).join(" ");
  return say("error.any", { message: error.message });
}

/** Holds the place of rows that are on their way. @param {{rows?: number}} props */
export const Skeleton = ({ rows = 6 }) =>
  html`<div role="status" aria-label=${say("list.loading")}>${Array.from({ length: rows }, () => html`<div class="skeleton" />`)}</div>`;

/**
 * @typedef {{title: string, cell: (row: any) => unknown, isNumber?: boolean}} Column
 * @param {{label: string, columns: Column[], rows: any[] | null, empty: string, keyOf?: (row: any) => string, stacks?: boolean, goesOn?: boolean}} props
 * A page of a list may be empty and older ones not: then `goesOn`, and the sentence says so.
 * With `stacks` a narrow screen has the cells of a row one below the other.
 */
export function Table({ label, columns, rows, empty, keyOf = (row) => row.id, stacks, goesOn }) {
  if (!rows) return html`<div class="card"><${Skeleton} /></div>`;
  if (rows.length === 0) return html`<div class="card"><p class="empty">${goesOn ? say("list.goes_on") : empty}</p></div>`;
  return html`<div class="card scroll" tabindex="0" role="region" aria-label=${label}>
    <table class=${stacks ? "stacks" : ""}>
      <thead><tr>${columns.map((column) => html`<th scope="col" class=${column.isNumber ? "number" : ""}>${column.title}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${keyOf(row)}>
        ${columns.map((column) => html`<td class=${column.isNumber ? "number" : ""} data-title=${column.title}>${column.cell(row)}</td>`)}
      </tr>`)}</tbody>
    </table>
  </div>`;
}

/** A list that is not newest first has another word. @param {{hasOlder: boolean, loadOlder: () => void, word?: string}} props */
export const Older = ({ hasOlder, loadOlder, word = "list.older" }) =>
  hasOlder && html`<div class="more"><button type="button" onClick=${loadOlder}>${say(word)}</button></div>`;

/**
 * A choice that is a filter in the URL.
 * @param {{name: string, label: string, value?: string, words: [string, string][], isRequired?: boolean, onPick: (value: string) => void}} props
 */
export const Choice = ({ name, label, value, words, isRequired, onPick }) => html`<div>
  <label for=${`filter-${name}`}>${label}</label>
  <select id=${`filter-${name}`} value=${value ?? ""} onChange=${(/** @type {any} */ event) => onPick(event.target.value)}>
    ${!isRequired && html`<option value="">${say("list.any")}</option>`}
    ${words.map(([word, text]) => html`<option value=${word}>${text}</option>`)}
  </select>
</div>`;

let ids = 0;
/** An id for a field and its label, the same as long as the component lives. */
export function useId() {
  const [id] = useState(() => `field-${ids++}`);
  return id;
}

/**
 * Something that can be done: it asks once, says what it will do, and shows the result. What the state
 * of the thing forbids is grey, with the reason. What is dangerous wants a word typed, such as a name.
 * `act` gets what was picked of `choice`, and may return a sentence that says what came of it.
 * What is done `isOnce` cannot be done again: the button stays grey until its page knows.
 * @param {{label: string, ask: string, forbidden?: string | false, isBad?: boolean, isOnce?: boolean, word?: string,
 *   choice?: {label: string, value: string, words: [string, string][]}, act: (picked: string) => Promise<unknown>}} props
 */
export function Deed({ label, ask, forbidden, isBad, isOnce, word, choice, act }) {
  const [typed, setTyped] = useState("");
  const [picked, pick] = useState(choice?.value ?? "");
  const [done, setDone] = useState("");
  const field = useId();
  const choices = useId();
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [isUsed, setUsed] = useState(false);
  const isRunning = useRef(false);
  const [error, setError] = useState(/** @type {ApiError | null} */ (null));
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const first = useRef(/** @type {HTMLElement | null} */ (null));
  const wasAsking = useRef(false);
  /* Who works by keys is not lost when the one takes the place of the other. */
  useEffect(() => {
    if (isAsking) first.current?.focus();
    else if (wasAsking.current) button.current?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  const leaveByEscape = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && !isRunning.current && setAsking(false);
  async function run() {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setError(null);
    try {
      const result = await act(picked);
      setDone(typeof result === "string" ? result : "");
      setTyped("");
      setAsking(false);
      setUsed(Boolean(isOnce));
    } catch (fault) {
      setError(/** @type {ApiError} */ (fault));
    }
    isRunning.current = false;
    setBusy(false);
  }
  if (forbidden) return html`<div><button type="button" disabled>${label}</button><p class="quiet">${forbidden}</p></div>`;
  const begin = () => {
    setDone("");
    setAsking(true);
  };
  if (!isAsking) return html`<button type="button" ref=${button} disabled=${isUsed} onClick=${begin}>${label}</button>${done && html`<p role="status">${done}</p>`}`;
  return html`<div class="confirm" role="group" aria-label=${label} onKeyDown=${leaveByEscape}>
    <p>${ask}</p>
    <${ErrorNote} error=${error} />
    ${choice && html`<label for=${choices}>${choice.label}</label>
      <select id=${choices} value=${picked} onChange=${(/** @type {any} */ event) => pick(event.target.value)}>
        ${choice.words.map(([value, text]) => html`<option value=${value}>${text}</option>`)}</select>`}
    ${word && html`<label for=${field}>${say("action.type", { word })}</label>
      <input id=${field} ref=${first} autocomplete="off" value=${typed} onInput=${(/** @type {any} */ event) => setTyped(event.target.value)} />`}
    <div>
      <button type="button" ref=${word ? undefined : first} disabled=${isBusy || (Boolean(word) && typed.trim() !== plain(word))} class=${isBad ? "bad" : "main"} onClick=${run}>${label}</button>
      <button type="button" disabled=${isBusy} onClick=${() => setAsking(false)}>${say("action.cancel")}</button>
    </div>
  </div>`;
}

const RANKS = ["viewer", "support", "operator", "admin"];
/** Whether a role may do what needs `least`. @param {string} role @param {string} least */
export const may = (role, least) => RANKS.indexOf(role) >= RANKS.indexOf(least);

/** A page whose data is on its way, or does not come. @param {{title: string, error: ApiError | null, again: () => void}} props */
export const Pending = ({ title, error, again }) =>
  html`<${Head} title=${title} /><${ErrorNote} error=${error} again=${again} />${!error && html`<${Skeleton} />`}`;

/** The raw record behind a page. @param {{record: object}} props */
export const Raw = ({ record }) =>
  html`<details><summary>${say("codes.json")}</summary><pre class="card" tabindex="0">${JSON.stringify(record, null, 2)}</pre></details>`;
