// @ts-check
// Where somebody is logged in; each place can be ended.
import { html } from "../lib/preact.js";
import { ask } from "../api.js";
import { say } from "../lang.js";
import { Deed, Table, Time } from "../parts.js";

/** @typedef {import("../types").Session} Session */

/** `path` is that of the sessions. @param {{rows: Session[] | null, path: string, again: () => void}} props */
export function Sessions({ rows, path, again }) {
  const end = (/** @type {Session} */ session) => () => ask("DELETE", `${path}/${session.id}`).then(again);
  /** @type {import("../parts.js").Column[]} */
  const columns = [
    { title: say("operators.begun"), cell: (session) => html`<${Time} at=${session.created_at} />` },
    { title: say("operators.used"), cell: (session) => (session.own ? say("operators.own") : html`<${Time} at=${session.seen_at} />`) },
    { title: say("operators.address"), cell: (session) => session.address },
    { title: say("operators.agent"), cell: (session) => html`<span class="quiet">${session.agent}</span>` },
    { title: say("list.deeds"), cell: (session) => !session.own &&
      html`<${Deed} label=${say("sessions.end")} ask=${say("sessions.end.ask", { address: session.address })} isBad act=${end(session)} />` },
  ];
  return html`<${Table} stacks label=${say("operators.sessions")} columns=${columns} rows=${rows} empty=${say("operators.nowhere")} />`;
}
