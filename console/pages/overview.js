// @ts-check
import { html } from "../lib/preact.js";
import { query, useData } from "../api.js";
import { Spark } from "../charts.js";
import { ago, dayAndHour, figure, percent, say, sayWord } from "../lang.js";
import { ErrorNote, Head, Skeleton, State, Table } from "../parts.js";
import { linkTo } from "../route.js";
import { reasonOf } from "./faults.js";

const EVERY_MS = 5000;
const FIGURES_EVERY_MS = 60e3;
const DAY_HOURS = 24;
const HOUR_MS = 3600e3;
const LIMIT = 200;

/** @typedef {import("../types").Overview} Overview */
/** @typedef {import("../types").ExchangeOverview} ExchangeOverview */
/** @typedef {import("../types").Code} Code */
/** @typedef {import("../types").FiguresHour} FiguresHour */
/** @typedef {Overview["troubles"][number]} Trouble */

/** Where a trouble is seen. @param {Trouble} trouble */
function placeOf({ kind, record }) {
  const id = record.id ?? "";
  if (kind === "package_failed") return linkTo(["packages"], { integration_id: id, status: "failed" });
  if (kind === "package_refused") return linkTo(["refusals", id]);
  if (record.type === "device") return linkTo(["fleet", id]);
  if (record.type === "fleet") return linkTo(["fleet"]);
  if (record.type === "channel") return linkTo(["channels", id]);
  if (record.type === "integration") return linkTo(["points", id]);
  if (record.type === "webhook_endpoint") return linkTo(["webhooks", id]);
  return record.type === "disk" ? linkTo(["settings"]) : linkTo(["settings", "processes"]);
}

/* What stops others is bad; what one point or one phone lacks waits. */
const WAITS = new Set(["sim_silent", "package_failed", "package_refused", "catalog_old", "endpoint_disabled"]);

/** @param {Trouble} trouble @returns {import("../parts.js").Tone} */
export const toneOf = ({ kind }) => (WAITS.has(kind) ? "wait" : "bad");

/** herald tells of packages by a code or a sentence of its own. @param {Trouble} trouble */
function whyOf({ kind, reason }) {
  if (kind === "package_refused") return sayWord("refusal", reason ?? "");
  return kind === "package_failed" ? reasonOf({ last_error: reason }) : reason;
}

/** @param {{trouble: Trouble}} props */
const TroubleLine = ({ trouble: { kind, record, since }, trouble }) => html`<li>
  <${State} tone=${toneOf(trouble)}><a href=${placeOf(trouble)}>${say(`trouble.${kind}`, { name: record.type === "channel" ? sayWord("channel", record.id ?? "") : record.name })}</a><//>
  <div class="quiet">${say("trouble.since", { time: ago(since) })}${trouble.reason && ` ${say("trouble.reason", { reason: whyOf(trouble) })}`} ${say(`trouble.${kind}.help`)}</div></li>`;

/** What needs somebody now, the worst first, as herald says it. @param {{overview: Overview}} props */
function Needs({ overview: { troubles, trouble_count, well_since } }) {
  const more = trouble_count - troubles.length;
  if (!trouble_count) return html`<p class="empty">${say("overview.nothing")}${well_since && ` ${say("overview.nothing.since", { time: ago(well_since) })}`}</p>`;
  return html`<ul class="troubles">${troubles.map((trouble) => html`<${TroubleLine} key=${`${trouble.kind} ${trouble.record.name}`} trouble=${trouble} />`)}</ul>
    ${more > 0 && html`<p class="empty">${say("overview.more", { n: more })}</p>`}`;
}

/** The last 24 hours, and those before. @param {FiguresHour[] | null} hours @param {(hour: FiguresHour) => number | null} value */
const sparkOf = (hours, value) => hours && html`<${Spark} today=${hours.slice(-DAY_HOURS).map(value)} before=${hours.slice(0, -DAY_HOURS).map(value)} />`;

/** @param {FiguresHour} hour */
const rateOf = (hour) => (hour.sent ? Math.min(1, hour.confirmed / hour.sent) : null);

/** @param {{what: string, figure: unknown, says: unknown, link?: string, spark?: unknown}} props */
const Tile = (props) => html`<${props.link ? "a" : "div"} class="card tile" href=${props.link}>
  <div class="what">${props.what}</div><div class="figure">${props.figure}</div><div class="what">${props.says}</div>
  <div class="place">${props.spark}</div>
<//>`;

