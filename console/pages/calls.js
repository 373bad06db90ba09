// @ts-check
// Challenges that a customer meets by a call: who has to call which number, and whether the call came.
import { html, useState } from "../lib/preact.js";
import { ask, useData, useList } from "../api.js";
import { duration, percent, say } from "../lang.js";
import { Filters, timeFields } from "../filters.js";
import { Deed, ErrorNote, Head, Id, Older, Pending, Raw, Table, Time, may } from "../parts.js";
import { linkTo } from "../route.js";
import { StateOf, wordsOf } from "../states.js";
import { Timeline } from "../timeline.js";
import { Refused } from "../why.js";

/** @typedef {import("../types").Call} Call */

const EVERY_MS = 3000;

/** @param {Call} call */
const took = (call) => (call.confirmed_at ? duration(Date.parse(call.confirmed_at) - Date.parse(call.created_at)) : "");

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("codes.created"), cell: (call) => html`<a href=${linkTo(["calls", call.id])}><${Time} at=${call.created_at} /></a>` },
  { title: say("calls.caller"), cell: (call) => html`<span class="nowrap">${call.caller ?? say("codes.erased")}</span>` },
  { title: say("calls.number"), cell: (call) => html`<span class="nowrap">${call.gateway_number}</span>` },
  { title: say("codes.state"), cell: (call) => html`<${StateOf} group="call" word=${call.state} />` },
  { title: say("codes.took"), isNumber: true, cell: took },
  { title: say("codes.id"), cell: (call) => html`<${Id} id=${call.id} />` },
];

/** @param {import("../pages.js").PageProps} props */
export function Calls({ place, operator }) {
  return place.path[1] ? html`<${One} key=${place.path[1]} id=${place.path[1]} role=${operator.role} />` : html`<${List} place=${place} />`;
}

/** @param {{place: import("../route.js").Place}} props */
function List({ place }) {
  const { state, recipient, gateway_number, since, until } = place.filters;
  const list = useList("/challenges", { state, recipient, gateway_number, since, until }, "challenges", EVERY_MS);
  const { rows } = list;
  const confirmed = rows?.filter((call) => call.state === "confirmed").length ?? 0;
  return html`
    <${Head} title=${say("calls.title")} says=${rows?.length ? say("codes.says", { n: rows.length, rate: percent(confirmed / rows.length) }) : ""} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Filters} place=${place} fields=${[
      { name: "recipient", label: say("calls.caller") },
      { name: "gateway_number", label: say("calls.number") },
      { name: "state", label: say("codes.state"), words: wordsOf("call") },
      ...timeFields(),
    ]} />
    ${recipient && html`<${Refused} number=${recipient} />`}
    <${Table} label=${say("calls.title")} columns=${columns} rows=${rows} empty=${say("calls.empty")} goesOn=${list.hasOlder} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />`;
}

/** @param {{call: Call, role: string, isShown: boolean, again: () => void, onReveal: (number: string) => void}} props */
function Deeds({ call, role, isShown, again, onReveal }) {
  const isOver = call.state !== "pending" && say("calls.cancel.final");
  const cancel = () => ask("POST", `/challenges/${call.id}/cancel`).then(again);
  const reveal = () => ask("POST", `/challenges/${call.id}/reveal`).then((full) => onReveal(full.caller));
  if (!may(role, "support")) return null;
  return html`<div class="card deeds">
    <${Deed} label=${say("calls.cancel")} ask=${say("calls.cancel.ask")} forbidden=${isOver} isBad isOnce act=${cancel} />
    ${call.caller?.includes("*") && html`<${Deed} label=${say("codes.reveal")} ask=${say("codes.reveal.ask")} forbidden=${isShown && say("codes.reveal.done")} isOnce act=${reveal} />`}
  </div>`;
}

/** @param {{id: string, role: string}} props */
function One({ id, role }) {
  const { data, error, again } = useData([`/challenges/${id}`, `/challenges/${id}/timeline`], EVERY_MS);
  const [number, setNumber] = useState("");
  if (!data) return html`<${Pending} title=${say("search.type.challenge")} error=${error} again=${again} />`;
  const [call, timeline] = data;
  return html`
    <${Head} title=${number || call.caller || say("codes.erased")} says=${html`<${StateOf} group="call" word=${call.state} />`} />
    <${ErrorNote} error=${error} />
    <div class="thing">
      <dl class="card facts">
        <dt>${say("codes.id")}</dt><dd><${Id} id=${call.id} /> ${call.test && html`<span class="badge test">${say("codes.test")}</span>`}</dd>
        <dt>${say("calls.number")}</dt><dd>${call.gateway_number}</dd>
        <dt>${say("codes.created")}</dt><dd><${Time} at=${call.created_at} /></dd>
        <dt>${say("codes.expires")}</dt><dd><${Time} at=${call.expires_at} /></dd>
        <dt>${say("codes.took")}</dt><dd>${took(call) || "—"}</dd>
      </dl>
      <${Deeds} call=${call} role=${role} isShown=${Boolean(number)} again=${again} onReveal=${setNumber} />
    </div>
    <${Timeline} steps=${timeline.steps} />
    <${Raw} record=${{ call, timeline }} />`;
}
