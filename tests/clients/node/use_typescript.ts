// A client with the types of openapi-typescript. What it reads has those types, or it does not compile.
import createClient from "openapi-fetch";
import type { components, paths } from "./herald.js";

const { HERALD_URL: baseUrl = "", HERALD_KEY: key = "", HERALD_RECIPIENT: recipient = "" } =
  process.env;
const herald = createClient<paths>({ baseUrl, headers: { "X-Internal-API-Key": key } });

const { data: page } = await herald.GET("/internal/v1/devices", {
  params: { query: { limit: 10 } },
});
const numbers: string[] = (page?.devices ?? []).flatMap((device) =>
  device.numbers.map((row) => row.number),
);

const channel: components["schemas"]["OTPChannel"] = "sms";
const { data: otp, error } = await herald.POST("/internal/v1/otp", {
  params: { header: { "Idempotency-Key": crypto.randomUUID() } },
  body: { channel, recipient },
});
if (!otp) throw new Error(error.error.message);
const state: components["schemas"]["OTPState"] = otp.state;
const confirmed: string | null = otp.confirmed_at;

const { error: refusal, response } = await herald.GET("/internal/v1/otp/{id}", {
  params: { path: { id: crypto.randomUUID() } },
});
console.log(
  JSON.stringify({
    numbers,
    id: otp.id,
    state,
    attempts_left: otp.attempts_left,
    confirmed,
    refusal: [response.status, refusal?.error.code],
  }),
);
