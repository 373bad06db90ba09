// Chooses spans of the log, with the pointer and with keys, and prints what was wrong: node log.mjs JSON
import { enter, openWatched, visit } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const { browser, page, faults, at } = await openWatched(asked);
const BARS = ".bars svg";

const lines = () => page.locator(".log li").count();
const spanOf = () => Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.split("?")[1] ?? ""));
/** The times of the lines that are shown, as the service wrote them. */
const times = () => page.locator(".log li time").evaluateAll((rows) => rows.map((row) => Date.parse(row.getAttribute("datetime"))));

/** Waits for what was chosen, and looks whether the lines are those of the span. */
async function judge(name) {
  await page.waitForURL(/since=.*until=/);
  await page.waitForSelector(".skeleton", { state: "detached" });
  await page.waitForSelector(".bars rect:not(.unknown)");
  const { since, until } = spanOf();
  const found = await times();
  const wrong = found.filter((time) => time < Date.parse(since) || time >= Date.parse(until));
  if (!found.length || wrong.length) faults.push([name, "lines beyond the span", `${since} ${until} ${found.length} ${wrong.length}`]);
  for (const field of ["since", "until"]) {
    if (!await page.inputValue(`#filter-${field}`)) faults.push([name, "field is empty", field]);
  }
}

await enter(page, asked);
at("older");
await visit(page, asked.base, "log");
await page.waitForSelector(".log li");
const before = await lines();
await page.locator(".log .more button").click();
await page.locator(".log li").nth(before).waitFor();
const all = await times();
if (all.some((time, index) => index && time > all[index - 1])) faults.push(["older", "order", ""]);

at("pointer");
const box = await page.locator(BARS).boundingBox();
await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
await page.mouse.down();
await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2, { steps: 4 });
if (await page.locator(".bars rect.chosen").count() !== 1) faults.push(["pointer", "shows no span", ""]);
await page.mouse.up();
await judge("pointer");
if (await page.locator(".says").textContent() !== asked.past) faults.push(["pointer", "says", await page.locator(".says").textContent()]);

at("keys");
await page.locator(".chips a.button").click();
await page.waitForURL((url) => !url.hash.includes("since"));
await page.waitForSelector(".log li");
await page.locator(BARS).focus();
await page.keyboard.press("ArrowLeft");
for (let index = 0; index < 29; index++) await page.keyboard.press("Shift+ArrowLeft");
const told = await page.locator(BARS).getAttribute("aria-valuetext");
await page.keyboard.press("Enter");
await judge("keys");
if (!told.includes(asked.from)) faults.push(["keys", "tells no span", told]);

at("escape");
const kept = page.url();
await page.locator(BARS).focus();
await page.keyboard.press("ArrowLeft");
await page.keyboard.press("Escape");
await page.keyboard.press("Enter");
if (page.url() !== kept) faults.push(["escape", "chose", page.url()]);
console.log(JSON.stringify(faults));
await browser.close();
