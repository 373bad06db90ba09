// @ts-check
// The service itself: its settings, its processes, and the numbers that developers test with.
import { html } from "../lib/preact.js";
import { useData } from "../api.js";
import { figure, say } from "../lang.js";
import { ErrorNote, Head, State, Table, Time } from "../parts.js";
import { Filters } from "../filters.js";
import { Tabs } from "../forms.js";
import { linkTo } from "../route.js";

/** @typedef {import("../types").Setting} Setting */

const EVERY_MS = 5000;
const DEFAULT = "the default";
const ENVIRONMENT = "the environment";

/** @param {string} current */
const tabs = (current) => html`<${Tabs} label=${say("settings.title")} current=${current} rows=${[
  ["settings", say("settings.title"), linkTo(["settings"])],
  ["processes", say("processes.title"), linkTo(["settings", "processes"])],
  ["test-numbers", say("numbers.title"), linkTo(["settings", "test-numbers"])],
]} />`;

/** Of a secret is told whether there is one. @param {{row: Setting}} props */
function Value({ row }) {
  if (row.secret) return html`<${State} tone=${row.set ? "good" : "off"}>${say(row.set ? "settings.set" : "settings.unset")}<//>`;
  return row.value ? html`<span class="mono">${row.value}</span>` : html`<span class="quiet">—</span>`;
}

/** @param {{source: string}} props */
function Source({ source }) {
  if (source === DEFAULT) return html`<span class="quiet">${say("settings.default")}</span>`;
  return source === ENVIRONMENT ? say("settings.environment") : html`<span lang="en">${source}</span>`;
}

/** Meanings are those of docs/settings.md, in English. @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("settings.name"), cell: (row) => html`<span class="mono">${row.name}</span>` },
  { title: say("settings.value"), cell: (row) => html`<${Value} row=${row} />` },
  { title: say("settings.source"), cell: (row) => html`<${Source} source=${row.source} />` },
  { title: say("settings.meaning"), cell: (row) => html`<span class="quiet" lang="en">${row.meaning}</span>` },
];

/** @param {{rows: Setting[] | null}} props */
export const SettingTable = ({ rows }) =>
  html`<${Table} stacks label=${say("settings.title")} columns=${columns} rows=${rows} empty=${say("settings.nothing")} keyOf=${(/** @type {Setting} */ row) => row.name} />`;

/** @param {import("../pages.js").PageProps} props */
export function Settings({ place }) {
  if (place.path[1] === "processes") return html`<${Processes} />`;
  if (place.path[1] === "test-numbers") return html`<${TestNumbers} />`;
  return html`<${SettingList} place=${place} />`;
}

/** @param {{place: import("../route.js").Place}} props */
function SettingList({ place }) {
  const { q, show } = place.filters;
  const { data, error, again } = useData(["/settings"]);
  const all = /** @type {Setting[] | undefined} */ (data?.[0].settings);
  const rows = all?.filter((row) => (!q || `${row.name} ${row.meaning}`.toLowerCase().includes(q.toLowerCase())) && (show !== "own" || row.source !== DEFAULT)) ?? null;
  const own = all?.filter((row) => row.source !== DEFAULT).length ?? 0;
  return html`
    <${Head} title=${say("settings.title")} says=${all && say("settings.says", { n: own, all: figure(all.length) })} />
    ${tabs("settings")}
    <${ErrorNote} error=${error} again=${again} />
    <${Filters} place=${place} fields=${[
      { name: "q", label: say("log.text") },
      { name: "show", label: say("settings.source"), words: [["own", say("settings.own")]] },
    ]} />
    <${SettingTable} rows=${rows} />`;
}

/** @type {import("../parts.js").Column[]} */
const processColumns = [
  { title: say("processes.host"), cell: (row) => html`${row.host} ${row.answering && html`<span class="badge">${say("processes.answering")}</span>`}` },
  { title: say("codes.state"), cell: (row) => html`<${State} tone=${row.state === "living" ? "good" : "bad"}>${say(`processes.${row.state}`)}<//>` },
  { title: say("processes.verb"), cell: (row) => row.verb },
  { title: say("processes.version"), cell: (row) => row.build },
  { title: say("processes.pid"), isNumber: true, cell: (row) => row.pid },
  { title: say("processes.started"), cell: (row) => html`<${Time} at=${row.started_at} />` },
  { title: say("processes.beat"), cell: (row) => html`<${Time} at=${row.last_beat_at} />` },
];

function Processes() {
  const { data, error, again } = useData(["/processes"], EVERY_MS);
  const rows = data && data[0].processes;
  return html`
    <${Head} title=${say("processes.title")} says=${rows && say("processes.says", { n: rows.length })} />
    ${tabs("processes")}
    <${ErrorNote} error=${error} again=${again} />
    <${Table} stacks label=${say("processes.title")} columns=${processColumns} rows=${rows} empty="" />
    <p class="quiet after">${say("processes.help")}</p>`;
}

const ENDINGS = ["00", "01", "02", "03", "04", "05", "06"];
/** @type {import("../parts.js").Column[]} */
const endingColumns = [
  { title: say("numbers.ending"), cell: (ending) => html`<span class="mono">…${ending}</span>` },
  { title: say("numbers.code"), cell: (ending) => say(`numbers.code.${ending}`) },
  { title: say("numbers.call"), cell: (ending) => say(`numbers.call.${ending}`) },
];

function TestNumbers() {
  const { data, error, again } = useData(["/settings", "/overview"]);
  const ranges = data?.[0].settings.find((/** @type {Setting} */ row) => row.name === "HERALD_TEST_NUMBERS")?.value;
  const isTest = data?.[1].environment === "test";
  return html`
    <${Head} title=${say("numbers.title")} says=${data && say(isTest ? "numbers.test" : "numbers.production")} />
    ${tabs("test-numbers")}
    <${ErrorNote} error=${error} again=${again} />
    <div class="card"><p class="empty">${ranges ? html`<span class="mono">${ranges.replaceAll(",", ", ")}</span>` : data && say("numbers.none")}</p></div>
    <p class="quiet after">${say("numbers.help")}</p>
    <${Table} stacks label=${say("numbers.title")} columns=${endingColumns} rows=${ENDINGS} empty="" keyOf=${String} />`;
}
