// Walks the console in Chromium and prints what was wrong as JSON: node walk.mjs JSON
import fs from "node:fs";
import { enter, openWatched, visit } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const axe = fs.readFileSync("node_modules/axe-core/axe.min.js", "utf8");
const WIDTHS = { wide: { width: 1440, height: 900 }, phone: { width: 360, height: 740 }, huge: { width: 3840, height: 2160 } };
/** On the largest screen a few will do: a picture of it takes its time. */
const SHOWN_HUGE = ["overview", "fleet", "code", "points"];
const isShown = (kind, name) => kind !== "huge" || SHOWN_HUGE.includes(name);
const PAGES = {
  overview: "overview",
  fleet: "fleet",
  phone: `fleet/${asked.device}`,
  codes: "codes?state=sent",
  code: `codes/${asked.otp}`,
  funnel: "funnel",
  hours: "funnel?by=hour&days=7",
  points: "points",
  calls: "calls?state=pending",
  call: `calls/${asked.call}`,
  messages: "messages",
  message: `messages/${asked.message}`,
  orders: "orders",
  rejected: `orders/${asked.rejected}`,
  waiting: `orders/${asked.waiting}`,
  packages: "packages",
  applied: `packages/${asked.point}/${encodeURIComponent(asked.applied)}`,
  faulty: `packages/${asked.point}/${encodeURIComponent(asked.faulty)}`,
  braked: `packages/${asked.point}/${encodeURIComponent(asked.braked)}`,
  refusals: `refusals/${asked.point}`,
  catalogs: "catalog",
  catalog: `catalog/${asked.point}?archived=false`,
  product: `catalog/${asked.point}/${asked.product}`,
  point: `points/${asked.point}`,
  people: "operators",
  person: `operators/${asked.person}`,
  log: "log",
  found: `search?q=${encodeURIComponent(asked.number)}`,
  nothing: "search?q=nothing-of-that-kind",
};

const SERVICE = {
  phone_new: "fleet/new",
  code_new: "codes/new",
  connect: "clients/new",
  channels: "channels",
  channel: "channels/messenger_gateway",
  clients: "clients",
  client: `clients/${asked.client_point}`,
  webhooks: "webhooks",
  webhook: `webhooks/${asked.endpoint}`,
  keys: "keys",
  key: `keys/${asked.key}`,
  signing: "keys/signing",
  sealing: "keys/secret",
  audit: "audit",
  audited: `audit?store=exchange&actor=root&target=${asked.client_point}`,
  settings: "settings?show=own",
  processes: "settings/processes",
  numbers: "settings/test-numbers",
  subjects: "subjects",
  colleague: `operators/${asked.colleague}`,
  account: "account",
  more: "more",
};
/** The own password, and the proof of the audit. */
const OFFERED_TO_ALL = ["account", "audit", "audited"];
const RANKS = ["viewer", "support", "operator", "admin"];
/** What is done: where, from which role on, what is clicked and filled in turn, and what is seen then. */
const DEEDS = [
  { name: "pairing", hash: `fleet/${asked.device}`, least: "operator", clicks: [".deeds div > button", ".confirm .main"], seen: ".qr" },
  { name: "secret", hash: `clients/${asked.client_point}`, least: "operator", clicks: [".thing .deeds > button", ".confirm .main"], seen: ".once code" },
  { name: "tested", hash: `webhooks/${asked.endpoint}`, least: "operator", clicks: [".deeds > button", ".confirm .main"], seen: ".deeds p[role=status]" },
  { name: "revoking", hash: `keys/${asked.key}`, least: "admin", clicks: [".deeds > button:nth-of-type(2)"], seen: ".confirm input" },
  { name: "person", hash: `subjects?phone=${encodeURIComponent(asked.number)}`, least: "admin", clicks: [".deeds > button:nth-of-type(2)"], seen: ".confirm input" },
  { name: "exported", hash: `subjects?phone=${encodeURIComponent(asked.number)}`, least: "admin", clicks: [".deeds > button", ".confirm .main"], seen: ".after .main" },
  { name: "sent", hash: "codes/new", least: "admin", fills: { recipient: asked.fresh[0] }, picks: { channel: "messenger_gateway" }, clicks: [".form .main"], seen: ".steps" },
  { name: "added", hash: "fleet/new", least: "operator", fills: { name: "Till", numbers: asked.fresh[1] }, clicks: [".form .main", ".thing ~ .deeds button", ".confirm .main"], seen: ".qr" },
  { name: "invited", hash: "operators", least: "admin", fills: { name: `Newcomer ${asked.role} ${asked.language} ${asked.scheme}` }, clicks: [".form .main"], seen: ".once code" },
  { name: "verified", hash: "audit", least: "viewer", clicks: [".narrow button"], seen: ".narrow .state.good" },
  { name: "password", hash: "account", least: "viewer", fills: { password: asked.password, new_password: "another good one", again_password: "another good one" },
    clicks: [".form .main"], seen: ".form p[role=status]" },
];

