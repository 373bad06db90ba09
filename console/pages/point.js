// @ts-check
// One sales point: how old its catalog is, what waits and failed, whether its ERP answers, and the way
// to its packages, orders and catalog.
import { html } from "../lib/preact.js";
import { ask, useData } from "../api.js";
import { figure, percent, say } from "../lang.js";
import { Deed, ErrorNote, Head, Id, Pending, Raw, State, Table, Time, may } from "../parts.js";
import { linkTo } from "../route.js";
import { columns, keyOf } from "./packages.js";
import { Circuit, TestBadge, toneOfAge } from "./point_parts.js";

/** @typedef {import("../types").Integration} Integration */

const EVERY_MS = 5000;
const LAST = 5;

/** @param {{what: string, figure: unknown, says: unknown, link: string}} props */
const Tile = (props) => html`<a class="card tile" href=${props.link}>
  <div class="what">${props.what}</div><div class="figure">${props.figure}</div><div class="what">${props.says}</div></a>`;

/** Counts end at a thousand. @param {number} count */
const upTo = (count) => (count >= 1000 ? `${figure(1000)}+` : figure(count));

/** @param {{point: Integration}} props */
function Tiles({ point: { id, exchange } }) {
  const packages = (/** @type {string} */ status) => linkTo(["packages"], { integration_id: id, status });
  return html`<div class="tiles">
    <${Tile} what=${say("points.catalog")} link=${linkTo(["catalog", id])}
      figure=${html`<${State} tone=${toneOfAge(exchange.last_snapshot_at)}><${Time} at=${exchange.last_snapshot_at} /><//>`}
      says=${html`${say("points.change")}: <${Time} at=${exchange.last_change_at} />`} />
    <${Tile} what=${say("points.waiting")} link=${packages("accepted")} figure=${upTo(exchange.waiting)} says=${say("points.waiting.says")} />
    <${Tile} what=${say("points.failed")} link=${packages("failed")} figure=${exchange.failed ? html`<${State} tone="bad">${upTo(exchange.failed)}<//>` : figure(0)}
      says=${say(exchange.failed ? "points.failed.says" : "points.failed.none")} />
    <${Tile} what=${say("points.orders")} link=${linkTo(["orders"], { integration_id: id })} figure=${upTo(exchange.orders_waiting)}
      says=${exchange.oldest_order_at ? html`${say("orders.oldest")}: <${Time} at=${exchange.oldest_order_at} />` : say("overview.orders.none")} />
  </div>`;
}

/** @param {{point: Integration}} props */
const Facts = ({ point }) => html`<dl class="card facts">
  <dt>${say("codes.id")}</dt><dd><${Id} id=${point.id} /></dd>
  <dt>${say("points.erp")}</dt><dd><${Circuit} point=${point} /><div class="quiet">${point.erp.base_url}</div>
    ${point.exchange.circuit.last_error && html`<div>${point.exchange.circuit.last_error}</div>`}</dd>
  <dt>${say("points.point")}</dt><dd>${point.point_id}</dd>
  <dt>${say("points.tenant")}</dt><dd>${point.tenant_id}</dd>
  <dt>${say("points.brake")}</dt><dd>${typeof point.max_archive_share === "number" ? say("points.brake.at", { share: percent(point.max_archive_share) }) : say("points.brake.common")}</dd>
  <dt>${say("points.absent")}</dt><dd>${say(point.absent === "keep" ? "points.absent.keep" : "points.absent.remove")}</dd>
  <dt>${say("points.created")}</dt><dd><${Time} at=${point.created_at} /></dd>
</dl>`;

/** @param {{point: Integration, role: string, again: () => void}} props */
function Deeds({ point, role, again }) {
  const change = () => ask("PATCH", `/integrations/${point.id}`, { enabled: !point.enabled }).then(again);
  const verb = point.enabled ? "disable" : "enable";
  const values = { name: point.name, n: point.exchange.orders_waiting };
  return html`<div class="card deeds">
    <a class="button" href=${linkTo(["catalog", point.id])}>${say("points.to.catalog")}</a>
    <a class="button" href=${linkTo(["packages"], { integration_id: point.id })}>${say("points.to.packages")}</a>
    <a class="button" href=${linkTo(["orders"], { integration_id: point.id })}>${say("points.to.orders")}</a>
    <a class="button" href=${linkTo(["refusals", point.id])}>${say("points.to.refusals")}</a>
    <a class="button" href=${linkTo(["clients", point.id])}>${say("nav.clients")}</a>
    ${may(role, "operator") && html`<${Deed} label=${say(`points.${verb}`)} ask=${say(`points.${verb}.ask`, values)} isBad=${point.enabled}
      word=${point.enabled ? point.name : undefined} act=${change} />`}
  </div>`;
}

/** @param {{id: string, role: string}} props */
export function Point({ id, role }) {
  const { data, error, again } = useData([`/integrations/${id}`, `/packages?integration_id=${id}&limit=${LAST}`], EVERY_MS);
  if (!data) return html`<${Pending} title=${say("search.type.integration")} error=${error} again=${again} />`;
  const [point, packages] = data;
  return html`
    <${Head} title=${point.name} says=${html`${TestBadge(point.environment)} ${!point.enabled && html`<${State} tone="off">${say("points.disabled")}<//>`}`} />
    <${ErrorNote} error=${error} />
    <${Tiles} point=${point} />
    <div class="thing after">
      <${Facts} point=${point} />
      <${Deeds} point=${point} role=${role} again=${again} />
    </div>
    <h2>${say("points.packages")}</h2>
    <${Table} label=${say("points.packages")} columns=${columns.filter((_, index) => index !== 1)} rows=${packages.packages} empty=${say("points.nopackages")} keyOf=${keyOf} />
    <${Raw} record=${point} />`;
}
