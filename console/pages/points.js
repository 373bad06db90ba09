// @ts-check
// Sales points: whose catalog is old, what waits, and whose ERP does not answer, read at once.
import { html } from "../lib/preact.js";
import { useList } from "../api.js";
import { figure, say } from "../lang.js";
import { Filters } from "../filters.js";
import { ErrorNote, Head, Older, State, Table, Time, may } from "../parts.js";
import { linkTo } from "../route.js";
import { Point } from "./point.js";
import { Circuit, TestBadge, toneOfAge } from "./point_parts.js";

/** @typedef {import("../types").Integration} Integration */

const EVERY_MS = 10e3;
/** @param {number | null | undefined} count */
const Trouble = (count) => (count ? html`<${State} tone="bad">${figure(count)}<//>` : figure(0));

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("points.name"), cell: (point) => html`<a href=${linkTo(["points", point.id])}>${point.name}</a> ${TestBadge(point.environment)}` },
  { title: say("points.snapshot"), cell: ({ exchange }) => html`<${State} tone=${toneOfAge(exchange?.last_snapshot_at)}><${Time} at=${exchange?.last_snapshot_at} /><//>` },
  { title: say("points.change"), cell: ({ exchange }) => html`<${Time} at=${exchange?.last_change_at} />` },
  { title: say("points.waiting"), isNumber: true, cell: ({ exchange }) => figure(exchange?.waiting ?? 0) },
  { title: say("points.failed"), isNumber: true, cell: ({ exchange }) => Trouble(exchange?.failed) },
  { title: say("points.orders"), isNumber: true, cell: ({ exchange }) => figure(exchange?.orders_waiting ?? 0) },
  { title: say("points.erp"), cell: (point) => html`<${Circuit} point=${point} />` },
];

/** What is wrong comes first: an ERP that does not answer, then packages that failed, then an old catalog. @param {Integration} point */
function badness({ exchange, enabled }) {
  if (!enabled) return -1;
  const isOld = toneOfAge(exchange?.last_snapshot_at) === "bad";
  return (exchange?.circuit && exchange.circuit.state !== "closed" ? 4 : 0) + (exchange?.failed ? 2 : 0) + (isOld ? 1 : 0);
}

/** @param {import("../pages.js").PageProps} props */
export function Points({ place, operator }) {
  return place.path[1] ? html`<${Point} id=${place.path[1]} role=${operator.role} />` : html`<${Matrix} place=${place} role=${operator.role} />`;
}

/** @param {{place: import("../route.js").Place, role: string}} props */
function Matrix({ place, role }) {
  const { q } = place.filters;
  const list = useList("/integrations", { q, limit: "200" }, "integrations", EVERY_MS);
  const rows = /** @type {Integration[] | null} */ (list.rows)?.toSorted((a, b) => badness(b) - badness(a) || a.name.localeCompare(b.name)) ?? null;
  const wrong = rows?.filter((point) => badness(point) > 0).length ?? 0;
  return html`
    <${Head} title=${say("points.title")} says=${rows?.length ? say("points.says", { n: rows.length, wrong: figure(wrong) }) : ""} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Filters} place=${place} fields=${[{ name: "q", label: say("points.name") }]} />
    ${may(role, "operator") && html`<p><a class="button" href=${linkTo(["clients", "new"])}>${say("connect.title")}</a></p>`}
    <${Table} label=${say("points.title")} columns=${columns} rows=${rows} empty=${say("points.empty")} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} word="list.next" />`;
}
