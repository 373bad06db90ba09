// @ts-check
import { html } from "../lib/preact.js";
import { ask, query, useData, useList } from "../api.js";
import { figure, hourOfDay, percent, say } from "../lang.js";
import { Filters } from "../filters.js";
import { Deed, ErrorNote, Head, Id, Older, Skeleton, State, Table, Time, may } from "../parts.js";
import { CELL_MS, STANDINGS, Strip, readyShare, runsOf } from "../pictures.js";
import { Guarded } from "../forms.js";
import { go, linkTo } from "../route.js";
import { Pairing } from "./pairing.js";
import { Accounts, GoneAccounts, Since } from "./phone_accounts.js";
import { ChangePhone, NewPhone } from "./phone_new.js";
import { PhoneTasks } from "./phone_tasks.js";

const EVERY_MS = 3000;
const STRIP_EVERY_MS = 60e3;
const MINUTE_MS = 60e3;
/** What is wrong comes first. @type {Record<string, number>} */
const ORDER = { silent: 0, unseen: 1, disabled: 2, ready: 3 };
/** @type {Record<string, import("../parts.js").Tone>} */
const TONES = { silent: "bad", unseen: "wait", disabled: "off", ready: "good", enabled: "good" };

/** @typedef {import("../types").Device} Device */
/** @typedef {import("../types").Sim} Sim */
/** @typedef {import("../types").SimFigures} SimFigures */

/** @param {Device} device @param {Sim | null} sim */
function stateOf(device, sim) {
  if (!device.enabled) return "disabled";
  if (sim?.sim_ready && !sim.silent_since) return "ready";
  return sim?.sim_ready_until || device.last_seen_at ? "silent" : "unseen";
}

/** A row for each SIM, and one for a phone without. @param {Device[]} devices */
export function listSims(devices) {
  const rows = devices.flatMap((device) => {
    const numbers = device.numbers.length ? device.numbers : [null];
    return numbers.map((/** @type {Sim | null} */ sim) => ({
      id: device.id + (sim?.number ?? ""),
      device,
      sim,
      state: stateOf(device, sim),
    }));
  });
  return rows.sort((a, b) => ORDER[a.state] - ORDER[b.state] || a.device.name.localeCompare(b.device.name));
}

/** @param {{status: Device["status"]}} props */
function Battery({ status }) {
  if (!status || status.battery === null || status.battery === undefined) return html`<span class="quiet">—</span>`;
  const level = Number(status.battery);
  const text = `${figure(Math.round(level))} %${status.charging ? `, ${say("fleet.charging")}` : ""}`;
  return level <= 20 && !status.charging ? html`<${State} tone="bad">${text}<//>` : text;
}

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("fleet.phone"), cell: ({ device }) => html`<a href=${linkTo(["fleet", device.id])}>${device.name}</a>` },
  { title: say("fleet.number"), cell: ({ sim }) => (sim ? html`<span class="nowrap">${sim.number}</span>` : html`<span class="quiet">${say("fleet.nonumber")}</span>`) },
  { title: say("fleet.state"), cell: ({ state }) => html`<${State} tone=${TONES[state]}>${say(`state.${state}`)}<//>` },
  { title: say("fleet.silent"), cell: ({ sim }) => html`<${Since} at=${sim?.silent_since ?? null} />` },
  { title: say("fleet.seen"), cell: ({ device }) => html`<${Time} at=${device.last_seen_at} />` },
  { title: say("fleet.battery"), cell: ({ device }) => html`<${Battery} status=${device.status} />`, isNumber: true },
];

/** @type {import("../parts.js").Column} */
const busyColumn = { title: say("fleet.active"), cell: ({ sim }) => (sim ? figure(sim.active_challenges) : ""), isNumber: true };

/** @param {{list: {since: string, sims: SimFigures[]} | undefined}} props @returns {import("../parts.js").Column} */
const dayColumn = ({ list }) => ({ title: say("fleet.day"), cell: ({ sim }) => {
  const found = sim && list?.sims.find(({ number }) => number === sim.number);
  const share = found && readyShare(found.cells);
  if (!found || !list || share === null) return html`<span class="quiet">—</span>`;
  return html`<span class="hidden">${say("fleet.day.share", { rate: percent(share) })}</span><${Strip} letters=${found.cells} since=${Date.parse(list.since)} />`;
} });

/** A SIM by the minute, and the same in words. @param {{number: string}} props */
function Minutes({ number }) {
  const { data, error } = useData([`/figures/sims${query({ number })}`], STRIP_EVERY_MS);
  const minutes = data?.[0].sims[0]?.minutes;
  const since = Date.parse(data?.[0].since ?? "");
  if (!minutes) return html`<${ErrorNote} error=${error} />${data && html`<p class="quiet">${say("fleet.day.none")}</p>`}`;
  const runs = runsOf(minutes).map((run) => ({ ...run, id: run.from })).reverse();
  return html`<div class="card minutes"><${Strip} letters=${minutes} since=${since} stepMs=${CELL_MS / 10} /></div>
    <details><summary>${say("fleet.minutes")}</summary><${Table} label=${say("fleet.minutes")} rows=${runs} empty=""
      columns=${[
        { title: say("fleet.from"), cell: (/** @type {any} */ run) => hourOfDay(since + run.from * MINUTE_MS) },
        { title: say("fleet.until"), cell: (/** @type {any} */ run) => hourOfDay(since + run.to * MINUTE_MS) },
        { title: say("fleet.state"), cell: (/** @type {any} */ run) => say(`strip.${STANDINGS[run.letter]}`) },
      ]} /></details>`;
}

