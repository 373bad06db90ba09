// Gives a phone a number that another one has, and prints what was wrong: node taken.mjs JSON
import { enter, openWatched, visit } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const { browser, page, faults, at } = await openWatched(asked, { locale: "ru" });

await enter(page, asked);
at("taken");
await visit(page, asked.base, `fleet/${asked.device}`);
await page.fill("[name=numbers]", `${asked.own}, ${asked.taken}`);
await page.locator("[name=numbers]").press("Enter");
const said = await page.locator(".form [role=alert]").textContent();
if (said !== `Номер ${asked.taken} у другого телефона. Сначала уберите его там.`) faults.push(["taken", "says", said]);
// The refusal itself is what was asked for.
console.log(JSON.stringify(faults.filter(([, kind, text]) => !(["console", "refused"].includes(kind) && text.includes("409")))));
await browser.close();
