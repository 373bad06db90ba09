// @ts-check
// Orders on their way to the ERPs: lanes that wait, the list, and several tried again at once.
import { html, useState } from "../lib/preact.js";
import { ask, useData, useList } from "../api.js";
import { figure, say } from "../lang.js";
import { Filters, timeFields } from "../filters.js";
import { Deed, ErrorNote, Head, Id, Older, Table, Time, may, sentenceOf } from "../parts.js";
import { linkTo } from "../route.js";
import { StateOf, wordsOf } from "../states.js";
import { Circuit, choosePoints } from "./point_parts.js";
import { Order } from "./order.js";

/** @typedef {import("../types").Integration} Integration */
/** @typedef {import("../types").Order} OrderRow */

const EVERY_MS = 3000;
const LANES_EVERY_MS = 10e3;
/** Those that herald does not try any more by itself. */
const STUCK = ["rejected", "failed"];

/** @type {import("../parts.js").Column[]} */
const laneColumns = [
  { title: say("points.name"), cell: (point) => html`<a href=${linkTo(["points", point.id])}>${point.name}</a>` },
  { title: say("orders.waiting"), isNumber: true,
    cell: ({ id, exchange }) => html`<a href=${linkTo(["orders"], { integration_id: id, state: "queued" })}>${figure(exchange.orders_waiting)}</a>` },
  { title: say("orders.oldest"), cell: ({ exchange }) => html`<${Time} at=${exchange.oldest_order_at} none="orders.none" />` },
  { title: say("points.erp"), cell: (point) => html`<${Circuit} point=${point} />` },
  { title: say("orders.why"), cell: ({ exchange }) => html`<span class="quiet">${exchange.circuit.last_error ?? ""}</span>` },
];

/** @param {Integration} point */
const isBusy = ({ enabled, exchange }) => enabled && (exchange.orders_waiting > 0 || exchange.circuit.state !== "closed");
/** An ERP that does not answer comes first, then the longest lane. @param {Integration} a @param {Integration} b */
const byTrouble = (a, b) =>
  Number(b.exchange.circuit.state !== "closed") - Number(a.exchange.circuit.state !== "closed") ||
  b.exchange.orders_waiting - a.exchange.orders_waiting;

/** @param {{points: Integration[] | null}} props */
const Lanes = ({ points }) => html`<h2>${say("orders.lanes")}</h2>
  <${Table} label=${say("orders.lanes")} columns=${laneColumns} rows=${points && points.filter(isBusy).toSorted(byTrouble)} empty=${say("orders.lanes.none")} />`;

/**
 * Tries the chosen ones again, one after another, and says how many went and why others did not.
 * @param {{chosen: OrderRow[], onDone: (result: string) => void}} props
 */
function RetryMany({ chosen, onDone }) {
  async function retry() {
    const reasons = [];
    for (const order of chosen) {
      try {
        await ask("POST", `/orders/${order.id}/retry`);
      } catch (fault) {
        reasons.push(sentenceOf(/** @type {any} */ (fault)));
      }
    }
    const done = say("orders.retried", { n: chosen.length - reasons.length });
    onDone(reasons.length ? `${done} ${say("orders.notretried", { n: reasons.length, why: [...new Set(reasons)].join(" ") })}` : done);
  }
  return html`<div class="card deeds">
    <${Deed} label=${say("orders.retry.many", { n: chosen.length })} ask=${say("orders.retry.many.ask", { n: chosen.length })} act=${retry} /></div>`;
}

/** A box before each order that is stuck. @param {string[]} chosen @param {(ids: string[]) => void} choose @returns {import("../parts.js").Column} */
const boxes = (chosen, choose) => ({
  title: say("orders.choose"),
  cell: (order) => STUCK.includes(order.state) && html`<input type="checkbox" aria-label=${say("orders.choose.one", { id: order.order_id })}
    checked=${chosen.includes(order.id)}
    onChange=${() => choose(chosen.includes(order.id) ? chosen.filter((id) => id !== order.id) : [...chosen, order.id])} />`,
});

/** @param {Integration[] | null} points @returns {import("../parts.js").Column[]} */
const columnsOf = (points) => [
  { title: say("orders.taken"), cell: (order) => html`<a href=${linkTo(["orders", order.id])}><${Time} at=${order.created_at} /></a>` },
  { title: say("points.name"), cell: ({ integration_id: id }) => html`<a href=${linkTo(["points", id])}>${points?.find((point) => point.id === id)?.name ?? id}</a>` },
  { title: say("codes.state"), cell: (order) => html`<${StateOf} group="order" word=${order.state} />` },
  { title: say("orders.attempts"), isNumber: true, cell: (order) => figure(order.attempts) },
  { title: say("orders.document"), cell: (order) => order.erp_number ?? html`<span class="quiet clip" title=${order.last_error}>${order.last_error ?? ""}</span>` },
  { title: say("codes.id"), cell: (order) => html`<${Id} id=${order.id} />` },
];

/** @param {import("../pages.js").PageProps} props */
export function Orders({ place, operator }) {
  return place.path[1] ? html`<${Order} id=${place.path[1]} role=${operator.role} />` : html`<${List} place=${place} role=${operator.role} />`;
}

/** @param {{place: import("../route.js").Place, role: string}} props */
function List({ place, role }) {
  const { state, integration_id, recipient, since, until } = place.filters;
  const list = useList("/orders", { state, integration_id, recipient, since, until }, "orders", EVERY_MS);
  const lanes = useData(["/integrations?limit=200"], LANES_EVERY_MS);
  const [ids, setIds] = useState(/** @type {string[]} */ ([]));
  const [result, setResult] = useState("");
  const points = /** @type {Integration[] | null} */ (lanes.data && lanes.data[0].integrations);
  const waiting = points?.reduce((sum, { exchange }) => sum + exchange.orders_waiting, 0) ?? 0;
  const chosen = list.rows?.filter((order) => ids.includes(order.id) && STUCK.includes(order.state)) ?? [];
  const mayRetry = may(role, "support") && list.rows?.some((order) => STUCK.includes(order.state));
  /** @param {string} text */
  function finish(text) {
    setResult(text);
    setIds([]);
    list.again();
  }
  return html`
    <${Head} title=${say("orders.title")} says=${points ? say("orders.says", { n: waiting }) : ""} />
    <${ErrorNote} error=${list.error ?? lanes.error} again=${list.again} />
    <${Lanes} points=${points} />
    <h2>${say("orders.list")}</h2>
    <${Filters} place=${place} fields=${[
      { name: "recipient", label: say("messages.number") },
      choosePoints(points),
      { name: "state", label: say("codes.state"), words: wordsOf("order") },
      ...timeFields(),
    ]} />
    ${result && html`<p role="status">${result}</p>`}
    ${chosen.length > 0 && html`<${RetryMany} chosen=${chosen} onDone=${finish} />`}
    <${Table} label=${say("orders.list")} columns=${mayRetry ? [boxes(ids, setIds), ...columnsOf(points)] : columnsOf(points)} rows=${list.rows} empty=${say("orders.empty")} goesOn=${list.hasOlder} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />`;
}
