// @ts-check
// Every sentence of the console, by the area that says it. A row has its two languages side by side:
// Russian and English; or, chosen by the value n, Russian in its plural forms (one, few, many) and
// English in two. {x} stands for a value. A test finds what is missing, twice or used nowhere.
import { audit } from "./words/audit.js";
import { codes } from "./words/codes.js";
import { exchange } from "./words/exchange.js";
import { frame } from "./words/frame.js";
import { overview } from "./words/overview.js";
import { people } from "./words/people.js";
import { phones } from "./words/phones.js";
import { points } from "./words/points.js";
import { service } from "./words/service.js";
import { why } from "./words/why.js";

/** @type {import("./types").Sentences} */
export const sentences = { ...frame, ...overview, ...phones, ...codes, ...points, ...exchange, ...people, ...audit, ...service, ...why };
