// @ts-check
// The sections: a page is a row here and a module in pages/. The order is that of the rail.
import { may } from "./parts.js";
import { Overview } from "./pages/overview.js";
import { Fleet } from "./pages/fleet.js";
import { Codes } from "./pages/codes.js";
import { Funnel } from "./pages/funnel.js";
import { Log } from "./pages/log.js";
import { Operators } from "./pages/operators.js";
import { Points } from "./pages/points.js";
import { Calls } from "./pages/calls.js";
import { Messages } from "./pages/messages.js";
import { Packages } from "./pages/packages.js";
import { Orders } from "./pages/orders.js";
import { Catalog } from "./pages/catalog.js";
import { Refusals } from "./pages/refusals.js";
import { Search } from "./pages/search.js";
import { Account } from "./pages/account.js";
import { Audit } from "./pages/audit.js";
import { Channels } from "./pages/channels.js";
import { Clients } from "./pages/clients.js";
import { Keys } from "./pages/keys.js";
import { More } from "./pages/more.js";
import { Settings } from "./pages/settings.js";
import { Subjects } from "./pages/subjects.js";
import { Webhooks } from "./pages/webhooks.js";

/**
 * @typedef {import("./route.js").Place} Place
 * @typedef {{place: Place, operator: {id: string, name: string, role: string}}} PageProps
 * @typedef {{name: string, title?: string, icon?: string, isMain?: boolean, least?: string, under?: string, view: (props: PageProps) => unknown}} Page
 */

/**
 * A page without a title has no place in the rail, and one whose role is too little, `least`, sees it
 * not there. What has no place in the rail is `under` a section. Where there is no room for all, those that are main are there, beside `more`.
 * @type {Page[]}
 */
export const pages = [
  { name: "overview", title: "nav.overview", icon: "M2 13V8h3v5M6.5 13V3h3v10M11 13V6h3v7", isMain: true, view: Overview },
  { name: "fleet", title: "nav.fleet", icon: "M5 1.5h6v13H5zM7.3 12.5h1.4", isMain: true, view: Fleet },
  { name: "codes", title: "nav.codes", icon: "M2 4h12v8H2zM4.5 8h.1M8 8h.1M11.5 8h.1", isMain: true, view: Codes },
  { name: "funnel", title: "nav.funnel", icon: "M2 3h12l-4.5 5v5l-3-1.5V8z", view: Funnel },
  { name: "calls", title: "nav.calls", icon: "M4 2h2.5l1 3.2-1.6 1.2a8 8 0 0 0 3.7 3.7l1.2-1.6 3.2 1V12a2 2 0 0 1-2.2 2A11.5 11.5 0 0 1 2 4.2 2 2 0 0 1 4 2z", view: Calls },
  { name: "messages", title: "nav.messages", icon: "M2 3h12v8H8l-3.5 3v-3H2z", view: Messages },
  { name: "orders", title: "nav.orders", icon: "M3.5 2h9v12l-2-1.5L8 14l-2.5-1.5L3.5 14zM6 5.5h4M6 8.5h4", view: Orders },
  { name: "points", title: "nav.points", icon: "M2 6l1.5-3.5h9L14 6M3 6v8h10V6M2 6h12M6.5 14v-4h3v4", isMain: true, view: Points },
  { name: "packages", title: "nav.packages", icon: "M8 1.8l5.5 2.8v6.8L8 14.2l-5.5-2.8V4.6zM2.5 4.6L8 7.4l5.5-2.8M8 7.4v6.8", view: Packages },
  { name: "refusals", under: "points", view: Refusals },
  { name: "catalog", title: "nav.catalog", icon: "M2 2.5h5v5H2zM9 2.5h5v5H9zM2 9.5h5v4H2zM9 9.5h5v4H9z", view: Catalog },
  { name: "log", title: "nav.log", icon: "M2 3.5h12M2 8h12M2 12.5h8", view: Log },
  { name: "operators", title: "nav.operators", icon: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.5-3 2.7-4 5.5-4s5 1 5.5 4", view: Operators },
  { name: "channels", title: "nav.channels", icon: "M2 8h3l2-5 3 10 2-5h2", view: Channels },
  { name: "clients", title: "nav.clients", icon: "M6 8a2.5 2.5 0 1 0-2.5 2.5A2.5 2.5 0 0 0 6 8zM6 8h8.5M12 8v2.5", view: Clients },
  { name: "webhooks", title: "nav.webhooks", icon: "M2.5 8h9M8.5 5l3 3-3 3M13.5 3v10", view: Webhooks },
  { name: "keys", title: "nav.keys", icon: "M3 7h10v7H3zM5 7V5a3 3 0 0 1 6 0v2", view: Keys },
  { name: "audit", title: "nav.audit", icon: "M4 1.5h8v13H4zM6 5h4M6 8h4M6 11h2", view: Audit },
  { name: "subjects", title: "nav.subjects", icon: "M8 1.5 13 3.5v4c0 3.5-2.5 6-5 7-2.5-1-5-3.5-5-7v-4z", least: "admin", view: Subjects },
  { name: "settings", title: "nav.settings", icon: "M2 4.5h7M12 4.5h2M9 3v3M2 11.5h2M7 11.5h7M4 10v3", view: Settings },
  { name: "account", view: Account },
  { name: "more", view: (props) => More({ ...props, pages: listFor(props.operator.role) }) },
  { name: "search", view: Search },
];

/** What the rail shows to a role. @param {string} role */
export const listFor = (role) => pages.filter((page) => page.title && may(role, page.least ?? "viewer"));
