// @ts-check
// What is held of a person: found, told, or erased for good.
import { html } from "../lib/preact.js";
import { ask, useData } from "../api.js";
import { figure, say } from "../lang.js";
import { Deed, ErrorNote, Head, Id, Pending, Skeleton, State, Time } from "../parts.js";
import { Filters } from "../filters.js";
import { Facts, Guarded } from "../forms.js";
import { go, linkTo } from "../route.js";

/** @typedef {import("../types").SubjectJob} SubjectJob */

const EVERY_MS = 2000;
const KINDS = /** @type {const} */ (["codes", "calls", "messages", "orders", "log_entries"]);

/** @param {import("../pages.js").PageProps} props */
export function Subjects({ place, operator }) {
  return html`<${Guarded} role=${operator.role} least="admin" title=${say("subjects.title")}><${Held} place=${place} /><//>`;
}

/** @param {{place: import("../route.js").Place}} props */
function Held({ place }) {
  return place.path[1] ? html`<${Job} id=${place.path[1]} />` : html`<${Person} place=${place} />`;
}

/** @param {{place: import("../route.js").Place}} props */
function Person({ place }) {
  const phone = place.filters.phone ?? "";
  /** The answer of a job that is done at once is read again on its page. @param {string} verb */
  const begin = (verb) => () => ask("POST", `/subjects/${verb}`, { phone }).then((job) => go(linkTo(["subjects", job.id])));
  return html`
    <${Head} title=${say("subjects.title")} says=${say("subjects.says")} />
    <${Filters} place=${place} fields=${[{ name: "phone", label: say("subjects.phone") }]} />
    ${phone
      ? html`<div class="card deeds narrow">
          <p><a href=${linkTo(["search"], { q: phone })}>${say("subjects.find", { phone })}</a></p>
          <${Deed} label=${say("subjects.export")} ask=${say("subjects.export.ask", { phone })} act=${begin("export")} />
          <${Deed} label=${say("subjects.erase")} ask=${say("subjects.erase.ask", { phone })} word=${phone} isBad act=${begin("erase")} />
        </div>`
      : html`<div class="card"><p class="empty">${say("subjects.help")}</p></div>`}`;
}

/** @param {{job: SubjectJob}} props */
function Download({ job }) {
  function save() {
    const url = URL.createObjectURL(new Blob([JSON.stringify(job.found, null, 2)], { type: "application/json" }));
    const link = Object.assign(document.createElement("a"), { href: url, download: `person-${job.id}.json` });
    link.click();
    URL.revokeObjectURL(url);
  }
  return html`<div class="card deeds narrow">
    <p class="quiet">${say(job.found?.is_cut ? "subjects.cut" : "subjects.whole")}</p>
    <div><button type="button" class="main" onClick=${save}>${say("subjects.save")}</button></div>
  </div>`;
}

/** @param {{id: string}} props */
function Job({ id }) {
  const { data, error, again } = useData([`/subjects/jobs/${id}`], EVERY_MS);
  const job = /** @type {SubjectJob | undefined} */ (data?.[0]);
  if (!job) return html`<${Pending} title=${say("subjects.title")} error=${error} again=${again} />`;
  const isDone = job.state === "done";
  return html`
    <${Head} title=${say(`subjects.job.${job.kind}`)} says=${html`<${State} tone=${isDone ? "good" : "wait"}>${say(`job.${job.state}`)}<//>`} />
    <${ErrorNote} error=${error} />
    <${Facts} rows=${[
      [say("codes.id"), html`<${Id} id=${job.id} />`],
      [say("codes.created"), html`<${Time} at=${job.created_at} />`],
      job.phase && [say("subjects.phase"), say(`subjects.phase.${job.phase}`)],
      ...KINDS.map((kind) => [say(`subjects.count.${kind}`), figure(job[kind])]),
      job.orders_waiting > 0 && [say("subjects.waiting"), figure(job.orders_waiting)],
      job.finished_at && [say("subjects.finished"), html`<${Time} at=${job.finished_at} />`],
    ].filter(Boolean)} />
    ${!isDone && html`<${Skeleton} rows=${1} />`}
    <div class="after">${job.found && html`<${Download} job=${job} />`}</div>
    <p class="after"><a href=${linkTo(["subjects"])}>${say("subjects.other")}</a></p>`;
}
