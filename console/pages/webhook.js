// @ts-check
// One endpoint of webhooks: how it stands, what can be done with it, and what was delivered.
import { html, useState } from "../lib/preact.js";
import { ask, useData, useList } from "../api.js";
import { figure, say, sayWord } from "../lang.js";
import { Deed, ErrorNote, Head, Id, Older, Pending, State, Table, Time, may } from "../parts.js";
import { Filters } from "../filters.js";
import { Facts, Form, Once, listOf, overlaps } from "../forms.js";
import { go, linkTo } from "../route.js";

/** @typedef {import("../types").Endpoint} Endpoint */
/** @typedef {import("../types").Delivery} Delivery */

const EVERY_MS = 5000;
const HOUR_MS = 3600e3;
const DAY_S = "86400";
/** @type {Record<string, import("../parts.js").Tone>} */
const TONES = { pending: "wait", delivered: "good", failed: "bad" };
/** How far back, in hours. */
const BACK = ["1", "24", "168"];

/** @param {Endpoint} endpoint @returns {[import("../parts.js").Tone, string]} */
export function stateOf({ enabled, failing_since }) {
  if (!enabled) return ["off", say("webhooks.disabled")];
  return failing_since ? ["bad", say("webhooks.failing")] : ["good", say("webhooks.serves")];
}

/** @param {{endpoint: Endpoint}} props */
export const EndpointState = ({ endpoint }) => {
  const [tone, word] = stateOf(endpoint);
  return html`<${State} tone=${tone}>${word}<//>`;
};

/** @param {{place: import("../route.js").Place, role: string}} props */
export function Webhook({ place, role }) {
  const id = place.path[1];
  const { data, error, again } = useData([`/webhook-endpoints/${id}`], EVERY_MS);
  const [secret, show] = useState("");
  const endpoint = /** @type {Endpoint | undefined} */ (data?.[0]);
  if (!endpoint) return html`<${Pending} title=${say("webhooks.title")} error=${error} again=${again} />`;
  return html`
    <${Head} title=${endpoint.url} says=${html`<${EndpointState} endpoint=${endpoint} />`} />
    <${ErrorNote} error=${error} />
    ${secret && html`<${Once} help=${say("webhooks.once")} rows=${[["secret", secret]]} onClose=${() => show("")} />`}
    <div class="thing">
      <${Facts} rows=${[
        [say("codes.id"), html`<${Id} id=${endpoint.id} />`],
        [say("webhooks.types"), html`<span class="mono">${endpoint.types.join(", ")}</span>`],
        [say("webhooks.description"), endpoint.description],
        [say("webhooks.full"), say(endpoint.full_numbers ? "word.yes" : "word.no")],
        [say("webhooks.from"), html`<${Time} at=${endpoint.active_from} />`],
        endpoint.failing_since && [say("webhooks.since"), html`<${Time} at=${endpoint.failing_since} />`],
        endpoint.disabled_why && [say("webhooks.why"), endpoint.disabled_why],
        endpoint.old_secret_until && [say("webhooks.old"), html`<${Time} at=${endpoint.old_secret_until} />`],
      ].filter(Boolean)} />
      <${Deeds} endpoint=${endpoint} role=${role} again=${again} onSecret=${show} />
    </div>
    <${Deliveries} place=${place} role=${role} />
    ${may(role, "operator") && html`<${Change} endpoint=${endpoint} again=${again} />`}`;
}

