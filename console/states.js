// @ts-check
// The states of things by their words in the API: each with its tone; its sentence is in words.js.
import { html } from "./lib/preact.js";
import { sayWord } from "./lang.js";
import { State } from "./parts.js";

/** @type {Record<string, Record<string, import("./parts.js").Tone>>} */
const STATES = {
  otp: {
    queued: "wait", accepted: "wait", sent: "wait", delivered: "wait", undelivered: "bad",
    confirmed: "good", expired: "off", exhausted: "bad", canceled: "off",
  },
  call: { pending: "wait", confirmed: "good", expired: "off", canceled: "off" },
  messenger: { connected: "good", linked: "wait", disconnected: "bad", banned: "bad", unbound: "off" },
  message: { accepted: "wait", sent: "good", delivered: "good", failed: "bad", unknown: "wait" },
  order: { queued: "wait", delivering: "wait", accepted: "good", rejected: "bad", failed: "bad" },
  package: { accepted: "wait", processing: "wait", applied: "good", retry: "wait", failed: "bad" },
};

/** @param {{group: string, word: string}} props */
export const StateOf = ({ group, word }) => html`<${State} tone=${STATES[group][word] ?? "off"}>${sayWord(group, word)}<//>`;

/** The states of a group for a choice. @param {string} group @returns {[string, string][]} */
export const wordsOf = (group) => Object.keys(STATES[group]).map((word) => [word, sayWord(group, word)]);
