// @ts-check
// Who may use the console, and where they are logged in.
import { html, useState } from "../lib/preact.js";
import { ask, useData, useList } from "../api.js";
import { say } from "../lang.js";
import { Deed, ErrorNote, Head, Id, Older, Skeleton, Table, Time, may } from "../parts.js";
import { Form, Once } from "../forms.js";
import { linkTo } from "../route.js";
import { Sessions } from "./sessions.js";

const ROLES = ["viewer", "support", "operator", "admin"];

/** @type {import("../parts.js").Column[]} */
const columns = [
  { title: say("login.name"), cell: (person) => html`<a href=${linkTo(["operators", person.id])}>${person.name}</a>` },
  { title: say("operators.role"), cell: (person) => say(`frame.role.${person.role}`) },
  { title: say("operators.login"), cell: (person) => html`<${Time} at=${person.login_at} />` },
  { title: say("operators.created"), cell: (person) => html`<${Time} at=${person.created_at} />` },
];

/** A link is shown this once. @param {{link: string, onClose: () => void}} props */
const Link = ({ link, onClose }) => link && html`<${Once} help=${say("operators.link.help")} onClose=${onClose}
  rows=${[["URL", link.startsWith("http") ? link : location.origin + link]]} />`;

/** @param {import("../pages.js").PageProps} props */
export function Operators({ place, operator }) {
  return place.path[1] ? html`<${Person} id=${place.path[1]} operator=${operator} />` : html`<${People} operator=${operator} />`;
}

/** @param {{onMade: (link: string) => void}} props */
function NewOperator({ onMade }) {
  const add = (/** @type {Record<string, string>} */ values) => ask("POST", "/operators", values).then((made) => onMade(made.link));
  return html`<${Form} button=${say("operators.add")} act=${add} fields=${[
    { name: "name", label: say("login.name"), min: 1, max: 100 },
    { name: "role", label: say("operators.role"), words: ROLES.map((role) => [role, say(`frame.role.${role}`)]) },
  ]} />`;
}

/** @param {{operator: {role: string}}} props */
function People({ operator }) {
  const list = useList("/operators", {}, "operators");
  const [link, setLink] = useState("");
  const show = (/** @type {string} */ made) => {
    setLink(made);
    list.again();
  };
  return html`
    <${Head} title=${say("operators.title")} says=${list.rows ? say("operators.says", { n: list.rows.length }) : ""} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Link} link=${link} onClose=${() => setLink("")} />
    <${Table} stacks label=${say("operators.title")} columns=${columns} rows=${list.rows} empty=${say("operators.empty")} goesOn=${list.hasOlder} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} />
    ${may(operator.role, "admin") && html`<h2>${say("operators.add")}</h2><${NewOperator} onMade=${show} />`}`;
}

/** @param {{id: string, again: () => void, name: string, onLink: (link: string) => void}} props */
function AdminDeeds({ id, again, name, onLink }) {
  const renew = () => ask("POST", `/operators/${id}/link`).then((made) => onLink(made.link));
  const remove = () => ask("DELETE", `/operators/${id}`).then(() => { location.hash = linkTo(["operators"]); });
  return html`<div class="card deeds">
    <${Deed} label=${say("operators.link")} ask=${say("operators.link.ask")} act=${renew} />
    <${Deed} label=${say("operators.out")} ask=${say("operators.out.ask", { name })} isBad act=${() => ask("DELETE", `/operators/${id}/sessions`).then(again)} />
    <${Deed} label=${say("operators.remove")} ask=${say("operators.remove.ask", { name })} word=${name} isBad act=${remove} />
  </div>`;
}

/** @param {{id: string}} props */
function OwnSessions({ id }) {
  const { data, error, again } = useData([`/operators/${id}/sessions`], 10e3);
  return html`<h2>${say("operators.sessions")}</h2><${ErrorNote} error=${error} />
    <${Sessions} rows=${data && data[0].sessions} path=${`/operators/${id}/sessions`} again=${again} />`;
}

/** @param {{person: import("../types").Operator, again: () => void}} props */
function Change({ person, again }) {
  const change = (/** @type {Record<string, string>} */ values) => ask("PATCH", `/operators/${person.id}`, values).then(() => {
    again();
    return say("operators.changed");
  });
  return html`<h2>${say("operators.change")}</h2><${Form} key=${person.name + person.role} button=${say("operators.change")} help=${say("operators.change.help")} act=${change} fields=${[
    { name: "name", label: say("login.name"), value: person.name, min: 1, max: 100 },
    { name: "role", label: say("operators.role"), value: person.role, words: ROLES.map((role) => [role, say(`frame.role.${role}`)]) },
  ]} />`;
}

/** @param {{id: string, operator: {role: string}}} props */
function Person({ id, operator }) {
  const { data, error, again } = useData([`/operators/${id}`]);
  const [link, setLink] = useState("");
  if (!data) return html`<${Head} title=${say("operators.title")} /><${ErrorNote} error=${error} again=${again} />${!error && html`<${Skeleton} />`}`;
  const [person] = data;
  const isAdmin = may(operator.role, "admin");
  return html`
    <${Head} title=${person.name} says=${say(`frame.role.${person.role}`)} />
    <${Link} link=${link} onClose=${() => setLink("")} />
    <div class="thing">
      <dl class="card facts">
        <dt>${say("codes.id")}</dt><dd><${Id} id=${person.id} /></dd>
        <dt>${say("operators.login")}</dt><dd><${Time} at=${person.login_at} /></dd>
        <dt>${say("operators.created")}</dt><dd><${Time} at=${person.created_at} /></dd>
      </dl>
      ${isAdmin && html`<${AdminDeeds} id=${id} name=${person.name} again=${again} onLink=${setLink} />`}
    </div>
    ${isAdmin && html`<${Change} person=${person} again=${again} /><${OwnSessions} id=${id} />`}`;
}
