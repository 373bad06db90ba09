// How soon pages of the console show their first rows, and how smooth its log is: node browser.mjs JSON
import { chromium } from "playwright-core";

const { base, token, password, chromium: executablePath, pages, visits, looked_s } = JSON.parse(process.argv[2]);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage();
const middle = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

await page.goto(`${base}#/welcome/${token}`);
for (const field of ["#password", "#again"]) await page.fill(field, password);
await page.keyboard.press("Enter");
await page.waitForSelector(".tile");

const taken = {};
for (const [hash, row] of Object.entries(pages)) {
  const times = [];
  for (let visit = 0; visit < visits; visit++) {
    await page.evaluate(() => (location.hash = "#/account"));
    await page.locator("[name=new_password]").waitFor();
    times.push(await page.evaluate(([place, wanted]) => new Promise((done) => {
      const began = performance.now();
      const look = () => (document.querySelector(`main ${wanted}`) ? done(performance.now() - began) : requestAnimationFrame(look));
      location.hash = `#/${place}`;
      requestAnimationFrame(look);
    }), [hash, row]));
  }
  taken[hash] = middle(times);
}

await page.evaluate(() => (location.hash = "#/log"));
await page.waitForSelector(".log li");
await page.evaluate(() => {
  globalThis.came = 0;
  const { get, set } = Object.getOwnPropertyDescriptor(EventSource.prototype, "onmessage");
  Object.defineProperty(EventSource.prototype, "onmessage", { get, set(heard) {
    set.call(this, (event) => { globalThis.came++; heard(event); });
  } });
  location.hash = "#/log?level=debug"; // opens the stream anew, which is counted now
});
await page.waitForSelector(".log li");
console.log("log");
// The policy of the page lets no waitForFunction in.
for (let tries = 0; tries < 300 && await page.evaluate(() => globalThis.came) <= 100; tries++) await page.waitForTimeout(100);
const { gaps, entries } = await page.evaluate((seconds) => new Promise((done) => {
  const gaps = [], began = performance.now(), first = globalThis.came;
  let before = began;
  const look = (now) => {
    gaps.push(now - before);
    before = now;
    if (now - began < seconds * 1000) requestAnimationFrame(look);
    else done({ gaps, entries: globalThis.came - first });
  };
  requestAnimationFrame(look);
}), looked_s);
gaps.sort((a, b) => a - b);
console.log(JSON.stringify({ pages: taken, entries_s: entries / looked_s, p50_ms: middle(gaps), p99_ms: gaps[Math.floor(0.99 * (gaps.length - 1))] }));
await browser.close();
