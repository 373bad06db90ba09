// Looks whether the fleet and the page of a phone tell since when a SIM and an account are away, and
// prints what was wrong: node silence.mjs JSON
import { enter, openWatched, visit } from "./watch.mjs";

const asked = JSON.parse(process.argv[2]);
const { browser, page, faults, at } = await openWatched(asked, { locale: "en" });

/** The cell of the row of `thing` below this heading. */
async function read(thing, heading) {
  const row = page.locator("tbody tr", { has: page.getByText(thing, { exact: true }) }).locator(`td[data-title="${heading}"]`);
  await row.waitFor({ timeout: 5000 }).catch(() => null);
  if (await row.count() !== 1) return "no such cell";
  const time = row.locator("time");
  return await time.count() ? await time.getAttribute("datetime") : (await row.textContent()).trim();
}

async function expect(thing, heading, wanted) {
  const found = await read(thing, heading);
  if (found !== wanted) faults.push([thing, heading, found, `not ${wanted}`]);
}

await enter(page, asked);
for (const place of ["fleet", `fleet/${asked.device}`]) {
  at(place);
  await visit(page, asked.base, place);
  await expect(asked.silent, "State", "silent");
  await expect(asked.silent, "Fell silent", asked.silent_since);
  await expect(asked.well, "Fell silent", "—");
  await expect(asked.account, "State", "banned by the messenger");
  await expect(asked.account, "Went away", asked.gone_since);
}
console.log(JSON.stringify(faults));
await browser.close();
