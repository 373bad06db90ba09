// Looks on while the log is flooded, and prints what was drawn more than once: node smooth.mjs JSON
import { enter, openWatched, visit } from "./watch.mjs";

const TURNS = 15;
const BARS_AND_TITLE = 80;
const asked = JSON.parse(process.argv[2]);
const { browser, context, page, faults } = await openWatched(asked, { locale: "en" });
/** Each line says its time twice, and each bar once; what is drawn again says it again. */
await context.addInitScript(() => {
  globalThis.told = 0;
  globalThis.made = 0;
  const { prototype } = Intl.DateTimeFormat;
  const { get } = Object.getOwnPropertyDescriptor(prototype, "format");
  Object.defineProperty(prototype, "format", { get() {
    globalThis.told++;
    return get.call(this);
  } });
  Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, { construct(target, given) {
    globalThis.made++;
    return new target(...given);
  } });
});
await enter(page, asked);
await page.goto("about:blank");
await visit(page, asked.base, "log");
await page.waitForSelector(".log li");
await page.evaluate(() => {
  Object.assign(globalThis, { told: 0, made: 0, turns: 0, added: 0 });
  new MutationObserver((changes) => {
    globalThis.turns++;
    for (const { addedNodes } of changes) globalThis.added += addedNodes.length;
  }).observe(document.querySelector(".log ol"), { childList: true });
});
const read = () => page.evaluate(() => ({ told: globalThis.told, made: globalThis.made, turns: globalThis.turns, added: globalThis.added }));
let seen = await read();
for (let tries = 0; seen.turns < TURNS && tries < 300; tries++) {
  await page.waitForTimeout(200);
  seen = await read();
}
const most = 3 * seen.added + BARS_AND_TITLE * (seen.turns + 5);
if (seen.turns < TURNS) faults.push(["lines", "do not come", JSON.stringify(seen)]);
if (seen.told > most) faults.push(["lines", "are drawn again and again", `${JSON.stringify(seen)}, ${most} at most`]);
if (seen.made > 5) faults.push(["lines", "make formats", String(seen.made)]);
console.log(JSON.stringify(faults));
await browser.close();