/** @param {import("../pages.js").PageProps} props */
export function Fleet({ place, operator }) {
  if (place.path[1] === "new") return html`<${Guarded} role=${operator.role} least="operator" title=${say("phone.new")}><${NewPhone} /><//>`;
  return place.path[1] ? html`<${Phone} id=${place.path[1]} operator=${operator} />` : html`<${Board} place=${place} operator=${operator} />`;
}

/** @param {import("../pages.js").PageProps} props */
function Board({ place, operator }) {
  const { show, q } = place.filters;
  const list = useList("/devices", { q, limit: "200" }, "devices", EVERY_MS);
  const day = useData(["/figures/sims"], STRIP_EVERY_MS).data?.[0];
  const all = list.rows && listSims(list.rows);
  const rows = all && (show === "wrong" ? all.filter((row) => row.state !== "ready") : all);
  const ready = all?.filter((row) => row.state === "ready").length;
  return html`
    <${Head} title=${say("fleet.title")} says=${all?.length ? say("fleet.says", { n: all.length, ready: figure(ready ?? 0) }) : ""} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Filters} place=${place} fields=${[
      { name: "q", label: say("fleet.find") },
      { name: "show", label: say("fleet.state"), words: [["wrong", say("fleet.wrong")]] },
    ]} />
    ${may(operator.role, "operator") && html`<p><a class="button" href=${linkTo(["fleet", "new"])}>${say("phone.new")}</a></p>`}
    <${Table} label=${say("fleet.title")} columns=${[...columns, dayColumn({ list: day })]} rows=${rows} empty=${say(all?.length ? "fleet.well" : "fleet.empty")} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} word="list.next" />
    <${GoneAccounts} devices=${list.rows ?? []} />`;
}

/** The worst that one of its SIMs is; a phone without SIMs is enabled or not. @param {Device} device */
function standingOf(device) {
  const [worst] = listSims([device]);
  return worst.sim || !device.enabled ? worst.state : "enabled";
}

/** How it stands, and since when it is silent. @param {{device: Device, standing: string}} props */
const Standing = ({ device, standing }) => html`<${State} tone=${TONES[standing]}>${say(`phone.is.${standing}`)}<//>
  ${standing === "silent" && html` · ${say("phone.since")} <${Time} at=${silentSince(device)} />`}`;

/** Before herald calls a SIM silent, all that is known is when its phone was heard of. @param {Device} device */
const silentSince = (device) => device.numbers.map((sim) => sim.silent_since).filter(Boolean).sort()[0] ?? device.last_seen_at;

/** What to do with one that is not ready, for who never did it. @param {{device: Device, standing: string}} props */
function Remedy({ device, standing }) {
  if (standing !== "silent" && standing !== "unseen") return null;
  const silent = listSims([device]).filter(({ state, sim }) => sim && state === standing).map(({ sim }) => sim?.number).join(", ");
  return html`<div class=${`card remedy ${TONES[standing]}`} role="status">
    <p><b>${say(`phone.${standing}`, { numbers: silent })}</b></p>
    <p>${say(`phone.${standing}.do`)}</p>
  </div>`;
}

/** @param {{id: string, operator: {role: string}}} props */
function Phone({ id, operator }) {
  const { data, error, again } = useData([`/devices/${id}`], EVERY_MS);
  const device = /** @type {Device | undefined} */ (data?.[0]);
  if (!device) return html`<${Head} title=${say("fleet.phone")} /><${ErrorNote} error=${error} again=${again} />${!error && html`<${Skeleton} />`}`;
  const standing = standingOf(device);
  const verb = device.enabled ? "disable" : "enable";
  const change = () => ask("PATCH", `/devices/${id}`, { enabled: !device.enabled }).then(again);
  const remove = () => ask("DELETE", `/devices/${id}`).then(() => go(linkTo(["fleet"])));
  return html`
    <${Head} title=${device.name} says=${html`<${Standing} device=${device} standing=${standing} />`} />
    <${ErrorNote} error=${error} />
    <${Remedy} device=${device} standing=${standing} />
    <div class="thing">
      <dl class="card facts">
        <dt>${say("codes.id")}</dt><dd><${Id} id=${device.id} /></dd>
        <dt>${say("fleet.seen")}</dt><dd><${Time} at=${device.last_seen_at} /></dd>
        <dt>${say("fleet.battery")}</dt><dd><${Battery} status=${device.status} /></dd>
        <dt>${say("fleet.network")}</dt><dd>${device.status?.network ?? "—"}</dd>
        <dt>${say("fleet.created")}</dt><dd><${Time} at=${device.created_at} /></dd>
      </dl>
      ${may(operator.role, "operator") && html`<div class="card deeds">
        <${Deed} label=${say(`fleet.${verb}`)} ask=${say(`fleet.${verb}.ask`, { name: device.name, n: device.numbers.length })} isBad=${device.enabled} act=${change} />
        <${Deed} label=${say("phone.remove")} ask=${say("phone.remove.ask", { name: device.name, n: device.numbers.length })} word=${device.name} isBad act=${remove} />
      </div>`}
    </div>
    ${may(operator.role, "operator") && html`<${Pairing} id=${id} name=${device.name} />`}
    <h2>${say("fleet.number")}</h2>
    <${Table} label=${say("fleet.number")} columns=${[...columns.slice(1, 5), busyColumn]} rows=${listSims([device])} empty=${say("fleet.nonumber")} />
    <${Accounts} device=${device} />
    ${device.numbers.map(({ number }) => html`<h2>${say("fleet.day")} · ${number}</h2><${Minutes} key=${number} number=${number} />`)}
    <${PhoneTasks} device=${device} />
    ${may(operator.role, "operator") && html`<${ChangePhone} device=${device} again=${again} />`}`;
}
