// @ts-check
// All sections at once, for screens that have no room for the rail.
import { html } from "../lib/preact.js";
import { say } from "../lang.js";
import { Head } from "../parts.js";
import { linkTo } from "../route.js";

/** @param {import("../pages.js").PageProps & {pages: import("../pages.js").Page[]}} props */
export const More = ({ pages, operator }) => html`
  <${Head} title=${say("nav.sections")} />
  <ul class="card sections">
    ${pages.map((page) => html`<li key=${page.name}><a href=${linkTo([page.name])}>${say(page.title ?? "")}</a></li>`)}
    <li><a href=${linkTo(["account"])}>${say("account.title")}</a> <span class="quiet">${operator.name}</span></li>
  </ul>`;
