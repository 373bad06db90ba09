// @ts-check
// The own account: another password, and where one is logged in.
import { html } from "../lib/preact.js";
import { ask, useData } from "../api.js";
import { say } from "../lang.js";
import { ErrorNote, Head, Id } from "../parts.js";
import { Facts, Form } from "../forms.js";
import { Sessions } from "./sessions.js";

const PASSWORD_MIN = 10;
const PASSWORD_MAX = 128;

/** @type {import("../forms.js").Field[]} */
const fields = [
  { name: "password", label: say("account.password"), type: "password", complete: "current-password", max: PASSWORD_MAX },
  { name: "new_password", label: say("account.new"), type: "password", complete: "new-password", min: PASSWORD_MIN, max: PASSWORD_MAX },
  { name: "again_password", label: say("welcome.again"), type: "password", complete: "new-password", max: PASSWORD_MAX },
];

/** @param {import("../pages.js").PageProps} props */
export function Account({ operator }) {
  const { data, error, again } = useData(["/sessions"], 10e3);
  /** @param {Record<string, string>} values */
  async function change({ password, new_password, again_password }) {
    if (new_password !== again_password) throw new Error(say("welcome.differ"));
    await ask("POST", "/password", { password, new_password });
    again();
    return say("account.changed");
  }
  return html`
    <${Head} title=${say("account.title")} says=${say(`frame.role.${operator.role}`)} />
    <${Facts} rows=${[[say("login.name"), operator.name], [say("codes.id"), html`<${Id} id=${operator.id} />`]]} />
    <h2>${say("account.change")}</h2>
    <${Form} fields=${fields} button=${say("account.change")} help=${say("account.help")} act=${change} />
    <h2>${say("operators.sessions")}</h2>
    <${ErrorNote} error=${error} again=${again} />
    <${Sessions} rows=${data && data[0].sessions} path="/sessions" again=${again} />`;
}
