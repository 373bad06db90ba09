// Answers that a test makes up, and what the pages say to them: node shown.mjs JSON
import { enter, openWatched, visit } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const { browser, page, faults, at } = await openWatched(asked, { locale: "en" });
const answer = (path, body) => page.route((url) => url.pathname === `/console/api/internal/v1${path}`, (route) => route.fulfill({ json: body }));

await enter(page, asked);
at("slow");
await answer(`/otp/${asked.code}/timeline`, { steps: asked.steps });
await visit(page, asked.base, `codes/${asked.code}`);
await page.locator(".steps li").nth(asked.steps.length - 1).waitFor();
const rows = await page.locator(".steps li").all();
const marked = [];
for (const [index, row] of rows.entries()) if (await row.locator(".slow").count()) marked.push(index);
if (marked.join() !== asked.slow.join()) faults.push(["slow", "marks", marked.join()]);
const says = await page.locator(".steps .slow").first().getAttribute("title");
if (!/^Took unusually long: 10 secs? at most is usual$/.test(says)) faults.push(["slow", "says", says]);

at("empty");
for (const [path, member] of [["/otp", "codes"], ["/challenges", "challenges"], ["/messages", "messages"], ["/logs", "entries"]]) {
  const hash = { "/otp": "codes", "/challenges": "calls", "/messages": "messages", "/logs": "log" }[path];
  await answer(path, { [member]: [], next_cursor: "9" });
  await visit(page, asked.base, `${hash}?since=2020-11-20T04:33:00.000Z&until=2020-11-21T04:33:00.000Z`);
  const text = await page.locator(".empty").textContent();
  if (text !== "None of those that were looked at fits, but there are more: look at those that are older.") faults.push(["empty", hash, text]);
  if (await page.getByRole("button", { name: "Load older" }).count() !== 1) faults.push(["empty", hash, "does not go on"]);
  await answer(path, { [member]: [], next_cursor: null });
  await visit(page, asked.base, `${hash}?since=2020-11-20T04:33:01.000Z&until=2020-11-21T04:33:00.000Z`);
  await page.locator(".empty", { hasText: /There are no|No call is|No entry/ }).waitFor();
}

at("channels");
await answer("/channels", { channels: asked.channels });
await visit(page, asked.base, "channels");
for (const [name, ...texts] of [["SMS", "no SIM is ready", "phones", "3"], ["flash call", "not configured", "none"], ["personal messenger", "serves", "7"],
  ["Telegram Gateway", "provider does not serve", "telegram_gateway", "HTTP 401", "Next probe", "ago", "in "], ["bot", "being probed", "HTTP 502"]]) {
  const text = await page.locator("tbody tr", { hasText: name }).last().textContent();
  for (const one of texts) if (!text.includes(one)) faults.push(["channels", name, `${one}: ${text}`]);
}
for (const [name, ...texts] of [
  ["sms", "phones", "Oldest waits since", "SIMs", "Phones send here: this channel has no provider."],
  ["flash_call", "Configured", "no", "not limited", "The channel is not configured: its codes and messages are refused."],
  ["messenger_gateway", "telegram_gateway", "Configured", "yes", "30", "HTTP 401", "Next probe", "new codes of this channel are refused"],
  ["messenger_bot", "telegram_bot", "HTTP 502", "The next send or probe shows", "none: the next send shows it"]]) {
  await visit(page, asked.base, "overview");
  await visit(page, asked.base, `channels/${name}`);
  const text = await page.textContent("main");
  for (const one of texts) if (!text.includes(one)) faults.push(["channel", name, `${one}: ${text}`]);
}
console.log(JSON.stringify(faults));
await browser.close();
