// @ts-check
// One product of a point's catalog: its variants with price and stock, and what it says of itself.
import { html } from "../lib/preact.js";
import { useData } from "../api.js";
import { figure, price, say, sayWord } from "../lang.js";
import { ErrorNote, Head, Id, Pending, Raw, State, Table, Time } from "../parts.js";
import { linkTo } from "../route.js";

/** @typedef {import("../types").Product} ProductRow */
/** @typedef {ProductRow["variants"][number]} Variant */

const EVERY_MS = 10e3;

/** @param {ProductRow} product */
export function Sale({ archived, variants }) {
  if (archived) return html`<${State} tone="off">${say("catalog.archived")}<//>`;
  if (variants.some((variant) => variant.available)) return html`<${State} tone="good">${say("catalog.sold")}<//>`;
  return html`<${State} tone="wait">${say("catalog.notsold")}<//>`;
}

/** @param {Variant} variant */
const isSold = ({ available }) =>
  html`<${State} tone=${available ? "good" : "wait"}>${say(available ? "catalog.sold" : "catalog.notsold")}<//>`;

/** @param {Variant} variant */
const measureOf = ({ measure_unit: unit, measure_value: value }) => `${figure(value)} ${sayWord("unit", unit)}`;

/** The package that brought a value. @param {{point: string, origin: {event_id: string, set_at: string} | undefined}} props */
const Origin = ({ point, origin }) =>
  origin && html`<div><a href=${linkTo(["packages", point, origin.event_id])} title=${say("catalog.origin", { event: origin.event_id })}>${say("catalog.by")} <${Time} at=${origin.set_at} /></a></div>`;

/** @param {ProductRow} product @param {string} point @returns {import("../parts.js").Column[]} */
const columnsOf = (product, point) => [
  { title: say("catalog.variant"), cell: (variant) => variant.name || product.name },
  { title: say("catalog.price"), isNumber: true, cell: (variant) => html`${price(variant.price)}<${Origin} point=${point} origin=${variant.price_origin} />` },
  { title: say("catalog.stock"), isNumber: true,
    cell: (variant) => html`${variant.stock === null ? say("catalog.endless") : figure(variant.stock)}<${Origin} point=${point} origin=${variant.stock_origin} />` },
  { title: say("codes.state"), cell: isSold },
  { title: say("catalog.measure"), isNumber: true, cell: measureOf },
  { title: say("catalog.sku"), cell: (variant) => html`${variant.sku ?? ""} <span class="quiet">${variant.barcodes.join(", ")}</span>` },
  { title: say("codes.id"), cell: (variant) => html`<${Id} id=${variant.id} />` },
];

/** @param {ProductRow["attributes"][number]} attribute */
const valueOf = (attribute) => [attribute.value_name ?? attribute.value ?? attribute.value_id, attribute.unit].filter((part) => part !== null).join(" ");

/** @param {{product: ProductRow, point: import("../types").Integration, category: string | undefined}} props */
const Facts = ({ product, point, category }) => html`<dl class="card facts">
  <dt>${say("codes.id")}</dt><dd><${Id} id=${product.id} /></dd>
  <dt>${say("points.name")}</dt><dd><a href=${linkTo(["points", point.id])}>${point.name}</a></dd>
  ${product.category_id && html`<dt>${say("catalog.category")}</dt><dd><a href=${linkTo(["catalog", point.id], { category_id: product.category_id })}>${category ?? product.category_id}</a></dd>`}
  <dt>${say("catalog.changed")}</dt><dd><${Time} at=${product.updated_at} /></dd>
  ${product.description && html`<dt>${say("catalog.description")}</dt><dd>${product.description}</dd>`}
  ${product.composition && html`<dt>${say("catalog.composition")}</dt><dd>${product.composition}</dd>`}
  ${product.tax && html`<dt>${say("catalog.vat")}</dt><dd>${product.tax.vat_rate === "none" ? say("catalog.vat.none") : `${product.tax.vat_rate} %`}</dd>`}
  ${product.attributes.map((attribute) => html`<dt>${attribute.name ?? attribute.attribute_id}</dt><dd>${valueOf(attribute)}</dd>`)}
</dl>`;

/** @param {{point: string, id: string}} props */
export function Product({ point: home, id }) {
  const { data, error, again } = useData([`/integrations/${home}/products/${encodeURIComponent(id)}`, `/integrations/${home}`, `/integrations/${home}/categories?limit=200`], EVERY_MS);
  if (!data) return html`<${Pending} title=${say("catalog.product")} error=${error} again=${again} />`;
  const [product, point, { categories }] = data;
  const category = categories.find((/** @type {{id: string}} */ row) => row.id === product.category_id)?.name;
  return html`
    <${Head} title=${product.name} says=${Sale(product)} />
    <${ErrorNote} error=${error} />
    <${Facts} product=${product} point=${point} category=${category} />
    <h2>${say("catalog.variants")}</h2>
    <${Table} label=${say("catalog.variants")} columns=${columnsOf(product, home)} rows=${product.variants} empty=${say("catalog.novariants")} />
    <${Raw} record=${product} />`;
}
