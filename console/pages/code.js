// @ts-check
// One code: what it is, what can be done with it, and what happened to it, step by step.
import { html, useState } from "../lib/preact.js";
import { ask, useData } from "../api.js";
import { say, sayWord } from "../lang.js";
import { Deed, ErrorNote, Head, Id, Pending, Raw, Time, may } from "../parts.js";
import { StateOf } from "../states.js";
import { Timeline } from "../timeline.js";
import { WhyCode } from "../why.js";

const EVERY_MS = 2000;
const FINAL = ["confirmed", "expired", "exhausted", "canceled"];

/** @param {{code: import("../types").Code, role: string, isShown: boolean, again: () => void, onReveal: (number: string) => void}} props */
function Deeds({ code, role, isShown, again, onReveal }) {
  const isFinal = FINAL.includes(code.state) && say("codes.cancel.final");
  const hasSms = code.sends.some((send) => send.channel === "sms") && say("codes.fallback.done");
  const act = (/** @type {string} */ verb) => () => ask("POST", `/otp/${code.id}/${verb}`).then(again);
  const reveal = () => ask("POST", `/otp/${code.id}/reveal`).then((full) => onReveal(full.recipient));
  if (!may(role, "support")) return null;
  return html`<div class="card deeds">
    ${code.channel !== "sms" && html`<${Deed} label=${say("codes.fallback")} ask=${say("codes.fallback.ask")} forbidden=${isFinal || hasSms} isOnce act=${act("sms-fallback")} />`}
    <${Deed} label=${say("codes.cancel")} ask=${say("codes.cancel.ask")} forbidden=${isFinal} isBad isOnce act=${act("cancel")} />
    ${!code.erased && code.recipient?.includes("*") && html`<${Deed} label=${say("codes.reveal")} ask=${say("codes.reveal.ask")} forbidden=${isShown && say("codes.reveal.done")} isOnce act=${reveal} />`}
  </div>`;
}

/** @param {{id: string, operator: {role: string}}} props */
export function Code({ id, operator }) {
  const { data, error, again } = useData([`/otp/${id}`, `/otp/${id}/timeline`], EVERY_MS);
  const [number, setNumber] = useState("");
  if (!data) return html`<${Pending} title=${say("search.type.otp")} error=${error} again=${again} />`;
  const [code, timeline] = data;
  return html`
    <${Head} title=${number || code.recipient || say("codes.erased")} says=${html`<${StateOf} group="otp" word=${code.state} />`} />
    <${ErrorNote} error=${error} />
    <${WhyCode} code=${code} />
    <div class="thing">
      <dl class="card facts">
        <dt>${say("codes.id")}</dt><dd><${Id} id=${code.id} /> ${code.test && html`<span class="badge test">${say("codes.test")}</span>`}</dd>
        <dt>${say("codes.channel")}</dt><dd>${sayWord("channel", code.channel)}</dd>
        <dt>${say("codes.created")}</dt><dd><${Time} at=${code.created_at} /></dd>
        <dt>${say("codes.expires")}</dt><dd><${Time} at=${code.expires_at} /></dd>
        <dt>${say("codes.tries")}</dt><dd>${code.attempts_left}</dd>
        <dt>${say("codes.sends")}</dt><dd>${code.sends.map((/** @type {any} */ send) => html`<div>${sayWord("channel", send.channel)} ${send.gateway_number ?? ""} — ${sayWord("send", send.state)}${send.error ? `: ${send.error}` : ""}</div>`)}</dd>
      </dl>
      <${Deeds} code=${code} role=${operator.role} isShown=${Boolean(number)} again=${again} onReveal=${setNumber} />
    </div>
    <${Timeline} steps=${timeline.steps} />
    <${Raw} record=${{ code, timeline }} />`;
}
