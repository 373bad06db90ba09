// @ts-check
// What happened to a thing, step by step, with the time since the step before.
import { html } from "./lib/preact.js";
import { duration, exactTime, figure, say, sayWord, timeOfDay } from "./lang.js";
import { Shape } from "./parts.js";
import { linkTo } from "./route.js";

/** @typedef {import("./types").Step} Step */

/** A step that came later than this after the one before took unusually long. What people do takes as long as it takes. @type {Record<string, number>} */
const SLOW_MS = { queued: 1e3, claimed: 10e3, returned: 30e3, moved: 60e3, accepted: 10e3, sent: 30e3, delivered: 60e3, undelivered: 60e3, failed: 30e3,
  status: 60e3, check: 10e3, fetch: 10e3, success: 30e3, unknown: 60e3 };
/** And a call of a provider or an ERP that took longer itself. */
const SLOW_CALL_MS = 5e3;
/** @type {Record<string, import("./parts.js").Tone>} */
const TONES = {
  confirmed: "good", delivered: "good", sent: "good", accepted: "good", failed: "bad", undelivered: "bad", rejected: "bad",
  wrong_code: "wait", unknown: "wait", exhausted: "bad", expired: "off", canceled: "off",
};

/** @param {Step} step */
function attemptOf({ step, attempt }) {
  if (!attempt) return "";
  if (step === "attempt") return figure(attempt);
  return attempt > 1 && say("codes.attempt", { n: attempt });
}

/** A duration; one that is unusually long has a mark and says so. @param {{ms: number, most?: number, text: string}} props */
function Took({ ms, most = Infinity, text }) {
  if (ms <= most) return html`<span>${text}</span>`;
  const says = say("codes.slow", { most: duration(most) });
  return html`<span class="slow" title=${says}><${Shape} tone="wait" /> ${text}<span class="hidden"> ${says}</span></span>`;
}

/** Where a step happened, and what was wrong; the rest is behind JSON. @param {{step: Step}} props */
function Details({ step }) {
  const parts = [
    attemptOf(step),
    step.gateway_number,
    step.account_id,
    step.device_id && html`<a href=${linkTo(["fleet", step.device_id])}>${step.device_name ?? step.device_id}</a>`,
    step.status && say("codes.provider", { status: step.status }),
    step.outcome && step.outcome !== "done" && sayWord("outcome", step.outcome),
    typeof step.duration_ms === "number" && html`<${Took} ms=${step.duration_ms} most=${SLOW_CALL_MS} text=${duration(step.duration_ms)} />`,
    step.error,
  ];
  return html`<span class="quiet">${parts.filter(Boolean).map((part, index) => html`${index ? ", " : " "}${part}`)}</span>`;
}

/** @param {{steps: Step[]}} props */
export function Timeline({ steps }) {
  return html`<h2>${say("codes.timeline")}</h2><ol class="card steps">${steps.map((step, index) => {
    const since = index ? Date.parse(step.at) - Date.parse(steps[index - 1].at) : 0;
    return html`<li key=${index}>
      <${Shape} tone=${TONES[step.step] ?? "off"} />
      <span>${sayWord("step", step.step)}<${Details} step=${step} /></span>
      <span class="number nowrap quiet">${index ? html`<${Took} ms=${since} most=${SLOW_MS[step.step]} text=${`+${duration(since)}`} />` : ""}</span>
      <time class="at quiet nowrap" datetime=${step.at} title=${exactTime(step.at)}>${timeOfDay(step.at)}</time>
    </li>`;
  })}</ol>`;
}
