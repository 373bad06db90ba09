// @ts-check
// The filters above a list: rows of a table, each of them a part of the URL.
import { html, useEffect, useState } from "./lib/preact.js";
import { say } from "./lang.js";
import { Choice } from "./parts.js";
import { go, linkTo } from "./route.js";

/** @typedef {"search" | "date" | "datetime-local"} Type */

const MINUTE_MS = 60e3;
/** A time of the URL, which is UTC, as the field of a reader has it. @param {string} at */
function localOf(at) {
  const time = Date.parse(at);
  return Number.isNaN(time) ? "" : new Date(time - new Date(time).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 19);
}

/** @param {{name: string, label: string, value: string, type?: Type, hint?: string, onPick: (value: string) => void}} props */
function Text({ name, label, value, type = "search", hint, onPick }) {
  const isTime = type === "datetime-local";
  const shown = isTime ? localOf(value) : value;
  const [typed, setTyped] = useState(shown);
  useEffect(() => setTyped(shown), [shown]);
  /** @param {any} event */
  function choose({ target }) {
    onPick(isTime && target.value ? new Date(target.value).toISOString() : target.value);
  }
  /** @param {Event} event */
  function set(event) {
    event.preventDefault();
    if (type === "search") onPick(typed.trim());
  }
  return html`<form onSubmit=${set}>
    <label for=${`filter-${name}`}>${label}</label>
    <input id=${`filter-${name}`} type=${type} step=${isTime ? 1 : undefined} placeholder=${hint} value=${typed}
      onChange=${type !== "search" && choose} onInput=${(/** @type {any} */ event) => setTyped(event.target.value)} />
  </form>`;
}

/** From when to when. @returns {Field[]} */
export const timeFields = () => [
  { name: "since", label: say("list.since"), type: "datetime-local" },
  { name: "until", label: say("list.until"), type: "datetime-local" },
];

/**
 * A field with words is a choice of them, a day or a time is picked; any other is a text, set by Enter.
 * @typedef {{name: string, label: string, words?: [string, string][], type?: Type, hint?: string}} Field
 * @param {{place: import("./route.js").Place, fields: Field[]}} props
 */
export function Filters({ place, fields }) {
  const { path, filters } = place;
  const pick = (/** @type {Record<string, string>} */ change) => go(linkTo(path, { ...filters, ...change }), true);
  return html`<div class="chips">
    ${fields.map(({ name, label, words, type, hint }) => {
      const onPick = (/** @type {string} */ value) => pick({ [name]: value });
      return words
        ? html`<${Choice} key=${name} name=${name} label=${label} value=${filters[name]} words=${words} onPick=${onPick} />`
        : html`<${Text} key=${name} name=${name} label=${label} value=${filters[name] ?? ""} type=${type} hint=${hint} onPick=${onPick} />`;
    })}
    ${fields.some(({ name }) => filters[name]) && html`<a class="button" href=${linkTo(path)}>${say("list.clear")}</a>`}
  </div>`;
}
