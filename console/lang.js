// @ts-check
// Sentences, figures and times in the language of the reader.
import { sentences } from "./words.js";

const STORED = "herald.language";
const asked = localStorage.getItem(STORED) ?? navigator.language;
export const language = asked.startsWith("ru") ? "ru" : "en";
document.documentElement.lang = language;

const plurals = { ru: new Intl.PluralRules("ru"), en: new Intl.PluralRules("en") };
const RUSSIAN_FORMS = ["one", "few", "many"];
const ENGLISH_FORMS = ["one", "other"];

/** Changes the language and begins anew. */
export function switchLanguage() {
  localStorage.setItem(STORED, language === "ru" ? "en" : "ru");
  location.reload();
}

/**
 * The form of a row: two columns are Russian and English, five are three forms of the one and two of
 * the other.
 * @param {string[]} row @param {Record<string, unknown>} values @param {"ru" | "en"} inLanguage
 */
function choose(row, values, inLanguage) {
  if (row.length === 2) return row[inLanguage === "ru" ? 0 : 1];
  const form = plurals[inLanguage].select(Number(values.n));
  if (inLanguage === "ru") return row[Math.max(0, RUSSIAN_FORMS.indexOf(form === "other" ? "few" : form))];
  return row[3 + ENGLISH_FORMS.indexOf(form)];
}

/** Signs that turn the direction of what follows have no place in a sentence. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;
/** A text that others chose, as sentences show it and people type it. @param {unknown} text */
export const plain = (text) => String(text ?? "").replace(DIRECTIONS, "").trim();

/**
 * A sentence with its values.
 * @param {string} key @param {Record<string, unknown>} [values] @param {"ru" | "en"} [inLanguage]
 */
export function say(key, values = {}, inLanguage = language) {
  const row = sentences[key];
  if (!row) return key;
  return choose(row, values, inLanguage).replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? figure(value) : plain(value);
  });
}

/** What is written to a team that reads Russian. @param {string} key @param {Record<string, unknown>} [values] */
export const sayRussian = (key, values = {}) => say(key, values, "ru");

/** A word of the API, such as a state: by its sentence if it has one. @param {string} group @param {string} word */
export function sayWord(group, word) {
  return sentences[`${group}.${word}`] ? say(`${group}.${word}`) : word.replaceAll("_", " ");
}

/** English days and hours are those of Europe. */
const locale = language === "ru" ? "ru-RU" : "en-GB";
const numbers = new Intl.NumberFormat(locale);
const percents = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 });
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const hours = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const days = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const relative = new Intl.RelativeTimeFormat(locale, { style: "short", numeric: "always" });

/** @param {number} value */
export const figure = (value) => numbers.format(value);
/** @param {number} value */
export const percent = (value) => percents.format(value);
const prices = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 6 });
/** A price as a shop writes it, without a currency, which a catalog does not name. @param {number} value */
export const price = (value) => prices.format(value);
/** Bytes as people say them. @param {number} bytes */
export function size(bytes) {
  const [unit, value] = bytes < 1e6 ? ["kilobyte", bytes / 1e3] : ["megabyte", bytes / 1e6];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 }).format(value);
}
/** @param {string} at */
export const timeOfDay = (at) => clock.format(new Date(at));
/** @param {number} at */
export const hourOfDay = (at) => hours.format(new Date(at));
/** @param {string} at */
export const dayAndHour = (at) => days.format(new Date(at));
/** One is made in the time of a hundred lines. @type {Map<string, Intl.DateTimeFormat>} */
const exact = new Map();
/** The local time and that of UTC. @param {string} at @param {string} [inLocale] */
export function exactTime(at, inLocale = locale) {
  const format = exact.get(inLocale) ?? new Intl.DateTimeFormat(inLocale, { dateStyle: "medium", timeStyle: "medium" });
  exact.set(inLocale, format);
  const local = format.format(new Date(at));
  return `${local} (${at.slice(0, 19).replace("T", " ")} UTC)`;
}

/** How long ago, in one unit. @param {string} at @param {number} [now] */
export function ago(at, now = Date.now()) {
  const seconds = (Date.parse(at) - now) / 1000;
  const size = Math.abs(seconds);
  if (size < 5) return say("time.now");
  if (size < 90) return relative.format(Math.round(seconds), "second");
  if (size < 90 * 60) return relative.format(Math.round(seconds / 60), "minute");
  if (size < 36 * 3600) return relative.format(Math.round(seconds / 3600), "hour");
  return relative.format(Math.round(seconds / 86400), "day");
}

/** A duration as people say it. @param {number} ms */
export function duration(ms) {
  /** @param {number} value @param {string} unit @param {number} [digits] */
  const unit = (value, unit, digits = 0) =>
    new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: digits }).format(value);
  if (ms < 1000) return unit(ms, "millisecond");
  if (ms < 60e3) return unit(ms / 1000, "second", 1);
  if (ms < 3600e3) return unit(ms / 60e3, "minute", 1);
  return unit(ms / 3600e3, "hour", 1);
}
