// @ts-check
import { html } from "../lib/preact.js";
import { useList } from "../api.js";
import { duration, percent, say, sayWord } from "../lang.js";
import { Filters, timeFields } from "../filters.js";
import { ErrorNote, Head, Id, Older, Table, Time, may } from "../parts.js";
import { Guarded } from "../forms.js";
import { linkTo } from "../route.js";
import { StateOf, wordsOf } from "../states.js";
import { Refused } from "../why.js";
import { Code } from "./code.js";
import { NewCode } from "./code_new.js";

const EVERY_MS = 3000;
const CHANNELS = ["sms", "flash_call", "personal_messenger", "messenger_gateway"];

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("codes.created"), cell: (code) => html`<a href=${linkTo(["codes", code.id])}><${Time} at=${code.created_at} /></a>` },
  { title: say("codes.recipient"), cell: (code) => html`<span class="nowrap">${code.recipient ?? say("codes.erased")}</span>` },
  { title: say("codes.channel"), cell: (code) => sayWord("channel", code.channel) },
  { title: say("codes.state"), cell: (code) => html`<${StateOf} group="otp" word=${code.state} />` },
  { title: say("codes.via"), cell: (code) => code.sends.at(-1)?.gateway_number ?? "" },
  { title: say("codes.took"), isNumber: true,
    cell: (code) => (code.confirmed_at ? duration(Date.parse(code.confirmed_at) - Date.parse(code.created_at)) : "") },
  { title: say("codes.id"), cell: (code) => html`<${Id} id=${code.id} />` },
];

/** @param {import("../pages.js").PageProps} props */
export function Codes({ place, operator }) {
  if (place.path[1] === "new") return html`<${Guarded} role=${operator.role} least="admin" title=${say("codes.new")}>
    <${NewCode} channels=${CHANNELS.filter((word) => word !== "personal_messenger")} /><//>`;
  return place.path[1] ? html`<${Code} key=${place.path[1]} id=${place.path[1]} operator=${operator} />` : html`<${CodeList} place=${place} operator=${operator} />`;
}

/** @param {import("../pages.js").PageProps} props */
function CodeList({ place, operator }) {
  const { state, channel, recipient, gateway_number, since, until } = place.filters;
  const list = useList("/otp", { state, channel, recipient, gateway_number, since, until }, "codes", EVERY_MS);
  const { rows } = list;
  const confirmed = rows?.filter((code) => code.state === "confirmed").length ?? 0;
  return html`
    <${Head} title=${say("codes.title")} says=${rows?.length ? say("codes.says", { n: rows.length, rate: percent(confirmed / rows.length) }) : ""} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Filters} place=${place} fields=${[
      { name: "recipient", label: say("codes.recipient") },
      { name: "state", label: say("codes.state"), words: wordsOf("otp") },
      { name: "channel", label: say("codes.channel"), words: CHANNELS.map((word) => [word, sayWord("channel", word)]) },
      { name: "gateway_number", label: say("codes.via") },
      ...timeFields(),
    ]} />
    ${may(operator.role, "admin") && html`<p><a class="button" href=${linkTo(["codes", "new"])}>${say("codes.new")}</a></p>`}
    ${recipient && html`<${Refused} number=${recipient} />`}
    <${Table} label=${say("codes.title")} columns=${columns} rows=${rows} empty=${say("codes.empty")} goesOn=${list.hasOlder} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />`;
}
