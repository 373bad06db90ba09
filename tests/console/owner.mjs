// What a shop owner does on the pages; prints what was wrong as JSON: node owner.mjs JSON
import { enter, openWatched } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const { browser, page, faults, at } = await openWatched(asked, { locale: "en", viewport: { width: 980, height: 620 } });

async function picture(name) {
  if (!asked.pictures) return;
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${asked.pictures}/${name}.png` });
}

/** The phone, which knows nothing but what it was told. */
let key = "";
async function post(path, body) {
  const headers = { "Content-Type": "application/json", ...(key && { "X-Device-Key": key }) };
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

console.log(JSON.stringify(faults));
await browser.close();
