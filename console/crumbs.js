// @ts-check
// Where one is: the section, the point that the thing belongs to, and the thing itself.
import { html, useEffect, useState } from "./lib/preact.js";
import { useData } from "./api.js";
import { plain, say } from "./lang.js";
import { linkTo } from "./route.js";

/** @type {Set<(title: string) => void>} */
const readers = new Set();
let current = "";

/** A page says what it is called; the last crumb is that. @param {string} title */
export function tellTitle(title) {
  current = plain(title);
  readers.forEach((read) => read(current));
}

function useTitle() {
  const [title, setTitle] = useState(current);
  useEffect(() => {
    readers.add(setTitle);
    setTitle(current);
    return () => void readers.delete(setTitle);
  }, []);
  return title;
}

/** Below a section that lists by points, the first step is a point. @type {Record<string, (id: string) => string>} */
const POINT_PAGES = {
  packages: (id) => linkTo(["points", id]),
  refusals: (id) => linkTo(["points", id]),
  catalog: (id) => linkTo(["catalog", id]),
};

/** @param {{section: string, id: string}} props */
function PointCrumb({ section, id }) {
  const { data } = useData([`/integrations/${id}`]);
  return html`<li><a href=${POINT_PAGES[section](id)}>${data ? plain(data[0].name) : `${id.slice(0, 8)}…`}</a></li>`;
}

/** @param {{page: import("./pages.js").Page, path: string[]}} props */
export function Crumbs({ page, path }) {
  const title = useTitle();
  if (path.length < 2) return null;
  const isBelowPoint = page.name in POINT_PAGES && (path.length > 2 || page.name === "refusals");
  return html`<nav class="crumbs" aria-label=${say("nav.crumbs")}><ol>
    <li><a href=${linkTo([page.under ?? page.name])}>${say(page.title ?? `nav.${page.under}`)}</a></li>
    ${isBelowPoint && html`<${PointCrumb} key=${path[1]} section=${page.name} id=${path[1]} />`}
    <li aria-current="page">${title}</li></ol></nav>`;
}
