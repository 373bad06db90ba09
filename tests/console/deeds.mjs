// Support shows numbers, sends by SMS as well, and cancels: node deeds.mjs JSON
import { enter, openWatched, visit } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const { browser, page, faults, at } = await openWatched(asked, { locale: "en" });
const posts = [];
page.on("request", (request) => request.method() === "POST" && posts.push(new URL(request.url()).pathname.split("/").at(-1)));
/** An answer takes a while, so that there is time for a second click. */
await page.route(/\/(sms-fallback|cancel|reveal)$/, async (route) => {
  await new Promise((wake) => setTimeout(wake, 300));
  await route.continue();
});

/** Clicks a button, reads its question, does it with two clicks, and sees the button grey afterwards. */
async function act(name, label, question, verb) {
  at(`${name}: ${label}`);
  const button = page.locator(".deeds").getByRole("button", { name: label, exact: true });
  await button.click();
  const confirm = page.locator(".confirm");
  const text = await confirm.locator("p").first().textContent();
  if (await confirm.count() !== 1 || text !== question) faults.push([name, label, text]);
  const before = posts.length;
  const main = confirm.locator("button").first();
  await main.evaluate((element) => { element.click(); element.click(); });
  if (!await main.isDisabled()) faults.push([name, label, "is live while it runs"]);
  await confirm.waitFor({ state: "detached" });
  const sent = posts.slice(before).filter((path) => path === verb);
  if (sent.length !== 1) faults.push([name, label, `sent ${posts.slice(before)}`]);
  if (!await button.isDisabled()) faults.push([name, label, "is live after it was done"]);
}

const REVEAL = "That you saw the number stays in the audit with your name.";

async function reveal(name, hash, label, number) {
  await visit(page, asked.base, hash);
  const masked = await page.textContent("h1");
  if (!masked.includes("***")) faults.push([name, "is not masked", masked]);
  await act(name, label, REVEAL, "reveal");
  await page.locator("h1", { hasText: number }).waitFor();
}

async function seeState(name, word) {
  await page.locator(".says", { hasText: word }).waitFor();
  if (await page.locator(".deeds button:not([disabled])").count()) faults.push([name, "offers what is over", await page.textContent(".deeds")]);
}

await enter(page, asked);
await reveal("code", `codes/${asked.code}`, "Show number", asked.numbers[0]);
await act("code", "Send by SMS as well", "The same code goes to the customer by SMS as well.", "sms-fallback");
await page.locator("dd", { hasText: "SMS +7" }).waitFor();
await page.locator(".deeds", { hasText: "The code was sent by SMS as well." }).waitFor();
await act("code", "Cancel code", "The code ends: the customer cannot use it any more. There is no way back, but a new code can be created.", "cancel");
await seeState("code", "canceled");

await reveal("call", `calls/${asked.call}`, "Show number", asked.numbers[1]);
await act("call", "Stop waiting", "The customer's call confirms nothing any more. There is no way back, but a new check can be created.", "cancel");
await seeState("call", "canceled");

await reveal("message", `messages/${asked.message}`, "Show recipient", asked.numbers[2]);

at("another code");
await visit(page, asked.base, `codes/${asked.code}`);
if ((await page.textContent("h1")).includes(asked.numbers[0].slice(1))) faults.push(["code", "still shows the number"]);
console.log(JSON.stringify(faults));
await browser.close();
