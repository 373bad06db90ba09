// @ts-check
// The keys of herald itself: those that sign tokens of ERPs, and the one that seals what is stored.
import { html } from "../lib/preact.js";
import { ask, useData, useList } from "../api.js";
import { figure, say } from "../lang.js";
import { Deed, ErrorNote, Head, Older, Pending, State, Table, Time, may } from "../parts.js";
import { Facts, Tabs } from "../forms.js";
import { linkTo } from "../route.js";

/** @typedef {import("../types").SigningKey} SigningKey */

/** @type {Record<string, import("../parts.js").Tone>} */
const TONES = { signing: "good", next: "wait", retired: "off", idle: "good", ready: "wait", announced: "wait", sealing: "wait" };

/** @param {string} current */
export const keyTabs = (current) => html`<${Tabs} label=${say("keys.title")} current=${current} rows=${[
  ["keys", say("keys.api"), linkTo(["keys"])],
  ["signing", say("keys.signing"), linkTo(["keys", "signing"])],
  ["secret", say("keys.secret"), linkTo(["keys", "secret"])],
]} />`;

/** @param {{role: string}} props */
export function SigningKeys({ role }) {
  const list = useList("/signing-keys", {}, "keys");
  const withdraw = (/** @type {string} */ kid) => () => ask("POST", `/signing-keys/${encodeURIComponent(kid)}/withdraw`).then(list.again);
  const isAdmin = may(role, "admin");
  /** @type {import("../parts.js").Column[]} */
  const columns = [
    { title: say("keys.kid"), cell: (row) => html`<span class="mono">${row.kid}</span>` },
    { title: say("codes.state"), cell: (row) => html`<${State} tone=${TONES[row.state]}>${say(`keys.state.${row.state}`)}<//>` },
    { title: say("codes.created"), cell: (row) => html`<${Time} at=${row.created_at} />` },
    { title: say("keys.from"), cell: (row) => html`<${Time} at=${row.signs_from} />` },
    { title: say("clients.until"), cell: (row) => html`<${Time} at=${row.signs_until} none="clients.forever" />` },
    ...(isAdmin ? [{ title: say("list.deeds"), cell: (/** @type {SigningKey} */ row) =>
      html`<${Deed} label=${say("keys.withdraw")} ask=${say("keys.withdraw.ask")} word=${row.kid} isBad act=${withdraw(row.kid)} />` }] : []),
  ];
  return html`
    <${Head} title=${say("keys.signing")} says=${say("keys.signing.says")} />
    ${keyTabs("signing")}
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Table} stacks label=${say("keys.signing")} columns=${columns} rows=${list.rows} empty=${say("keys.signing.empty")} keyOf=${(/** @type {SigningKey} */ row) => row.kid} goesOn=${list.hasOlder} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />
    ${isAdmin && html`<div class="card deeds after narrow"><${Deed} label=${say("keys.next")} ask=${say("keys.next.ask")} act=${() => ask("POST", "/signing-keys/rotate").then(list.again)} /></div>`}`;
}

/** @param {{role: string}} props */
export function SecretKey({ role }) {
  const { data, error, again } = useData(["/secret-key"], 3000);
  if (!data) return html`<${Pending} title=${say("keys.secret")} error=${error} again=${again} />`;
  const [key] = data;
  const rotate = () => ask("POST", "/secret-key/rotate").then(again);
  return html`
    <${Head} title=${say("keys.secret")} says=${html`<${State} tone=${TONES[key.state]}>${say(`keys.sealing.${key.state}`)}<//>`} />
    ${keyTabs("secret")}
    <${ErrorNote} error=${error} />
    <div class="thing">
      <${Facts} rows=${[
        [say("keys.kid"), key.key_id && html`<span class="mono">${key.key_id}</span>`],
        key.next_key_id && [say("keys.coming"), html`<span class="mono">${key.next_key_id}</span>`],
        key.old_key_id && [say("keys.earlier"), html`<span class="mono">${key.old_key_id}</span>`],
        key.since && [say("channels.since"), html`<${Time} at=${key.since} />`],
        key.columns_total > 0 && [say("keys.columns"), say("keys.columns.of", { done: figure(key.columns_done), all: figure(key.columns_total) })],
      ].filter(Boolean)} />
      ${may(role, "admin") && html`<div class="card deeds"><${Deed} label=${say("keys.reseal")} ask=${say("keys.reseal.ask")} act=${rotate} /></div>`}
    </div>
    <p class="quiet after">${say("keys.secret.help")}</p>`;
}
