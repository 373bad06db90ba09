// @ts-check
// A sales point is connected with its ERP, and the way to the ERP is changed.
import { html } from "../lib/preact.js";
import { ask } from "../api.js";
import { say } from "../lang.js";
import { Head } from "../parts.js";
import { Form } from "../forms.js";
import { go, linkTo } from "../route.js";

/** @typedef {import("../types").Integration} Integration */

/** @param {Record<string, unknown>} values */
const given = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));

/** How an ERP is reached. @param {Integration} [point] @returns {import("../forms.js").Field[]} */
const erpFields = (point) => [
  { name: "base_url", label: say("connect.url"), type: "url", value: point?.erp.base_url, max: 500, help: say("connect.url.help") },
  { name: "order_path", label: say("connect.path"), value: point?.erp.order_path, max: 200, isOptional: true, help: say("connect.path.help") },
  { name: "token_password", label: say("connect.token"), type: "password", complete: "new-password", max: 1000, isOptional: Boolean(point),
    help: say(point ? "connect.token.stays" : "connect.token.help") },
];

export function NewPoint() {
  /** @param {Record<string, string>} values */
  async function connect({ name, tenant_id, point_id, environment, base_url, order_path, token_password }) {
    const erp = given({ base_url, order_path, token: token_password });
    const made = await ask("POST", "/integrations", { name, tenant_id, point_id, environment, erp });
    go(linkTo(["clients", made.id]), true);
  }
  return html`<${Head} title=${say("connect.title")} />
    <${Form} button=${say("connect.title")} help=${say("connect.help")} act=${connect} fields=${[
      { name: "name", label: say("login.name"), max: 200 },
      { name: "environment", label: say("connect.environment"), words: [["production", say("connect.production")], ["test", say("connect.test")]] },
      { name: "tenant_id", label: say("clients.tenant"), max: 36, help: say("connect.id.help") },
      { name: "point_id", label: say("clients.point"), max: 36, help: say("connect.id.help") },
      ...erpFields(),
    ]} />`;
}

/** @param {{point: Integration, again: () => void}} props */
export function ChangePoint({ point, again }) {
  /** @param {Record<string, string>} values */
  async function change({ name, base_url, order_path, token_password }) {
    await ask("PATCH", `/integrations/${point.id}`, { name, erp: given({ base_url, order_path, token: token_password }) });
    again();
    return say("operators.changed");
  }
  return html`<h2>${say("connect.change")}</h2>
    <${Form} key=${point.updated_at} button=${say("connect.change")} act=${change}
      fields=${[{ name: "name", label: say("login.name"), value: point.name, max: 200 }, ...erpFields(point)]} />`;
}
