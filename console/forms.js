// @ts-check
// Forms of a few fields, what is shown once, and the facts of a thing.
import { html, useState } from "./lib/preact.js";
import { say } from "./lang.js";
import { Head, may, sentenceOf, useId } from "./parts.js";

/**
 * A field of a form: `words` makes a choice of it, the type `checkbox` a yes or no.
 * @typedef {{name: string, label: string, type?: string, words?: [string, string][], value?: string | number, isOptional?: boolean,
 *   min?: number, max?: number, complete?: string, help?: string}} Field
 */

/** @param {{field: Field}} props */
function Entry({ field }) {
  const id = useId();
  const { name, type = "text", value, isOptional, min, max, complete = "off" } = field;
  const bounds = type === "number" ? { min, max } : { minlength: min, maxlength: max };
  const help = field.help && html`<p class="quiet" id=${`${id}-help`}>${field.help}</p>`;
  if (type === "checkbox") return html`<div class="check"><input id=${id} name=${name} type="checkbox" aria-describedby=${help ? `${id}-help` : undefined} />
    <div><label for=${id}>${field.label}</label>${help}</div></div>`;
  return html`<div>
    <label for=${id}>${field.label}</label>
    ${field.words
      ? html`<select id=${id} name=${name}>${field.words.map(([word, text]) => html`<option value=${word} selected=${word === value}>${text}</option>`)}</select>`
      : html`<input id=${id} name=${name} type=${type} required=${!isOptional} defaultValue=${value ?? ""} autocomplete=${complete}
          aria-describedby=${help ? `${id}-help` : undefined} ...${bounds} />`}
    ${help}
  </div>`;
}

/**
 * Does something with what was entered. What was refused stands below, and what came of it if `act`
 * says so in a sentence.
 * @param {{fields: Field[], button: string, help?: string, act: (values: Record<string, string>) => Promise<unknown>}} props
 */
export function Form({ fields, button, help, act }) {
  const [error, setError] = useState("");
  const [done, setDone] = useState("");
  const [isBusy, setBusy] = useState(false);
  /** @param {any} event */
  async function submit(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const entries = [...new FormData(form)].map(([name, value]) => [name, name.includes("password") ? value : String(value).trim()]);
    setBusy(true);
    setError("");
    setDone("");
    try {
      const result = await act(Object.fromEntries(entries));
      form.reset();
      setDone(typeof result === "string" ? result : "");
    } catch (fault) {
      setError(sentenceOf(/** @type {any} */ (fault)));
    }
    setBusy(false);
  }
  return html`<form class="card form" onSubmit=${submit}>
    ${help && html`<p class="quiet whole">${help}</p>`}
    ${fields.map((field) => html`<${Entry} key=${field.name} field=${field} />`)}
    <div class="whole"><button class="main" disabled=${isBusy}>${button}</button></div>
    ${error && html`<p class="error whole" role="alert">${error}</p>`}
    ${done && html`<p class="whole" role="status">${done}</p>`}
  </form>`;
}

/** @param {{text: string}} props */
function Copy({ text }) {
  const [isCopied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  }
  return html`<button type="button" onClick=${copy}>${say(isCopied ? "copy.done" : "copy.text")}</button>`;
}

/** A secret is shown this once. @param {{help: string, rows: [string, string][], onClose: () => void}} props */
export const Once = ({ help, rows, onClose }) => html`<div class="card once" role="status">
  <p>${help}</p>
  ${rows.map(([name, value]) => html`<div class="copied"><span class="quiet">${name}</span><code class="breaks">${value}</code><${Copy} text=${value} /></div>`)}
  <div><button type="button" class="main" onClick=${onClose}>${say("once.close")}</button></div>
</div>`;

/** What a thing is. @param {{rows: [string, unknown][]}} props */
export const Facts = ({ rows }) => html`<dl class="card facts">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value ?? html`<span class="quiet">—</span>`}</dd>`)}</dl>`;

/** Parts of a section. @param {{label: string, current: string, rows: [string, string, string][]}} props */
export const Tabs = ({ label, current, rows }) => html`<nav class="tabs" aria-label=${label}>
  ${rows.map(([name, text, link]) => html`<a key=${name} href=${link} aria-current=${name === current ? "page" : undefined}>${text}</a>`)}
</nav>`;

/** A page that wants a role: who has it not is told so. @param {{role: string, least: string, title: string, children?: unknown}} props */
export function Guarded({ role, least, title, children }) {
  if (may(role, least)) return children;
  return html`<${Head} title=${title} /><div class="error" role="alert"><p>${say("error.role", { role: say(`frame.role.${least}`) })}</p></div>`;
}

/** What was entered as a list. @param {string} text */
export const listOf = (text) => text.split(/[,;\n]/).map((part) => part.trim()).filter(Boolean);

/** For how long, in seconds, an old secret stays good beside a new one. @returns {[string, string][]} */
export const overlaps = () => [["0", say("overlap.none")], ["3600", say("overlap.hour")], ["86400", say("overlap.day")]];
