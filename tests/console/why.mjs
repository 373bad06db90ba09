// Support looks for the reason of each customer who did not get a code: node why.mjs JSON
import { enter, openWatched } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const { browser, page, faults, at } = await openWatched(asked, { locale: "en" });

/** Types a number as a customer says it, and waits for what is found. */
async function find(name, rows) {
  at(name);
  await page.keyboard.press("Control+k");
  await page.keyboard.type(asked[name].replace(/^\+7/, "8"));
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/*${encodeURIComponent(asked[name].slice(2))}*`);
  await page.locator("tbody tr").nth(rows - 1).waitFor();
  const count = await page.locator("tbody tr").count();
  if (count !== rows) faults.push([name, "rows", String(count)]);
  const text = await page.textContent("main tbody");
  if (text.includes(asked[name].slice(1))) faults.push([name, "shows the number", text]);
}

/** Opens the newest code and reads why. */
async function read(name, reason) {
  await page.locator("tbody tr", { hasText: "Code" }).first().locator("a").first().click();
  await page.locator(".steps").waitFor();
  await page.locator(".why", { hasText: reason }).waitFor({ timeout: 15000 })
    .catch(async () => faults.push([name, "why", await page.textContent("main")]));
}

await enter(page, asked);
await find("failed", 2);
await read("failed", asked.cause);
await find("waiting", 3);
await page.locator("tbody tr", { hasText: "this number has another code" }).waitFor();
await read("waiting", "no SIM is ready");
await find("expired", 2);
await read("expired", "its time was over");

await find("refused", 1);
await page.locator("tbody tr", { hasText: "its channel is not configured" }).waitFor();
at("refused list");
await page.locator(".rail a", { hasText: "Codes" }).click();
await page.fill("#filter-recipient", asked.refused);
await page.keyboard.press("Enter");
await page.locator(".refused li", { hasText: "its channel is not configured" }).waitFor();
await page.locator(".refused a").click();
await page.locator(".log li", { hasText: "request refused" }).waitFor();
console.log(JSON.stringify(faults));
await browser.close();
