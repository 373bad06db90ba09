// @ts-check
// A phone is registered by its name and its numbers; then it is paired on its page.
import { html } from "../lib/preact.js";
import { ask } from "../api.js";
import { say } from "../lang.js";
import { Head } from "../parts.js";
import { Form, listOf } from "../forms.js";
import { go, linkTo } from "../route.js";

/** @param {{device: import("../types").Device, again: () => void}} props */
export function ChangePhone({ device, again }) {
  /** @param {Record<string, string>} values */
  async function change({ name, numbers }) {
    await ask("PUT", `/devices/${device.id}`, { name, numbers: listOf(numbers) });
    again();
    return say("operators.changed");
  }
  const numbers = device.numbers.map(({ number }) => number).join(", ");
  return html`<h2>${say("phone.change")}</h2>
    <${Form} key=${device.name + numbers} button=${say("phone.change")} help=${say("phone.change.help")} act=${change} fields=${[
      { name: "name", label: say("login.name"), value: device.name, min: 1, max: 100 },
      { name: "numbers", label: say("phone.numbers"), value: numbers, help: say("phone.numbers.help") },
    ]} />`;
}

export function NewPhone() {
  const register = (/** @type {Record<string, string>} */ { name, numbers }) =>
    ask("POST", "/devices", { name, numbers: listOf(numbers) }).then((made) => go(linkTo(["fleet", made.device_id]), true));
  return html`<${Head} title=${say("phone.new")} />
    <${Form} button=${say("phone.new")} help=${say("phone.new.help")} act=${register} fields=${[
      { name: "name", label: say("login.name"), min: 1, max: 100, help: say("phone.name.help") },
      { name: "numbers", label: say("phone.numbers"), help: say("phone.numbers.help") },
    ]} />`;
}
