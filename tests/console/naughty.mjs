// Looks at what strangers wrote, on each page that shows it, and prints what of it came alive:
// node naughty.mjs JSON
import { enter, openWatched, visit } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const { browser, page, faults, at } = await openWatched(asked);

await enter(page, asked);
/** The customer of an order is shown to who asks for it, unless its ERP has taken it. */
async function reveal() {
  const button = page.locator(".deeds > button").last();
  if (!await button.count()) return;
  await button.click();
  await page.locator(".confirm .main").click();
  await page.waitForSelector(".confirm", { state: "detached" });
}

const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** Signs that turn the direction of a text are no part of what is read. */
const plain = (text) => text.replace(TURNING, "");

/** As it may stand on a page; what a phone or a provider said has blanks for such signs. */
const formsOf = (string) => [plain(string), plain(JSON.stringify(string).slice(1, -1)), string.replace(TURNING, " ")];

for (const [hash, string] of asked.pages) {
  at(hash);
  await visit(page, asked.base, hash);
  if (hash.startsWith("orders/")) await reveal();
  for (const summary of await page.locator("summary").all()) await summary.click();
  const text = plain(await page.textContent("main"));
  if (!formsOf(string).some((form) => text.includes(form))) faults.push([hash, "does not show", string]);
  // What the console itself never makes; its own links begin with # alone, or read a package's body.
  for (const kind of ["main img", "main script", "main iframe", "main object", "main style", "main base", "main [onerror]",
    "main [onclick]", 'main a:not([href^="#"]):not([href^="/console/api/"])']) {
    if (await page.locator(kind).count()) faults.push([hash, "element", kind]);
  }
  if (await page.evaluate(() => "naughty" in globalThis)) faults.push([hash, "ran"]);
}
const seen = await page.evaluate(() => document.title);
if (!seen.endsWith("herald")) faults.push(["title", seen]);
console.log(JSON.stringify(faults));
await browser.close();
