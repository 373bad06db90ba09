// @ts-check
// The chain of the audit is proved where it is read (contract 10.3): each hash is BLAKE2b-256 over the
// hash before it and the text of the record.
import { HASH, blake2b } from "./blake2b.js";

/** @typedef {import("./types").AuditRecord} AuditRecord */
/** @typedef {{seq: number, hash: string}} Place */
/** @typedef {{records: AuditRecord[], head: Place, anchor: Place, next_cursor: string | null}} Page */
/** @typedef {{checked: number, faults: number[], head: Place | null, isDone: boolean}} Verdict */

const FIRST = "0".repeat(2 * HASH);
/** What the service escapes in strings and JSON.stringify does not. */
const ESCAPED = /[\u007f-\u009f\u2028\u2029]/g;

/** The text of a record as the service hashes it. @param {AuditRecord} record */
export function textOf({ hash, ...record }) {
  return JSON.stringify(record).replace(ESCAPED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** @param {AuditRecord} record @param {string} before */
export function hashOf(record, before) {
  const text = new TextEncoder().encode(textOf(record));
  const bytes = new Uint8Array(HASH + text.length);
  for (let index = 0; index < HASH; index++) bytes[index] = parseInt(before.slice(2 * index, 2 * index + 2), 16);
  bytes.set(text, HASH);
  return blake2b(bytes);
}

/**
 * Reads a chain page by page from its head to its anchor and says how far it is; faults are the places
 * of records that do not follow from the one before, or from the head.
 * @param {(cursor: string | undefined) => Promise<Page>} read @param {(verdict: Verdict) => void} tell
 */
export async function verifyChain(read, tell) {
  /** @type {Verdict} */
  const verdict = { checked: 0, faults: [], head: null, isDone: false };
  /** @type {AuditRecord | null} */
  let newer = null;
  let anchor = { seq: 0, hash: FIRST };
  /** @type {string | undefined} */
  let cursor;
  do {
    /** @type {Page} */
    const page = await read(cursor);
    if (!verdict.head) {
      verdict.head = page.head;
      const newest = page.records[0] ?? page.anchor;
      if (newest.seq !== page.head.seq || newest.hash !== page.head.hash) verdict.faults.push(page.head.seq);
    }
    anchor = page.anchor;
    for (const record of page.records) {
      if (newer) check(verdict, newer, record);
      newer = record;
    }
    tell({ ...verdict });
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  if (newer) check(verdict, newer, anchor);
  verdict.isDone = true;
  tell({ ...verdict });
}

/** @param {Verdict} verdict @param {AuditRecord} newer @param {Place} before */
function check(verdict, newer, before) {
  verdict.checked++;
  if (newer.seq !== before.seq + 1 || hashOf(newer, before.hash) !== newer.hash) verdict.faults.push(newer.seq);
}
