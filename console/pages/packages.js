// @ts-check
// Packages of the ERPs, over all points: what each changed, and which failed and why.
import { html } from "../lib/preact.js";
import { useData, useList } from "../api.js";
import { figure, say, sayWord } from "../lang.js";
import { Filters } from "../filters.js";
import { ErrorNote, Head, Older, Table, Time } from "../parts.js";
import { linkTo } from "../route.js";
import { StateOf, wordsOf } from "../states.js";
import { reasonOf } from "./faults.js";
import { Package } from "./package.js";
import { TestBadge, choosePoints } from "./point_parts.js";
import { Tally } from "./tally.js";

/** @typedef {import("../types").Package} PackageRow */

const EVERY_MS = 5000;

/** What it did, how far it is, or why not. @param {{row: PackageRow}} props */
function Outcome({ row }) {
  if (row.status === "applied") return html`<${Tally} result=${row.result} type=${row.event_type} />`;
  if (row.progress) return say("packages.progress", { done: figure(row.progress.rows_done), n: figure(row.progress.rows_all) });
  return html`<span class="quiet">${row.last_error ? reasonOf(row) : ""}</span>`;
}

/** @type {import("../parts.js").Column[]} */
export const columns = [
  { title: say("packages.received"), cell: (row) => html`<a href=${linkTo(["packages", row.integration_id, row.event_id])}><${Time} at=${row.received_at} /></a>` },
  { title: say("points.name"), cell: (row) => html`<a href=${linkTo(["points", row.integration_id])}>${row.integration_name}</a> ${TestBadge(row.environment)}` },
  { title: say("packages.kind"), cell: (row) => sayWord("kind", row.event_type) },
  { title: say("codes.state"), cell: (row) => html`<${StateOf} group="package" word=${row.status} />` },
  { title: say("packages.outcome"), cell: (row) => html`<${Outcome} row=${row} />` },
  { title: say("packages.attempts"), isNumber: true, cell: (row) => figure(row.attempts) },
];

/** @param {PackageRow} row */
export const keyOf = (row) => `${row.integration_id} ${row.event_id}`;

/** @param {import("../pages.js").PageProps} props */
export function Packages({ place, operator }) {
  const [, point, event] = place.path;
  return event ? html`<${Package} point=${point} event=${event} role=${operator.role} />` : html`<${List} place=${place} />`;
}

/** @param {{place: import("../route.js").Place}} props */
function List({ place }) {
  const { status, event_type, integration_id } = place.filters;
  const list = useList("/packages", { status, event_type, integration_id }, "packages", EVERY_MS, keyOf);
  const { data } = useData(["/integrations?limit=200", "/overview/exchange"], EVERY_MS);
  const overview = data?.[1];
  return html`
    <${Head} title=${say("packages.title")} says=${overview ? say("packages.says", { n: overview.packages_waiting, failed: figure(overview.packages_failed) }) : ""} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Filters} place=${place} fields=${[
      choosePoints(data && data[0].integrations),
      { name: "status", label: say("codes.state"), words: wordsOf("package") },
      { name: "event_type", label: say("packages.kind"), words: ["snapshot", "delta"].map((word) => [word, sayWord("kind", word)]) },
    ]} />
    <${Table} label=${say("packages.title")} columns=${columns} rows=${list.rows} empty=${say("packages.empty")} keyOf=${keyOf} goesOn=${list.hasOlder} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />`;
}
