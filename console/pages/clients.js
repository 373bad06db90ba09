// @ts-check
// With what each ERP fetches its tokens: clients of an integration, and their secrets.
import { html, useState } from "../lib/preact.js";
import { ask, useData, useList } from "../api.js";
import { say } from "../lang.js";
import { Deed, ErrorNote, Head, Id, Older, Pending, State, Table, Time, may } from "../parts.js";
import { Facts, Form, Guarded, Once, overlaps } from "../forms.js";
import { Filters } from "../filters.js";
import { linkTo } from "../route.js";
import { ChangePoint, NewPoint } from "./connect.js";

/** @typedef {import("../types").Client} Client */
/** @typedef {import("../types").Credentials} Credentials */

const DAY_S = "86400";

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("points.name"), cell: (point) => html`<a href=${linkTo(["clients", point.id])}>${point.name}</a> ${point.environment === "test" && html`<span class="badge test">${say("frame.test")}</span>`}` },
  { title: say("codes.state"), cell: (point) => html`<${State} tone=${point.enabled ? "good" : "off"}>${say(point.enabled ? "clients.enabled" : "clients.disabled")}<//>` },
  { title: say("points.erp"), cell: (point) => html`<span class="mono">${point.erp.base_url}</span>` },
  { title: say("codes.created"), cell: (point) => html`<${Time} at=${point.created_at} />` },
];

/** @param {import("../pages.js").PageProps} props */
export function Clients({ place, operator }) {
  if (place.path[1] === "new") return html`<${Guarded} role=${operator.role} least="operator" title=${say("connect.title")}><${NewPoint} /><//>`;
  return place.path[1] ? html`<${OfPoint} id=${place.path[1]} role=${operator.role} />` : html`<${Points} place=${place} role=${operator.role} />`;
}

/** @param {{place: import("../route.js").Place, role: string}} props */
function Points({ place, role }) {
  const { q } = place.filters;
  const list = useList("/integrations", { q }, "integrations");
  return html`
    <${Head} title=${say("clients.title")} says=${say("clients.says")} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Filters} place=${place} fields=${[{ name: "q", label: say("points.name") }]} />
    ${may(role, "operator") && html`<p><a class="button" href=${linkTo(["clients", "new"])}>${say("connect.title")}</a></p>`}
    <${Table} stacks label=${say("clients.title")} columns=${columns} rows=${list.rows} empty=${say("points.empty")} goesOn=${list.hasOlder} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />`;
}

/** @param {{id: string, role: string}} props */
function OfPoint({ id, role }) {
  const { data, error, again } = useData([`/integrations/${id}`, `/integrations/${id}/clients?limit=50`]);
  const [shown, show] = useState(/** @type {Credentials | null} */ (null));
  if (!data) return html`<${Pending} title=${say("clients.title")} error=${error} again=${again} />`;
  const [point, { clients }] = data;
  const made = (/** @type {Credentials} */ credentials) => {
    show(credentials);
    again();
  };
  return html`
    <${Head} title=${point.name} says=${say("clients.count", { n: clients.length })} />
    <${ErrorNote} error=${error} />
    ${shown && html`<${Once} help=${say("clients.once")} onClose=${() => show(null)} rows=${rowsOf(shown)} />`}
    <${Facts} rows=${[
      [say("codes.id"), html`<${Id} id=${point.id} /> <a href=${linkTo(["points", point.id])}>${say("clients.page")}</a>`],
      [say("clients.point"), html`<${Id} id=${point.point_id} />`],
      [say("clients.tenant"), html`<${Id} id=${point.tenant_id} />`],
      [say("points.erp"), html`<span class="mono">${point.erp.base_url}${point.erp.order_path}</span>`],
    ]} />
    ${clients.map((/** @type {Client} */ client) => html`<${OneClient} key=${client.client_id} client=${client} role=${role} again=${again} onMade=${made} />`)}
    ${clients.length === 0 && html`<p class="quiet after">${say("clients.empty")}</p>`}
    ${may(role, "operator") && html`<h2>${say("clients.add")}</h2><${NewClient} id=${id} onMade=${made} /><${ChangePoint} point=${point} again=${again} />`}`;
}

/** @param {Credentials} shown @returns {[string, string][]} */
const rowsOf = (shown) => [["client_id", shown.client_id], ["client_secret", shown.client_secret], ...(shown.token_url ? /** @type {[string, string][]} */ ([["token_url", shown.token_url]]) : [])];

/** @param {{id: string, onMade: (made: Credentials) => void}} props */
const NewClient = ({ id, onMade }) => html`<${Form} button=${say("clients.add")} help=${say("clients.add.help")}
  fields=${[{ name: "name", label: say("login.name"), max: 100 }]}
  act=${(/** @type {{name: string}} */ { name }) => ask("POST", `/integrations/${id}/clients`, { name }).then(onMade)} />`;

/** @param {{client: Client, role: string, again: () => void, onMade: (made: Credentials) => void}} props */
function OneClient({ client, role, again, onMade }) {
  const path = `/clients/${client.client_id}`;
  const name = client.name ?? client.client_id;
  const verb = client.enabled ? "disable" : "enable";
  const rotate = (/** @type {string} */ seconds) => ask("POST", `${path}/rotate-secret`, { overlap_seconds: Number(seconds) }).then(onMade);
  const revoke = (/** @type {string} */ secret_id) => () => ask("POST", `${path}/revoke-secret`, { secret_id }).then(again);
  const isOperator = may(role, "operator");
  /** @type {import("../parts.js").Column[]} */
  const secretColumns = [
    { title: say("clients.secret"), cell: (secret) => html`<${Id} id=${secret.id} />` },
    { title: say("codes.created"), cell: (secret) => html`<${Time} at=${secret.created_at} />` },
    { title: say("clients.until"), cell: (secret) => html`<${Time} at=${secret.expires_at} none="clients.forever" />` },
    ...(isOperator ? [{ title: say("list.deeds"), cell: (/** @type {Client["secrets"][number]} */ secret) =>
      html`<${Deed} label=${say("clients.revoke")} ask=${say("clients.revoke.ask", { name })} word=${name} isBad act=${revoke(secret.id)} />` }] : []),
  ];
  return html`<h2>${name}</h2>
    <div class="thing">
      <div>
        <${Facts} rows=${[
          ["client_id", html`<${Id} id=${client.client_id} />`],
          [say("codes.state"), html`<${State} tone=${client.enabled ? "good" : "off"}>${say(client.enabled ? "clients.enabled" : "clients.disabled")}<//>`],
          [say("clients.scopes"), html`<span class="mono">${client.scopes.join(" ")}</span>`],
          [say("codes.created"), html`<${Time} at=${client.created_at} />`],
        ]} />
        <div class="after"><${Table} stacks label=${say("clients.secrets")} columns=${secretColumns} rows=${client.secrets} empty=${say("clients.nosecret")} /></div>
      </div>
      ${isOperator && html`<div class="card deeds">
        <${Deed} label=${say("clients.rotate")} ask=${say("clients.rotate.ask", { name })} choice=${{ label: say("overlap.label"), value: DAY_S, words: overlaps() }} act=${rotate} />
        <${Deed} label=${say(`clients.${verb}`)} ask=${say(`clients.${verb}.ask`, { name })} isBad=${client.enabled} word=${client.enabled ? name : undefined}
          act=${() => ask("PATCH", path, { enabled: !client.enabled }).then(again)} />
      </div>`}
    </div>`;
}