/** A title is shown without the signs that turn its direction. */
const plain = (text) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "").trim();

fs.mkdirSync(asked.shots, { recursive: true });
const { browser, context, page, faults, at } = await openWatched(asked,
  { locale: asked.language, colorScheme: asked.scheme, viewport: WIDTHS.wide });

// By the debugger, since the policy of the page lets no script in.
const debug = await context.newCDPSession(page);
async function judgeByAxe(name, kind) {
  await debug.send("Runtime.evaluate", { expression: `window.axe || (() => {${axe}})()` });
  const { result } = await debug.send("Runtime.evaluate", {
    expression: "axe.run(document).then((found) => JSON.stringify(found.violations.map((v) => [v.id, v.nodes[0].html])))",
    awaitPromise: true, returnByValue: true,
  });
  for (const violation of JSON.parse(result.value)) faults.push([name, kind, "axe", ...violation]);
}

async function judge(name) {
  at(name);
  for (const [kind, size] of Object.entries(WIDTHS)) {
    await page.setViewportSize(size);
    if (isShown(kind, name)) await page.screenshot({ path: `${asked.shots}/${name}-${kind}.png`, fullPage: false });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) faults.push([name, kind, `is ${wide} px too wide`]);
    if (kind !== "huge") await judgeByAxe(name, kind);
  }
  await page.setViewportSize(WIDTHS.wide);
}

