// @ts-check
// The state of a page is its URL: #/codes/ID?state=sent. A browser sends none of it to a server.
import { useEffect, useState } from "./lib/preact.js";

/** @typedef {{path: string[], filters: Record<string, string>}} Place */

/** A link that was cut off within a character is taken as it is. @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** @returns {Place} */
export function readPlace() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return {
    path: path.split("/").filter(Boolean).map(decode),
    filters: Object.fromEntries(new URLSearchParams(query ?? "")),
  };
}

/** @param {string[]} path @param {Record<string, string | undefined>} [filters] */
export function linkTo(path, filters = {}) {
  const set = Object.entries(filters).filter(([, value]) => value);
  const query = set.length ? `?${new URLSearchParams(/** @type {[string, string][]} */ (set))}` : "";
  return `#/${path.map(encodeURIComponent).join("/")}${query}`;
}

/** Goes there; `replaces` leaves no step for the way back. @param {string} link @param {boolean} [replaces] */
export function go(link, replaces = false) {
  if (replaces) location.replace(link);
  else location.hash = link;
}

/** @returns {Place} */
export function usePlace() {
  const [place, setPlace] = useState(readPlace);
  useEffect(() => {
    const follow = () => setPlace(readPlace());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return place;
}
