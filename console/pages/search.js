// @ts-check
import { html, useEffect } from "../lib/preact.js";
import { query, useData } from "../api.js";
import { say, sayWord } from "../lang.js";
import { ErrorNote, Head, Table, Time } from "../parts.js";
import { go, linkTo } from "../route.js";
import { refusalOf } from "../why.js";

/** @typedef {import("../types").SearchResult} SearchResult */

/** Where a result has its page; those without one are shown in the list. @type {Record<string, (result: SearchResult) => string>} */
export const PAGES = {
  otp: ({ id }) => linkTo(["codes", id]),
  challenge: ({ id }) => linkTo(["calls", id]),
  message: ({ id }) => linkTo(["messages", id]),
  device: ({ id }) => linkTo(["fleet", id]),
  integration: ({ id }) => linkTo(["points", id]),
  package: ({ id, integration_id }) => linkTo(["packages", integration_id ?? "", id]),
  order: ({ id }) => linkTo(["orders", id]),
  log: ({ id }) => linkTo(["log"], { request_id: id }),
  account: ({ owner_id }) => linkTo(["fleet", owner_id ?? ""]),
  api_key: ({ id }) => linkTo(["keys", id]),
  operator: ({ id }) => linkTo(["operators", id]),
  operator_session: ({ owner_id }) => linkTo(["operators", owner_id ?? ""]),
  webhook_endpoint: ({ id }) => linkTo(["webhooks", id]),
  webhook_delivery: ({ owner_id }) => linkTo(["webhooks", owner_id ?? ""]),
  subject_job: ({ id }) => linkTo(["subjects", id]),
  process: () => linkTo(["settings", "processes"]),
  refusal: ({ integration_id }) => linkTo(["refusals", integration_id ?? ""]),
  product: ({ id, integration_id }) => linkTo(["catalog", integration_id ?? "", id]),
  client: ({ integration_id }) => linkTo(["clients", integration_id ?? ""]),
  signing_key: () => linkTo(["keys", "signing"]),
};

/** Where the words of a type's states are, unless they have its name. @type {Record<string, string>} */
const GROUPS = {
  challenge: "call", device: "state", integration: "state", client: "state", webhook_endpoint: "state",
  webhook_delivery: "delivery", subject_job: "job",
};

/** The state of a result; that of a request is why it was refused. @param {SearchResult} row */
const stateOf = (row) => row.state && (row.type === "log" ? `${say("refused.title")}: ${refusalOf(row.state)}` : sayWord(GROUPS[row.type] ?? row.type, row.state));

/** One thing is gone to at once; several are a list. @param {import("../pages.js").PageProps} props */
export function Search({ place }) {
  const q = place.filters.q ?? "";
  const { data, error, again } = useData([`/search${query({ q })}`]);
  const results = data?.[0].results;
  const only = results?.length === 1 && !(results[0].type === "log" && results[0].state) ? PAGES[results[0].type]?.(results[0]) : undefined;
  useEffect(() => {
    if (only) go(only, true);
  }, [only]);
  const columns = [
    { title: say("search.label"), cell: (/** @type {SearchResult} */ row) => say(`search.type.${row.type}`) },
    { title: say("login.name"), cell: (/** @type {SearchResult} */ row) => {
      const link = PAGES[row.type]?.(row);
      const text = row.title ?? row.id;
      return link ? html`<a href=${link}>${text}</a>` : text;
    } },
    { title: say("codes.state"), cell: (/** @type {SearchResult} */ row) => stateOf(row) },
    { title: say("codes.created"), cell: (/** @type {SearchResult} */ row) => row.at && html`<${Time} at=${row.at} />` },
  ];
  return html`
    <${Head} title=${say("search.title", { q })} />
    <${ErrorNote} error=${error} again=${again} />
    <${Table} label=${say("search.title", { q })} columns=${columns} rows=${results} empty=${say("search.nothing")}
      keyOf=${(/** @type {SearchResult} */ row) => row.type + row.id} />`;
}
