// @ts-check
import { html, useState } from "../lib/preact.js";
import { ask } from "../api.js";
import { say, switchLanguage } from "../lang.js";
import { sentenceOf } from "../parts.js";
import { go, linkTo } from "../route.js";

const PASSWORD_MIN = 10;

/** @typedef {(operator: import("../types").Operator) => void} Enter */

/**
 * @param {{title: string, help?: string, error: string, button: string, isBusy: boolean, onSubmit: (event: Event) => void, children?: unknown}} props
 */
const Form = ({ title, help, error, button, isBusy, onSubmit, children }) => html`<main class="login">
  <h1>${title}</h1>
  ${help && html`<p class="quiet">${help}</p>`}
  <form onSubmit=${onSubmit}>
    ${children}
    ${error && html`<p class="error" role="alert">${error}</p>`}
    <div><button class="main" disabled=${isBusy}>${button}</button></div>
  </form>
  <button type="button" class="plain" onClick=${switchLanguage}>${say("frame.language")}</button>
</main>`;

/** @param {{id: string, label: string, type?: string, complete: string}} props */
const Field = ({ id, label, type = "text", complete }) => html`<div>
  <label for=${id}>${label}</label>
  <input id=${id} name=${id} type=${type} autocomplete=${complete} required maxlength="128" />
</div>`;

/** Sends a form, and shows what was refused. */
function useForm() {
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  /** @param {string} path @param {object} body @param {Enter} onEnter @param {string} wrong */
  async function send(path, body, onEnter, wrong) {
    setBusy(true);
    setError("");
    try {
      onEnter(await ask("POST", path, body));
    } catch (fault) {
      const refusal = /** @type {import("../api.js").ApiError} */ (fault);
      setError(refusal.status === 401 ? wrong : sentenceOf(refusal));
    }
    setBusy(false);
  }
  return { error, setError, isBusy, send };
}

/** @param {{onEnter: Enter}} props */
export function Login({ onEnter }) {
  const form = useForm();
  /** @param {any} event */
  function submit(event) {
    event.preventDefault();
    const { name, password } = event.target.elements;
    form.send("/login", { name: name.value, password: password.value }, onEnter, say("login.wrong"));
  }
  return html`<${Form} title=${say("login.title")} error=${form.error} isBusy=${form.isBusy} button=${say("login.button")} onSubmit=${submit}>
    <${Field} id="name" label=${say("login.name")} complete="username" />
    <${Field} id="password" label=${say("login.password")} type="password" complete="current-password" />
    <p class="quiet">${say("login.lost")}</p>
  <//>`;
}

/** Sets a password by a one-time link. @param {{link: string, onEnter: Enter}} props */
export function Welcome({ link, onEnter }) {
  const form = useForm();
  /** @param {any} event */
  function submit(event) {
    event.preventDefault();
    const password = event.target.elements.password.value;
    if (password.length < PASSWORD_MIN) return form.setError(say("welcome.short"));
    if (password !== event.target.elements.again.value) return form.setError(say("welcome.differ"));
    return form.send("/welcome", { link, password }, (operator) => {
      onEnter(operator);
      go(linkTo(["overview"]), true);
    }, say("welcome.gone"));
  }
  return html`<${Form} title=${say("welcome.title")} help=${say("welcome.help")} error=${form.error} isBusy=${form.isBusy} button=${say("welcome.button")} onSubmit=${submit}>
    <${Field} id="password" label=${say("login.password")} type="password" complete="new-password" />
    <${Field} id="again" label=${say("welcome.again")} type="password" complete="new-password" />
  <//>`;
}
