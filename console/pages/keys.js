// @ts-check
// Keys: those of systems that ask herald, those that sign tokens, and the one that seals what is stored.
import { html, useState } from "../lib/preact.js";
import { ask, useList, useRow } from "../api.js";
import { figure, say } from "../lang.js";
import { Deed, ErrorNote, Head, Id, Older, Pending, State, Table, Time, may } from "../parts.js";
import { Facts, Form, Once, overlaps } from "../forms.js";
import { linkTo } from "../route.js";
import { SecretKey, SigningKeys, keyTabs } from "./keys_own.js";

/** @typedef {import("../types").ApiKey} ApiKey */

const ROLES = ["core", "viewer", "support", "operator", "admin"];
const DAY_END = "T23:59:59";

/** @param {ApiKey} key @returns {[import("../parts.js").Tone, string]} */
function stateOf({ revoked_at, expires_at }) {
  if (revoked_at) return ["off", say("keys.revoked")];
  if (expires_at && Date.parse(expires_at) < Date.now()) return ["off", say("keys.expired")];
  return ["good", say("keys.good")];
}

/** @param {{row: ApiKey}} props */
const KeyState = ({ row }) => {
  const [tone, word] = stateOf(row);
  return html`<${State} tone=${tone}>${word}<//>`;
};

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("login.name"), cell: (row) => html`<a href=${linkTo(["keys", row.id])}>${row.name}</a> ${row.test && html`<span class="badge test">${say("codes.test")}</span>`}` },
  { title: say("operators.role"), cell: (row) => say(`frame.role.${row.role}`) },
  { title: say("codes.state"), cell: (row) => html`<${KeyState} row=${row} />` },
  { title: say("keys.rate"), isNumber: true, cell: (row) => (row.requests_per_minute ? figure(row.requests_per_minute) : "—") },
  { title: say("codes.expires"), cell: (row) => html`<${Time} at=${row.expires_at} none="clients.forever" />` },
  { title: say("codes.created"), cell: (row) => html`<${Time} at=${row.created_at} />` },
];

/** @param {import("../pages.js").PageProps} props */
export function Keys({ place, operator }) {
  const part = place.path[1];
  if (part === "signing") return html`<${SigningKeys} role=${operator.role} />`;
  if (part === "secret") return html`<${SecretKey} role=${operator.role} />`;
  return part ? html`<${OneKey} id=${part} role=${operator.role} />` : html`<${ApiKeys} role=${operator.role} />`;
}

/** @param {{made: {key: string} | null, onClose: () => void}} props */
const ShownKey = ({ made, onClose }) => made && html`<${Once} help=${say("keys.once")} rows=${[["key", made.key]]} onClose=${onClose} />`;

/** @param {{role: string}} props */
function ApiKeys({ role }) {
  const list = useList("/api-keys", {}, "api_keys");
  const [made, show] = useState(/** @type {{key: string} | null} */ (null));
  const rows = /** @type {ApiKey[] | null} */ (list.rows);
  /** @param {Record<string, string>} values */
  async function create({ name, role: given, expires, rate, test }) {
    show(await ask("POST", "/api-keys", {
      name, role: given, test: Boolean(test),
      ...(expires ? { expires_at: new Date(expires + DAY_END).toISOString() } : {}),
      ...(rate ? { requests_per_minute: Number(rate) } : {}),
    }));
    list.again();
  }
  return html`
    <${Head} title=${say("keys.api")} says=${rows?.length ? say("keys.says", { n: rows.filter((row) => stateOf(row)[0] === "good").length }) : ""} />
    ${keyTabs("keys")}
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${ShownKey} made=${made} onClose=${() => show(null)} />
    <${Table} stacks label=${say("keys.api")} columns=${columns} rows=${rows} empty=${say("keys.empty")} goesOn=${list.hasOlder} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />
    ${may(role, "admin") && html`<h2>${say("keys.add")}</h2><${Form} button=${say("keys.add")} act=${create} fields=${[
      { name: "name", label: say("login.name"), max: 100, help: say("keys.name.help") },
      { name: "role", label: say("operators.role"), words: ROLES.map((word) => [word, say(`frame.role.${word}`)]), help: say("keys.role.help") },
      { name: "expires", label: say("codes.expires"), type: "date", isOptional: true, help: say("keys.expires.help") },
      { name: "rate", label: say("keys.rate"), type: "number", isOptional: true, min: 1, max: 1000000, help: say("keys.rate.help") },
      { name: "test", label: say("keys.test"), type: "checkbox", help: say("keys.test.help") },
    ]} />`}`;
}

/** @param {{id: string, role: string}} props */
function OneKey({ id, role }) {
  const { row, error, again } = useRow("/api-keys", "api_keys", id);
  const [made, show] = useState(/** @type {{key: string} | null} */ (null));
  if (!row) return html`<${Pending} title=${say("keys.api")} error=${error} again=${again} />`;
  const over = stateOf(row)[0] !== "good" && say("keys.over");
  /** @param {string} seconds */
  async function rotate(seconds) {
    show(await ask("POST", `/api-keys/${id}/rotate`, { overlap_seconds: Number(seconds) }));
    again();
  }
  const revoke = () => ask("POST", `/api-keys/${id}/revoke`).then(again);
  return html`
    <${Head} title=${row.name} says=${html`<${KeyState} row=${row} />`} />
    <${ShownKey} made=${made} onClose=${() => show(null)} />
    <div class="thing">
      <${Facts} rows=${[
        [say("codes.id"), html`<${Id} id=${row.id} />`],
        [say("operators.role"), say(`frame.role.${row.role}`)],
        [say("keys.rate"), row.requests_per_minute && figure(row.requests_per_minute)],
        [say("keys.test"), say(row.test ? "word.yes" : "word.no")],
        [say("codes.created"), html`<${Time} at=${row.created_at} />`],
        [say("codes.expires"), html`<${Time} at=${row.expires_at} none="clients.forever" />`],
        [say("keys.rotated"), html`<${Time} at=${row.rotated_at} />`],
        row.old_key_until && [say("keys.old"), html`<${Time} at=${row.old_key_until} />`],
        row.revoked_at && [say("keys.revoked"), html`<${Time} at=${row.revoked_at} />`],
        [say("audit.title"), html`<a href=${linkTo(["audit"], { actor: row.id })}>${say("keys.audit")}</a>`],
      ].filter(Boolean)} />
      ${may(role, "admin") && html`<div class="card deeds">
        <${Deed} label=${say("keys.rotate")} ask=${say("keys.rotate.ask", { name: row.name })} forbidden=${over} choice=${{ label: say("overlap.label"), value: "3600", words: overlaps() }} act=${rotate} />
        <${Deed} label=${say("keys.revoke")} ask=${say("keys.revoke.ask", { name: row.name })} forbidden=${over} word=${row.name} isBad act=${revoke} />
      </div>`}
    </div>`;
}
