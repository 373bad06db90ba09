// @ts-check
// Where events are delivered to.
import { html, useState } from "../lib/preact.js";
import { ask, useData } from "../api.js";
import { say } from "../lang.js";
import { ErrorNote, Head, Table, Time, may } from "../parts.js";
import { Form, Once, listOf } from "../forms.js";
import { linkTo } from "../route.js";
import { EndpointState, Webhook, stateOf } from "./webhook.js";

/** @typedef {import("../types").Endpoint} Endpoint */

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("webhooks.url"), cell: (row) => html`<a class="mono" href=${linkTo(["webhooks", row.id])}>${row.url}</a>` },
  { title: say("codes.state"), cell: (row) => html`<${EndpointState} endpoint=${row} />` },
  { title: say("webhooks.types"), cell: (row) => html`<span class="mono">${row.types.join(", ")}</span>` },
  { title: say("webhooks.description"), cell: (row) => row.description ?? html`<span class="quiet">—</span>` },
  { title: say("codes.created"), cell: (row) => html`<${Time} at=${row.created_at} />` },
];

/** @param {import("../pages.js").PageProps} props */
export function Webhooks({ place, operator }) {
  return place.path[1] ? html`<${Webhook} place=${place} role=${operator.role} />` : html`<${List} role=${operator.role} />`;
}

/** @param {{role: string}} props */
function List({ role }) {
  const { data, error, again } = useData(["/webhook-endpoints"], 10e3);
  const [made, show] = useState(/** @type {{secret: string, url: string} | null} */ (null));
  const rows = data && data[0].endpoints;
  const wrong = rows?.filter((/** @type {Endpoint} */ row) => stateOf(row)[0] !== "good").length ?? 0;
  const create = (/** @type {Record<string, string>} */ { url, types, description, full_numbers }) =>
    ask("POST", "/webhook-endpoints", { url, types: listOf(types), ...(description ? { description } : {}), full_numbers: Boolean(full_numbers) }).then((endpoint) => {
      show(endpoint);
      again();
    });
  return html`
    <${Head} title=${say("webhooks.title")} says=${rows?.length ? say("webhooks.says", { n: rows.length, wrong }) : ""} />
    <${ErrorNote} error=${error} again=${again} />
    ${made && html`<${Once} help=${say("webhooks.once")} rows=${[["secret", made.secret]]} onClose=${() => show(null)} />`}
    <${Table} stacks label=${say("webhooks.title")} columns=${columns} rows=${rows} empty=${say("webhooks.empty")} />
    ${may(role, "operator") && html`<h2>${say("webhooks.add")}</h2><${Form} button=${say("webhooks.add")} act=${create} fields=${[
      { name: "url", label: say("webhooks.url"), type: "url", max: 500, help: say("webhooks.url.help") },
      { name: "types", label: say("webhooks.types"), value: "*", help: say("webhooks.types.help") },
      { name: "description", label: say("webhooks.description"), isOptional: true, max: 200 },
      ...(may(role, "admin") ? [{ name: "full_numbers", label: say("webhooks.full"), type: "checkbox", help: say("webhooks.full.help") }] : []),
    ]} />`}`;
}