/** The links of the crumbs with the name of the page behind them, and what they should be. */
async function readCrumbs() {
  const path = new URL(page.url()).hash.slice(2).split("?")[0].split("/");
  const [section, thing, part] = path;
  if (!thing) return [await page.locator(".crumbs").count(), 0].map(String);
  const links = await page.locator(".crumbs a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  const last = await page.locator(".crumbs [aria-current]").textContent({ timeout: 1000 }).catch(() => null);
  const wanted = [`#/${section === "refusals" ? "points" : section}`];
  if (section === "refusals" || (section === "packages" && part)) wanted.push(`#/points/${thing}`);
  if (section === "catalog" && part) wanted.push(`#/catalog/${thing}`);
  return [[...links, last], [...wanted, plain(await page.textContent("main h1"))]].map((all) => JSON.stringify(all));
}

/** The page of a thing leads back over all levels. A search that finds one thing goes on to its page. */
async function judgeCrumbs(name) {
  const isRight = async () => { const [found, wanted] = await readCrumbs(); return found === wanted; };
  for (let tries = 0; tries < 20 && !await isRight(); tries++) await page.waitForTimeout(100);
  if (!await isRight()) faults.push([name, "crumbs", ...await readCrumbs()]);
}

async function look(name, hash) {
  at(name);
  await visit(page, asked.base, hash);
  await judgeCrumbs(name);
  await judge(name);
}

/** Whether something is drawn on a canvas. */
const isDrawn = (canvas) => canvas.evaluate((element) => element.getContext("2d")
  .getImageData(0, 0, element.width, element.height).data.some((value) => value > 0));

/** Charts are drawn, are as wide as their place, and have a table behind them. */
async function judgeCharts() {
  for (const [name, chart] of [["overview", ".spark"], ["hours", ".columns"]]) {
    at(`chart of ${name}`);
    await visit(page, asked.base, PAGES[name]);
    if (name === "hours" && !await page.locator(chart).waitFor({ timeout: 2000 }).then(() => true, () => false)) continue; // figures are a minute old
    const canvas = page.locator(`${chart} canvas`).first();
    await canvas.waitFor();
    if (!await isDrawn(canvas)) faults.push([name, "chart", "is empty"]);
    const widths = await canvas.evaluate((element, box) => [element.getBoundingClientRect().width, element.closest(box).getBoundingClientRect().width], chart);
    if (widths[0] > widths[1] + 1 || widths[0] < widths[1] - 40) faults.push([name, "chart", ...widths.map(String)]);
    if (!await page.locator("main table").count()) faults.push([name, "chart", "has no table"]);
  }
}

async function act({ name, hash, fills = {}, picks = {}, clicks, seen }) {
  at(name);
  await page.goto(`${asked.base}#/${hash}`);
  for (const [field, value] of Object.entries(fills)) await page.fill(`[name=${field}]`, value);
  for (const [field, word] of Object.entries(picks)) await page.selectOption(`[name=${field}]`, word);
  for (const click of clicks) await page.locator(click).first().click();
  await page.waitForSelector(seen);
  await judge(`deed-${name}`);
}

await page.goto(asked.base);
await page.waitForSelector("form");
await judge("login");
await page.goto(`${asked.base}#/welcome/${asked.link}`);
await page.waitForSelector("#again");
await judge("welcome");
await enter(page, asked);
for (const [name, hash] of Object.entries(PAGES)) await look(name, hash);

for (const [name, hash] of Object.entries(SERVICE)) {
  await look(name, hash);
  const offers = await page.locator("main .deeds button, main form.card").count();
  if (asked.role === "viewer" && offers > 0 && !OFFERED_TO_ALL.includes(name)) faults.push([name, "offers to a viewer", String(offers)]);
}
await judgeCharts();
for (const deed of DEEDS.filter(({ least }) => RANKS.indexOf(asked.role) >= RANKS.indexOf(least))) await act(deed);

at("keyboard");
await page.keyboard.press("Control+k");
await page.keyboard.type(asked.number);
await page.keyboard.press("Enter");
await page.waitForURL(`**/*${asked.otp}`);
await page.waitForSelector(".steps");
const isMasked = (await page.textContent("h1")).includes("*");
if (isMasked !== (asked.role !== "admin")) faults.push(["code", "mask", asked.role]);
const deeds = await page.locator(".deeds button").count();
if ((deeds > 0) !== (asked.role !== "viewer")) faults.push(["code", "deeds", String(deeds)]);

at("letter");
await page.goto(`${asked.base}#/${PAGES.faulty}`);
const letter = await page.textContent(".letter pre");
for (const line of ["Такого товара в каталоге нет — 9 строк:", "  stocks[0], товар gone-0, вариант v-1", "  и ещё 4"]) {
  if (!letter.split("\n").includes(line)) faults.push(["letter", "lacks", line]);
}

at("retry");
await page.goto(`${asked.base}#/orders?state=rejected&integration_id=${asked.shop}`);
await page.waitForSelector("tbody .state.bad");
const boxes = await page.locator("tbody input[type=checkbox]").all();
if ((boxes.length > 0) !== (asked.role !== "viewer")) faults.push(["orders", "boxes", String(boxes.length)]);
if (boxes.length) {
  for (const box of boxes) await box.check();
  await page.locator(".deeds button").click();
  await page.locator(".confirm button.main").click();
  await page.waitForSelector("p[role=status]");
  if (!/\b2\b/.test(await page.textContent("p[role=status]"))) faults.push(["orders", "result", await page.textContent("p[role=status]")]);
}

at("leaving");
await page.locator("header button").last().click();
await page.waitForSelector("#name");
console.log(JSON.stringify(faults));
await browser.close();
