// @ts-check
// The funnel: of the codes that were created, how many were sent, delivered and confirmed.
import { html } from "../lib/preact.js";
import { query, useData } from "../api.js";
import { Columns } from "../charts.js";
import { dayAndHour, figure, percent, say, sayWord } from "../lang.js";
import { Choice, ErrorNote, Head, Table } from "../parts.js";
import { Bar } from "../pictures.js";
import { go, linkTo } from "../route.js";

/** @typedef {import("../types").FunnelRow} FunnelRow */

const EVERY_MS = 60e3;
const HOUR_MS = 3600e3;
const BY = ["channel", "number", "prefix", "hour"];
const DAYS = ["1", "7", "31"];

/** @param {FunnelRow} row */
const rateOf = (row) => (row.sent ? Math.min(1, row.confirmed / row.sent) : null);

/** @param {string} by @param {string} key */
function nameOf(by, key) {
  if (key === "other") return say("funnel.other");
  if (by === "channel") return sayWord("channel", key);
  return by === "hour" ? dayAndHour(key) : key;
}

/** @param {string} by @returns {import("../parts.js").Column[]} */
const columnsOf = (by) => [
  { title: say(`funnel.by.${by}`), cell: (row) => html`<span class="nowrap">${nameOf(by, row.key)}</span>` },
  ...["created", "sent", "delivered", "confirmed"].map((step) => ({
    title: say(`funnel.${step}`), isNumber: true, cell: (/** @type {any} */ row) => figure(row[step]),
  })),
  { title: say("funnel.rate"), isNumber: true, cell: (row) => (rateOf(row) === null ? "—" : html`${percent(rateOf(row) ?? 0)}<${Bar} part=${row.confirmed} whole=${row.sent} />`) },
];

/** @param {FunnelRow[]} rows */
function sumOf(rows) {
  const sum = { created: 0, sent: 0, confirmed: 0 };
  for (const row of rows) {
    sum.created += row.created;
    sum.sent += row.sent;
    sum.confirmed += row.confirmed;
  }
  return sum;
}

/** A column for each hour, also where nothing happened. @param {FunnelRow[]} rows @param {number} since @param {number} count */
function hoursOf(rows, since, count) {
  const known = new Map(rows.map((row) => [Date.parse(row.key), row]));
  return Array.from({ length: count }, (_, i) => {
    const at = since + i * HOUR_MS;
    const { created, confirmed } = known.get(at) ?? { created: 0, confirmed: 0 };
    return { at, whole: created, part: confirmed };
  });
}

/** @param {import("../pages.js").PageProps} props */
export function Funnel({ place }) {
  const by = BY.includes(place.filters.by) ? place.filters.by : "channel";
  const days = DAYS.includes(place.filters.days) ? place.filters.days : "1";
  /* The question stays the same within an hour. */
  const until = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const since = until - Number(days) * 24 * HOUR_MS;
  const { data, error, again } = useData([`/figures/funnel${query({ by, since: new Date(since).toISOString(), until: new Date(until).toISOString() })}`], EVERY_MS);
  const rows = /** @type {FunnelRow[] | null} */ (data && data[0].rows);
  const sum = sumOf(rows ?? []);
  const pick = (/** @type {Record<string, string>} */ change) => go(linkTo(["funnel"], { ...place.filters, ...change }), true);
  return html`
    <${Head} title=${say("funnel.title")} says=${rows?.length && by !== "number" ? say("funnel.says", { n: sum.created, rate: sum.sent ? percent(Math.min(1, sum.confirmed / sum.sent)) : "—" }) : ""} />
    <${ErrorNote} error=${error} again=${again} />
    <div class="chips">
      <${Choice} name="by" label=${say("funnel.by")} value=${by} isRequired=${true} onPick=${(/** @type {string} */ value) => pick({ by: value })}
        words=${BY.map((word) => [word, say(`funnel.by.${word}`)])} />
      <${Choice} name="days" label=${say("funnel.days")} value=${days} isRequired=${true} onPick=${(/** @type {string} */ value) => pick({ days: value })}
        words=${DAYS.map((word) => [word, say("funnel.last", { n: Number(word) })])} />
    </div>
    ${by === "hour" && rows?.length ? html`<div class="card"><${Columns} title=${say("funnel.columns")} rows=${hoursOf(rows, since, Number(days) * 24)} /></div>` : null}
    <${Table} label=${say("funnel.title")} columns=${columnsOf(by)} rows=${by === "hour" ? rows?.toReversed() ?? null : rows} empty=${say("funnel.empty")} keyOf=${(/** @type {FunnelRow} */ row) => row.key} />
    <p class="quiet after">${say("funnel.help")}</p>`;
}
