// Looks for phones among more than a page of them, and prints what was wrong: node fleet.mjs JSON
import { enter, openWatched, visit } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const { browser, page, faults, at } = await openWatched(asked);
const names = async () => new Set(await page.locator("tbody td:first-child").allTextContents());

await enter(page, asked);
at("all");
await visit(page, asked.base, "fleet");
await page.waitForSelector("tbody tr");
const first = (await names()).size;
if (first >= asked.count) faults.push(["all", "shows all at once", String(first)]);
await page.locator(".more button").click();
await page.locator("tbody tr").nth(asked.count - 1).waitFor();
if ((await names()).size !== asked.count) faults.push(["all", "phones", String((await names()).size)]);

at("one");
await page.fill("#filter-q", asked.name);
await page.keyboard.press("Enter");
await page.locator("tbody tr").nth(1).waitFor({ state: "detached" });
await page.locator("tbody tr", { hasText: asked.name }).waitFor();
if (![...await names()][0].includes(asked.name)) faults.push(["one", "phone", [...await names()].join()]);
if (!page.url().includes(`q=${encodeURIComponent(asked.name).replaceAll("%20", "+")}`)) faults.push(["one", "URL", page.url()]);
console.log(JSON.stringify(faults));
await browser.close();
