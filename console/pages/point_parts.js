// @ts-check
// What several pages show of a sales point.
import { html } from "../lib/preact.js";
import { ago, say } from "../lang.js";
import { State } from "../parts.js";

/** @typedef {import("../types").Integration} Integration */

const HOUR_MS = 3600e3;

/** A catalog grows old: fresh within a day, old after three. @param {string | null | undefined} at @returns {import("../parts.js").Tone} */
export function toneOfAge(at) {
  if (!at) return "off";
  const hours = (Date.now() - Date.parse(at)) / HOUR_MS;
  if (hours < 24) return "good";
  return hours < 72 ? "wait" : "bad";
}

/** Whether the ERP of a point takes orders. @param {{point: Integration}} props */
export function Circuit({ point: { enabled, exchange } }) {
  const { circuit } = exchange;
  if (!enabled) return html`<${State} tone="off">${say("points.disabled")}<//>`;
  if (circuit.state === "closed") return html`<${State} tone="good">${say("points.serves")}<//>`;
  const isAhead = circuit.next_probe_at && Date.parse(circuit.next_probe_at) > Date.now();
  const probe = isAhead ? say("points.probe", { time: ago(circuit.next_probe_at ?? "") }) : "";
  return html`<span title=${circuit.last_error ?? ""}><${State} tone="bad">${say("points.silent")}<//>${probe && html` <span class="quiet">${probe}</span>`}</span>`;
}

/** @param {string | undefined} environment */
export const TestBadge = (environment) => environment === "test" && html`<span class="badge test">${say("frame.test")}</span>`;

/** A filter by point. @param {Integration[] | null} points @returns {import("../filters.js").Field} */
export const choosePoints = (points) => ({
  name: "integration_id",
  label: say("points.name"),
  words: (points ?? []).map(({ id, name }) => /** @type {[string, string]} */ ([id, name])),
});
