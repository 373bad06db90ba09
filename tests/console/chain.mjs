// Proves pages of the audit as the console does: node chain.mjs FOLDER, with the pages as JSON on its
// input, each under the cursor that asks for it; prints the faults. FOLDER is that of the console.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const { verifyChain } = await import(pathToFileURL(`${process.argv[2]}/chain.mjs`));
const pages = JSON.parse(fs.readFileSync(0, "utf8"));
const verdicts = [];
for (const chain of pages) {
  let last;
  await verifyChain(async (cursor) => chain[cursor ?? ""], (verdict) => {
    last = verdict;
  });
  verdicts.push({ checked: last.checked, faults: last.faults, isDone: last.isDone });
}
console.log(JSON.stringify(verdicts));
