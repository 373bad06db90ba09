// @ts-check
// The messenger accounts that phones operate, and since when one is away.
import { html } from "../lib/preact.js";
import { say } from "../lang.js";
import { Table, Time } from "../parts.js";
import { linkTo } from "../route.js";
import { StateOf } from "../states.js";

/** @typedef {import("../types").Device} Device */

/** A time, if it is one. @param {{at: string | null}} props */
export const Since = ({ at }) => (at ? html`<${Time} at=${at} />` : html`<span class="quiet">—</span>`);

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("fleet.phone"), cell: ({ device }) => html`<a href=${linkTo(["fleet", device.id])}>${device.name}</a>` },
  { title: say("fleet.account"), cell: ({ account }) => account.account_id },
  { title: say("fleet.state"), cell: ({ account }) => html`<${StateOf} group="messenger" word=${account.state} />` },
  { title: say("fleet.gone"), cell: ({ account }) => html`<${Since} at=${account.gone_since} />` },
];

/** @param {Device[]} devices */
const listAccounts = (devices) => devices.flatMap((device) => device.accounts.map((account) =>
  ({ id: device.id + account.account_id, device, account })));

/** Those of a phone that has some. @param {{device: Device}} props */
export const Accounts = ({ device }) => device.accounts.length > 0 && html`<h2>${say("fleet.accounts")}</h2>
  <${Table} label=${say("fleet.accounts")} columns=${columns.slice(1)} rows=${listAccounts([device])} empty="" />`;

/** Those that are away, if there are any. @param {{devices: Device[]}} props */
export function GoneAccounts({ devices }) {
  const gone = listAccounts(devices).filter(({ account }) => account.gone_since);
  return gone.length > 0 && html`<h2>${say("fleet.accounts.gone")}</h2>
    <${Table} label=${say("fleet.accounts.gone")} columns=${columns} rows=${gone} empty="" />`;
}
