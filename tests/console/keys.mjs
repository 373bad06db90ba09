// Works by keys alone, and prints what was wrong as JSON: node keys.mjs JSON
import { enter, openWatched, visit } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const { browser, page, faults, at } = await openWatched(asked, { locale: "en" });
const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
/** What has the focus, as a screen reader names it. */
const focused = () => page.evaluate(() => {
  const { tagName, ariaLabel, textContent, id } = document.activeElement ?? {};
  return ariaLabel || textContent?.trim() || `${tagName} ${id}`;
});
const lines = () => page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle);
async function expect(name, wanted) {
  const found = await focused();
  if (!found.startsWith(wanted)) faults.push([name, "focus is at", found]);
}
/** Goes on by Tab to what has that name. */
async function reach(wanted) {
  for (let steps = 0; steps < 80; steps++) {
    await press("Tab");
    if ((await focused()).startsWith(wanted)) {
      if (await lines() === "none") faults.push([wanted, "focus is not seen", ""]);
      return;
    }
  }
  throw new Error(`Tab does not reach ${wanted}`);
}

await enter(page, asked);
at("skip");
await page.locator(".skip").focus();
await press("Enter");
if (await page.evaluate(() => document.activeElement?.id) !== "main") faults.push(["skip", "focus is at", await focused()]);

at("search");
await press("/");
await expect("search", "Search");

at("rail");
await visit(page, asked.base, "overview");
await reach("Fleet");
await press("Enter");
await page.waitForSelector("tbody tr");
if (await page.evaluate(() => document.activeElement?.id) !== "main") faults.push(["rail", "focus is at", await focused()]);
await reach(asked.name);
await press("Enter");
await page.waitForSelector(".deeds");

for (const [verb, inside] of [["Disable phone", "Disable phone"], ["Remove phone", "INPUT"]]) {
  at(verb);
  await reach(verb);
  await press("Enter");
  await page.locator(".confirm :focus").waitFor();
  await expect(`${verb}, asking`, inside);
  await press("Escape");
  await page.locator(".deeds > :focus").waitFor();
  await expect(`${verb}, left`, verb);
}

at("done");
await page.locator("main").focus();
await reach("Disable phone");
await press("Enter");
await page.locator(".confirm :focus").waitFor();
await press("Enter");
await page.getByRole("button", { name: "Enable phone" }).waitFor();
await page.locator(".deeds > :focus").waitFor();
await expect("done", "Enable phone");
console.log(JSON.stringify(faults));
await browser.close();
