// @ts-check
// The ways out: whether each can send, what waits in it, and how its provider is set up.
import { html } from "../lib/preact.js";
import { useData } from "../api.js";
import { figure, say, sayWord } from "../lang.js";
import { ErrorNote, Head, Pending, State, Table, Time } from "../parts.js";
import { Facts } from "../forms.js";
import { linkTo } from "../route.js";
import { SettingTable } from "./settings.js";

/** @typedef {import("../types").Channel} Channel */

const EVERY_MS = 5000;
/** What the settings of each channel begin with. @type {Record<string, string[]>} */
const PREFIXES = {
  sms: ["HERALD_SMS_", "HERALD_SIM_"],
  flash_call: ["HERALD_FLASH_", "HERALD_UCALLER_"],
  messenger_gateway: ["HERALD_TELEGRAM_GATEWAY_"],
  messenger_bot: ["HERALD_TELEGRAM_BOT_"],
  personal_messenger: [],
};

/** @param {Channel} channel @returns {[import("../parts.js").Tone, string]} */
function stateOf({ configured, circuit, ready_sims, connected_accounts }) {
  if (!configured) return ["off", say("channels.off")];
  if (circuit?.state === "open") return ["bad", say("channels.open")];
  if (circuit?.state === "half_open") return ["wait", say("channels.half_open")];
  if (ready_sims === 0) return ["bad", say("channels.nosim")];
  if (connected_accounts === 0) return ["off", say("channels.noaccount")];
  return ["good", say("channels.serves")];
}

/** @param {{channel: Channel}} props */
const ChannelState = ({ channel }) => {
  const [tone, word] = stateOf(channel);
  return html`<${State} tone=${tone}>${word}<//>`;
};

/** @param {number} count */
const upTo = (count) => (count >= 1000 ? `${figure(1000)}+` : figure(count));

/** What sends there: a driver, or phones. @param {Channel} channel */
const driverOf = ({ driver, circuit }) => driver ?? say(circuit ? "channels.nodriver" : "channels.byphones");

/** Since when a channel does not serve, why, and when it is tried again. @param {Channel} channel */
function whyNot({ configured, circuit }) {
  if (!configured || !circuit || circuit.state === "closed") return "";
  return html`${circuit.last_error ?? ""} ${circuit.since && html`<${Time} at=${circuit.since} />`}
    ${circuit.next_probe_at && html`<br />${say("channels.probe")}: <${Time} at=${circuit.next_probe_at} />`}`;
}

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("codes.channel"), cell: (row) => html`<a href=${linkTo(["channels", row.channel])}>${sayWord("channel", row.channel)}</a>` },
  { title: say("codes.state"), cell: (row) => html`<${ChannelState} channel=${row} />` },
  { title: say("channels.waiting"), isNumber: true, cell: (row) => upTo(row.waiting) },
  { title: say("channels.way"), isNumber: true, cell: (row) => upTo(row.under_way) },
  { title: say("channels.success"), cell: (row) => html`<${Time} at=${row.last_success_at} />` },
  { title: say("channels.driver"), cell: (row) => driverOf(row) },
  { title: say("channels.error"), cell: (row) => html`<span class="quiet">${whyNot(row)}</span>` },
];

/** @param {import("../pages.js").PageProps} props */
export function Channels({ place }) {
  const { data, error, again } = useData(["/channels"], EVERY_MS);
  const rows = /** @type {Channel[] | null} */ (data && data[0].channels);
  if (place.path[1]) return html`<${OneChannel} name=${place.path[1]} rows=${rows} error=${error} again=${again} />`;
  const serving = rows?.filter((row) => stateOf(row)[0] === "good").length ?? 0;
  return html`
    <${Head} title=${say("channels.title")} says=${rows && say("channels.says", { n: serving, all: figure(rows.length) })} />
    <${ErrorNote} error=${error} again=${again} />
    <${Table} stacks label=${say("channels.title")} columns=${columns} rows=${rows} empty="" keyOf=${(/** @type {Channel} */ row) => row.channel} />`;
}

/** @param {{channel: Channel}} props */
function Circuit({ channel }) {
  const { circuit, configured } = channel;
  if (!circuit) return html`<p class="quiet">${say("channels.phones")}</p>`;
  if (!configured) return html`<p class="quiet">${say("channels.unset")}</p>`;
  if (circuit.state === "closed") return html`<p class="quiet">${say("channels.closed")}</p>`;
  return html`<p>${say(circuit.state === "open" ? "channels.refuses" : "channels.tries")}</p><${Facts} rows=${[
    [say("channels.since"), html`<${Time} at=${circuit.since} />`],
    [say("channels.error"), circuit.last_error],
    [say("channels.probe"), html`<${Time} at=${circuit.next_probe_at} none="channels.probe.send" />`],
  ]} />`;
}

/** @param {{name: string, rows: Channel[] | null, error: any, again: () => void}} props */
function OneChannel({ name, rows, error, again }) {
  const { data } = useData(["/settings"]);
  const channel = rows?.find((row) => row.channel === name);
  if (!channel) return html`<${Pending} title=${sayWord("channel", name)} error=${error} again=${again} />`;
  const prefixes = PREFIXES[name] ?? [];
  const settings = data && data[0].settings.filter((/** @type {any} */ row) => prefixes.some((prefix) => row.name.startsWith(prefix)));
  return html`
    <${Head} title=${sayWord("channel", name)} says=${html`<${ChannelState} channel=${channel} />`} />
    <${ErrorNote} error=${error} />
    <${Facts} rows=${[
      [say("channels.driver"), driverOf(channel)],
      [say("channels.configured"), say(channel.configured ? "word.yes" : "word.no")],
      [say("channels.waiting"), upTo(channel.waiting)],
      channel.oldest_waiting_at && [say("channels.oldest"), html`<${Time} at=${channel.oldest_waiting_at} />`],
      [say("channels.way"), upTo(channel.under_way)],
      [say("channels.success"), html`<${Time} at=${channel.last_success_at} />`],
      channel.circuit && [say("channels.rate"), channel.rate_limit === null ? say("channels.rate.none") : figure(channel.rate_limit)],
      channel.ready_sims !== null && [say("overview.sims"), html`<a href=${linkTo(["fleet"])}>${figure(channel.ready_sims)}</a>`],
      channel.connected_accounts !== null && [say("channels.accounts"), figure(channel.connected_accounts)],
    ].filter(Boolean)} />
    <h2>${say("channels.circuit")}</h2>
    <${Circuit} channel=${channel} />
    ${prefixes.length > 0 && html`<h2>${say("channels.settings")}</h2><${SettingTable} rows=${settings} />`}`;
}
