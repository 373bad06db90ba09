// What a shop owner does on the pages; prints what was wrong as JSON: node owner.mjs JSON
import { enter, openWatched } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const { browser, page, faults, at } = await openWatched(asked, { locale: "en", viewport: { width: 980, height: 620 } });

async function picture(name) {
  if (!asked.pictures) return;
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${asked.pictures}/${name}.png` });
}

/** The phone whose key it is, which knows nothing but what it was told. */
let key = "";
async function post(path, body, as = key) {
  const headers = { "Content-Type": "application/json", ...(as && { "X-Device-Key": as }) };
  const reply = await fetch(asked.api + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return reply.status === 204 ? null : reply.json();
}
const claim = async () => (await post("/device/v1/sms/claim", { gateway_number: asked.number })).task;

async function sendSms(status, fields = {}) {
  let task = null;
  for (let tries = 0; !task && tries < 100; tries++) {
    task = await claim();
    if (!task) await new Promise((wake) => setTimeout(wake, 100));
  }
  await post(`/device/v1/sms/${task.id}/result`, { lease_id: task.lease_id, status, ...fields });
}

await enter(page, asked);

at("pairing");
await page.locator(".rail a", { hasText: "Fleet" }).click();
await page.getByRole("link", { name: "Add phone" }).click();
await page.fill("[name=name]", "Till");
await page.fill("[name=numbers]", asked.number);
await page.locator(".form .main").click();
await page.getByRole("button", { name: "Show QR code" }).click();
await page.locator(".confirm .main").click();
const digits = (await page.locator(".digits").textContent()).replace(/\s/g, "");
await page.locator(".pairing").scrollIntoViewIfNeeded();
await picture("pairing");
key = (await post("/pair", { code: digits })).device_key;
await page.locator("p.state.good[role=status]").waitFor();
await post("/api/device/ping", { battery: 4, charging: false });
await claim();

async function sendCode(recipient) {
  await page.locator(".rail a", { hasText: "Codes" }).click();
  await page.getByRole("link", { name: "Send code" }).click();
  await page.fill("[name=recipient]", recipient);
  await page.selectOption("[name=channel]", "sms");
  await page.locator(".form .main").click();
  await page.locator(".steps").waitFor();
}

at("code");
await sendCode(asked.customers[0]);
await sendSms("sent");
await page.locator(".steps li", { hasText: "sent" }).last().waitFor();
await page.locator("h1 ~ .says", { hasText: "sent, not confirmed" }).waitFor();

at("why");
await sendCode(asked.customers[1]);
await sendSms("failed", { error: "The SIM has no money left" });
await page.keyboard.press("Control+k");
await page.keyboard.type(asked.customers[1].replace(/^\+7/, "8"));
await page.keyboard.press("Enter");
await page.locator(".steps li", { hasText: "The SIM has no money left" }).waitFor();
await picture("code");

at("overview");
await page.locator(".rail a", { hasText: "Overview" }).click();
await page.locator(".troubles a", { hasText: "is older than three days" }).waitFor();

at("points");
await page.locator(".rail a", { hasText: "Points" }).click();
const first = page.locator("tbody tr").first();
await first.waitFor();
if (!(await first.textContent()).includes(asked.old)) faults.push(["points", "first is", await first.textContent()]);
if (!await first.locator(".state.bad time").count()) faults.push(["points", "is not marked", await first.textContent()]);
await picture("points");

at("order");
await page.locator(".rail a", { hasText: "Orders" }).click();
await page.selectOption("#filter-state", "rejected");
await page.locator("tbody td a").first().click();
await page.waitForURL(`**/${asked.order}`);
await page.getByRole("button", { name: "Retry order" }).click();
await page.locator(".confirm").waitFor();
await picture("order");
await page.locator(".confirm .main").click();
await page.locator(".says .state.good").waitFor();
await page.locator("dd", { hasText: "SO-1042" }).first().waitFor();

/** The other phone is alive all the while, so that the one in the till alone is silent. */
at("silent");
await post("/api/device/ping", { battery: 86, charging: true }, asked.other.key);
const life = setInterval(() => post("/device/v1/sms/claim", { gateway_number: asked.other.number }, asked.other.key), 1000);
await page.locator(".rail a", { hasText: "Overview" }).click();
const trouble = page.locator(".troubles li", { hasText: "is silent" });
await trouble.filter({ hasText: "(Till)" }).waitFor({ timeout: 60e3 });
if (await trouble.count() !== 1) faults.push(["silent", "troubles", String(await trouble.count())]);

/** Each tile has a figure and a sentence. */
const TILES = {
  "SIMs ready": ["1", "of 2; silent: 1"],
  "Codes this hour": ["2", "confirmed: 0%"],
  Channels: ["2", "of 2 configured serve"],
  Points: ["3", "old catalogs: 1; packages failed: 0; ERPs that do not answer: 0"],
  "Orders waiting": ["0", "all are delivered"],
};
for (const [name, said] of Object.entries(TILES)) {
  const tile = page.locator(".tile", { has: page.getByText(name, { exact: true }) });
  await tile.filter({ has: page.getByText(said[0], { exact: true }) }).filter({ has: page.getByText(said[1], { exact: true }) })
    .waitFor({ timeout: 90e3 }).catch(async () => faults.push(["overview", name, await tile.textContent()]));
}
if (await page.locator(".tile").count() !== Object.keys(TILES).length) faults.push(["overview", "tiles", String(await page.locator(".tile").count())]);
await page.locator(".troubles a", { hasText: "No SIM is ready" }).waitFor({ state: "detached" });
await picture("overview");
await page.locator(".rail a", { hasText: "Fleet" }).click();
const row = page.locator("tbody tr").first();
await row.filter({ hasText: "Till" }).locator(".state.bad", { hasText: "silent" }).waitFor();
await picture("fleet");
await page.locator(".rail a", { hasText: "Overview" }).click();
await trouble.locator("a").click();
await page.locator("h1", { hasText: "Till" }).waitFor();

/** The head of the page says how the phone stands and since when; below it stands what to do. */
async function expectSilent(word, ...steps) {
  await page.locator(".head .state.bad", { hasText: word }).waitFor();
  if (await page.locator(".head .state.good").count()) faults.push(["silent", "is good, too"]);
  const since = await page.locator(".head time").getAttribute("datetime");
  const age = Date.now() - Date.parse(since ?? "");
  if (!(age > 0 && age < 600e3)) faults.push(["silent", "since", String(since)]);
  const remedy = await page.locator(".remedy").textContent();
  for (const said of [asked.number, ...steps]) if (!remedy.includes(said)) faults.push(["silent", "does not say", said, remedy]);
}
await expectSilent("silent", "charge it", "open its application", "internet");
await picture("silent");
await page.getByRole("button", { name: "Русский" }).click();
await expectSilent("молчит", "зарядите", "откройте на нём приложение", "интернет");

at("back");
await claim();
await page.locator(".head .state.good", { hasText: "готов" }).waitFor();
if (await page.locator(".remedy").count()) faults.push(["back", "still says what to do"]);
clearInterval(life);

console.log(JSON.stringify(faults));
await browser.close();
