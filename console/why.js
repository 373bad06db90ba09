// @ts-check
// Why a code or a message has not arrived, in one sentence, from what the API tells of it and of its channel.
import { html } from "./lib/preact.js";
import { query, useData } from "./api.js";
import { ago, say, sayWord } from "./lang.js";
import { Time } from "./parts.js";
import { linkTo } from "./route.js";

/** @typedef {import("./types").Channel} Channel */
/** @typedef {import("./types").Code} Code */
/** @typedef {import("./types").Message} Message */
/** @typedef {import("./types").SearchResult} SearchResult */

const EVERY_MS = 5000;

/** Why the channel sends nothing now; "" if it does. @param {Channel} channel */
function whyClosed({ configured, circuit, ready_sims, connected_accounts }) {
  const error = circuit?.last_error ?? "";
  if (!configured) return say("why.off");
  if (circuit?.state === "open") return say("why.open", { error, when: circuit.next_probe_at ? ago(circuit.next_probe_at) : "" });
  if (circuit?.state === "half_open") return say("why.half_open", { error });
  if (ready_sims === 0) return say("why.nosim");
  if (connected_accounts === 0) return say("why.noaccount");
  return "";
}

/** Why it still waits in its channel. @param {Channel} channel @param {string} number that of a SIM that is not ready, or "" */
function whyWaiting(channel, number) {
  const closed = whyClosed(channel);
  if (closed) return closed;
  if (number) return say("why.sim", { number });
  if (channel.waiting > 1) return say("why.queue", { n: channel.waiting, when: ago(channel.oldest_waiting_at ?? new Date().toISOString()) });
  return say("why.soon");
}

/** What ended it, or what it waits for once it was taken. @param {Code} code */
function whyOver(code) {
  const last = code.sends.at(-1);
  const error = code.sends.filter((send) => send.error).at(-1)?.error;
  if (code.state === "undelivered") return error ? say("why.failed", { error }) : say("why.failed.silent");
  if (code.state === "expired") return say(last?.state === "queued" || !last ? "why.expired.unsent" : "why.expired", { state: last && sayWord("send", last.state) });
  return say(`why.${code.state}`);
}

/** The SIM of a send, where it is not ready. @param {string | null | undefined} number @param {any[] | null} data */
function silentSim(number, data) {
  const rows = data?.[0]?.devices.flatMap((/** @type {any} */ device) => device.numbers) ?? [];
  const row = rows.find((/** @type {any} */ one) => one.number === number);
  return row && !row.sim_ready ? number : "";
}

/** @param {{children?: unknown, to?: string, title?: string}} props */
const Note = ({ children, to, title = say("why.title") }) => html`<p class="card why" role="status"><b>${title}</b> ${children}
  ${to && html` <a href=${linkTo(["channels", to])}>${say("why.channel")}</a>`}</p>`;

/** @param {{code: Code}} props */
export function WhyCode({ code }) {
  const last = code.sends.at(-1);
  const name = last?.channel ?? code.channel;
  const isWaiting = code.state === "queued" && last?.state !== "claimed";
  const number = isWaiting ? last?.gateway_number : "";
  const channels = useData(isWaiting ? ["/channels"] : [], EVERY_MS).data;
  const phones = useData(number ? [`/devices${query({ q: number })}`] : [], EVERY_MS).data;
  if (code.state === "confirmed") return null;
  if (code.state === "queued" && !isWaiting) return html`<${Note}>${say("why.claimed")}<//>`;
  if (!isWaiting) return html`<${Note}>${whyOver(code)}<//>`;
  const channel = channels?.[0]?.channels.find((/** @type {Channel} */ row) => row.channel === name);
  const error = code.sends.filter((send) => send.error).at(-1)?.error;
  return channel ? html`<${Note} to=${name}>${error && `${say("why.again", { error })} `}${whyWaiting(channel, silentSim(number, phones) ?? "")}<//>` : null;
}

/** @param {{message: Message}} props */
export function WhyMessage({ message }) {
  const isWaiting = message.state === "accepted";
  const channels = useData(isWaiting ? ["/channels"] : [], EVERY_MS).data;
  const channel = channels?.[0]?.channels.find((/** @type {Channel} */ row) => row.channel === message.channel);
  return isWaiting && channel ? html`<${Note} to=${message.channel} title=${say("why.message")}>${whyWaiting(channel, "")}<//>` : null;
}

/** The sentence of a refusal by its code, or its reason. @param {string | null} word */
export const refusalOf = (word) => sayWord("refused", word ?? "");

/** What was refused for a number has no record: the log alone knows it. @param {{number: string}} props */
export function Refused({ number }) {
  const { data } = useData([`/search${query({ q: number })}`], EVERY_MS);
  const rows = data?.[0].results.filter((/** @type {SearchResult} */ row) => row.type === "log") ?? [];
  if (!rows.length) return null;
  return html`<section class="card refused" aria-label=${say("refused.title")}>
    <h2>${say("refused.title")}</h2>
    <ul>${rows.map((/** @type {SearchResult} */ row) => html`<li key=${row.id}><${Time} at=${row.at} /> — ${refusalOf(row.state)}
      ${" "}<a href=${linkTo(["log"], { request_id: row.id })}>${say("refused.log")}</a></li>`)}</ul>
  </section>`;
}
