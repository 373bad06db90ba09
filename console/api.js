// @ts-check
// What the pages ask of herald: one way to ask, one kind of error, and a small store that polls.
import { useEffect, useState } from "./lib/preact.js";

const BASE = "/console/api";

/** What an operation refused, or that nobody answered (status 0). */
export class ApiError extends Error {
  /**
   * @param {number} status @param {number} retryAfter
   * @param {{code?: string, message?: string, request_id?: string, role?: string, number?: string, fields?: {path: string, message: string}[]}} error
   */
  constructor(status, error, retryAfter) {
    super(error.message ?? "");
    this.status = status;
    this.code = error.code ?? "";
    this.requestId = error.request_id ?? "";
    this.role = error.role ?? "";
    this.number = error.number ?? "";
    this.faults = error.fields ?? [];
    this.retryAfter = retryAfter;
  }
}

/**
 * Tells whether a browser would take a part of the path for a step to another place: an id that somebody
 * wrote, such as "..", must not lead to another operation. @param {string} path
 */
const goesAstray = (path) => /(^|[\\/])(\.|%2e){1,2}([\\/]|$)/i.test(path.split(/[?#]/)[0]);

/** @type {() => void} */
let onLoggedOut = () => {};
/** Says what is done once the session has ended. @param {() => void} then */
export function whenLoggedOut(then) {
  onLoggedOut = then;
}

/**
 * Asks an operation; `path` is below /internal/v1, or one of the console's own (/login).
 * @param {string} method @param {string} path @param {object} [body] @param {{signal?: AbortSignal, key?: string}} [options] `key` is that of idempotency
 */
export async function ask(method, path, body, options = {}) {
  if (goesAstray(path)) throw new ApiError(404, {}, 0);
  const isOwn = /^\/(login|logout|welcome|self|password|sessions)(\/|$)/.test(path);
  /** @type {Record<string, string>} */
  const headers = { "X-Herald-Console": "1" };
  if (body) headers["Content-Type"] = "application/json";
  if (options.key) headers["Idempotency-Key"] = options.key;
  let reply;
  try {
    reply = await fetch(`${BASE}${isOwn ? "" : "/internal/v1"}${path}`, {
      method, headers, body: body && JSON.stringify(body), signal: options.signal,
    });
  } catch (fault) {
    if (/** @type {Error} */ (fault).name === "AbortError") throw fault;
    throw new ApiError(0, {}, 0);
  }
  const data = reply.status === 204 ? null : await reply.json().catch(() => null);
  if (reply.ok) return data;
  if (reply.status === 401 && path !== "/login" && path !== "/welcome") onLoggedOut();
  throw new ApiError(reply.status, data?.error ?? {}, Number(reply.headers.get("Retry-After") ?? 0));
}

/** @param {string} path @param {{signal?: AbortSignal}} [options] */
export const get = (path, options) => ask("GET", path, undefined, options);

/** A query of what has a value. @param {Record<string, string | number | undefined | null>} values */
export function query(values) {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return set.length ? `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}` : "";
}

/**
 * What an operation answers, asked again every `everyMs` while the page is seen; the last answer stays
 * where one fails.
 * @param {string[]} paths @param {number} [everyMs]
 * @returns {{data: any[] | null, error: ApiError | null, again: () => void}}
 */
export function useData(paths, everyMs = 0) {
  const [state, setState] = useState(/** @type {{key: string, data: any[] | null, error: ApiError | null}} */ ({ key: "", data: null, error: null }));
  const [turn, setTurn] = useState(0);
  const key = paths.join(" ");
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    async function load() {
      if (!document.hidden) {
        try {
          const data = await Promise.all(paths.map((path) => get(path, { signal: abort.signal })));
          setState({ key, data, error: null });
        } catch (fault) {
          if (abort.signal.aborted) return;
          setState((before) => ({ key, data: before.key === key ? before.data : null, error: /** @type {ApiError} */ (fault) }));
        }
      }
      if (everyMs && !abort.signal.aborted) timer = window.setTimeout(load, everyMs);
    }
    load();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [key, turn]);
  return { data: state.key === key ? state.data : null, error: state.error, again: () => setTurn(turn + 1) };
}

/**
 * A list that is read page by page behind its first one.
 * @param {string} path @param {Record<string, string | undefined>} filters @param {string} member @param {number} [everyMs]
 * @param {(row: any) => unknown} [keyOf]
 */
export function useList(path, filters, member, everyMs = 0, keyOf = (row) => row.id) {
  const first = `${path}${query({ limit: 50, ...filters })}`;
  const head = useData([first], everyMs);
  const [older, setOlder] = useState({ key: "", rows: /** @type {any[]} */ ([]), cursor: /** @type {string | null | undefined} */ (undefined) });
  const own = older.key === first ? older : { key: first, rows: [], cursor: undefined };
  const page = head.data?.[0];
  const cursor = own.cursor === undefined ? page?.next_cursor : own.cursor;
  const fresh = new Set(page?.[member].map(keyOf));
  const rows = page ? [...page[member], ...own.rows.filter((row) => !fresh.has(keyOf(row)))] : null;
  async function loadOlder() {
    const next = await get(`${path}${query({ limit: 50, ...filters, cursor })}`);
    const before = own.rows.length ? own.rows : page[member];
    setOlder({ key: first, rows: [...before, ...next[member]], cursor: next.next_cursor });
  }
  return { rows, error: head.error, again: head.again, hasOlder: Boolean(cursor), loadOlder };
}

/** Walks a list up to the row of that id; null: it has none. @param {string} path @param {string} member @param {string} id */
async function findIn(path, member, id) {
  let cursor;
  do {
    const page = await get(`${path}${query({ limit: 200, cursor })}`);
    const row = page[member].find((/** @type {any} */ one) => one.id === id);
    if (row) return row;
    cursor = page.next_cursor;
  } while (cursor);
  throw new ApiError(404, {}, 0);
}

/** A row of a list of which the API reads no row alone. @param {string} path @param {string} member @param {string} id */
export function useRow(path, member, id) {
  const [row, setRow] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {ApiError | null} */ (null));
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    findIn(path, member, id).then((found) => {
      setRow(found);
      setError(null);
    }, setError);
  }, [path, id, turn]);
  return { row, error, again: () => setTurn(turn + 1) };
}
