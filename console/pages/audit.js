// @ts-check
// Who changed what: the two chains of the audit, with filters in the URL.
import { html, useState } from "../lib/preact.js";
import { get, query, useList } from "../api.js";
import { figure, say, sayWord } from "../lang.js";
import { ErrorNote, Head, Id, Older, State, Table, Time } from "../parts.js";
import { Filters } from "../filters.js";
import { Tabs } from "../forms.js";
import { linkTo } from "../route.js";
import { sentences } from "../words.js";
import { verifyChain } from "../chain.js";
import { PAGES } from "./search.js";

/** @typedef {import("../types").AuditRecord} AuditRecord */

const STORES = ["verification", "exchange"];
const KINDS = ["operator", "api_key", "root", "system"];
const ACTION = "deed.";
const DAY_MS = 24 * 3600e3;

/** Pages of things, by the words of the audit. @type {Record<string, (id: string) => string | undefined>} */
const THINGS = {
  operator: (id) => linkTo(["operators", id]),
  api_key: (id) => linkTo(["keys", id]),
  webhook_endpoint: (id) => linkTo(["webhooks", id]),
  package: (id) => linkTo(["packages", id.slice(0, id.indexOf("/")), id.slice(id.indexOf("/") + 1)]),
};

/** @param {string} type @param {string | null} id */
function linkOf(type, id) {
  if (!id) return undefined;
  return THINGS[type]?.(id) ?? PAGES[type]?.({ type: /** @type {any} */ (type), id, title: null, state: null, at: null });
}

/** @param {{actor: AuditRecord["actor"]}} props */
function Actor({ actor }) {
  const link = linkOf(actor.kind, actor.id);
  const kind = say(`audit.kind.${actor.kind}`);
  const name = html`<bdi>${actor.name}</bdi>`;
  return html`${link ? html`<a href=${link}>${name}</a>` : name} ${actor.name !== actor.kind && html`<span class="quiet">${kind}</span>`}`;
}

/** @param {{target: AuditRecord["target"]}} props */
function Target({ target: { type, id } }) {
  const link = linkOf(type, id);
  return html`<span class="quiet">${sayWord("target", type)}</span> ${link ? html`<a href=${link} class="mono nowrap">${short(id ?? "")}</a>` : id && html`<${Id} id=${id} />`}`;
}

/** @param {string} id */
const short = (id) => (id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);

/** @param {{changes: AuditRecord["changes"]}} props */
const Changes = ({ changes }) => changes.length > 0 && html`<ul class="changes">${changes.map(({ field, from, to }) => html`<li>
  <span class="quiet">${field}</span> ${from !== null && html`<del><bdi>${from}</bdi></del> `}${to !== null && html`<ins><bdi>${to}</bdi></ins>`}</li>`)}</ul>`;

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("audit.at"), cell: (row) => html`<${Time} at=${row.at} /><div class="quiet">№ ${figure(row.seq)}</div>` },
  { title: say("audit.actor"), cell: (row) => html`<${Actor} actor=${row.actor} />${row.address && html`<div class="quiet">${row.address}</div>`}` },
  { title: say("audit.action"), cell: (row) => html`${sayWord("deed", row.action)}` },
  { title: say("audit.target"), cell: (row) => html`<${Target} target=${row.target} />` },
  { title: say("audit.changes"), cell: (row) => html`<${Changes} changes=${row.changes} />` },
  { title: say("audit.request"), cell: (row) => row.request_id && html`<a class="mono nowrap" href=${linkTo(["log"], { request_id: row.request_id })}>${short(row.request_id)}</a>` },
];

/** A day of the reader, as the time when it begins. @param {string | undefined} day @param {number} [later] */
const dayBegin = (day, later = 0) => (day ? new Date(Date.parse(`${day}T00:00:00`) + later).toISOString() : undefined);

/** @param {import("../pages.js").PageProps} props */
export function Audit({ place }) {
  const { store = STORES[0], actor, action, target, since, until } = place.filters;
  const filters = { store, actor, action, target, since: dayBegin(since), until: dayBegin(until, DAY_MS) };
  const list = useList("/audit", filters, "records");
  const actions = Object.keys(sentences).filter((key) => key.startsWith(ACTION)).map((key) => key.slice(ACTION.length));
  const words = actions.map((word) => /** @type {[string, string]} */ ([word, sayWord("deed", word)])).sort((a, b) => a[1].localeCompare(b[1]));
  return html`
    <${Head} title=${say("audit.title")} says=${say("audit.says")} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Tabs} label=${say("audit.store")} current=${store} rows=${STORES.map((word) => [word, say(`audit.store.${word}`), linkTo(["audit"], { ...place.filters, store: word })])} />
    <${Filters} place=${place} fields=${[
      { name: "actor", label: say("audit.actor"), hint: say("audit.hint") },
      { name: "action", label: say("audit.action"), words },
      { name: "target", label: say("audit.target"), hint: say("audit.target.hint") },
      { name: "since", label: say("audit.since"), type: "date" },
      { name: "until", label: say("audit.until"), type: "date" },
    ]} />
    <p class="chips">${KINDS.map((kind) => html`<a class="badge" key=${kind} href=${linkTo(["audit"], { ...place.filters, actor: kind })}>${say(`audit.kind.${kind}`)}</a>`)}</p>
    <${Table} stacks label=${say("audit.title")} columns=${columns} rows=${list.rows} empty=${say("audit.empty")} keyOf=${(/** @type {AuditRecord} */ row) => row.hash} goesOn=${list.hasOlder} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />
    <h2>${say("audit.verify")}</h2>
    <${Verify} key=${store} store=${store} />`;
}

/** The browser recomputes every hash of a chain. @param {{store: string}} props */
function Verify({ store }) {
  const [state, setState] = useState(/** @type {import("../chain.js").Verdict | null} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const isBusy = state !== null && !state.isDone;
  const read = (/** @type {string | undefined} */ cursor) => get(`/audit${query({ store, limit: 200, cursor })}`);
  const run = () => verifyChain(read, setState).catch((fault) => {
    setError(fault);
    setState(null);
  });
  return html`<div class="card deeds narrow">
    <p class="quiet">${say("audit.verify.help")}</p>
    <${ErrorNote} error=${error} />
    <div><button type="button" disabled=${isBusy} onClick=${run}>${say("audit.verify.do", { store: say(`audit.store.${store}`) })}</button></div>
    ${state && html`<div role="status">
      ${isBusy && say("audit.verify.busy", { n: state.checked })}
      ${state.isDone && html`<${State} tone=${state.faults.length ? "bad" : "good"}>${state.faults.length ? say("audit.verify.bad", { n: state.faults.length }) : say("audit.verify.good", { n: state.checked })}<//>`}
      <ul>${state.faults.slice(0, 20).map((seq) => html`<li>№ ${figure(seq)}</li>`)}</ul>
      ${state.isDone && state.head && html`<p class="quiet">${say("audit.head", { seq: figure(state.head.seq) })}</p><p class="mono breaks">${state.head.hash}</p>`}
    </div>`}
  </div>`;
}