/** @param {{endpoint: Endpoint, role: string, again: () => void, onSecret: (secret: string) => void}} props */
function Deeds({ endpoint, role, again, onSecret }) {
  const path = `/webhook-endpoints/${endpoint.id}`;
  const { url, enabled } = endpoint;
  const verb = enabled ? "disable" : "enable";
  async function test() {
    const { state, status, answer } = await ask("POST", `${path}/test`);
    return say("webhooks.tested", { state: sayWord("delivery", state), answer: [status, answer].filter(Boolean).join(" ") || "—" });
  }
  async function recover(/** @type {string} */ hours) {
    const since = new Date(Date.now() - Number(hours) * HOUR_MS).toISOString();
    const { queued } = await ask("POST", `${path}/recover`, { since });
    return say("webhooks.recovered", { n: queued });
  }
  const rotate = (/** @type {string} */ seconds) => ask("POST", `${path}/rotate-secret`, { overlap_seconds: Number(seconds) }).then((shown) => onSecret(shown.secret));
  if (!may(role, "operator")) return null;
  return html`<div class="card deeds">
    <${Deed} label=${say("webhooks.test")} ask=${say("webhooks.test.ask")} forbidden=${!enabled && say("webhooks.test.off")} act=${test} />
    <${Deed} label=${say("webhooks.recover")} ask=${say("webhooks.recover.ask")} choice=${{ label: say("webhooks.back"), value: "24", words: BACK.map((hours) => [hours, say(`webhooks.back.${hours}`)]) }} act=${recover} />
    <${Deed} label=${say("clients.rotate")} ask=${say("webhooks.rotate.ask")} choice=${{ label: say("overlap.label"), value: DAY_S, words: overlaps() }} act=${rotate} />
    <${Deed} label=${say(`webhooks.${verb}`)} ask=${say(`webhooks.${verb}.ask`)} isBad=${enabled} act=${() => ask("PATCH", path, { enabled: !enabled }).then(again)} />
    <${Deed} label=${say("webhooks.delete")} ask=${say("webhooks.delete.ask", { url })} word=${url} isBad act=${() => ask("DELETE", path).then(() => go(linkTo(["webhooks"])))} />
  </div>`;
}

/** What came back, and what comes next. @param {{row: Delivery}} props */
const Answer = ({ row }) => html`<span class="quiet">${[row.status, row.answer].filter(Boolean).join(" ") || "—"}</span>
  ${row.state === "pending" && row.next_attempt_at && html`<div>${say("webhooks.next")} <${Time} at=${row.next_attempt_at} /></div>`}`;

/** @param {{place: import("../route.js").Place, role: string}} props */
function Deliveries({ place, role }) {
  const { state } = place.filters;
  const path = `/webhook-endpoints/${place.path[1]}/deliveries`;
  const list = useList(path, { state }, "deliveries", EVERY_MS);
  const replay = (/** @type {Delivery} */ row) => () => ask("POST", `${path}/${row.id}/replay`).then(list.again);
  /** @type {import("../parts.js").Column[]} */
  const columns = [
    { title: say("codes.created"), cell: (row) => html`<${Time} at=${row.created_at} />` },
    { title: say("webhooks.type"), cell: (row) => html`<span class="mono">${row.type}</span>` },
    { title: say("codes.state"), cell: (row) => html`<${State} tone=${TONES[row.state]}>${sayWord("delivery", row.state)}<//>` },
    { title: say("webhooks.attempts"), isNumber: true, cell: (row) => figure(row.attempts) },
    { title: say("webhooks.answer"), cell: (row) => html`<${Answer} row=${row} />` },
    { title: say("webhooks.event"), cell: (row) => html`<${Id} id=${row.event_id} />` },
    ...(may(role, "operator") ? [{ title: say("list.deeds"), cell: (/** @type {Delivery} */ row) =>
      html`<${Deed} label=${say("webhooks.replay")} ask=${say("webhooks.replay.ask", { type: row.type })} act=${replay(row)} />` }] : []),
  ];
  return html`<h2>${say("webhooks.deliveries")}</h2>
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Filters} place=${place} fields=${[{ name: "state", label: say("codes.state"), words: Object.keys(TONES).map((word) => [word, sayWord("delivery", word)]) }]} />
    <${Table} stacks label=${say("webhooks.deliveries")} columns=${columns} rows=${list.rows} empty=${say("webhooks.nothing")} goesOn=${list.hasOlder} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />`;
}

/** @param {{endpoint: Endpoint, again: () => void}} props */
function Change({ endpoint, again }) {
  const change = (/** @type {Record<string, string>} */ { url, types, description }) =>
    ask("PATCH", `/webhook-endpoints/${endpoint.id}`, { url, types: listOf(types), ...(description ? { description } : {}) }).then(() => {
      again();
      return say("webhooks.changed");
    });
  return html`<h2>${say("webhooks.change")}</h2><${Form} key=${endpoint.updated_at} button=${say("webhooks.change")} act=${change} fields=${[
    { name: "url", label: say("webhooks.url"), type: "url", value: endpoint.url, max: 500, help: say("webhooks.url.help") },
    { name: "types", label: say("webhooks.types"), value: endpoint.types.join(", "), help: say("webhooks.types.help") },
    { name: "description", label: say("webhooks.description"), value: endpoint.description ?? "", isOptional: true, max: 200 },
  ]} />`;
}
