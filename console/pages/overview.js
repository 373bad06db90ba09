// @ts-check
import { html } from "../lib/preact.js";
import { query, useData } from "../api.js";
import { ago, dayAndHour, figure, percent, say, sayWord } from "../lang.js";
import { ErrorNote, Head, Skeleton, State, Table } from "../parts.js";
import { Spark } from "../pictures.js";
import { linkTo } from "../route.js";

const EVERY_MS = 5000;
const FIGURES_EVERY_MS = 60e3;
const DAY_HOURS = 24;
const HOUR_MS = 3600e3;
const LIMIT = 200;

/** @typedef {import("../types").Overview} Overview */
/** @typedef {import("../types").ExchangeOverview} ExchangeOverview */
/** @typedef {import("../types").Code} Code */
/** @typedef {import("../types").FiguresHour} FiguresHour */
/** @typedef {{what: string, help: string, link?: string, tone: import("../parts.js").Tone}} Trouble */

/** @param {Overview["channels"][number]} channel @returns {Trouble} */
function troubleOf({ channel, circuit }) {
  const time = circuit?.next_probe_at ? ago(circuit.next_probe_at) : "";
  return {
    what: say("trouble.channel", { channel: sayWord("channel", channel) }),
    help: say("trouble.channel.help", { error: circuit?.last_error ?? "", time }),
    link: linkTo(["channels", channel]),
    tone: "bad",
  };
}

/** What needs somebody now, the worst first. @param {Overview} overview @param {ExchangeOverview} exchange @returns {Trouble[]} */
export function findTroubles(overview, exchange) {
  const { fleet, processes, channels } = overview;
  /** @type {(Trouble | false)[]} */
  const troubles = [
    overview.degraded !== null && { what: say("trouble.degraded"), help: say("trouble.degraded.help"), link: linkTo(["settings", "processes"]), tone: "bad" },
    fleet.sims > 0 && fleet.ready_sims === 0 &&
      { what: say("trouble.ready"), help: say("trouble.sim.help"), link: linkTo(["fleet"]), tone: "bad" },
    ...channels.filter((channel) => channel.circuit && channel.circuit.state !== "closed").map(troubleOf),
    processes.lost > 0 && { what: say("trouble.processes", { n: processes.lost }), help: say("trouble.processes.help"), link: linkTo(["settings", "processes"]), tone: "bad" },
    exchange.open_circuits > 0 && { what: say("trouble.circuits", { n: exchange.open_circuits }), help: say("trouble.circuits.help"), link: linkTo(["orders"]), tone: "bad" },
    exchange.old_catalogs > 0 && { what: say("trouble.catalogs", { n: exchange.old_catalogs }), help: say("trouble.catalogs.help"), link: linkTo(["points"]), tone: "wait" },
    exchange.packages_failed > 0 && { what: say("trouble.packages", { n: exchange.packages_failed }), help: say("trouble.packages.help"), link: linkTo(["packages"], { status: "failed" }), tone: "wait" },
    fleet.silent_sims > 0 && fleet.ready_sims > 0 &&
      { what: say("trouble.sim", { n: fleet.silent_sims }), help: say("trouble.sim.help"), link: linkTo(["fleet"], { show: "wrong" }), tone: "wait" },
  ];
  return /** @type {Trouble[]} */ (troubles.filter(Boolean));
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
    <${Tile} what=${say("overview.channels")} link=${linkTo(["channels"])} figure=${figure(serving.length)} says=${say("overview.channels.of", { n: figure(configured.length) })} />
    <${Tile} what=${say("overview.points")} link=${linkTo(["points"])} figure=${figure(exchange.enabled_integrations)}
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
  const troubles = findTroubles(overview, exchange);
  return html`
    <${Head} title=${say("overview.title")} says=${troubles.length ? say("overview.troubles", { n: troubles.length }) : say("overview.well")} />
    <${ErrorNote} error=${error} />
    <${Tiles} overview=${overview} exchange=${exchange} codes=${codes} hours=${hours} />
    ${hours && html`<${Hours} hours=${hours} />`}
    <h2>${say("overview.needs")}</h2>
    <div class="card">${troubles.length
      ? html`<ul class="troubles">${troubles.map((trouble) => html`<li key=${trouble.what}>
          <${State} tone=${trouble.tone}>${trouble.link ? html`<a href=${trouble.link}>${trouble.what}</a>` : trouble.what}<//>
          <div class="quiet">${trouble.help}</div></li>`)}</ul>`
      : html`<p class="empty">${say("overview.nothing")}</p>`}</div>`;
}
