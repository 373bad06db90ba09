// @ts-check
// The frame: who is logged in, where one is, and the one search.
import { html, render, useEffect, useRef, useState } from "./lib/preact.js";
import { ask, get, useData, whenLoggedOut } from "./api.js";
import { Crumbs } from "./crumbs.js";
import { say, switchLanguage } from "./lang.js";
import { Login, Welcome } from "./pages/login.js";
import { listFor, pages } from "./pages.js";
import { toneOf } from "./pages/overview.js";
import { ErrorNote, Skeleton, State } from "./parts.js";
import { go, linkTo, usePlace } from "./route.js";

/** Whether somebody may be logged in here: no page can read the cookie itself. */
const SESSION = "herald.session";
const EVERY_MS = 15e3;

/** @typedef {import("./types").Operator} Operator */

/** @param {{path: string}} props */
const Icon = ({ path }) => html`<svg viewBox="0 0 16 16" aria-hidden="true">
  <path d=${path} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" /></svg>`;

/** @param {{current: string, role: string}} props */
const Rail = ({ current, role }) => html`<nav class="rail" aria-label=${say("nav.sections")}>
  <a class="brand" href=${linkTo(["overview"])}><${Icon} path="M3 2v12M13 2v12M3 8h10" />${say("app.name")}</a>
  ${listFor(role).map((page) => html`
    <a key=${page.name} href=${linkTo([page.name])} class=${page.isMain ? "" : "rest"} aria-current=${page.name === current ? "page" : undefined}>
      <${Icon} path=${page.icon} />${say(page.title ?? "")}</a>`)}
  <a class="all" href=${linkTo(["more"])} aria-current=${current === "more" ? "page" : undefined}><${Icon} path="M3 8h.1M8 8h.1M13 8h.1" />${say("nav.more")}</a>
</nav>`;

function SearchField() {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    function reach(event) {
      const isTyping = /** @type {HTMLElement} */ (event.target).matches("input, select, textarea");
      const isCtrlK = (event.ctrlKey || event.metaKey) && event.key === "k";
      if (!isCtrlK && (event.key !== "/" || isTyping)) return;
      event.preventDefault();
      field.current?.select();
    }
    addEventListener("keydown", reach);
    return () => removeEventListener("keydown", reach);
  }, []);
  /** @param {Event} event */
  function find(event) {
    event.preventDefault();
    const q = field.current?.value.trim();
    if (q) go(linkTo(["search"], { q }));
  }
  return html`<form class="search" role="search" onSubmit=${find}>
    <input ref=${field} type="search" aria-label=${say("search.label")} placeholder=${say("search.hint")} autocomplete="off" />
  </form>`;
}

/** How all is, as a shape with a sentence; the overview tells more. @param {{overview: import("./types").Overview}} props */
function Health({ overview: { troubles, trouble_count } }) {
  const says = trouble_count ? say("overview.troubles", { n: trouble_count }) : say("overview.well");
  return html`<a class="health" href=${linkTo(["overview"])} title=${says}><${State} tone=${troubles[0] ? toneOf(troubles[0]) : "good"}>${says}<//></a>`;
}

/** @param {{operator: Operator, onLeave: () => void}} props */
function Top({ operator, onLeave }) {
  const { data } = useData(["/overview"], EVERY_MS);
  const isTest = data?.[0].environment === "test";
  async function leave() {
    await ask("POST", "/logout");
    onLeave();
  }
  return html`<header class=${isTest ? "top is-test" : "top"}>
    <${SearchField} />
    <div class="end">
      ${data && html`<${Health} overview=${data[0]} />`}
      ${isTest && html`<span class="badge test">${say("frame.test")}</span>`}
      <a class="who" href=${linkTo(["account"])} title=${operator.name}><span class="quiet">${say(`frame.role.${operator.role}`)}</span> ${operator.name}</a>
      <button type="button" class="plain" onClick=${switchLanguage}>${say("frame.language")}</button>
      <button type="button" class="plain" onClick=${leave}>${say("frame.logout")}</button>
    </div>
  </header>`;
}

/** @param {{operator: Operator, onLeave: () => void}} props */
function Frame({ operator, onLeave }) {
  const place = usePlace();
  const page = pages.find(({ name }) => name === place.path[0]) ?? pages[0];
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const path = place.path.join("/");
  useEffect(() => {
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [path]);
  return html`<div class="frame">
    <a class="skip" href="#main" onClick=${(/** @type {Event} */ event) => { event.preventDefault(); main.current?.focus(); }}>${say("nav.skip")}</a>
    <${Rail} current=${page.name} role=${operator.role} />
    <${Top} operator=${operator} onLeave=${onLeave} />
    <main id="main" tabindex="-1" ref=${main}><${Crumbs} page=${page} path=${place.path} /><${page.view} key=${path} place=${place} operator=${operator} /></main>
  </div>`;
}

function App() {
  const place = usePlace();
  const [who, setWho] = useState(/** @type {{operator: Operator | null, error: any} | null} */ (null));
  const enter = (/** @type {Operator} */ operator) => {
    localStorage.setItem(SESSION, "1");
    setWho({ operator, error: null });
  };
  const leave = () => {
    localStorage.removeItem(SESSION);
    setWho({ operator: null, error: null });
  };
  useEffect(() => {
    whenLoggedOut(leave);
    if (!localStorage.getItem(SESSION)) leave();
    else get("/self").then(enter, (error) => error.status !== 401 && setWho({ operator: null, error }));
  }, []);
  if (place.path[0] === "welcome") return html`<${Welcome} link=${place.path[1] ?? ""} onEnter=${enter} />`;
  if (!who) return html`<${Skeleton} />`;
  if (who.error) return html`<main><${ErrorNote} error=${who.error} again=${() => location.reload()} /></main>`;
  if (!who.operator) return html`<${Login} onEnter=${enter} />`;
  return html`<${Frame} operator=${who.operator} onLeave=${leave} />`;
}

const root = document.getElementById("app");
if (root) render(html`<${App} />`, root);
