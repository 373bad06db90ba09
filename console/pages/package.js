// @ts-check
// One package of an ERP: what it did or why it failed, and how to have it tried again.
import { html } from "../lib/preact.js";
import { ask, useData } from "../api.js";
import { figure, percent, say, sayWord, size } from "../lang.js";
import { Deed, ErrorNote, Head, Id, Pending, Raw, Time, may } from "../parts.js";
import { linkTo } from "../route.js";
import { StateOf } from "../states.js";
import { Faults, Warnings } from "./faults.js";
import { TestBadge } from "./point_parts.js";
import { Tallies } from "./tally.js";

/** @typedef {import("../types").Package} PackageRow */
/** @typedef {import("../types").Integration} Integration */

const EVERY_MS = 3000;

/** @param {{row: PackageRow, point: Integration, role: string, path: string, again: () => void}} props */
function Deeds({ row, point, role, path, again }) {
  if (!may(role, "support")) return null;
  const isOver = row.status !== "failed" && row.status !== "retry" && say("packages.retry.not", { state: sayWord("package", row.status) });
  const isBraked = row.status === "failed" && row.last_error === "archive_limit";
  const act = (/** @type {string} */ verb) => () => ask("POST", `${path}/${verb}`).then(again);
  const share = point.max_archive_share;
  return html`<div class="card deeds">
    <${Deed} label=${say("packages.retry")} ask=${say(row.status === "retry" ? "packages.retry.now" : "packages.retry.ask")} forbidden=${isOver} act=${act("retry")} />
    ${row.event_type === "snapshot" && html`<${Deed} label=${say("packages.release")} forbidden=${!isBraked && say("packages.release.not")} isBad word=${point.name}
      ask=${say("packages.release.ask", { name: point.name, share: typeof share === "number" ? percent(share) : say("packages.release.share") })} act=${act("release")} />`}
    ${may(role, "operator") && html`<a class="button" href=${`/console/api/internal/v1${path}/body`} target="_blank" rel="noopener">${say("packages.body", { size: size(row.body_length) })}</a>`}
  </div>`;
}

/** @param {{row: PackageRow}} props */
const Facts = ({ row }) => html`<dl class="card facts">
  <dt>${say("codes.id")}</dt><dd><${Id} id=${row.event_id} /></dd>
  <dt>${say("points.name")}</dt><dd><a href=${linkTo(["points", row.integration_id])}>${row.integration_name}</a> ${TestBadge(row.environment)}</dd>
  <dt>${say("packages.received")}</dt><dd><${Time} at=${row.received_at} /></dd>
  <dt>${say("packages.generated")}</dt><dd><${Time} at=${row.generated_at} /></dd>
  <dt>${say("packages.processed")}</dt><dd><${Time} at=${row.processed_at} none="packages.notyet" /></dd>
  ${row.status !== "applied" && row.next_attempt_at && html`<dt>${say("orders.next")}</dt><dd><${Time} at=${row.next_attempt_at} /></dd>`}
  <dt>${say("packages.attempts")}</dt><dd>${figure(row.attempts)}</dd>
  <dt>${say("packages.receipt")}</dt><dd>${figure(row.receipt)}</dd>
  ${row.progress && html`<dt>${say("packages.going")}</dt><dd>${say("packages.progress", { done: figure(row.progress.rows_done), n: figure(row.progress.rows_all) })}</dd>`}
</dl>`;

/** @param {{point: string, event: string, role: string}} props */
export function Package({ point: id, event, role }) {
  const path = `/integrations/${id}/events/${encodeURIComponent(event)}`;
  const { data, error, again } = useData([path, `/integrations/${id}`], EVERY_MS);
  if (!data) return html`<${Pending} title=${say("search.type.package")} error=${error} again=${again} />`;
  const [row, point] = /** @type {[PackageRow, Integration]} */ (/** @type {unknown} */ (data));
  return html`
    <${Head} title=${say("packages.one", { kind: sayWord("kind", row.event_type), point: row.integration_name })} says=${html`<${StateOf} group="package" word=${row.status} />`} />
    <${ErrorNote} error=${error} />
    <div class="thing">
      <${Facts} row=${row} />
      <${Deeds} row=${row} point=${point} role=${role} path=${path} again=${again} />
    </div>
    ${row.result && html`<${Tallies} result=${row.result} />`}
    ${(row.status === "failed" || row.status === "retry") && html`<${Faults} row=${row} />`}
    ${row.warnings?.length ? html`<${Warnings} rows=${row.warnings} />` : null}
    <${Raw} record=${row} />`;
}
