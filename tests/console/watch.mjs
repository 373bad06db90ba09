// A browser on the console, and what goes wrong in it: errors of the page and of its console, dialogs,
// what its policy forbids, requests that fail, and requests to anybody else.
import { chromium } from "playwright-core";

/** Runs before anything of a page; the policy reports to nobody, so the page itself is asked. */
const TELL_OF_POLICY = () => addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));

/** A machine that is busy is slow, not wrong. */
const PATIENCE_MS = 120e3;

/** Opens a page. Each fault is [where, kind, text]; `at(where)` says where the page is from now on. */
export async function openWatched({ chromium: executablePath, base }, options = {}) {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const context = await browser.newContext(options);
  await context.addInitScript(TELL_OF_POLICY);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults = [];
  let where = "login";
  const tell = (kind, text) => faults.push([where, kind, text]);
  page.on("console", (message) => message.type() === "error" && tell("console", message.text()));
  page.on("pageerror", (error) => tell("error", error.message));
  page.on("dialog", (dialog) => {
    tell("dialog", dialog.message());
    dialog.dismiss();
  });
  page.on("request", (request) => !request.url().startsWith("about:") && new URL(request.url()).origin !== new URL(base).origin && tell("asks", request.url()));
  page.on("requestfailed", (request) => {
    // A page that is left ends its stream and what it polls.
    const why = request.failure()?.errorText ?? "";
    if (why !== "net::ERR_ABORTED") tell("fails", `${request.method()} ${request.url()} ${why}`);
  });
  page.on("response", (response) => response.status() >= 400 &&
    tell("refused", `${response.status()} ${response.request().method()} ${response.url()}`));
  return { browser, context, page, faults, at: (place) => (where = place) };
}

/** Sets the password by the one-time link, which logs in; `printed` is one as a command prints it. */
export async function enter(page, { base, link, password, printed = `${base}#/welcome/${link}` }) {
  await page.goto(printed);
  for (const field of ["#password", "#again"]) await page.fill(field, password);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".tile");
}

const pathOf = (hash) => hash.split("?")[0];

/** Goes to a page of the console and waits until it has its data; the page before it is none. */
export async function visit(page, base, hash) {
  const isOther = pathOf(new URL(page.url()).hash) !== pathOf(`#/${hash}`);
  if (isOther) await page.evaluate(() => document.querySelector("main h1")?.setAttribute("data-left", ""));
  await page.goto(`${base}#/${hash}`);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await page.waitForSelector("main h1:not([data-left])");
  await page.waitForSelector(".skeleton", { state: "detached" });
}
