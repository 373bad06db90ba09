// Pages on the screen of a phone: none is too wide, and axe finds nothing: node narrow.mjs JSON
import fs from "node:fs";
import { enter, openWatched, visit } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const axe = fs.readFileSync("node_modules/axe-core/axe.min.js", "utf8");
const { browser, context, page, faults, at } = await openWatched(asked, { locale: "en", viewport: { width: 360, height: 740 } });
const debug = await context.newCDPSession(page); // the policy of the page lets no script in

await enter(page, asked);
for (const hash of asked.pages) {
  at(hash);
  await visit(page, asked.base, hash);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) faults.push([hash, `is ${wide} px too wide`]);
  await debug.send("Runtime.evaluate", { expression: `window.axe || (() => {${axe}})()` });
  const { result } = await debug.send("Runtime.evaluate", {
    expression: "axe.run(document).then((found) => JSON.stringify(found.violations.map((v) => [v.id, v.nodes[0].html])))",
    awaitPromise: true, returnByValue: true,
  });
  for (const violation of JSON.parse(result.value)) faults.push([hash, "axe", ...violation]);
}
console.log(JSON.stringify(faults));
await browser.close();
