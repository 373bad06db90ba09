// @ts-check
// Packages of a point that were refused at the door, so that nothing else is stored of them.
import { html } from "../lib/preact.js";
import { useData, useList } from "../api.js";
import { say, sayWord, size } from "../lang.js";
import { ErrorNote, Head, Id, Older, Table, Time } from "../parts.js";
import { linkTo } from "../route.js";

/** @typedef {import("../types").Refusal} Refusal */

const EVERY_MS = 10e3;
const FIRST = 3;

/** @param {{row: Refusal}} props */
function Faults({ row: { faults, more } }) {
  const line = (/** @type {Refusal["faults"][number]} */ fault) => html`<div><span class="mono">${fault.loc}</span> <span class="quiet">${fault.message}</span></div>`;
  return html`${faults.slice(0, FIRST).map(line)}
    ${faults.length > FIRST && html`<details><summary>${say("fault.more", { n: faults.length - FIRST })}</summary>${faults.slice(FIRST).map(line)}</details>`}
    ${more > 0 && html`<div class="quiet">${say("refusals.more", { n: more })}</div>`}`;
}

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("refusals.at"), cell: (row) => html`<${Time} at=${row.refused_at} />` },
  { title: say("packages.kind"), cell: (row) => sayWord("kind", row.event_type) },
  { title: say("refusals.answer"), cell: (row) => html`${row.status} <span class="mono">${row.code}</span>` },
  { title: say("refusals.faults"), cell: (row) => html`<${Faults} row=${row} />` },
  { title: say("refusals.size"), isNumber: true, cell: (row) => (row.body_length === null ? "—" : size(row.body_length)) },
  { title: say("refusals.event"), cell: (row) => (row.event_id ? html`<${Id} id=${row.event_id} />` : "—") },
  { title: say("refusals.log"), cell: (row) => html`<a href=${linkTo(["log"], { request_id: row.request_id })}>${say("nav.log")}</a>` },
];

/** @param {import("../pages.js").PageProps} props */
export function Refusals({ place }) {
  const id = place.path[1] ?? "";
  const list = useList(`/integrations/${id}/refusals`, {}, "refusals", EVERY_MS);
  const { data } = useData([`/integrations/${id}`]);
  return html`
    <${Head} title=${data ? say("refusals.title", { name: data[0].name }) : say("refusals.short")}
      says=${data && html`<a href=${linkTo(["points", id])}>${say("points.to")}</a>`} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Table} label=${say("refusals.short")} columns=${columns} rows=${list.rows} empty=${say("refusals.empty")} goesOn=${list.hasOlder} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />`;
}
