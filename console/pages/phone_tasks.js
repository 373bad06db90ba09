// @ts-check
// What went over a phone lately: codes and calls of its SIMs, messages of its accounts.
import { html } from "../lib/preact.js";
import { query, useData } from "../api.js";
import { say } from "../lang.js";
import { ErrorNote, Table, Time } from "../parts.js";
import { StateOf } from "../states.js";
import { PAGES } from "./search.js";

const EVERY_MS = 5000;
const OF_EACH = 10;
const SHOWN_MAX = 30;

/** @typedef {import("../types").Device} Device */
/** @typedef {{type: string, id: string, at: string, via: string, who: string | null, state: string}} Task */

/** Where tasks are asked for, and how each answer is read. @type {Record<string, {path: string, filter: string, member: string, who: string, states: string}>} */
const KINDS = {
  otp: { path: "/otp", filter: "gateway_number", member: "codes", who: "recipient", states: "otp" },
  challenge: { path: "/challenges", filter: "gateway_number", member: "challenges", who: "caller", states: "call" },
  message: { path: "/messages", filter: "account_id", member: "messages", who: "recipient", states: "message" },
};

/** @param {Device} device */
const placesOf = (device) => [
  ...device.numbers.flatMap(({ number }) => [{ type: "otp", via: number }, { type: "challenge", via: number }]),
  ...device.accounts.map(({ account_id }) => ({ type: "message", via: account_id })),
];

/** @param {{type: string, via: string}} place @param {any} answer @returns {Task[]} */
const readTasks = ({ type, via }, answer) => answer[KINDS[type].member].map((/** @type {any} */ row) =>
  ({ type, via, id: row.id, at: row.created_at, who: row[KINDS[type].who] ?? null, state: row.state }));

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("codes.created"), cell: (task) => {
    const link = PAGES[task.type]?.(task);
    const time = html`<${Time} at=${task.at} />`;
    return link ? html`<a href=${link}>${time}</a>` : time;
  } },
  { title: say("task.what"), cell: (task) => say(`search.type.${task.type}`) },
  { title: say("codes.recipient"), cell: (task) => html`<span class="nowrap">${task.who ?? say("codes.erased")}</span>` },
  { title: say("codes.via"), cell: (task) => task.via },
  { title: say("codes.state"), cell: (task) => html`<${StateOf} group=${KINDS[task.type].states} word=${task.state} />` },
];

/** @param {{device: Device}} props */
export function PhoneTasks({ device }) {
  const places = placesOf(device);
  const paths = places.map(({ type, via }) => `${KINDS[type].path}${query({ [KINDS[type].filter]: via, limit: OF_EACH })}`);
  const { data, error } = useData(paths, EVERY_MS);
  const rows = data?.flatMap((answer, index) => readTasks(places[index], answer)).sort((a, b) => b.at.localeCompare(a.at)).slice(0, SHOWN_MAX) ?? null;
  return html`<h2>${say("task.title")}</h2>
    <${ErrorNote} error=${error} />
    <${Table} stacks label=${say("task.title")} columns=${columns} rows=${rows} empty=${say("task.empty")} />`;
}
