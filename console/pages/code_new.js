// @ts-check
// A code is sent to somebody, to see that it arrives.
import { html, useRef } from "../lib/preact.js";
import { ask } from "../api.js";
import { say, sayWord } from "../lang.js";
import { Head } from "../parts.js";
import { Form } from "../forms.js";
import { go, linkTo } from "../route.js";

/** @param {{channels: string[]}} props */
export function NewCode({ channels }) {
  const last = useRef({ asked: "", key: "" });
  /** The same once more, as where no answer came, is the same code. @param {Record<string, string>} body */
  function send(body) {
    const asked = JSON.stringify(body);
    if (last.current.asked !== asked) last.current = { asked, key: crypto.randomUUID() };
    return ask("POST", "/otp", body, { key: last.current.key }).then((code) => go(linkTo(["codes", code.id]), true));
  }
  return html`<${Head} title=${say("codes.new")} />
    <${Form} button=${say("codes.new")} help=${say("codes.new.help")} act=${send} fields=${[
      { name: "recipient", label: say("codes.recipient"), max: 20, help: say("codes.new.number") },
      { name: "channel", label: say("codes.channel"), words: channels.map((word) => [word, sayWord("channel", word)]) },
    ]} />`;
}
