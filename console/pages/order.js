// @ts-check
// One order: where its document is, what was tried, and how to have it tried again.
import { html, useState } from "../lib/preact.js";
import { ask, useData, useList } from "../api.js";
import { duration, figure, say, sayWord } from "../lang.js";
import { Deed, ErrorNote, Head, Id, Older, Pending, Raw, Table, Time, may } from "../parts.js";
import { linkTo } from "../route.js";
import { StateOf } from "../states.js";
import { Timeline } from "../timeline.js";
import { Circuit } from "./point_parts.js";

/** @typedef {import("../types").Order} OrderRow */

const EVERY_MS = 3000;
/** Why a state forbids that the order is tried now. @type {Record<string, string>} */
const FORBIDDEN = { accepted: "orders.retry.accepted", delivering: "orders.retry.delivering" };

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("orders.attempt"), isNumber: true, cell: (attempt) => figure(attempt.attempt) },
  { title: say("orders.begun"), cell: (attempt) => html`<${Time} at=${attempt.started_at} />` },
  { title: say("orders.took"), isNumber: true, cell: (attempt) => duration(attempt.duration_ms) },
  { title: say("orders.answer"), isNumber: true, cell: (attempt) => attempt.status ?? "—" },
  { title: say("orders.outcome"), cell: (attempt) => sayWord("outcome", attempt.outcome) },
  { title: say("orders.why"), cell: (attempt) => html`<span class="quiet">${attempt.error ?? ""}</span>` },
];

/** @param {{attempt: number}} attempt */
const numberOf = ({ attempt }) => attempt;

/** @param {{id: string}} props */
function Attempts({ id }) {
  const list = useList(`/orders/${id}/attempts`, {}, "attempts", EVERY_MS, numberOf);
  return html`<h2>${say("orders.attempts")}</h2><${ErrorNote} error=${list.error} again=${list.again} />
    <${Table} label=${say("orders.attempts")} columns=${columns} rows=${list.rows} empty=${say("orders.attempts.none")}
      keyOf=${numberOf} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} word="list.next" />`;
}

/** @param {{order: OrderRow, role: string, again: () => void, onReveal: (customer: {name: string, phone: string}) => void}} props */
function Deeds({ order, role, again, onReveal }) {
  if (!may(role, "support")) return null;
  const forbidden = FORBIDDEN[order.state] && say(FORBIDDEN[order.state]);
  const gone = order.erased ? say("orders.erased") : order.state === "accepted" && say("orders.reveal.gone");
  const retry = () => ask("POST", `/orders/${order.id}/retry`).then(again);
  const reveal = () => ask("POST", `/orders/${order.id}/reveal`).then((full) => onReveal(full.customer));
  return html`<div class="card deeds">
    <${Deed} label=${say("orders.retry")} ask=${say("orders.retry.ask", { n: figure(order.attempts + 1) })} forbidden=${forbidden} act=${retry} />
    <${Deed} label=${say("orders.reveal")} ask=${say("codes.reveal.ask")} forbidden=${gone} act=${reveal} />
  </div>`;
}

/** @param {{order: OrderRow, point: import("../types").Integration, customer: {name: string, phone: string} | null}} props */
const Facts = ({ order, point, customer }) => html`<dl class="card facts">
  <dt>${say("codes.id")}</dt><dd><${Id} id=${order.order_id} /></dd>
  <dt>${say("points.name")}</dt><dd><a href=${linkTo(["points", point.id])}>${point.name}</a> <${Circuit} point=${point} /></dd>
  <dt>${say("orders.number")}</dt><dd>${[order.erp_number, order.erp_order_id].filter(Boolean).join(", ") || "—"}</dd>
  ${customer && html`<dt>${say("orders.customer")}</dt><dd>${customer.name} ${customer.phone}</dd>`}
  <dt>${say("orders.taken")}</dt><dd><${Time} at=${order.created_at} /></dd>
  <dt>${say("orders.attempts")}</dt><dd>${figure(order.attempts)}</dd>
  ${order.next_attempt_at && html`<dt>${say("orders.next")}</dt><dd>${order.circuit ? say("orders.next.erp") : html`<${Time} at=${order.next_attempt_at} />`}</dd>`}
  ${order.known_products && html`<dt>${say("orders.known")}</dt><dd>${say("orders.known.of", { known: figure(order.known_products.known), n: figure(order.known_products.of) })}</dd>`}
  ${order.last_error && html`<dt>${say("orders.why")}</dt><dd>${order.last_error}</dd>`}
</dl>`;

/** @param {{id: string, role: string}} props */
export function Order({ id, role }) {
  const { data, error, again } = useData([`/orders/${id}`, `/orders/${id}/timeline`], EVERY_MS);
  const order = data?.[0];
  const home = useData(order ? [`/integrations/${order.integration_id}`] : [], EVERY_MS);
  const [customer, setCustomer] = useState(/** @type {{name: string, phone: string} | null} */ (null));
  const point = home.data?.[0];
  if (!data || !point) return html`<${Pending} title=${say("search.type.order")} error=${error ?? home.error} again=${again} />`;
  return html`
    <${Head} title=${say("orders.one", { id: order.erp_number ?? order.order_id.slice(0, 8) })} says=${html`<${StateOf} group="order" word=${order.state} />`} />
    <${ErrorNote} error=${error} />
    <div class="thing">
      <${Facts} order=${order} point=${point} customer=${customer} />
      <${Deeds} order=${order} role=${role} again=${again} onReveal=${setCustomer} />
    </div>
    <${Attempts} id=${id} />
    <${Timeline} steps=${data[1].steps} />
    <${Raw} record=${{ order, timeline: data[1] }} />`;
}
