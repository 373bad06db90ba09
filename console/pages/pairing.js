// @ts-check
// How a phone gets its key: a QR code to read with it, or eight digits to enter, for ten minutes.
import { html, useEffect, useState } from "../lib/preact.js";
import { ask, query, useData } from "../api.js";
import { say } from "../lang.js";
import { Deed, Shape } from "../parts.js";

const EVERY_MS = 3000;
/** The paths that the service draws: moves and lines, which no markup can hide in. */
const PATH = /^[MHVhvz0-9 .,-]+$/i;

/** The picture is made anew of its two paths, since the page takes no markup as text. @param {{svg: string}} props */
function Qr({ svg }) {
  const side = /viewBox="0 0 (\d+) \d+"/.exec(svg)?.[1];
  const paths = [...svg.matchAll(/ d="([^"]*)"/g)].map((found) => found[1]);
  if (!side || !paths.every((path) => PATH.test(path))) return null;
  return html`<svg class="qr" viewBox=${`0 0 ${side} ${side}`} shape-rendering="crispEdges" role="img" aria-label=${say("pair.qr")}>
    ${paths.map((path, index) => html`<path d=${path} fill=${index ? "#000" : "#fff"} />`)}</svg>`;
}

/** @param {string} until */
function useSecondsLeft(until) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [until]);
  return Math.max(0, Math.ceil((Date.parse(until) - now) / 1000));
}

/** @param {number} seconds */
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/** The audit tells when the phone has used its code. @param {{id: string, pairing: import("../types").Pairing, since: string}} props */
function Open({ id, pairing, since }) {
  const left = useSecondsLeft(pairing.expires_at);
  const { data } = useData([`/audit${query({ action: "pairing.use", target: id, since, limit: 1 })}`], EVERY_MS);
  if (data?.[0].records.length) return html`<p class="state good" role="status"><${Shape} tone="good" /> ${say("pair.done")}</p>`;
  if (left === 0) return html`<p role="status">${say("pair.over")}</p>`;
  return html`<div class="pairing">
    <${Qr} svg=${pairing.qr_svg} />
    <div>
      <p>${say("pair.how")}</p>
      <p class="digits">${pairing.code.slice(0, 4)} ${pairing.code.slice(4)}</p>
      <p class="quiet" role="timer">${say("pair.left", { time: clock(left) })}</p>
      <p class="mono breaks">${pairing.url}</p>
    </div>
  </div>`;
}

/** @param {{id: string, name: string}} props */
export function Pairing({ id, name }) {
  const [open, setOpen] = useState(/** @type {{pairing: import("../types").Pairing, since: string} | null} */ (null));
  async function make() {
    const since = new Date(Date.now() - EVERY_MS).toISOString();
    setOpen({ pairing: await ask("POST", `/devices/${id}/pair`), since });
  }
  return html`<h2>${say("pair.title")}</h2>
    <div class="card deeds">
      ${open && html`<${Open} key=${open.since} id=${id} ...${open} />`}
      <div><${Deed} label=${say(open ? "pair.again" : "pair.make")} ask=${say("pair.ask", { name })} act=${make} /></div>
    </div>`;
}
