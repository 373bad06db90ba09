// Stops the log and lets it go on: nothing that came meanwhile is lost without a word: node pause.mjs JSON
// It asks for entries by a line on its output, and goes on when there is one on its input.
import readline from "node:readline";
import { enter, openWatched, visit } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const { browser, page, faults, at } = await openWatched(asked, { locale: "en" });
const input = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
async function write(what) {
  console.log(what);
  await input.next();
}
const held = (text) => page.locator(".held", { hasText: text }).waitFor({ timeout: 90000 })
  .catch(async () => faults.push(["held", text, await page.locator(".held").textContent()]));
const names = async () => new Set((await page.locator(".log li").allTextContents()).flatMap((text) => text.match(/request_id=[^ ]+/g) ?? []));

await enter(page, asked);
at("filter");
await visit(page, asked.base, `log?q=${asked.word}`);
await page.locator(".says", { hasText: "live" }).waitFor();
await page.getByRole("button", { name: "Pause" }).click();
await write("few");
await held("2 new lines");
const first = await page.locator(".log li").count(); // the key's creation
if (first !== 1) faults.push(["filter", "does not pause"]);
await page.getByRole("button", { name: "Go on" }).click();
await page.locator(".log li").nth(2).waitFor();
if (await page.locator(".gap").count()) faults.push(["filter", "tells of a gap"]);

at("gap");
await page.getByRole("button", { name: "Pause" }).click();
await write("many");
await held("520 new lines");
await held("The last 500 will appear here");
await page.getByRole("button", { name: "Go on" }).click();
await page.locator(".gap", { hasText: "22 lines are left out here" }).waitFor();
const seen = await names();
await page.locator(".gap a").click();
await page.waitForURL(/until=/);
await page.waitForSelector(".skeleton", { state: "detached" });
await page.locator(".log li").nth(21).waitFor();
for (const name of await names()) seen.add(name);
if (seen.size !== 523) faults.push(["gap", "lines are lost", String(523 - seen.size)]);
console.log(JSON.stringify(faults));
await browser.close();
process.exit();
