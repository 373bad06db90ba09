// @ts-check
// The catalog of a point: what is sold there, for how much, and how many are left.
import { html } from "../lib/preact.js";
import { useData, useList } from "../api.js";
import { figure, price, say } from "../lang.js";
import { Filters } from "../filters.js";
import { ErrorNote, Head, Older, State, Table, Time } from "../parts.js";
import { linkTo } from "../route.js";
import { TestBadge, toneOfAge } from "./point_parts.js";
import { Product, Sale } from "./product.js";

/** @typedef {import("../types").Integration} Integration */
/** @typedef {import("../types").Product} ProductRow */

const EVERY_MS = 10e3;

/** The least price and the greatest, if they differ. @param {ProductRow} product */
function pricesOf({ variants }) {
  const prices = variants.map((variant) => variant.price).toSorted((a, b) => a - b);
  if (!prices.length) return "—";
  const [least, greatest] = [prices[0], prices[prices.length - 1]];
  return least === greatest ? price(least) : say("catalog.from", { least: price(least), greatest: price(greatest) });
}

/** What is left of all variants; a variant without stock counts as endless. @param {ProductRow} product */
const stockOf = ({ variants }) =>
  variants.some((variant) => variant.stock === null) ? say("catalog.endless") : figure(variants.reduce((sum, variant) => sum + (variant.stock ?? 0), 0));

/** @param {string} point @param {Map<string, string>} categories @returns {import("../parts.js").Column[]} */
const columnsOf = (point, categories) => [
  { title: say("catalog.product"), cell: (product) => html`<a href=${linkTo(["catalog", point, product.id])}>${product.name}</a>` },
  { title: say("catalog.category"), cell: (product) => categories.get(product.category_id) ?? product.category_id ?? "" },
  { title: say("catalog.price"), isNumber: true, cell: (product) => html`<span class="nowrap">${pricesOf(product)}</span>` },
  { title: say("catalog.stock"), isNumber: true, cell: stockOf },
  { title: say("codes.state"), cell: Sale },
  { title: say("catalog.variants"), isNumber: true, cell: (product) => figure(product.variants.length) },
  { title: say("catalog.changed"), cell: (product) => html`<${Time} at=${product.updated_at} />` },
];

/** @type {import("../parts.js").Column[]} */
const pointColumns = [
  { title: say("points.name"), cell: (point) => html`<a href=${linkTo(["catalog", point.id])}>${point.name}</a> ${TestBadge(point.environment)}` },
  { title: say("points.snapshot"), cell: ({ exchange }) => html`<${State} tone=${toneOfAge(exchange.last_snapshot_at)}><${Time} at=${exchange.last_snapshot_at} /><//>` },
];

/** @param {import("../pages.js").PageProps} props */
export function Catalog({ place }) {
  const [, point, product] = place.path;
  if (product) return html`<${Product} point=${point} id=${product} />`;
  return point ? html`<${List} place=${place} point=${point} />` : html`<${Choose} place=${place} />`;
}

/** Whose catalog it is to be. @param {{place: import("../route.js").Place}} props */
function Choose({ place }) {
  const { q } = place.filters;
  const list = useList("/integrations", { q }, "integrations", EVERY_MS);
  return html`
    <${Head} title=${say("catalog.title")} says=${say("catalog.choose")} />
    <${ErrorNote} error=${list.error} again=${list.again} />
    <${Filters} place=${place} fields=${[{ name: "q", label: say("points.name") }]} />
    <${Table} label=${say("points.title")} columns=${pointColumns} rows=${list.rows} empty=${say("points.empty")} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} word="list.next" />`;
}

/** @param {{place: import("../route.js").Place, point: string}} props */
function List({ place, point }) {
  const { q, category_id, archived } = place.filters;
  const list = useList(`/integrations/${point}/products`, { q, category_id, archived }, "products", EVERY_MS);
  const { data, error } = useData([`/integrations/${point}`, `/integrations/${point}/categories?limit=200`]);
  /** @type {[string, string][]} */
  const categories = (data?.[1].categories ?? []).map((/** @type {any} */ category) => [category.id, category.name]);
  const home = /** @type {Integration | undefined} */ (data?.[0]);
  return html`
    <${Head} title=${home ? say("catalog.of", { name: home.name }) : say("catalog.title")}
      says=${home && html`<a href=${linkTo(["points", point])}>${say("points.snapshot")}: <${Time} at=${home.exchange.last_snapshot_at} /></a>`} />
    <${ErrorNote} error=${list.error ?? error} again=${list.again} />
    <${Filters} place=${place} fields=${[
      { name: "q", label: say("catalog.search") },
      { name: "category_id", label: say("catalog.category"), words: categories },
      { name: "archived", label: say("catalog.archive"), words: [["false", say("catalog.living")], ["true", say("catalog.archived")]] },
    ]} />
    <${Table} label=${say("catalog.title")} columns=${columnsOf(point, new Map(categories))} rows=${list.rows} empty=${say("catalog.empty")} />
    <${Older} hasOlder=${list.hasOlder} loadOlder=${list.loadOlder} word="list.next" />`;
}
