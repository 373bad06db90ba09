// The records of the API by their names, from the OpenAPI document (made by the tests, not committed).
import type { components } from "./openapi";

type Schemas = components["schemas"];
export type Code = Schemas["OTPChallenge"];
export type Device = Schemas["Device"];
export type Sim = Device["numbers"][number];
export type ExchangeOverview = Schemas["ExchangeOverview"];
export type FiguresHour = Schemas["FiguresHour"];
export type FunnelRow = Schemas["FunnelRow"];
export type SimFigures = Schemas["SimFigures"];
export type Integration = Schemas["Integration"];
export type Operator = Pick<Schemas["Operator"], "id" | "name" | "role">;
export type Overview = Schemas["Overview"];
export type SearchResult = Schemas["SearchResult"];
export type Step = Schemas["TimelineStep"];
export type Call = Schemas["Challenge"];
export type Message = Schemas["Message"];
export type Order = Schemas["OrderDelivery"];
export type Package = Schemas["ERPEventDetails"];
export type Product = Schemas["CatalogProduct"];
export type Refusal = Schemas["PackageRefusal"];

export type ApiKey = Schemas["APIKey"];
export type AuditRecord = Schemas["AuditRecord"];
export type Channel = Schemas["Channel"];
export type Client = Schemas["WorkloadClient"];
export type Credentials = Schemas["ClientCredentials"];
export type Delivery = Schemas["WebhookDelivery"];
export type Endpoint = Schemas["WebhookEndpoint"];
export type Pairing = Schemas["Pairing"];
export type Session = Schemas["OperatorSession"];
export type Setting = Schemas["Setting"];
export type SigningKey = Schemas["SigningKey"];
export type SubjectJob = Schemas["SubjectJob"];
export type Sentences = Record<string, string[]>;
