// @ts-check
// What a package did to a catalog: added, changed, archived and unchanged as one bar.
import { html } from "../lib/preact.js";
import { figure, say } from "../lang.js";

/** The parts of a bar in their order, each with the sign that stands for it in a line of figures. @type {[string, string][]} */
const PARTS = [["added", "+"], ["changed", "~"], ["archived", "−"], ["superseded", "×"], ["unchanged", "="]];
const WIDTH = 100;

/** @typedef {Record<string, number>} Counts */

/** @param {Counts} counts */
const shownOf = (counts) => PARTS.filter(([name]) => counts[name] > 0);

/** @param {Counts} counts */
const wordsOf = (counts) => shownOf(counts).map(([name]) => say(`tally.${name}`, { n: figure(counts[name]) })).join(", ") || say("tally.nothing");

/** @param {{counts: Counts}} props */
export function Bar({ counts }) {
  const parts = shownOf(counts);
  const all = parts.reduce((sum, [name]) => sum + counts[name], 0);
  let left = 0;
  return html`<svg class="tally" viewBox=${`0 0 ${WIDTH} 10`} preserveAspectRatio="none" role="img" aria-label=${wordsOf(counts)}>
    ${parts.map(([name]) => {
      const width = (counts[name] / all) * WIDTH;
      left += width;
      return html`<rect class=${name} x=${left - width} y="0" width=${width} height="10" />`;
    })}</svg>`;
}

/** In a row of a list: the bar, and what changed in signs. @param {{result: any, type: string}} props */
export function Tally({ result, type }) {
  if (!result) return "";
  if (type === "delta") return html`<span class="quiet">${say("tally.offers", { prices: figure(result.prices.changed), stocks: figure(result.stocks.changed) })}</span>`;
  const signs = shownOf(result.products).filter(([name]) => name !== "unchanged").map(([name, sign]) => `${sign}${figure(result.products[name])}`);
  return html`<span class="tallied" title=${wordsOf(result.products)}><${Bar} counts=${result.products} /><span class="number">${signs.join(" ") || "="}</span></span>`;
}

/** All that a package did, each kind with its bar and its figures. @param {{result: any}} props */
export const Tallies = ({ result }) => html`<h2>${say("packages.outcome")}</h2><dl class="card facts tallies">
  ${["products", "categories", "prices", "stocks"].filter((kind) => shownOf(result[kind]).length).map((kind) => html`
    <dt>${say(`tally.of.${kind}`)}</dt><dd><${Bar} counts=${result[kind]} /><div>${wordsOf(result[kind])}</div></dd>`)}
  ${Number.isInteger(result.kept) && html`<dt>${say("tally.kept")}</dt><dd>${figure(result.kept)}</dd>`}
</dl>`;