/** @type {import("../parts.js").Column[]} */
const hourColumns = [
  { title: say("overview.hour"), cell: (hour) => html`<span class="nowrap">${dayAndHour(hour.at)}</span>` },
  { title: say("overview.created"), isNumber: true, cell: (hour) => figure(hour.created) },
  { title: say("overview.rate"), isNumber: true, cell: (hour) => (rateOf(hour) === null ? "—" : percent(rateOf(hour) ?? 0)) },
  { title: say("overview.sims"), isNumber: true, cell: (hour) => (hour.sims_ready === null ? "—" : figure(hour.sims_ready)) },
  { title: say("overview.channels"), isNumber: true, cell: (hour) => (hour.channels_serving === null ? "—" : figure(hour.channels_serving)) },
  { title: say("overview.point_troubles"), isNumber: true, cell: (hour) => (hour.point_troubles === null ? "—" : figure(hour.point_troubles)) },
  { title: say("overview.orders"), isNumber: true, cell: (hour) => (hour.orders_waiting === null ? "—" : figure(hour.orders_waiting)) },
];

/** What the lines of the tiles show. @param {{hours: FiguresHour[]}} props */
const Hours = ({ hours }) => html`<details><summary>${say("overview.hours")}</summary>
  <${Table} label=${say("overview.hours")} columns=${hourColumns} rows=${hours.slice(-DAY_HOURS).reverse()} empty="" keyOf=${(/** @type {FiguresHour} */ hour) => hour.at} /></details>`;

/** @param {{codes: Code[], hasMore: boolean, hours: FiguresHour[] | null}} props */
function CodesTile({ codes, hasMore, hours }) {
  const confirmed = codes.filter((code) => code.state === "confirmed").length;
  const rate = codes.length ? say("overview.codes.rate", { rate: percent(confirmed / codes.length) }) : say("overview.codes.none");
  return html`<${Tile} what=${say("overview.codes")} link=${linkTo(["codes"])} figure=${figure(codes.length) + (hasMore ? "+" : "")}
    spark=${sparkOf(hours, (hour) => hour.created)} says=${hasMore ? `${rate} ${say("overview.codes.many")}` : rate} />`;
}

/** @param {{overview: Overview, exchange: ExchangeOverview, codes: {codes: Code[], next_cursor: string | null}, hours: FiguresHour[] | null}} props */
function Tiles({ overview, exchange, codes, hours }) {
  const { fleet } = overview;
  const configured = overview.channels.filter((channel) => channel.configured);
  const serving = configured.filter((channel) => !channel.circuit || channel.circuit.state === "closed");
  return html`<div class="tiles">
    <${Tile} what=${say("overview.sims")} link=${linkTo(["fleet"])} figure=${figure(fleet.ready_sims)} spark=${sparkOf(hours, (hour) => hour.sims_ready)}
      says=${fleet.sims ? say("overview.sims.of", { n: figure(fleet.sims), silent: figure(fleet.silent_sims) }) : say("overview.sims.none")} />
    <${CodesTile} codes=${codes.codes} hasMore=${Boolean(codes.next_cursor)} hours=${hours} />
    <${Tile} what=${say("overview.channels")} link=${linkTo(["channels"])} figure=${figure(serving.length)} spark=${sparkOf(hours, (hour) => hour.channels_serving)} says=${say("overview.channels.of", { n: figure(configured.length) })} />
    <${Tile} what=${say("overview.points")} link=${linkTo(["points"])} figure=${figure(exchange.enabled_integrations)} spark=${sparkOf(hours, (hour) => hour.point_troubles)}
      says=${say("overview.points.trouble", { failed: figure(exchange.packages_failed), open: figure(exchange.open_circuits), old: figure(exchange.old_catalogs) })} />
    <${Tile} what=${say("overview.orders")} link=${linkTo(["orders"])} figure=${figure(exchange.orders_waiting)} spark=${sparkOf(hours, (hour) => hour.orders_waiting)}
      says=${exchange.oldest_order_at ? say("overview.orders.since", { age: ago(exchange.oldest_order_at) }) : say("overview.orders.none")} />
  </div>`;
}

export function Overview() {
  /* The hour begins at a whole minute, so that the question stays the same for a while. */
  const since = new Date(Math.floor((Date.now() - HOUR_MS) / 60e3) * 60e3).toISOString();
  const { data, error, again } = useData(["/overview", "/overview/exchange", `/otp${query({ since, limit: LIMIT })}`], EVERY_MS);
  const hours = useData([`/figures${query({ hours: 2 * DAY_HOURS })}`], FIGURES_EVERY_MS).data?.[0].hours ?? null;
  if (!data) return html`<${Head} title=${say("overview.title")} /><${ErrorNote} error=${error} again=${again} />${!error && html`<${Skeleton} />`}`;
  const [overview, exchange, codes] = data;
  return html`
    <${Head} title=${say("overview.title")} says=${overview.trouble_count ? say("overview.troubles", { n: overview.trouble_count }) : say("overview.well")} />
    <${ErrorNote} error=${error} />
    <${Tiles} overview=${overview} exchange=${exchange} codes=${codes} hours=${hours} />
    <h2>${say("overview.needs")}</h2>
    <div class="card"><${Needs} overview=${overview} /></div>
    ${hours && html`<${Hours} hours=${hours} />`}`;
}
