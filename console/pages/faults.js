// @ts-check
// Rows at fault of a package, by kind, and what to write to the team of the ERP about them.
import { html } from "../lib/preact.js";
import { exactTime, say, sayRussian, sayWord } from "../lang.js";
import { useCopy } from "../parts.js";

/** @typedef {import("../types").Package} PackageRow */
/** @typedef {NonNullable<PackageRow["errors"]>[number]} Fault */
/** @typedef {(key: string, values?: Record<string, unknown>) => string} Say */

const FIRST_ROWS = 5;
/** Signs that turn the direction of a text; a name that has one would turn all that follows it. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;
/** What herald says, by the sentence that stands for it; anything else is shown as it is. @type {[RegExp, string][]} */
const KINDS = [
  [/^The catalog has no such product/, "fault.product"],
  [/^The product has no such variant/, "fault.variant"],
  [/^The variant is archived/, "fault.variant_archived"],
  [/^The product is archived/, "fault.product_archived"],
  [/an option axis that the product does not have/, "fault.axis"],
  [/names an option axis twice/, "fault.axis_twice"],
  [/a value that the option axis does not have/, "fault.value"],
  [/no value of an option axis that the product keeps/, "fault.value_missing"],
  [/^(\d+) rows? names? a product or variant/, "fault.pairs"],
  [/^(\d+) variants? do(?:es)? not choose/, "fault.choices"],
  [/^archive_limit$/, "fault.archive_limit"],
  [/^The stored body is/, "fault.body"],
  [/^herald made a mistake/, "fault.mistake"],
  [/^herald is overloaded/, "fault.overloaded"],
  [/^Attempts to apply the package ended/, "fault.unended"],
];

/** What no team of an ERP can mend. */
const OWN = /^(herald |Attempts to apply)/;

/** @param {string} message @param {Say} [speak] */
function kindOf(message, speak = say) {
  for (const [pattern, key] of KINDS) {
    const match = pattern.exec(message);
    if (match) return speak(key, { n: Number(match[1]) });
  }
  return message;
}

/** Why a package failed, in a sentence. @param {Pick<PackageRow, "last_error">} row @param {Say} [speak] */
export const reasonOf = (row, speak = say) => kindOf(row.last_error ?? "", speak);

/** The greatest kind comes first. @param {Fault[]} faults @returns {[string, Fault[]][]} */
function groupFaults(faults) {
  /** @type {Map<string, Fault[]>} */
  const groups = new Map();
  for (const fault of faults) groups.set(fault.message, [...(groups.get(fault.message) ?? []), fault]);
  return [...groups].toSorted((a, b) => b[1].length - a[1].length);
}

/** @param {Fault} fault @param {Say} [speak] */
const placeOf = ({ list, index, product_id, variant_id }, speak = say) =>
  [`${list}[${index}]`, product_id && speak("fault.at.product", { id: product_id }), variant_id && speak("fault.at.variant", { id: variant_id })]
    .filter(Boolean).join(", ");

/** What the ERP team has to know, in Russian whatever the language of the console is. @param {PackageRow} row */
export function writeMessage(row) {
  const lines = [
    sayRussian("erp.hello", { event: row.event_id, point: row.integration_name, at: exactTime(row.received_at, "ru-RU") }),
    row.last_error ? reasonOf(row, sayRussian) : "",
    ...groupFaults(row.errors ?? []).flatMap(([message, faults]) => [
      sayRussian("erp.kind", { kind: kindOf(message, sayRussian), n: faults.length }),
      ...faults.slice(0, FIRST_ROWS).map((fault) => `  ${placeOf(fault, sayRussian)}`),
      faults.length > FIRST_ROWS ? `  ${sayRussian("erp.more", { n: faults.length - FIRST_ROWS })}` : "",
    ]),
    sayRussian("erp.todo"),
  ];
  return lines.filter(Boolean).join("\n").replace(DIRECTIONS, "");
}

/** @param {{message: string, faults: Fault[]}} props */
const Group = ({ message, faults }) => html`<section class="card group">
  <h3>${kindOf(message)} <span class="quiet">${say("fault.rows", { n: faults.length })}</span></h3>
  <ul class="mono">${faults.slice(0, FIRST_ROWS).map((fault) => html`<li>${placeOf(fault)}</li>`)}</ul>
  ${faults.length > FIRST_ROWS && html`<details><summary>${say("fault.more", { n: faults.length - FIRST_ROWS })}</summary>
    <ul class="mono">${faults.slice(FIRST_ROWS).map((fault) => html`<li>${placeOf(fault)}</li>`)}</ul></details>`}
</section>`;

/** What was probably not meant, by kind and place. @param {{rows: NonNullable<PackageRow["warnings"]>}} props */
export const Warnings = ({ rows }) => html`<h2>${say("warning.title")}</h2>
  ${rows.map(({ type, loc, msg, count }) => html`<section class="card group">
    <h3>${sayWord("warning", type)} <span class="quiet">${say("warning.times", { n: count })}</span></h3>
    <ul class="mono"><li>${loc.slice(1).join(".")}</li><li class="quiet">${msg}</li></ul>
  </section>`)}`;

/** Why it failed, the rows by kind, and the message. @param {{row: PackageRow}} props */
export function Faults({ row }) {
  const message = writeMessage(row);
  const [isCopied, copy] = useCopy(message);
  return html`<h2>${say("fault.title")}</h2>
    <p>${reasonOf(row)}</p>
    ${groupFaults(row.errors ?? []).map(([text, faults]) => html`<${Group} key=${text} message=${text} faults=${faults} />`)}
    ${OWN.test(row.last_error ?? "") || html`<h2>${say("erp.title")}</h2>
    <div class="card letter"><pre lang="ru" tabindex="0">${message}</pre>
      <button type="button" onClick=${copy}>${isCopied ? say("copy.done") : say("erp.copy")}</button></div>`}`;
}
