// @ts-check
// Messages by a personal messenger, by the bot or by an SMS of an alert: what was sent to whom, and what became of it.
import { html, useState } from "../lib/preact.js";
import { ask, useData, useList } from "../api.js";
import { figure, say, sayWord } from "../lang.js";
import { Filters, timeFields } from "../filters.js";
import { Deed, ErrorNote, Head, Id, Older, Pending, Raw, Table, Time, may } from "../parts.js";
import { linkTo } from "../route.js";
import { StateOf, wordsOf } from "../states.js";
import { Timeline } from "../timeline.js";
import { Refused, WhyMessage } from "../why.js";

/** @typedef {import("../types").Message} Message */

const EVERY_MS = 3000;
const CHANNELS = ["personal_messenger", "messenger_bot", "sms"];

/** A number, or a chat of the bot. @param {Message} message */
const recipientOf = (message) => (message.erased ? say("codes.erased") : String(message.recipient ?? message.chat_id ?? ""));

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("codes.created"), cell: (message) => html`<a href=${linkTo(["messages", message.id])}><${Time} at=${message.created_at} /></a>` },
  { title: say("codes.recipient"), cell: (message) => html`<span class="nowrap">${recipientOf(message)}</span>` },
  { title: say("codes.channel"), cell: (message) => sayWord("channel", message.channel) },
  { title: say("codes.state"), cell: (message) => html`<${StateOf} group="message" word=${message.state} />` },
  { title: say("messages.account"), cell: (message) => message.account_id ?? "" },
  { title: say("messages.error"), cell: (message) => html`<span class="quiet">${message.error ?? ""}</span>` },
  { title: say("codes.id"), cell: (message) => html`<${Id} id=${message.id} />` },
];

/** @param {import("../pages.js").PageProps} props */
export function Messages({ place, operator }) {
  return place.path[1] ? html`<${One} key=${place.path[1]} id=${place.path[1]} role=${operator.role} />` : html`<${List} place=${place} />`;
}

/** @param {{place: import("../route.js").Place}} props */
function List({ place }) {
  const { state, channel, recipient, account_id, chat_id, gateway_number, since, until } = place.filters;
  const list = useList("/messages", { state, channel, recipient, account_id, chat_id, gateway_number, since, until }, "messages", EVERY_MS);
  const { rows } = list;
  const failed = rows?.filter((message) => message.state === "failed").length ?? 0;
  return html`
    <${Head} title=${say("messages.title")} says=${rows?.length ? say("messages.says", { n: rows.length, failed: figure(failed) }) : ""} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Filters} place=${place} fields=${[
      { name: "recipient", label: say("messages.number") },
      { name: "chat_id", label: say("messages.chat") },
      { name: "account_id", label: say("messages.account") },
      { name: "state", label: say("codes.state"), words: wordsOf("message") },
      { name: "channel", label: say("codes.channel"), words: CHANNELS.map((word) => [word, sayWord("channel", word)]) },
      { name: "gateway_number", label: say("codes.via") },
      ...timeFields(),
    ]} />
    ${recipient && html`<${Refused} number=${recipient} />`}
    <${Table} label=${say("messages.title")} columns=${columns} rows=${rows} empty=${say("messages.empty")} goesOn=${list.hasOlder} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />`;
}

/** @param {{id: string, role: string}} props */
function One({ id, role }) {
  const { data, error, again } = useData([`/messages/${id}`, `/messages/${id}/timeline`], EVERY_MS);
  const [shown, setShown] = useState("");
  if (!data) return html`<${Pending} title=${say("search.type.message")} error=${error} again=${again} />`;
  const [message, timeline] = data;
  const recipient = recipientOf(message);
  const reveal = () => ask("POST", `/messages/${id}/reveal`).then((full) => setShown(recipientOf(full)));
  return html`
    <${Head} title=${shown || recipient} says=${html`<${StateOf} group="message" word=${message.state} />`} />
    <${ErrorNote} error=${error} />
    <${WhyMessage} message=${message} />
    <div class="thing">
      <dl class="card facts">
        <dt>${say("codes.id")}</dt><dd><${Id} id=${message.id} /> ${message.test && html`<span class="badge test">${say("codes.test")}</span>`}</dd>
        <dt>${say("codes.channel")}</dt><dd>${sayWord("channel", message.channel)}</dd>
        ${message.account_id && html`<dt>${say("messages.account")}</dt><dd><a href=${linkTo(["messages"], { account_id: message.account_id })}>${message.account_id}</a></dd>`}
        <dt>${say("codes.created")}</dt><dd><${Time} at=${message.created_at} /></dd>
        <dt>${say("messages.changed")}</dt><dd><${Time} at=${message.updated_at} /></dd>
        ${message.error && html`<dt>${say("messages.error")}</dt><dd>${message.error}</dd>`}
      </dl>
      ${may(role, "support") && recipient.includes("*") && html`<div class="card deeds">
        <${Deed} label=${say("messages.reveal")} ask=${say("codes.reveal.ask")} forbidden=${Boolean(shown) && say("codes.reveal.done")} isOnce act=${reveal} /></div>`}
    </div>
    <${Timeline} steps=${timeline.steps} />
    <${Raw} record=${{ message, timeline }} />`;
}
