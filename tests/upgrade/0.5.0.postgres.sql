--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: active_challenge; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.active_challenge (
    number text NOT NULL,
    challenge_id bytea NOT NULL,
    gateway_number text,
    expires_at bigint NOT NULL
);


--
-- Name: call_challenge; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.call_challenge (
    id bytea NOT NULL,
    caller text NOT NULL,
    gateway_number text NOT NULL,
    state text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    confirmed_at bigint
);


--
-- Name: call_event; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.call_event (
    device_id bytea NOT NULL,
    event_id text NOT NULL,
    result text NOT NULL,
    challenge_id bytea,
    arrived_at bigint NOT NULL
);


--
-- Name: catalog; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalog (
    integration_id bytea NOT NULL,
    number bigint NOT NULL,
    last_product bigint NOT NULL,
    snapshot_receipt bigint NOT NULL,
    updated_at bigint NOT NULL,
    edition bigint DEFAULT 0 NOT NULL
);


--
-- Name: catalog_category; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalog_category (
    catalog bigint NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    archived bigint NOT NULL,
    updated_at bigint NOT NULL
);


--
-- Name: catalog_definition; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalog_definition (
    catalog bigint NOT NULL,
    id text NOT NULL,
    doc text NOT NULL,
    archived bigint NOT NULL,
    updated_at bigint NOT NULL
);


--
-- Name: catalog_offer; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalog_offer (
    product bigint NOT NULL,
    variant bigint NOT NULL,
    price text NOT NULL,
    price_receipt bigint NOT NULL,
    stock bigint,
    stock_receipt bigint NOT NULL,
    updated_at bigint NOT NULL
);


--
-- Name: catalog_product; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalog_product (
    product bigint NOT NULL,
    catalog bigint NOT NULL,
    id text NOT NULL,
    category_id text,
    text_hash bytea NOT NULL,
    doc_hash bytea NOT NULL,
    last_variant bigint NOT NULL,
    variant_count bigint NOT NULL,
    archived bigint NOT NULL,
    updated_at bigint NOT NULL
);


--
-- Name: catalog_product_doc; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalog_product_doc (
    product bigint NOT NULL,
    doc text NOT NULL
);


--
-- Name: catalog_product_name; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalog_product_name (
    product bigint NOT NULL,
    folded text NOT NULL
);


--
-- Name: catalog_variant; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalog_variant (
    product bigint NOT NULL,
    id text NOT NULL,
    variant bigint NOT NULL,
    archived bigint NOT NULL
);


--
-- Name: channel_circuit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.channel_circuit (
    channel text NOT NULL,
    open_until bigint NOT NULL,
    reason text
);


--
-- Name: channel_send; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.channel_send (
    id bytea NOT NULL,
    channel text NOT NULL,
    owner_id bytea NOT NULL,
    state text NOT NULL,
    attempt bigint NOT NULL,
    provider_id text,
    error text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    success_code bytea
);


--
-- Name: chat_turn; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chat_turn (
    chat text NOT NULL,
    next_at bigint NOT NULL,
    late_at bigint DEFAULT 0 NOT NULL
);


--
-- Name: client_secret; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.client_secret (
    id bytea NOT NULL,
    client_id bytea NOT NULL,
    hash bytea NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    ended_at bigint
);


--
-- Name: device; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.device (
    id bytea NOT NULL,
    name text NOT NULL,
    key_hash bytea NOT NULL,
    is_enabled bigint NOT NULL,
    created_at bigint NOT NULL,
    last_seen_at bigint
);


--
-- Name: device_account; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.device_account (
    account_id text NOT NULL,
    device_id bytea NOT NULL,
    messenger text NOT NULL,
    state text NOT NULL,
    state_until bigint NOT NULL
);


--
-- Name: device_number; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.device_number (
    number text NOT NULL,
    device_id bytea NOT NULL,
    "position" bigint NOT NULL,
    is_enabled bigint NOT NULL,
    sim_ready_until bigint DEFAULT 0 NOT NULL,
    is_ready bigint DEFAULT 0 NOT NULL,
    active_challenges bigint DEFAULT 0 NOT NULL,
    last_used_at bigint DEFAULT 0 NOT NULL
);


--
-- Name: erp_package; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.erp_package (
    integration_id bytea NOT NULL,
    event_id text NOT NULL,
    receipt bigint NOT NULL,
    event_type text NOT NULL,
    status text NOT NULL,
    attempts bigint NOT NULL,
    received_at bigint NOT NULL,
    generated_at bigint NOT NULL,
    processed_at bigint,
    due_at bigint,
    give_up_at bigint NOT NULL,
    released bigint NOT NULL,
    last_error text,
    row_count bigint NOT NULL,
    rows_done bigint NOT NULL,
    result text,
    errors text,
    body_length bigint NOT NULL
);


--
-- Name: erp_package_body; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.erp_package_body (
    integration_id bytea NOT NULL,
    receipt bigint NOT NULL,
    received_at bigint NOT NULL,
    packed bytea NOT NULL
);
ALTER TABLE ONLY public.erp_package_body ALTER COLUMN packed SET STORAGE EXTERNAL;


--
-- Name: erp_receipt; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.erp_receipt (
    integration_id bytea NOT NULL,
    last_receipt bigint NOT NULL
);


--
-- Name: idempotency_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_key (
    family text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    resource_id bytea NOT NULL
);


--
-- Name: integration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.integration (
    id bytea NOT NULL,
    tenant_id bytea NOT NULL,
    point_id bytea NOT NULL,
    name text NOT NULL,
    is_enabled bigint NOT NULL,
    erp_url text NOT NULL,
    erp_token bytea NOT NULL,
    erp_path text NOT NULL,
    erp_timeout_s bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);


--
-- Name: job; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job (
    id bytea NOT NULL,
    kind text NOT NULL,
    subject bytea NOT NULL,
    attempt bigint NOT NULL,
    created_at_ms bigint NOT NULL,
    run_at_ms bigint NOT NULL,
    due_at_ms bigint NOT NULL,
    lease_id bytea
);


--
-- Name: lease; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lease (
    name text NOT NULL,
    holder bytea NOT NULL,
    until_ms bigint NOT NULL
);


--
-- Name: log_entry; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.log_entry (
    id bigint NOT NULL,
    at bigint NOT NULL,
    level bigint NOT NULL,
    message text NOT NULL,
    fields text NOT NULL
);


--
-- Name: log_head; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.log_head (
    one bigint NOT NULL,
    last_id bigint NOT NULL,
    CONSTRAINT log_head_one_check CHECK ((one = 1))
);


--
-- Name: message; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.message (
    id bytea NOT NULL,
    channel text NOT NULL,
    state text NOT NULL,
    account_id text,
    recipient text,
    chat_id text,
    chat_is_integer bigint NOT NULL,
    text bytea,
    error text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    expires_at bigint NOT NULL
);


--
-- Name: order_attempt; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.order_attempt (
    id bytea NOT NULL,
    attempt bigint NOT NULL,
    started_at bigint NOT NULL,
    duration_ms bigint NOT NULL,
    status bigint NOT NULL,
    outcome text NOT NULL,
    error text
);


--
-- Name: order_body; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.order_body (
    id bytea NOT NULL,
    sealed bytea NOT NULL
);


--
-- Name: order_delivery; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.order_delivery (
    id bytea NOT NULL,
    integration_id bytea NOT NULL,
    state text NOT NULL,
    attempts bigint NOT NULL,
    due_at bigint,
    give_up_at bigint NOT NULL,
    fingerprint bytea NOT NULL,
    erp_order_id text,
    erp_number text,
    last_error text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    failures bigint DEFAULT 0 NOT NULL
);


--
-- Name: order_lane; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.order_lane (
    integration_id bytea NOT NULL,
    holder bytea,
    held_until bigint NOT NULL,
    failures bigint NOT NULL,
    probe_at bigint,
    warned_at bigint
);


--
-- Name: otp; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.otp (
    id bytea NOT NULL,
    channel text NOT NULL,
    recipient text NOT NULL,
    state text NOT NULL,
    code bytea,
    code_length bigint NOT NULL,
    attempts_left bigint NOT NULL,
    account_id text,
    app_hash text,
    origin text,
    has_fallback bigint DEFAULT 0 NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    confirmed_at bigint
);


--
-- Name: phone_task; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.phone_task (
    id bytea NOT NULL,
    channel text NOT NULL,
    owner_kind text NOT NULL,
    owner_id bytea NOT NULL,
    sender text NOT NULL,
    recipient text NOT NULL,
    attempt bigint NOT NULL,
    state text NOT NULL,
    error text,
    lease_id bytea,
    lease_device_id bytea,
    lease_until bigint DEFAULT 0 NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    expires_at bigint NOT NULL
);


--
-- Name: schema_migration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_migration (
    version integer NOT NULL,
    name text NOT NULL,
    applied_at_ms bigint NOT NULL
);


--
-- Name: signing_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signing_key (
    number bigint NOT NULL,
    kid text NOT NULL,
    public_key bytea NOT NULL,
    sealed_seed bytea NOT NULL,
    created_at bigint NOT NULL,
    signs_from bigint NOT NULL
);


--
-- Name: store_pair; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.store_pair (
    one bigint NOT NULL,
    pair_id bytea NOT NULL,
    is_complete bigint NOT NULL,
    CONSTRAINT store_pair_one_check CHECK ((one = 1))
);


--
-- Name: vault_check; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.vault_check (
    one bigint NOT NULL,
    sealed bytea NOT NULL,
    CONSTRAINT vault_check_one_check CHECK ((one = 1))
);


--
-- Name: worker; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.worker (
    id bytea NOT NULL,
    seen_at bigint NOT NULL
);


--
-- Name: workload_client; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.workload_client (
    id bytea NOT NULL,
    integration_id bytea NOT NULL,
    name text,
    scopes text NOT NULL,
    is_enabled bigint NOT NULL,
    created_at bigint NOT NULL
);


--
-- Name: wrong_code; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wrong_code (
    recipient text NOT NULL,
    at bigint NOT NULL,
    otp_id bytea NOT NULL,
    attempt bigint NOT NULL
);


--
-- Data for Name: active_challenge; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.active_challenge VALUES ('+79161000002', '\x01a21529c01f700080fd258624add92f', '+79160000000', 1795652287423);
INSERT INTO public.active_challenge VALUES ('+79161000003', '\x01a21529c0267000861cf86ed0027a28', '+79160000000', 1795652287430);
INSERT INTO public.active_challenge VALUES ('+79161000005', '\x01a21529c03670008533fa3ba91a4db5', '+79160000000', 1795652287446);
INSERT INTO public.active_challenge VALUES ('+79161000009', '\x01a21529c0527000841b16b5f4081a0d', NULL, 1795652287474);
INSERT INTO public.active_challenge VALUES ('+79161000010', '\x01a21529c0547000841ace676fa2a5c1', NULL, 1795652287476);
INSERT INTO public.active_challenge VALUES ('+79161000012', '\x01a21529c0907000870032523dae866a', '+79160000000', 1795652287536);
INSERT INTO public.active_challenge VALUES ('+79161000018', '\x01a21529c26b7000844e02d3da8a4005', '+79160000000', 1795652288011);
INSERT INTO public.active_challenge VALUES ('+79161000019', '\x01a21529c26e700084f578ed47227bb7', '+79160000000', 1795652288014);


--
-- Data for Name: call_challenge; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.call_challenge VALUES ('\x01a2151682447000850179500a79d5f0', '+79161000001', '+79160000010', 'pending', 1795650126404, 1795650186404, NULL);
INSERT INTO public.call_challenge VALUES ('\x01a21529c0907000870032523dae866a', '+79161000012', '+79160000000', 'pending', 1795651387536, 1795652287536, NULL);
INSERT INTO public.call_challenge VALUES ('\x01a21529c0927000872010f130882828', '+79161000013', '+79160000000', 'confirmed', 1795651387538, 1795652287538, 1795651387540);
INSERT INTO public.call_challenge VALUES ('\x01a21529c093700086d64634ba60d861', '+79161000014', '+79160000000', 'canceled', 1795651387539, 1795652287539, NULL);


--
-- Data for Name: call_event; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.call_event VALUES ('\x01a2056b8e6d700089ae50ad52c11179', 'event-confirmed', 'confirmed', '\x01a21529c0927000872010f130882828', 1795651387540);
INSERT INTO public.call_event VALUES ('\x01a2056b8e6d700089ae50ad52c11179', 'event-unknown', 'no_challenge', NULL, 1795651387542);


--
-- Data for Name: catalog; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalog VALUES ('\x01a2056b8e777000847b549a980d0278', 1, 27, 1, 1795651387695, -5857965608933225112);


--
-- Data for Name: catalog_category; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalog_category VALUES (1, 'cat-1', 'Молоко 🥛', 0, 1795387264663);
INSERT INTO public.catalog_category VALUES (1, 'cat-2', 'Хлеб', 0, 1795387264663);


--
-- Data for Name: catalog_definition; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalog_definition VALUES (1, 'def-string', '{"id":"def-string","code":"code-string","name":"Name string","type":"string","unit":"unit-string","canonical_code":"canonical-string"}', 0, 1795387264663);
INSERT INTO public.catalog_definition VALUES (1, 'def-decimal', '{"id":"def-decimal","code":"code-decimal","name":"Name decimal","type":"decimal","unit":"unit-decimal","canonical_code":"canonical-decimal"}', 0, 1795387264663);
INSERT INTO public.catalog_definition VALUES (1, 'def-integer', '{"id":"def-integer","code":"code-integer","name":"Name integer","type":"integer","unit":"unit-integer","canonical_code":"canonical-integer"}', 0, 1795387264663);
INSERT INTO public.catalog_definition VALUES (1, 'def-boolean', '{"id":"def-boolean","code":"code-boolean","name":"Name boolean","type":"boolean","unit":"unit-boolean","canonical_code":"canonical-boolean"}', 0, 1795387264663);
INSERT INTO public.catalog_definition VALUES (1, 'def-date', '{"id":"def-date","code":"code-date","name":"Name date","type":"date","unit":"unit-date","canonical_code":"canonical-date"}', 0, 1795387264663);
INSERT INTO public.catalog_definition VALUES (1, 'def-enum', '{"id":"def-enum","code":"code-enum","name":"Name enum","type":"enum","unit":"unit-enum","canonical_code":"canonical-enum","values":[{"id":"enum-1","code":"enum-code-1","name":"Enum 1"},{"id":"enum-2","code":"enum-code-2","name":"Enum 2"}]}', 0, 1795387264663);


--
-- Data for Name: catalog_offer; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalog_offer VALUES (4294967297, 2, '89.9', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967298, 1, '7', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967299, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967301, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967302, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967303, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967304, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967305, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967306, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967307, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967308, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967309, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967310, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967311, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967312, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967313, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967314, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967315, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967316, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967317, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967318, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967319, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967320, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967321, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967322, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967323, 1, '10', 1, NULL, 0, 1795387264663);
INSERT INTO public.catalog_offer VALUES (4294967297, 1, '89.9', 1, 7, 4, 1795651387695);
INSERT INTO public.catalog_offer VALUES (4294967300, 1, '99.5', 4, NULL, 0, 1795651387695);


--
-- Data for Name: catalog_product; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalog_product VALUES (4294967297, 1, 'full', 'cat-1', '\x196145a08e3042907f53dae8b94769eb', '\x1fd8453a65603855ac8f4db72ff66549', 2, 2, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967298, 1, 'plain', NULL, '\x44e4afefa209f7bff0001e8112c2e454', '\x5bf56e4161ba7511754c3b01a29231f0', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967299, 1, 'p-0', NULL, '\x993f56e46e97256b557afc67f83fd827', '\x2a0f5eca08c0df99a01e0e4b659d56d1', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967300, 1, 'p-1', NULL, '\xf5c93520abf882d8acde363fc0ae15f9', '\x1282158aa9069740e64a00f0e1d2814d', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967301, 1, 'p-2', NULL, '\x572f5b42d5796980781a34e442494afe', '\xfcba51d960438fa72fac237ffc668ee7', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967302, 1, 'p-3', NULL, '\xcc1561c036d8d3f59262df6b9c2ac7c8', '\xa3aa0fe00bd3b384d243bef12a467c29', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967303, 1, 'p-4', NULL, '\x4f7c3ca90f499f51e7287be4e52b2b3b', '\x1885ccaf5733f5336641df947b37d1eb', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967304, 1, 'p-5', NULL, '\xc3d7fae548f0a44bc604dfa6b99bc794', '\x4387e2c532bc1ce5a9525dd7adb76944', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967305, 1, 'p-6', NULL, '\x48c9d1e8e0cb4092c91c1f233aff23b6', '\xfea5590b3df4e7deac756a07a8d5dce5', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967306, 1, 'p-7', NULL, '\xb9579c9c5cf076237b84103385ef8ffb', '\xaf23f86eceda4fc75044c21756623159', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967307, 1, 'p-8', NULL, '\xf6d109438ce766eacef8f6da0db07176', '\x1135cb1c6ac27454d4f0fb807f3db12b', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967308, 1, 'p-9', NULL, '\x6aff9342f46b3e24dcd6a5dfa35ad173', '\xd3c0561afa64e79acb72ea9841a05ec6', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967309, 1, 'p-10', NULL, '\x004b7ce1510fdf7aa41fe3440fc8902d', '\x80a173ac4b549095647783b256a02a92', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967310, 1, 'p-11', NULL, '\x4e2c66bdcf49f0be09ab9c277d4161c0', '\xdc87cf340c14755da6636e5ab866c264', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967311, 1, 'p-12', NULL, '\xc39ba85e5352d57188819e76cd8147bc', '\x9cca29e6f66d3ed64d8d0aace3bb62bb', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967312, 1, 'p-13', NULL, '\xd89f7d4c510bd504d861028232fcbe45', '\x8fbc8e1c5b8dc206e15fadd06ccaebd4', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967313, 1, 'p-14', NULL, '\x0c15870ba5620eb3562ea275fc77e07a', '\x366647853e7d9e4f2c663a8ce34bd1dd', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967314, 1, 'p-15', NULL, '\xde9c5db15d67fa16a0568027025cc2ea', '\x53f511907836f6e1f4a215e5b46468ad', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967315, 1, 'p-16', NULL, '\x30846e9650c28c9c8a67a43f55b17fb3', '\xc372674ecd04df29178a6638ea421b9e', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967316, 1, 'p-17', NULL, '\x24d3dd9decab8b01e2ae5dc76386a911', '\xc46d186b8edcafc2c72af8af6fba88fd', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967317, 1, 'p-18', NULL, '\xfb3e8c783b672d4fe55b0a6dc5ab8ee6', '\x3dcda1038f9d47396936ac8bb2f2242e', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967318, 1, 'p-19', NULL, '\xbd64fd59c64c5de56b9b37f32b16d64c', '\x926c6fb3b22d5e15d87ca5455f7e8cd2', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967319, 1, 'p-20', NULL, '\x2c01c26cd9788defff1e555fb4175c92', '\x6a575cb6a13c3e757ed8c07cdd104f79', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967320, 1, 'p-21', NULL, '\xaea3593e76ad235a2058c7b65082b7ec', '\x0db280ff68132fac433ff3c9a244cb26', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967321, 1, 'p-22', NULL, '\x0244dcc760341257e4fa25978b5b6cf9', '\x6db3a926dd408b564845d6317f55f271', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967322, 1, 'p-23', NULL, '\x7eed318b71f5fd8688542fe0c7708f58', '\xb4c3bce710fc43fa21d5c01b56f62391', 1, 1, 0, 1795387264663);
INSERT INTO public.catalog_product VALUES (4294967323, 1, 'p-24', NULL, '\xd63bd1afdc845d26af28e43fea8a9dae', '\x43245bad29bd8e8c73877502628af946', 1, 1, 0, 1795387264663);


--
-- Data for Name: catalog_product_doc; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalog_product_doc VALUES (4294967297, '{"id":"full","name":"Полный товар 🧀","description":"A description","composition":"A composition","category_id":"cat-1","available":true,"tax":{"vat_rate":"10","vat_included":true,"tax_category":"goods"},"marking":{"required":true,"group":"milk","traceable":false},"attributes":[{"attribute_id":"def-string","value":"a text","unit":"own unit"},{"attribute_id":"def-decimal","value":3.2},{"attribute_id":"def-integer","value":12},{"attribute_id":"def-boolean","value":false},{"attribute_id":"def-date","value":"2026-02-28"},{"attribute_id":"def-enum","value_id":"enum-2"}],"option_axes":[{"id":"axis-a","code":"axis-a-code","name":"axis-a name","values":[{"id":"axis-a-1","code":"axis-a-code-1","name":"axis-a name 1"},{"id":"axis-a-2","code":"axis-a-code-2","name":"axis-a name 2"}]},{"id":"axis-b","code":"axis-b-code","name":"axis-b name","values":[{"id":"axis-b-1","code":"axis-b-code-1","name":"axis-b name 1"},{"id":"axis-b-2","code":"axis-b-code-2","name":"axis-b name 2"}]}],"variants":[{"id":"full-1","name":"Variant 1","sku":"SKU-1","barcodes":["4600000000011","4600000000021"],"default":true,"measure_unit":"kilogram","measure_value":0.5,"option_values":[{"axis_id":"axis-a","value_id":"axis-a-1"},{"axis_id":"axis-b","value_id":"axis-b-1"}],"option_groups":[{"id":"group-1","name":"Group 1","required":true,"min_select":1,"max_select":2,"options":[{"id":"option-1-1","name":"Option 1 1","price_delta":-1.5,"available":true,"sku":"option-sku-1-1"},{"id":"option-1-2","name":"Option 1 2","price_delta":-1.5,"available":true,"sku":"option-sku-1-2"}]}]},{"id":"full-2","name":"Variant 2","sku":"SKU-2","barcodes":["4600000000012","4600000000022"],"default":false,"measure_unit":"kilogram","measure_value":0.5,"option_values":[{"axis_id":"axis-a","value_id":"axis-a-2"},{"axis_id":"axis-b","value_id":"axis-b-2"}],"option_groups":[{"id":"group-2","name":"Group 2","required":true,"min_select":1,"max_select":2,"options":[{"id":"option-2-1","name":"Option 2 1","price_delta":-1.5,"available":true,"sku":"option-sku-2-1"},{"id":"option-2-2","name":"Option 2 2","price_delta":-1.5,"available":true,"sku":"option-sku-2-2"}]}]}],"allergens":["gluten","lactose"],"tags":["new","сезон"]}');
INSERT INTO public.catalog_product_doc VALUES (4294967298, '{"id":"plain","name":"Product plain","available":true,"variants":[{"id":"plain-v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967299, '{"id":"p-0","name":"Product p-0","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967300, '{"id":"p-1","name":"Product p-1","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967301, '{"id":"p-2","name":"Product p-2","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967302, '{"id":"p-3","name":"Product p-3","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967303, '{"id":"p-4","name":"Product p-4","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967304, '{"id":"p-5","name":"Product p-5","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967305, '{"id":"p-6","name":"Product p-6","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967306, '{"id":"p-7","name":"Product p-7","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967307, '{"id":"p-8","name":"Product p-8","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967308, '{"id":"p-9","name":"Product p-9","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967309, '{"id":"p-10","name":"Product p-10","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967310, '{"id":"p-11","name":"Product p-11","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967311, '{"id":"p-12","name":"Product p-12","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967312, '{"id":"p-13","name":"Product p-13","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967313, '{"id":"p-14","name":"Product p-14","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967314, '{"id":"p-15","name":"Product p-15","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967315, '{"id":"p-16","name":"Product p-16","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967316, '{"id":"p-17","name":"Product p-17","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967317, '{"id":"p-18","name":"Product p-18","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967318, '{"id":"p-19","name":"Product p-19","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967319, '{"id":"p-20","name":"Product p-20","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967320, '{"id":"p-21","name":"Product p-21","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967321, '{"id":"p-22","name":"Product p-22","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967322, '{"id":"p-23","name":"Product p-23","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO public.catalog_product_doc VALUES (4294967323, '{"id":"p-24","name":"Product p-24","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');


--
-- Data for Name: catalog_product_name; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalog_product_name VALUES (4294967297, 'полный товар 🧀');
INSERT INTO public.catalog_product_name VALUES (4294967298, 'product plain');
INSERT INTO public.catalog_product_name VALUES (4294967299, 'product p-0');
INSERT INTO public.catalog_product_name VALUES (4294967300, 'product p-1');
INSERT INTO public.catalog_product_name VALUES (4294967301, 'product p-2');
INSERT INTO public.catalog_product_name VALUES (4294967302, 'product p-3');
INSERT INTO public.catalog_product_name VALUES (4294967303, 'product p-4');
INSERT INTO public.catalog_product_name VALUES (4294967304, 'product p-5');
INSERT INTO public.catalog_product_name VALUES (4294967305, 'product p-6');
INSERT INTO public.catalog_product_name VALUES (4294967306, 'product p-7');
INSERT INTO public.catalog_product_name VALUES (4294967307, 'product p-8');
INSERT INTO public.catalog_product_name VALUES (4294967308, 'product p-9');
INSERT INTO public.catalog_product_name VALUES (4294967309, 'product p-10');
INSERT INTO public.catalog_product_name VALUES (4294967310, 'product p-11');
INSERT INTO public.catalog_product_name VALUES (4294967311, 'product p-12');
INSERT INTO public.catalog_product_name VALUES (4294967312, 'product p-13');
INSERT INTO public.catalog_product_name VALUES (4294967313, 'product p-14');
INSERT INTO public.catalog_product_name VALUES (4294967314, 'product p-15');
INSERT INTO public.catalog_product_name VALUES (4294967315, 'product p-16');
INSERT INTO public.catalog_product_name VALUES (4294967316, 'product p-17');
INSERT INTO public.catalog_product_name VALUES (4294967317, 'product p-18');
INSERT INTO public.catalog_product_name VALUES (4294967318, 'product p-19');
INSERT INTO public.catalog_product_name VALUES (4294967319, 'product p-20');
INSERT INTO public.catalog_product_name VALUES (4294967320, 'product p-21');
INSERT INTO public.catalog_product_name VALUES (4294967321, 'product p-22');
INSERT INTO public.catalog_product_name VALUES (4294967322, 'product p-23');
INSERT INTO public.catalog_product_name VALUES (4294967323, 'product p-24');


--
-- Data for Name: catalog_variant; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.catalog_variant VALUES (4294967297, 'full-1', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967297, 'full-2', 2, 0);
INSERT INTO public.catalog_variant VALUES (4294967298, 'plain-v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967299, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967300, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967301, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967302, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967303, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967304, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967305, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967306, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967307, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967308, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967309, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967310, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967311, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967312, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967313, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967314, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967315, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967316, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967317, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967318, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967319, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967320, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967321, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967322, 'v', 1, 0);
INSERT INTO public.catalog_variant VALUES (4294967323, 'v', 1, 0);


--
-- Data for Name: channel_circuit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.channel_circuit VALUES ('messenger_bot', 1795651420591, '401: Unauthorized');


--
-- Data for Name: channel_send; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.channel_send VALUES ('\x01a21529c054700089ef13bb20f8ad32', 'messenger_gateway', '\x01a21529c0547000841ace676fa2a5c1', 'sent', 1, '1795387264317', NULL, 1795651387476, 1795651387480, 1795652287476, NULL);
INSERT INTO public.channel_send VALUES ('\x01a21529c0a870008b0c260ca05781a4', 'messenger_bot', '\x01a21529c0a87000872a52eb00f59425', 'sent', 1, '1795387264319', NULL, 1795651387560, 1795651387563, 1795737787560, NULL);
INSERT INTO public.channel_send VALUES ('\x01a21529c0c170008900b02347c02824', 'messenger_bot', '\x01a21529c0c1700084dcb03e4c453571', 'queued', 1, NULL, '401: Unauthorized', 1795651387585, 1795651387591, 1795737787585, NULL);
INSERT INTO public.channel_send VALUES ('\x01a21529c077700089a421b1da20d7ef', 'messenger_gateway', '\x01a21529c07770008443e135b92e63c8', 'sent', 1, '1795387264318', NULL, 1795651387511, 1795651387518, 1795652287511, '\xd14fe454cdb26079d089030f38b488eb9db7f066a074fb15f03ae30ce979194f365252e73a7c261f7f7529c33359');


--
-- Data for Name: chat_turn; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chat_turn VALUES ('41', 1795651388560, 0);
INSERT INTO public.chat_turn VALUES ('@channel', 1795651482591, 0);


--
-- Data for Name: client_secret; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.client_secret VALUES ('\x01a2056b8e8070008d99031279a01afb', '\x01a2056b8e8070008a2425e7b3497a30', '\xf1d0091c994b3b7ca20a31e37d197d02f560e52b7941e2c50b9cd1743b36fffc', 1795387264640, 1795654987413, NULL);
INSERT INTO public.client_secret VALUES ('\x01a21529c01570008b9191cec872d2db', '\x01a2056b8e8070008a2425e7b3497a30', '\x1d9268157d232a090181fb7d9beebdb88c57b158a2bacaa76e5e5cdeee4001ea', 1795651387413, NULL, NULL);
INSERT INTO public.client_secret VALUES ('\x01a21529c01770008d599f01ce4ce446', '\x01a21529c017700088ecb5be2f79f205', '\x253d7125ac762944d8d873463cba1be7fdf5d6b9a2f51b0de7238341615ca98c', 1795651387415, NULL, NULL);
INSERT INTO public.client_secret VALUES ('\x01a2152ab4fb70008edd1362baaede5e', '\x01a2152ab4fb700088bd486c86379c6a', '\xccdd579c6ccf0a2e97f8263f4df8b0a2cebd10bf116264cda0e9f69fd4ad62f5', 1795651450107, NULL, NULL);


--
-- Data for Name: device; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.device VALUES ('\x01a2056b8e72700088ca10f35e9fe094', 'Phone 2', '\x45798fce85c661a9624334c6045e1c51db1e3b0acfd2d9afc009a1971dca12a0', 0, 1795387264626, NULL);
INSERT INTO public.device VALUES ('\x01a2056b8e6d700089ae50ad52c11179', 'Phone 0', '\x4fa2dcee0e9825cea1134d11617fb867f063a267c184fd62b5917ade98632fc7', 1, 1795387264621, 1795651387542);
INSERT INTO public.device VALUES ('\x01a2056b8e6f70008bc0158dd9579544', 'Phone 1', '\x689ecf5c720a3a0a239b63367001f876bbcc6636b71a6197465aae8e6821e728', 1, 1795387264623, 1795651387557);


--
-- Data for Name: device_account; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.device_account VALUES ('account-0', '\x01a2056b8e6d700089ae50ad52c11179', 'telegram', 'connected', 1795650125382);
INSERT INTO public.device_account VALUES ('account-1', '\x01a2056b8e6f70008bc0158dd9579544', 'telegram', 'connected', 1795651447421);
INSERT INTO public.device_account VALUES ('account-moved', '\x01a2056b8e6f70008bc0158dd9579544', 'telegram', 'connected', 1795651447421);


--
-- Data for Name: device_number; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.device_number VALUES ('+79160000011', '\x01a2056b8e6f70008bc0158dd9579544', 1, 1, 0, 0, 0, 0);
INSERT INTO public.device_number VALUES ('+79160000020', '\x01a2056b8e72700088ca10f35e9fe094', 0, 0, 0, 0, 0, 0);
INSERT INTO public.device_number VALUES ('+79160000010', '\x01a2056b8e6f70008bc0158dd9579544', 0, 1, 0, 0, 0, 117679726684012546);
INSERT INTO public.device_number VALUES ('+79160000000', '\x01a2056b8e6d700089ae50ad52c11179', 0, 1, 1795651510053, 1, 6, 117679809364885506);


--
-- Data for Name: erp_package; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.erp_package VALUES ('\x01a2056b8e777000847b549a980d0278', 'catalog:4294cf22-958e-471b-9684-edbee1fe2b0d', 1, 'snapshot', 'applied', 1, 1795387264650, 1795235580123, 1795387264669, NULL, 1795473664650, 0, NULL, 29, 29, '{"products":{"added":27,"changed":0,"unchanged":0,"archived":0},"categories":{"added":2,"changed":0,"unchanged":0,"archived":0},"prices":{"changed":28,"unchanged":0,"superseded":0},"stocks":{"changed":0,"unchanged":0,"superseded":0}}', NULL, 5215);
INSERT INTO public.erp_package VALUES ('\x01a2056b8e777000847b549a980d0278', 'changes:3e44fcf8-0d81-4446-bda6-6958293ea878', 2, 'delta', 'failed', 2, 1795387264716, 1795387264715, 1795650065178, NULL, 1795473664716, 0, '1 row names a product or variant that the catalog does not have', 1, 0, NULL, '{"errors":[{"list":"stocks","index":0,"product_id":"never-sent","variant_id":"v-1","message":"The catalog has no such product."}]}', 182);
INSERT INTO public.erp_package VALUES ('\x01a2056b8e777000847b549a980d0278', 'catalog:3aef4250-d112-4a94-a9f6-09894124827d', 3, 'snapshot', 'failed', 1, 1795651387635, 1795387265634, 1795651387642, NULL, 1795737787635, 0, 'archive_limit', 2, 0, NULL, NULL, 268);
INSERT INTO public.erp_package VALUES ('\x01a2056b8e777000847b549a980d0278', 'changes:4d674814-68d8-499e-8553-115e8fdb3bbd', 4, 'delta', 'applied', 1, 1795651387693, 1795387265693, 1795651387699, NULL, 1795737787693, 0, NULL, 2, 2, '{"products":{"added":0,"changed":0,"unchanged":0,"archived":0},"categories":{"added":0,"changed":0,"unchanged":0,"archived":0},"prices":{"changed":1,"unchanged":0,"superseded":0},"stocks":{"changed":1,"unchanged":0,"superseded":0}}', NULL, 241);
INSERT INTO public.erp_package VALUES ('\x01a2056b8e777000847b549a980d0278', 'changes:70ac5e91-6d9b-4fc1-9630-6116674880a0', 5, 'delta', 'retry', 1, 1795651387751, 1795387265750, 1795651387762, 1795651392762, 1795737787751, 0, '1 row names a product or variant that the catalog does not have', 1, 0, NULL, '{"errors":[{"list":"stocks","index":0,"product_id":"later","variant_id":"v-1","message":"The catalog has no such product."}]}', 177);
INSERT INTO public.erp_package VALUES ('\x01a2056b8e7e700087b57634d96b3c38', 'catalog:7438b159-69ee-46cc-8466-eeb9fdd1a11a', 1, 'snapshot', 'accepted', 0, 1795651450141, 1795387266119, NULL, 1795651450141, 1795737850141, 0, NULL, 6000, 0, NULL, NULL, 447910);
INSERT INTO public.erp_package VALUES ('\x01a2056b8e7e700087b57634d96b3c38', 'changes:d0ebad41-7b5a-4a93-9bb9-18f4735bde4d', 2, 'delta', 'accepted', 0, 1795651450145, 1795387266119, NULL, 1795651450145, 1795737850145, 0, NULL, 1, 0, NULL, NULL, 173);


--
-- Data for Name: erp_package_body; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.erp_package_body VALUES ('\x01a2056b8e777000847b549a980d0278', 1, 1795387264650, '\x28b52ffd645f13ed2400c62f9138504b9b0e30332b153228c76450129525a04833209b0de0b3bfbbcbfeee6e6f35936ef2bda29a835c5db0e2fdfffff665bf3da09c9899de037d0089007d003d318c04b2f4a28c2cd117ebdde98bf5ee5d79409bae98c0ddbbe2e8de9394ce4ec537a9e54c7a7a0403772bca475f7c939e244d6bf426a57cf6058b6d8ae7718b85831e046d9dd69cc63e7b77ca92a929cf8e4d9d7d7aa2ed49eb8ea676a04703e244cd0139fd60409cdd890441167294844c59bafbf42434b6a51f1194a784b2e511ee17a6675d27756f18317c6ce10796ac54523a6b00dc3dca472b6f4a564f678770412244036102c3a5e1ca5c12269a0ed78409101210d60995ea2467e52c8279866bc3f5e1b270519628589008d1642e0f57e6fa7065ae0a1765e94d493565e92c828960bebbada96a0cd09a53d5d85d215baa1abb294f911b4a19cda69ac607b97a52929ed5e2ae28ac3ce9e92cf2b6ecad3d0de89394264709061cb87ba558671005e4e1ded29b95b3b74641e437d9721689a2288aa26d1c76ac77e10b4be45904f358679fb68a05c334d181a497a60ddf1dd316e4494b3ce9d929f05577af5439a9f96a839e8f70a7e2a34caece30b72629a9bb4ba69e2a94e2637fdadd3b9808b4d8b6cf421e8e06035a3408e4f170381a0d060382168bddd69ef6381587c5690cc4c7b0721057e6e2706db8224c9cdd41478ae959e46d492a313c7b6c5a21f5a66643c86791dddddddddddd5d08eb645ba5580c4573dc99c29e24ad29d09cbd7075d6dca9d4b02d497c55a5ca29a03951e4b0f52ecc503ceeaf7852123eca5d813ba8d1bd9111111191942405496b7105844806dda80712a0a04198e4604a22a2082188312212c8c44a2856c3012c3270a9c0f8e201f1841022e5c18d09d19c5835209ef0007cf14078c203f0c503e1090f806f64cc42d1a5a85ca0c5e5c45b425246e039f454692c02f624d965864d52f019c2961c9c8cb027092e336c422ac4dca1e8068af5bba71beb11ad295c8f0f3fd7b41e6da31a244b960f21949f4b13d948ef3bdf10c873d6a4a11575ec8c2445b27681a58c187c111a897e84679905335e1723f75f73dcf01ee378dff797ca528ad344669c73480982661eb15702c05214ad5334a21b52fb4f7c662246354decf70924112b8a824f5cf2a3a13e6cbae0d558dd1fd1a29eb2da1d34778fe50a28676f7cb7ffd322877957d947318da46f01e83852313baf25903f2db608c50992577826bed120c4a1e948ec9521063628ac1cc7835be283310d3ad50ed3851c9c959fdf739184ef45619af9ac6144e6a4b55985988d79c971e463869cdb0ceacf4c9b4f05cd8224058fd9a46bc83c11079410498e07a9402377bda561a03aaeaebd77430b8980c69bdb554898433089bcd9a57e861f427831e5d3bd49f227016299d24302b79fb524eb139d637ec8a500cb931bf668c260efc8f8989852ade142c3baade8774af28c823670af25f9742c8e27649cf0201cb4319591c9854e08666fe127d8145288523cdac4c3ad7f2f700f7c2d88d01ba70e9b8342c78a9c06d725c225cc879b7c540390ca231a19fadee4d69048fe854ed991308418e2fbd1c95bc720956c78bf8ceb0c3b1615b6e2db3120ca82abf8ee3c87bd1f1069566502ecc5bb0aa7aee21d');
INSERT INTO public.erp_package_body VALUES ('\x01a2056b8e777000847b549a980d0278', 2, 1795387264716, '\x28b52ffd24b6b50400728a221f5049ab0341b8a975e876ba19416dc99bb8edcc14c562b1e810b2a03133f3d40982046a4fa090463e20285d58b800b9f2cfd1568692ebcf69ecb9b26b477778067970c440fb3470063a7f2e70200440150da99652404a8bd0ae54a4b753565e53961dbbf9394318b7912476246b17bf6597526a117bc532c6314ab5d16637910bdcdb1f5468ecda470402001c46c24d67210a71d6904e');
INSERT INTO public.erp_package_body VALUES ('\x01a2056b8e777000847b549a980d0278', 3, 1795651387635, '\x28b52ffd640c001d0500228b231f6067ab0396dbb0db9ef0de872424beed166cc1958e79245690f7f3942008f20d92791aa449b96fe6e0f273e6b183cc1004be6f037e3f4f68f9beb92f0e7b4564074d81cb0f72d82bda4125e9c8ece704ca38000a6953adea802aca448726fd3e32a27564d8af939fb70035284db50c2ba123b118a9c50a696643a9a02ad16c6ca2147064f67d7388f89ae92f020600c023406f24680b2a5e38c7b588414901dd9d447a');
INSERT INTO public.erp_package_body VALUES ('\x01a2056b8e777000847b549a980d0278', 4, 1795651387693, '\x28b52ffd24f1650500628b25205067ac0381f446b4c1b76533be109118c56b54d523cd28d72812073466667a0d912172458cfb434c27b3619e0c11615f50675df821389a224c2743fcf4a5287d149e0d434fa7f4519247221ae68980bd339020aaf3740023bec20d76b565acc0985a4b3d3660df573e64576e7ae9c3d3258218885460bbb594e11c541d635350c2a7da828df0645ba70f0b0b24dfcb79d4a5a17e220600523384c285d6eb3e8af41046f2a6b3600685140545');
INSERT INTO public.erp_package_body VALUES ('\x01a2056b8e777000847b549a980d0278', 5, 1795651387751, '\x28b52ffd24b19d040022ca211f40495507d8dbd0bac260c65f42426637513bc62e2234ec22d2ae90310cc380d14034b827d048253f0849330a33912b3f7d55e538b93e7d3665e63db099078704dc1d83d750e7e901ab300ac5724b38c6001853bbaab1c5ee4e39814d79b6ece5e98bd77110466bbb4dada1216a1f01a1140436b548178f97e19c5e2417bcbbc39850d9b50f05020009237fd359380360286b1e');
INSERT INTO public.erp_package_body VALUES ('\x01a2056b8e7e700087b57634d96b3c38', 1, 1795651450141, '\x28b52ffd0448fc7000faee6c1b1a50b791032835bbb8aaac71603203e3de15119118b4139999d0030f02a2018e01b66ddbb66db76ddbb66ddbb62d499224499224496edbb66ddbb66d9b244992244992240506060606060606060606060606060606060606cecccccccccccccccccc8888888888888888888844444444444444444444fcffffffffffffbf6ddbb66ddbb66db76ddbb66ddbb62d499224499224496edbb66ddbb66d9b244992244992248585858585858585858585858585858585858585cdcccccccccccccccccc8888888888888888888844444444444444444444fcffffffffffffbf6ddbb66ddbb66db76ddbb66ddbb62d499224499224496edbb66ddbb66d9b244992244992240505050505050505050505050505050505050505cdcccccccccccccccccc8888888888888888888844444444444444444444fcffffffffffffbf6ddbb66ddbb66db76ddbb66ddbb62d499224499224496edbb66ddbb66d9b244992244992342312f1db2db949027ca0c00741050400810313648041000204d081050c4c9001031d0420400061000c00d8c0010e1eb820030302282000082a60c082000408200c8041000504f0c00401789040010168b081031c3c70410618042080020914108006104c90c1051240b001030e04204000088c44c043016a01db01db00d2005f58000504b001030b3c00c1060c64008105104810800001302031a0071e88601a80008201feca000e38f00e000104f301c66a40d82840820b28606003061c08a080001e9860810d2c80a0030802f02033333333332222222222222222222211111111111111111111ffffffffffffff6fdbb66ddbb66ddb6ddbb66ddbb66d4b92244992244992dbb66ddbb66ddb264992244992244921428408112244881021428408112244881021428408313333333333333333332322222222222222222212111111111111111111f1ffffffffffffffb66ddbb66ddbb6ddb66ddbb66ddbb624499224499224b96ddbb66ddbb66d92244992244992141e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e3e3333333333333333332322222222222222222212111111111111111111f1ffffffffffffffb66ddbb66ddbb6ddb66ddbb66ddbb624499224499224b96ddbb66ddbb66d92244992244992141c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c3c3333333333333333332322222222222222222212111111111111111111f1ffffffffffffffb66ddbb66ddbb6ddb66ddbb66ddbb624499224499224b96ddbb66ddbb66d92244992244992141a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a3a3333333333333333332322222222222222222212111111111111111111f1ffffffffffffffb66d07dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66d922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449237197d3841989bb9c24c848dce5142146e22ea7878fc45d4e0e1e89bb9c1a3a127739317024ee725ad848dce5a4a091b8cba0a010343333333333333333332322222222222222222212111111111111111111f1ffffffffffffffb66ddbb66ddbb6ddb66ddbb66ddbb624499224499224b96ddbb66ddbb66d9224499224499214264c983061c2840913264c983061c2840913264c9830333333333333333333332222222222222222222211111111111111111111ffffffffffffff6fdbb66ddbb66ddb6ddbb66ddbb66d4b92244992244992dbb66ddbb66ddb264992244992244941820409122448902041820409122448902041820409323333333313013822222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222feffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb6dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66d499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224038e43a8f4217cef1f7a01731f0120b0a00614000604000001000404107000010868b0930608fc47f01ffe5cefe1d887774df7f19de7bec3677dc730afefbade63da8f773ef71ab6f51ba3b97ee7f29dd93ebef39c77f0adef18e6f51dd7f74cfbf18ee7de83b77ee33057efdcbd33dbc7739ef71cbef51bc3b8bee7f59e693bdef5dcf5f0ae6f18e6f65db77726fbf8cef3bca3b73e6338d7f7b99e33edc7bb9ef51d9ef54dc3dc7ee7f2ce691fdf79b977f0d66f0ce7fa39d777a6fd78cfe6bac3b7be6998abefbcde39edcb3b1ef71edefa8dc1bc7ee7face741fcff2dc77f8d6370cf3f59dd7bba67d78cee7dec35bbd313ad7ef5cdf99ec63779efb0ecffa8ed1bcbeeb7ac7b41fdef9dc6b78eb378ee6fa9dcb3bb3bdf8ce73dee15bdf6998d7775cef99d6c73b9e7b0f6ffd8ec35cbd737b67361fcf79de3b7ceb6f0ce3fa9eeb3d93ed78d773efe15dbf6198db776eef8cece33bcf7b476ffd8ce15cdf733dc7b41fef7aee3b3cd7370d73fbcee52da77d7ce775efe05bbf319ceb73aecf99f6e33dcf7587dffaa6612edf796de7b42fef3cee3d7aeb370673fdcee53bd37d3ce7b9efe15bdf30cceb3b57ef9af6e19dcfbd0f6ff5c668aedf717d67b28fef3cf73b3ceb3b86797dabeb1dd37ebcf3b9afe1addf18cdf5732eefccf6f19de779876f7dc730afdb71bd67da8f77bcee3dbcf51b87b9f4ceed9dd93e9ef379eff0addf18b4efa79f671beef04ef73ebbf7d4fb4772e0d19579d6d717051e5d91677d7d18f0e84a3cebeb63047874f522008f2efd8bff8eae5ec2bfa34b3fa0bfa3ab17f27774e907ec7774f57afd8e2efd87fc8eae5e86dfd1a5df71dfd1d5cbec3bbaf417ea3bba7a157d873ebb770903a9d867c19c33e401455c087cc610838afd6d9ad9731ecddb0b52949b900f0c2242e137421c1aecb0c2bc09f9c978de1831687acf252833431e50c48580cf186250b1cf823933e423e0e9317cd3ccde88418929f9411013061ea3c4a3608f0d668c92bf9867c69847f3f6428a7213f281414428fc8c1087063bac9837213f19cf1b23064defb90465cc9007147121f019430c2af659306706f908787a0cdf34b337322831253f0862c2c06314f128d863831953f217f3cc18f368de5e48516e847c6010110abf11e2d0608715f326e427c3f3c68841d37b2e419919f280222e043e6388818a7d16cc99211f014f8fe19b66f6460625a6e407829830f018251e057b7c6cc8f09b8dfd3730f2be7691f753e47d415bc5d1e579f7df0b912bc670846f7ddbf2adb71b6f7abbf16d6f1bdefab6d15bdf369ef576e3dade36bced6dd3b5be6d5cebdbc657bdcd78dbdb96577bdbf0d6b78d6f7ab3f1adb79bf0b804a35fb82ea6501f0bd87625ca7d4798445132244eb49ee284e9499eb03de50aeb559c603dc509d6533a617bca13d6a734c27a9413aca769a2f554276c4f3984f5284758af7224eb694ed89ee204cb538e08e39206f560e742c4c4e7759b20b8aee57c4b0409aa351ddaca8ab6ad2d29aeb05ee504eb299a603dd509db533a617dca11d6a31cc17a9a13ada73ac2f69423ac473982f52a27594f7382ed294e589e7204eb53e6ae9c3816f34d4954faee38a9231fb8eece90df48505a51b4dc2b95d6bd526ad9578aaa7da5e8aa5714ad7ba5d26aaf145afb4ad1b5ae28baf6aaa2755d29b4ee95526b975274ed3545d7aea268dd2b95d6ae544a85a3e7a9364d7841cbc59202e575e340c4dc9f645189c23b9dd92ba5d6ae5274d56b8aaebdaa685d570aad7ba5d45aa7145d7b4dd1b5ab285af74aa5b55329b5f695a26b2f5174ed55456b5e5269ed2ba5d6ee48d475bb62528f3ef69d9aa1bcd6715b0b14b8dee094e79a4e39aed129e7364e716ea3a9ceb59c725cd351ae6b1ce5dcc6d19cdb38c5b996933cd738ca758d2b39b7718a731ba774aee194e71a4f715de32887cefc72cb912511e2518d1b1983df8b3645e86a1374df14a4293ad54a95366d2b514eb09ee208db539db03de50ad6a39c603dca09ada739617bca132c4f39c27a949358af72a2f55427949e7284e52957a83ee55cc67eebbb9ca17bad625b1728763bc5a58cbff38aa25545abbd5268ed2aa5d67aa568da6b8ad67555d19a572aadbd4a51b5af145dbb9aa255af2a5af792426b5f29baf62545d35e53b4ee1585d6bd526aed2b0a6988872db73296dfbb7daae0ea86e32d29d493bdb59d67bddd78a5b7196f7bdbf0a66b1bdffab6f14d6f37def6b6e56ddd36bcf56de35bdd6c7cebedc6dbae6d78dbdba6b72edbf8d6db8d6fbd9af1b6b72d6fc4c46ed71c373a6b9bae59db65cb468360d3415dbbae5ba377d574ced4aed2349a44693a5fb48b1c1aad7ba653e3ec126a46cf31d3b5965d90952d28aa05f5ce4788a434071714d58274e72345529a830b8b6a02bbf31123298dc185426d01ddf9889194e6e04262b540f77c84484a537051a15aa07b3e6224a53968a1682dd0351f1191d254b850b42e944c07c82e1da36f63ba15bb9c18bd613a22ec52309a02d3e9d7a57cd1eaa51b5ed776d1b02edd2dd7d5e3a27b4b77b6a056bee33bbec7777cc777f88eeff8aa3947fafbff4f41fefefe03f459007af3a8190ac0a50389942b2958f5808d01a001b901dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddb365114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114c599999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f11111111111111111111111111111111111111111111111110218410420821841042082184104208218410420821841042082184104208218410420821841042082184104208218410420821841042082184104208218488888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888808dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb6edb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66d5b9224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224c96ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66d015555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555559d999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999f9ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff17111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111092184104208218410420821841042082184104208218410420821841042082184104208218410420821841042082184104208218410420821841042082184101111111111111111111111111111111111111111111111b66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddb6ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb6244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66daaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2a8da7981480e33f0014e0fff1302ee05f80fffffb67fc5d77efceb93ff6c6bdbbebc6f97d77defcfd7befeff8bbe7fe9a3b7ff6cd793bf786fbfbe7dcf8fff6dffff03befde9d77dfec997b76f78df37bef9cf9ffd7dffbf176dffd3977fecc9bf7d6ee19f7f6dfb9f1ffee9fffe3d7def93beefed933f7ecce1befd7df71f3feefbffbe3ee9efb77cefdb137eeeddd33eeee9f73e7dfdf77ffc6efbdf377dcbdb36fcedbb537dcefbfe3e6fe9f7fff87df75f7edbcfb636fdc9bbb6f9cdf77e7ccffbff7fe8e9f7befafb9f367ddbcb7736fb89f7fcf8dff6ffffc4fbff3eedd39f7cf9eb96777dd78bff7ce99bf7fffbd1f6ff7dcdf73e7cfbc396fef9e716fffeceaf58746c202f79d8e48c937dc9e9e4f31102dabbf74020abce1f4a8fc78c36dd57c8e03a8788da527e1831b4e4be4e73b66a567703c88bed5585a011fde312a2a23dfe3f66b06c702f4bdce504918f01ea72f32f22db3df73280aa2e1f52cfd80016f197d9513afb88d9e87e3031a5e6be8271c70c569a83cf9bed9e859141fd1b12a4b23e181f78d86ca8af7dd4e4de118881eaf3f341216b8ef74444abee1f6f47c8a816899df5ffffecc7bff63cd9f3fe7ccdd3ffbe6bd9d7bd3fdfe7b6efcfffbf77ffa9d77ffcebb7ff6ccbdbbfbc6fbbd77defcfffbeffdf8bbf7fe9e3b7ff6cd7b7bf78cfbfbf7dcfa7ff7dffff47beffc9d77ffec9b7b76f78df7fbefb8f9fff7dfff7177dffd3df7fed89bf7f6ee1b77f7dfb9f5ffefbbffe3f7defb3beefed937f7edda1beff7df7573ffefbfffe3efbafb77eefdb537eeeddd37eeefbb73e7ffdf7f7fc7efbdf7f7dcf9b36feedbbd37dcefbfebe6ffb77fffc7df7df7eebcfb6befdcb3bb6fdcdf7fe7ccffbffffe8fb77befefb9f767debcb77befb8b77fcfcdff7ffffc4fbffbeedf71f7cfdeb96f77de78bfffce9bf77ffffd1f7ff7dcdf73efcfbd716fefde717fff9c5bfffffefb377eefddbfebee9d7d73dfeebde17eff9d37fffffcfb3ffeeebb6fe7de9f7bebdedc7de3fefe3b67fefffdf77ffcdc7b7fd7dd3febe6bedd7bd3fdfcbb6efefffbe77ffcdd77ffceb9bff6d6bdbbebc6fdfd77defcfdfbeffff8bbe7fe9ebb7ff6cd79bbf7a6fbfbe7dcfcfff7dffff0bbeffe9d77dfec9d7b77f78df3fbefbcf9ffd7dffff177dffd39f7feec9bf7d6ee1df7f7dfb9f1ffefbfffe3d7defd3beffed933f7edee1befd7df79f3ffefbffbe3efbefb77cefdb937efeddd33eeefbf73e7dfdf7fffc7efbdf377ddfdb36fcedbbd37deefbfe3e6ffdf7fff87df7df7efbcfb636fdddbbb6f9cdf7fbb2efd80816dd57c8e03a0bc0d9647e33f1b5e6be8271c64a567703c08fed9605912ffdbb12a4b23e1c1f66b06c702f0df0e49d118df1eaf3f341216b2df73280a82f1f6b07c89f16d59fda51350b08d9e87e303186f8be46b9c67c56b2c3d091fd9e859141fc1392b2c43e3f9f6adc6d20af8d84e4de118089eb74f3234d6b3ef75864ac2c0f6f47c8a81609d7d962351be0daf67e9070c6cabe6731c00e56db03c1affd9f05ae3efd7bf7bf3ddff59e3c7cf7173ee8fbd756fee9e7177ff9d33fffebefb3f7eee9dbfe3ee9f7573deaebde97efe1d37f7fffdf33ffcaebb7fe7dc1f7be3dedd75e3fcbe3b6ffefebdf777fcdd737fcd9d3ffbe6bc9d7bc3fdfd736efc7ffbef7ff89d77efcebb6ff6cc3dbbfbc6f9bd77cefcffebeffd78bbeffe9c3b7fe611fe3f65145a008af3bc1908c0778c6c96ad8a67a0019f018401a2288aa2288aa23833333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333323222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222f2ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6fdbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb6ddb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddb061111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66da2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa218222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddb6ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb6244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992111111010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66daaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa3333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333322222222222222222222222222222222018da8981480e33f0014e0fff1302ee07ffe03defcdbffcfccb33767d7b931fbff9979f6d6ec3e3766dfbf31efde9adde6c6ecff37e6cddbb1fbdc98fdfec6bc7d3b768f9bb1ffdf98b76ec7ee7533f6df9bf1f6edd83d6ec6fe7f33de9e9db9e7cdd8ff6ec6dbb733f79c99f5ffcd787b76d6dede9304e4bf62345442bae3ad93748dfc2d5ba5a51030903d9d9da201586f9924698467c3ea19ed010dd9eac9140941381b248f627fd6acd6520e48d842cda07800f6b346b234f2b3e4158646c083b6d7348a85209f259620319e3dae7da8052c6cb926710400e3eca1ec12edd9f2ca432921201b350f6307d0ce164b9648df82d5187a023bb256b3383280f4164886c4f3b65bb5a1959091a59e4031003cb79da449ac6fd92aad9cb76fc7ee75b3f6df1bf3d6edd83d6ed6fe7b33de9e9dbbc7cdd8ff6ed6dbb333f79c99fbdfcd787b76f69e33b3fe9f996fcfceda7366f6ff33f3eccdd97bceccf67f66bebd39bbce8dd9ffcfccb3b766f7b931fbfe8d79f7d6ec363766ffbf316fde8edde7c6ecf737e6eddbb17bdc8cfdffc6bc753b76af9bb1ffde8cb76fc7ee7133f6ff9bf1f6eccc3d6fc6fe7733debe9db9e7ccacff6fc6dbb3b3f6bc99f5ffcc3c7b77d69e33b3fdbf99676fceae7367b6ff33f3ecedd9756eccbe7f679ebd35bbcdadd9f76fcc9bb767b7b931fbfdad79f376ec1e3767bfbf316fddaedde366ecbf37e7addbb17bdcacfdf766bc3d3b778f9bb1ffddacb76767ee3933f7bf9bf1f6ecec3d6766fd3f33df9e9db5e7ccecff67e6d99bb3f79c99edffcc7c7b73769d1bb3ff9f99676fcdee7363f6fd1bf3eeadd96d6eccfe7f63debc1dbbcf8dd9ef6fccdbb763f7b819fbff8d79eb76ec5e3763ffbd196fdf8edde366ecff37e3edd9997bde8cfdef66bc7d3b73cf9959ffdf8cb76767ed7933ebff9979f6eeac3d6766fb7f33cfde9c5de7ce6cff67e6d9dbb3ebdc987dffce3c7b6b769b5bb3efdf98376fcf6e7363f6fb5bf3e6edd83d6ece7e7f63deba5dbbc7cdd87f6fce5bb763f7b859fbefcd787b76ee1e3763ffbb596fcfcedc7366ee7f37e3edd9d97bceccfa7f66be3d3b6bcf99d9ffcfccb33767ef3933db3f4e45d56cf6348e1b51b7ea4b3921834b4e4164c47b6c7b4da35888b2555a0a0103dc63da455abce5966b12470034ac9ed11ed0c02da72c92f205b351f3307640cd6a2de580042f180d91276f376b358b23034a5e6168043c70bb511359f9b259ea091403d0e3da875ac082978d924a8837cc9ece4ed1002daf3c941202b861f448f678cd6cf5648a8428588da127b0836b464b25c74b6ea166503c40bb551b5a09195c720a2223fa5bf77fefd8fd6fcf8e7de367fc3fbfebecd9596feeccffe7779c3d3bfbcd9d79ffeeceb36767bb7933ffdfdd39f6e6ec376fe6fb7b3bd7de9c7de6c7fc7f6fe7d85bb3dffc987fefe79c7b6bf6991ff3fffd9c336fc7bef363febb5f73f6edd8377ec6fff76bceba1dfbd6cff87f7ec7d9b763dff819ffdfef387b76d69b3fe3fff91d67dfce7a7367debfbfe3ecd9d96efeccfb77778ebd3bdbcd9bf9fefeceb137679ff933dfdfdb39f6f6ec333fe6dffb3bc7de9a7de6d7fc7b3fe7ccdbb3cffc98ffeef79c793bf68d9ff3dffd9ab36ed7bef133fe9fdf73d6edd8377ed6fff33bce9e9dfbc6cff87f7ed7d9b3b3dedc99ffcfef387b76f69b3bf3fedd9d67cfce76f366febfbb73eccdd9069103351e005a5b0c090ec02507bfeb7f262929a95f7f670191008a008a0092244992244992244992244992244992244992244992244992244992244992244992244992244992922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449222222222222222222222222222222222222222222222222222222222242244992244992244992244992244992244992244992244992244992dcb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66d932449922449922449922449922449922449922449922449922449922449922449922405b66ddbb66ddbb66ddbb66ddbb66dbb6ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddb9624499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224490601f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6fdbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb6ed85b358010013f0ff010614045e41a07fb8ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddfd750728519bd3');
INSERT INTO public.erp_package_body VALUES ('\x01a2056b8e7e700087b57634d96b3c38', 2, 1795651450145, '\x28b52ffd24ad8d0400e24921205047550748d8f3c14833e8c4a9b61ae35c306636100a1fda8ad7cb273333a10613c064bc17504927470449339019c995af5e593e5cafbecb51a2d83ccea5c33b34a03414babac1ed0e0ee26d7b8c15185bbbeb6004fb3be52436e5a7672f578fad23340aa40510763908dd2a1cb7c50644d6b6c8b089f8a05e260b287f8f32a1b36b5f0a020007237ed3593803cdf7ca81');


--
-- Data for Name: erp_receipt; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.erp_receipt VALUES ('\x01a2056b8e777000847b549a980d0278', 5);
INSERT INTO public.erp_receipt VALUES ('\x01a2056b8e7e700087b57634d96b3c38', 2);


--
-- Data for Name: idempotency_key; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.idempotency_key VALUES ('orders', 'order-failed', '\x0d9977757e911e7437a44d12a88f7d1ed2f1d21737b93869a920a2b70c8727c5', '\x01a2056b8e8570008591004c7b555f0c');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-expired', '\xca65625c1d6e391d4484be865c386f1b732a09f8cae06555dc1dd5165acebc38', '\x01a2151682387000860af73e3fb686a5');
INSERT INTO public.idempotency_key VALUES ('challenges', 'call-expired', '\x7eaa43fe0bad8e54ccd851d3ecc1fc9b59492d6eb038101665d3039dba797322', '\x01a2151682447000850179500a79d5f0');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-sent', '\xe5dfa8b245bd39daff6ca3829ff9c42ab774f178bf239c31f61197ecbd944ee6', '\x01a21529c01f700080fd258624add92f');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-delivered', '\x31544b4454282f44fbeabcbc4dd53e5f4c8f30632b7baf478db69fb8a4ac3f7d', '\x01a21529c0267000861cf86ed0027a28');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-undelivered', '\x271122f4cd30f435eb7fa2d9cdd0a89c8dd695511149d07f107fd17c4215777c', '\x01a21529c02f700085e4305c84a58ffc');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-tried', '\xa380147242fccf11c8d7b928a22df6bee2f434a2e3a867006192f73b57304e9a', '\x01a21529c03670008533fa3ba91a4db5');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-confirmed', '\x9ab644c58b4564e73f057db49e4dc091672111199f9588e2cce26548e50c756d', '\x01a21529c03f70008418d51439536e51');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-exhausted', '\xe462714e5dc677f868f61456efc69757a1e70177a35067178e7dbcc7ed17051a', '\x01a21529c04670008412d2b3504dcd2a');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-canceled', '\x46b37635730ce076c16c397e43c0477468074527f0c108f9eaed4c33e027e445', '\x01a21529c050700087a1788da90690f0');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-account', '\xd8ea33316298f56c6fb5c76638a0e547338ce3db74ab26a8939311ec9821c07b', '\x01a21529c0527000841b16b5f4081a0d');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-gateway', '\x07cd1222130fdacff4fb1d9ecee1173910bc6e5539d1428fced061659d445c3e', '\x01a21529c0547000841ace676fa2a5c1');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-told', '\xaaed2030e5eaf29a30fb61339209b7d0b1d60433eb6db1b49a40ba2bd74084ce', '\x01a21529c07770008443e135b92e63c8');
INSERT INTO public.idempotency_key VALUES ('challenges', 'call-pending', '\x97fc9d00dceb38fa316a40eb40d5c8c4fe9254f03f6c139ffa3ec8b56e121efa', '\x01a21529c0907000870032523dae866a');
INSERT INTO public.idempotency_key VALUES ('challenges', 'call-confirmed', '\x2a98831c16e9da7a5ecd11b0740aa000e42af743d2a95ea17e49961abce44edd', '\x01a21529c0927000872010f130882828');
INSERT INTO public.idempotency_key VALUES ('challenges', 'call-canceled', '\x65c636dac2213a99e8387cad7097d467d17b6a7bf6e2cc8e838a2f509d461af1', '\x01a21529c093700086d64634ba60d861');
INSERT INTO public.idempotency_key VALUES ('messages', 'message-sent', '\x7529257993e4e54155d5a9ddf95e2ea025f27aaa8f11fe16de52997ea2e2218f', '\x01a21529c09a7000853f67460a0631f3');
INSERT INTO public.idempotency_key VALUES ('messages', 'message-failed', '\xa6e9067b7b4ab974869505ce7615df553149c16b1a0bcdee15ef59061e96fdd5', '\x01a21529c0a07000846a28d848cdf87c');
INSERT INTO public.idempotency_key VALUES ('messages', 'message-waiting', '\x5b9c94841c7aff86212ec554477a715dfbae3c6016ebce7bf4fa3941b2efb8f8', '\x01a21529c0a6700085800978824d483a');
INSERT INTO public.idempotency_key VALUES ('messages', 'message-bot', '\x7732f6b0ffb8aa3d6c7312e3951c7b6cb9d68bf323b153acc1e7379be85a3cbc', '\x01a21529c0a87000872a52eb00f59425');
INSERT INTO public.idempotency_key VALUES ('messages', 'message-closed', '\xb28a3948c958888f502b34ed66e400ae7b7df45f92d8d0c4ff930b9f23f4f0a8', '\x01a21529c0c1700084dcb03e4c453571');
INSERT INTO public.idempotency_key VALUES ('orders', 'order-accepted', '\x4e42a87ca08667d4455ad926f13131ac56c7ed0757656d6fd20f4b1c1a2f1462', '\x01a21529c1a5700084d25d467fc896f7');
INSERT INTO public.idempotency_key VALUES ('orders', 'order-rejected', '\xaf1637871b900dec9d9037e1a69937bfdccdb63c6667d5abcb7ea1ed66c19399', '\x01a21529c1e0700086893ef7961c6d13');
INSERT INTO public.idempotency_key VALUES ('orders', 'order-waiting-0', '\xad6c950631b4b2114c6ee027bac9eb68535330187e4a4b02ddd6e7c3fb81969e', '\x01a21529c21a70008575f609d756c673');
INSERT INTO public.idempotency_key VALUES ('orders', 'order-waiting-1', '\xcaffb26de728ddb869f8e6b6323f12ad7b40dae0f3e22425957b6d132177c250', '\x01a21529c21e7000876f3840a7278424');
INSERT INTO public.idempotency_key VALUES ('orders', 'order-waiting-2', '\x8edef40f85f140b5133bb024a7773472bafb1da9c3c0b96d72611164e783ff53', '\x01a21529c220700085f47f0dd78acda0');
INSERT INTO public.idempotency_key VALUES ('orders', 'order-waiting-3', '\x44949ac4f4cc961e1a774eb4b3b2e0367f67d637ef23bc08d8b598d1e578a402', '\x01a21529c224700081d8eede72394ac2');
INSERT INTO public.idempotency_key VALUES ('orders', 'order-waiting-4', '\x73d047330bf2a1a75e6f704872733fdb99a01a7a294e3c0e0f982b0a171d2d0b', '\x01a21529c2287000865fd43a189b7a93');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-claimed', '\xcc9989ba1d8d3496f955f9a72d14f87ea5f91973a17e36c9b2db2ba4bd2e227d', '\x01a21529c26b7000844e02d3da8a4005');
INSERT INTO public.idempotency_key VALUES ('otp', 'otp-queued', '\x0faccb2836a205282f8376df2b6d969f4825e2382fd73511a7e83b1bb3ac37c9', '\x01a21529c26e700084f578ed47227bb7');
INSERT INTO public.idempotency_key VALUES ('orders', 'order-delivering', '\x85d93994a8c2f7dfd4ab3552fbb1f7f9df6cbd4dbc0c0298db5457e957cfa6ae', '\x01a2152ab4c7700086a65862ad04be9f');


--
-- Data for Name: integration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.integration VALUES ('\x01a2056b8e777000847b549a980d0278', '\x3883378236dc41629718ecb39b2d920c', '\xd28067e1d5d2436492ea649909f795d5', 'The shop', 1, 'http://erp-of-the-shop.example', '\x0fe7a14548795317c4fca64b742cc39732b9d25cb13ccf3459de6e78e714cd81718a737df6a3d165cb7570e530e9471db261607c2bbfbdd1f444944daf570bee996fdf', '/svc/v1/orders', 10, 1795387264631, 1795387264631);
INSERT INTO public.integration VALUES ('\x01a2056b8e7e700087b57634d96b3c38', '\x1eea0a9ca3f440288a81018b94c6414b', '\xfe0c2b77a0464531868d9e8c3b558daa', 'The slow one', 1, 'http://erp-that-hangs.example', '\x367d5f27e96744f8998f1dbf6fa71371e3129795b744c84ab7992084f6bfb2bad3b35e38418ef7726e94a0046ce975a1f0928fb08a44d44e474ea2022491bab3311791', '/svc/v1/orders', 10, 1795387264638, 1795387264638);


--
-- Data for Name: job; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job VALUES ('\x01a21529c0c170008c363f3ea99ede16', 'messenger_bot/send', '\x01a21529c0c170008900b02347c02824', 2, 1795651387585, 1795651479591, 1795651479591, NULL);
INSERT INTO public.job VALUES ('\x01a21529c266700088d2a9b1ac729624', 'messenger_gateway/success', '\x01a21529c077700089a421b1da20d7ef', 1, 1795651388006, 1795651451093, 1795651451093, NULL);
INSERT INTO public.job VALUES ('\x01a21529c058700083a50ba90ddf140a', 'messenger_gateway/status', '\x01a21529c054700089ef13bb20f8ad32', 1, 1795651387480, 1795651452093, 1795651452093, NULL);
INSERT INTO public.job VALUES ('\x01a21529c07e7000803994cc43a2752b', 'messenger_gateway/status', '\x01a21529c077700089a421b1da20d7ef', 1, 1795651387518, 1795651452093, 1795651452093, NULL);


--
-- Data for Name: lease; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.lease VALUES ('periodic', '\x01a2056b8e497000813feb795881e70e', 1795650095119);


--
-- Data for Name: log_entry; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.log_entry VALUES (14, 1795650065133, 3, 'order failed; an operator can have it tried again', '{"at":"2026-11-25T23:41:05.133Z","order_id":"cab2c489-646f-41dc-826e-0c5e1fe071b5","integration_id":"01a2056b-8e77-7000-847b-549a980d0278","attempts":1,"error":"not delivered within its time"}');
INSERT INTO public.log_entry VALUES (15, 1795650065179, 3, 'package failed', '{"at":"2026-11-25T23:41:05.179Z","integration_id":"01a2056b-8e77-7000-847b-549a980d0278","event_id":"changes:3e44fcf8-0d81-4446-bda6-6958293ea878","event_type":"delta","attempts":2,"error":"1 row names a product or variant that the catalog does not have"}');
INSERT INTO public.log_entry VALUES (16, 1795650065382, 1, 'account declared', '{"at":"2026-11-25T23:41:05.382Z","request_id":"01a21515-93e6-7000-8158-a3fa652889d1","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","account_id":"account-0","messenger":"telegram","state":"connected"}');
INSERT INTO public.log_entry VALUES (17, 1795650065382, 1, 'account declared', '{"at":"2026-11-25T23:41:05.382Z","request_id":"01a21515-93e6-7000-8158-a3fa652889d1","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","account_id":"account-moved","messenger":"telegram","state":"connected"}');
INSERT INTO public.log_entry VALUES (18, 1795650126387, 1, 'account declared', '{"at":"2026-11-25T23:42:06.387Z","request_id":"01a21516-8233-7000-836c-dcffc6d2dd1f","device_id":"01a2056b-8e6f-7000-8bc0-158dd9579544","account_id":"account-1","messenger":"telegram","state":"connected"}');
INSERT INTO public.log_entry VALUES (19, 1795650126387, 1, 'account declared', '{"at":"2026-11-25T23:42:06.387Z","request_id":"01a21516-8233-7000-836c-dcffc6d2dd1f","device_id":"01a2056b-8e6f-7000-8bc0-158dd9579544","account_id":"account-moved","messenger":"telegram","state":"connected"}');
INSERT INTO public.log_entry VALUES (20, 1795650126392, 1, 'otp created', '{"at":"2026-11-25T23:42:06.392Z","request_id":"01a21516-8238-7000-81d6-9e03c2ece4a4","otp_id":"01a21516-8238-7000-860a-f73e3fb686a5","channel":"sms","recipient":"+7916***0000","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (21, 1795650126398, 1, 'sms claimed', '{"at":"2026-11-25T23:42:06.398Z","request_id":"01a21516-823e-7000-80e4-9b2985e4d14e","task_id":"01a21516-8238-7000-8e15-352c7112ffd3","owner_id":"01a21516-8238-7000-860a-f73e3fb686a5","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0000","attempt":1}');
INSERT INTO public.log_entry VALUES (22, 1795650126403, 1, 'sms sent', '{"at":"2026-11-25T23:42:06.403Z","request_id":"01a21516-8242-7000-819c-b7b10fb61f7c","task_id":"01a21516-8238-7000-8e15-352c7112ffd3","owner_id":"01a21516-8238-7000-860a-f73e3fb686a5","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0000","state":"sent"}');
INSERT INTO public.log_entry VALUES (23, 1795650126404, 1, 'call challenge created', '{"at":"2026-11-25T23:42:06.404Z","request_id":"01a21516-8244-7000-8332-7f0446b1eac3","challenge_id":"01a21516-8244-7000-8501-79500a79d5f0","caller":"+7916***0001","gateway_number":"+7916***0010"}');
INSERT INTO public.log_entry VALUES (24, 1795651027408, 1, 'signing key made', '{"at":"2026-11-25T23:57:07.408Z","request_id":"01a21524-41d0-7000-8320-cb45bdcbc8b4","kid":"FbvhQfuXo33jiaSQ21CC-r_aq-H6W2vxQ2W4lj7Zyqs"}');
INSERT INTO public.log_entry VALUES (25, 1795651387413, 1, 'client secret rotated', '{"at":"2026-11-26T00:03:07.413Z","request_id":"01a21529-c015-7000-8075-ee2b6975a28c","client_id":"01a2056b-8e80-7000-8a24-25e7b3497a30","integration_id":"01a2056b-8e77-7000-847b-549a980d0278","overlap_seconds":3600,"secret_id":"01a21529-c015-7000-8b91-91cec872d2db"}');
INSERT INTO public.log_entry VALUES (26, 1795651387415, 1, 'client created', '{"at":"2026-11-26T00:03:07.415Z","request_id":"01a21529-c017-7000-81a1-408365b49569","client_id":"01a21529-c017-7000-88ec-b5be2f79f205","integration_id":"01a2056b-8e77-7000-847b-549a980d0278","name":"off","scopes":"erp.catalog.write erp.changes.write erp.events.read","secret_id":"01a21529-c017-7000-8d59-9f01ce4ce446"}');
INSERT INTO public.log_entry VALUES (27, 1795651387417, 1, 'client disabled', '{"at":"2026-11-26T00:03:07.417Z","request_id":"01a21529-c019-7000-834d-72c34a06aeb6","client_id":"01a21529-c017-7000-88ec-b5be2f79f205"}');
INSERT INTO public.log_entry VALUES (28, 1795651387423, 1, 'otp created', '{"at":"2026-11-26T00:03:07.423Z","request_id":"01a21529-c01e-7000-810e-122c2454d1dc","otp_id":"01a21529-c01f-7000-80fd-258624add92f","channel":"sms","recipient":"+7916***0002","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (32, 1795651387433, 1, 'sms claimed', '{"at":"2026-11-26T00:03:07.433Z","request_id":"01a21529-c029-7000-820f-c516ca70f3ee","task_id":"01a21529-c026-7000-8c67-607096cd0266","owner_id":"01a21529-c026-7000-861c-f86ed0027a28","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0003","attempt":1}');
INSERT INTO public.log_entry VALUES (52, 1795651387470, 2, 'otp code wrong', '{"at":"2026-11-26T00:03:07.470Z","request_id":"01a21529-c04d-7000-88f2-2478d07d0edb","otp_id":"01a21529-c046-7000-8412-d2b3504dcd2a","recipient":"+7916***0007","attempts_left":1}');
INSERT INTO public.log_entry VALUES (57, 1795651387474, 1, 'otp created', '{"at":"2026-11-26T00:03:07.474Z","request_id":"01a21529-c052-7000-83b8-b9a98d7d6c8c","otp_id":"01a21529-c052-7000-841b-16b5f4081a0d","channel":"personal_messenger","recipient":"+7916***0009","account_id":"account-moved"}');
INSERT INTO public.log_entry VALUES (62, 1795651387536, 1, 'call challenge created', '{"at":"2026-11-26T00:03:07.536Z","request_id":"01a21529-c090-7000-806a-dfe55e3020ac","challenge_id":"01a21529-c090-7000-8700-32523dae866a","caller":"+7916***0012","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (70, 1795651387551, 1, 'phone message sent', '{"at":"2026-11-26T00:03:07.551Z","request_id":"01a21529-c09f-7000-83d7-ca450bc108ae","task_id":"01a21529-c09a-7000-8b47-6c64d2f0481e","owner_id":"01a21529-c09a-7000-853f-67460a0631f3","device_id":"01a2056b-8e6f-7000-8bc0-158dd9579544","account_id":"account-1","recipient":"+7916***0015","state":"sent"}');
INSERT INTO public.log_entry VALUES (75, 1795651387557, 2, 'message changed', '{"at":"2026-11-26T00:03:07.557Z","request_id":"01a21529-c0a5-7000-81ce-9b07923b7aaf","message_id":"01a21529-c0a0-7000-846a-28d848cdf87c","channel":"personal_messenger","state":"failed","recipient":"+7916***0016","account_id":"account-1","error":"the phone could not send it"}');
INSERT INTO public.log_entry VALUES (78, 1795651387563, 1, 'message changed', '{"at":"2026-11-26T00:03:07.563Z","message_id":"01a21529-c0a8-7000-872a-52eb00f59425","channel":"messenger_bot","state":"sent","chat_id":"41"}');
INSERT INTO public.log_entry VALUES (79, 1795651387563, 1, 'send changed', '{"at":"2026-11-26T00:03:07.563Z","send_id":"01a21529-c0a8-7000-8b0c-260ca05781a4","owner_id":"01a21529-c0a8-7000-872a-52eb00f59425","channel":"messenger_bot","state":"sent","provider_id":"1795387264319","attempt":1}');
INSERT INTO public.log_entry VALUES (87, 1795651387820, 1, 'an ERP takes orders again', '{"at":"2026-11-26T00:03:07.820Z","integration_id":"01a2056b-8e77-7000-847b-549a980d0278"}');
INSERT INTO public.log_entry VALUES (94, 1795651387941, 2, 'an ERP does not take orders; they are tried again', '{"at":"2026-11-26T00:03:07.941Z","integration_id":"01a2056b-8e77-7000-847b-549a980d0278","status":503}');
INSERT INTO public.log_entry VALUES (95, 1795651387940, 1, 'order queued', '{"at":"2026-11-26T00:03:07.940Z","request_id":"01a21529-c223-7000-814e-9c00c7096c8e","order_id":"a1fb2033-3a75-4b5c-959b-b2939ee538cb","integration_id":"01a2056b-8e77-7000-847b-549a980d0278"}');
INSERT INTO public.log_entry VALUES (29, 1795651387425, 1, 'sms claimed', '{"at":"2026-11-26T00:03:07.425Z","request_id":"01a21529-c021-7000-8350-1c8b226fb2a1","task_id":"01a21529-c01f-7000-8959-97b2da24f89f","owner_id":"01a21529-c01f-7000-80fd-258624add92f","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0002","attempt":1}');
INSERT INTO public.log_entry VALUES (37, 1795651387446, 1, 'otp created', '{"at":"2026-11-26T00:03:07.446Z","request_id":"01a21529-c036-7000-83d4-e1c6276c9beb","otp_id":"01a21529-c036-7000-8533-fa3ba91a4db5","channel":"sms","recipient":"+7916***0005","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (45, 1795651387460, 1, 'otp confirmed', '{"at":"2026-11-26T00:03:07.460Z","request_id":"01a21529-c044-7000-80fc-a785de3a4327","otp_id":"01a21529-c03f-7000-8418-d51439536e51","recipient":"+7916***0006","attempts_left":5}');
INSERT INTO public.log_entry VALUES (53, 1795651387471, 2, 'otp code wrong', '{"at":"2026-11-26T00:03:07.471Z","request_id":"01a21529-c04f-7000-8148-11d31d1d2211","otp_id":"01a21529-c046-7000-8412-d2b3504dcd2a","recipient":"+7916***0007","attempts_left":0}');
INSERT INTO public.log_entry VALUES (54, 1795651387471, 2, 'otp exhausted', '{"at":"2026-11-26T00:03:07.471Z","request_id":"01a21529-c04f-7000-8148-11d31d1d2211","otp_id":"01a21529-c046-7000-8412-d2b3504dcd2a","recipient":"+7916***0007","attempts_left":0}');
INSERT INTO public.log_entry VALUES (66, 1795651387542, 1, 'call reported', '{"at":"2026-11-26T00:03:07.542Z","request_id":"01a21529-c096-7000-81f4-b17c39c519bf","result":"no_challenge","gateway_number":"+7916***0000","caller":"+7999***0000","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179"}');
INSERT INTO public.log_entry VALUES (67, 1795651387544, 1, 'call challenge canceled', '{"at":"2026-11-26T00:03:07.544Z","request_id":"01a21529-c098-7000-83fa-19b31d636120","challenge_id":"01a21529-c093-7000-86d6-4634ba60d861"}');
INSERT INTO public.log_entry VALUES (72, 1795651387552, 1, 'message accepted', '{"at":"2026-11-26T00:03:07.552Z","request_id":"01a21529-c0a0-7000-8314-f1d1abf17799","message_id":"01a21529-c0a0-7000-846a-28d848cdf87c","channel":"personal_messenger","state":"accepted","recipient":"+7916***0016","account_id":"account-1"}');
INSERT INTO public.log_entry VALUES (77, 1795651387560, 1, 'message accepted', '{"at":"2026-11-26T00:03:07.560Z","request_id":"01a21529-c0a8-7000-82e4-340b471d41c1","message_id":"01a21529-c0a8-7000-872a-52eb00f59425","channel":"messenger_bot","state":"accepted","chat_id":"41"}');
INSERT INTO public.log_entry VALUES (82, 1795651387635, 1, 'snapshot received', '{"at":"2026-11-26T00:03:07.635Z","request_id":"01a21529-c0f3-7000-81d8-30644dd37623","integration_id":"01a2056b-8e77-7000-847b-549a980d0278","event_id":"catalog:3aef4250-d112-4a94-a9f6-09894124827d","receipt":3,"rows":2,"bytes":268}');
INSERT INTO public.log_entry VALUES (92, 1795651387934, 1, 'order queued', '{"at":"2026-11-26T00:03:07.934Z","request_id":"01a21529-c21e-7000-81fd-b50b7c35bd05","order_id":"cfb512b6-d0b8-45f1-97f1-3e70b62be8f3","integration_id":"01a2056b-8e77-7000-847b-549a980d0278"}');
INSERT INTO public.log_entry VALUES (100, 1795651388014, 1, 'otp created', '{"at":"2026-11-26T00:03:08.014Z","request_id":"01a21529-c26e-7000-8282-80593726062d","otp_id":"01a21529-c26e-7000-84f5-78ed47227bb7","channel":"sms","recipient":"+7916***0019","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (30, 1795651387429, 1, 'sms sent', '{"at":"2026-11-26T00:03:07.429Z","request_id":"01a21529-c025-7000-83d7-2c06ba4d0fc4","task_id":"01a21529-c01f-7000-8959-97b2da24f89f","owner_id":"01a21529-c01f-7000-80fd-258624add92f","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0002","state":"sent"}');
INSERT INTO public.log_entry VALUES (38, 1795651387449, 1, 'sms claimed', '{"at":"2026-11-26T00:03:07.449Z","request_id":"01a21529-c039-7000-83bb-acc8acc7efcd","task_id":"01a21529-c036-7000-8e45-ce07557fcffe","owner_id":"01a21529-c036-7000-8533-fa3ba91a4db5","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0005","attempt":1}');
INSERT INTO public.log_entry VALUES (46, 1795651387462, 1, 'otp created', '{"at":"2026-11-26T00:03:07.462Z","request_id":"01a21529-c046-7000-8304-1455c254ce8d","otp_id":"01a21529-c046-7000-8412-d2b3504dcd2a","channel":"sms","recipient":"+7916***0007","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (58, 1795651387476, 1, 'otp created', '{"at":"2026-11-26T00:03:07.476Z","request_id":"01a21529-c054-7000-80f9-897b9e392c56","otp_id":"01a21529-c054-7000-841a-ce676fa2a5c1","channel":"messenger_gateway","recipient":"+7916***0010"}');
INSERT INTO public.log_entry VALUES (63, 1795651387538, 1, 'call challenge created', '{"at":"2026-11-26T00:03:07.538Z","request_id":"01a21529-c092-7000-8062-3c1abbc5c85c","challenge_id":"01a21529-c092-7000-8720-10f130882828","caller":"+7916***0013","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (76, 1795651387558, 1, 'message accepted', '{"at":"2026-11-26T00:03:07.558Z","request_id":"01a21529-c0a6-7000-802f-21be37e1dbcb","message_id":"01a21529-c0a6-7000-8580-0978824d483a","channel":"personal_messenger","state":"accepted","recipient":"+7916***0017","account_id":"account-1"}');
INSERT INTO public.log_entry VALUES (84, 1795651387699, 1, 'package applied', '{"at":"2026-11-26T00:03:07.699Z","integration_id":"01a2056b-8e77-7000-847b-549a980d0278","event_id":"changes:4d674814-68d8-499e-8553-115e8fdb3bbd","event_type":"delta","attempts":1,"added":0,"changed":0,"archived":0,"prices_changed":1,"stocks_changed":1,"superseded":0,"ms":6}');
INSERT INTO public.log_entry VALUES (90, 1795651387880, 2, 'order rejected by its ERP', '{"at":"2026-11-26T00:03:07.880Z","order_id":"c09d4582-2c4d-4013-ad2f-689668b1a38f","integration_id":"01a2056b-8e77-7000-847b-549a980d0278","attempts":1,"outcome":"rejected","status":200}');
INSERT INTO public.log_entry VALUES (103, 1795651450107, 1, 'client created', '{"at":"2026-11-26T00:04:10.107Z","request_id":"01a2152a-b4fb-7000-8079-bffe565a5fda","client_id":"01a2152a-b4fb-7000-88bd-486c86379c6a","integration_id":"01a2056b-8e7e-7000-87b5-7634d96b3c38","scopes":"erp.catalog.write erp.changes.write erp.events.read","secret_id":"01a2152a-b4fb-7000-8edd-1362baaede5e"}');
INSERT INTO public.log_entry VALUES (105, 1795651450141, 1, 'snapshot received', '{"at":"2026-11-26T00:04:10.141Z","request_id":"01a2152a-b515-7000-834b-20c292281fa3","integration_id":"01a2056b-8e7e-7000-87b5-7634d96b3c38","event_id":"catalog:7438b159-69ee-46cc-8466-eeb9fdd1a11a","receipt":1,"rows":6000,"bytes":447910}');
INSERT INTO public.log_entry VALUES (31, 1795651387430, 1, 'otp created', '{"at":"2026-11-26T00:03:07.430Z","request_id":"01a21529-c026-7000-8195-f38220fdb236","otp_id":"01a21529-c026-7000-861c-f86ed0027a28","channel":"sms","recipient":"+7916***0003","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (39, 1795651387451, 1, 'sms sent', '{"at":"2026-11-26T00:03:07.451Z","request_id":"01a21529-c03b-7000-83c1-92d5032b44cc","task_id":"01a21529-c036-7000-8e45-ce07557fcffe","owner_id":"01a21529-c036-7000-8533-fa3ba91a4db5","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0005","state":"sent"}');
INSERT INTO public.log_entry VALUES (43, 1795651387456, 1, 'sms claimed', '{"at":"2026-11-26T00:03:07.456Z","request_id":"01a21529-c040-7000-81c9-2c1ed234d8e2","task_id":"01a21529-c03f-7000-8dd8-88faea25a650","owner_id":"01a21529-c03f-7000-8418-d51439536e51","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0006","attempt":1}');
INSERT INTO public.log_entry VALUES (51, 1795651387469, 2, 'otp code wrong', '{"at":"2026-11-26T00:03:07.469Z","request_id":"01a21529-c04d-7000-8321-8537dc3e7929","otp_id":"01a21529-c046-7000-8412-d2b3504dcd2a","recipient":"+7916***0007","attempts_left":2}');
INSERT INTO public.log_entry VALUES (56, 1795651387473, 1, 'otp canceled', '{"at":"2026-11-26T00:03:07.473Z","request_id":"01a21529-c051-7000-83e9-8269a34bfd20","otp_id":"01a21529-c050-7000-87a1-788da90690f0","recipient":"+7916***0008"}');
INSERT INTO public.log_entry VALUES (59, 1795651387480, 1, 'send changed', '{"at":"2026-11-26T00:03:07.480Z","send_id":"01a21529-c054-7000-89ef-13bb20f8ad32","owner_id":"01a21529-c054-7000-841a-ce676fa2a5c1","channel":"messenger_gateway","state":"sent","provider_id":"1795387264317","attempt":1}');
INSERT INTO public.log_entry VALUES (69, 1795651387548, 1, 'phone message claimed', '{"at":"2026-11-26T00:03:07.548Z","request_id":"01a21529-c09c-7000-81e5-c54fc24533aa","task_id":"01a21529-c09a-7000-8b47-6c64d2f0481e","owner_id":"01a21529-c09a-7000-853f-67460a0631f3","device_id":"01a2056b-8e6f-7000-8bc0-158dd9579544","account_id":"account-1","recipient":"+7916***0015","attempt":1}');
INSERT INTO public.log_entry VALUES (81, 1795651387591, 3, 'channel closed for a while: its provider does not serve', '{"at":"2026-11-26T00:03:07.591Z","channel":"messenger_bot","driver":"telegram_bot","error":"401: Unauthorized"}');
INSERT INTO public.log_entry VALUES (85, 1795651387763, 2, 'package cannot be applied yet', '{"at":"2026-11-26T00:03:07.763Z","integration_id":"01a2056b-8e77-7000-847b-549a980d0278","event_id":"changes:70ac5e91-6d9b-4fc1-9630-6116674880a0","event_type":"delta","attempts":1,"error":"1 row names a product or variant that the catalog does not have"}');
INSERT INTO public.log_entry VALUES (33, 1795651387438, 1, 'sms delivered', '{"at":"2026-11-26T00:03:07.438Z","request_id":"01a21529-c02e-7000-8090-ffa5ef63f616","task_id":"01a21529-c026-7000-8c67-607096cd0266","owner_id":"01a21529-c026-7000-861c-f86ed0027a28","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0003","state":"delivered"}');
INSERT INTO public.log_entry VALUES (41, 1795651387454, 2, 'otp code wrong', '{"at":"2026-11-26T00:03:07.454Z","request_id":"01a21529-c03e-7000-8340-9f2ac88ea937","otp_id":"01a21529-c036-7000-8533-fa3ba91a4db5","recipient":"+7916***0005","attempts_left":3}');
INSERT INTO public.log_entry VALUES (49, 1795651387467, 2, 'otp code wrong', '{"at":"2026-11-26T00:03:07.467Z","request_id":"01a21529-c04b-7000-82fe-76146f644919","otp_id":"01a21529-c046-7000-8412-d2b3504dcd2a","recipient":"+7916***0007","attempts_left":4}');
INSERT INTO public.log_entry VALUES (60, 1795651387511, 1, 'otp created', '{"at":"2026-11-26T00:03:07.511Z","request_id":"01a21529-c077-7000-822f-ee8ee1b41200","otp_id":"01a21529-c077-7000-8443-e135b92e63c8","channel":"messenger_gateway","recipient":"+7916***0011"}');
INSERT INTO public.log_entry VALUES (74, 1795651387557, 2, 'phone message failed', '{"at":"2026-11-26T00:03:07.557Z","request_id":"01a21529-c0a5-7000-81ce-9b07923b7aaf","task_id":"01a21529-c0a0-7000-8961-3485097364d7","owner_id":"01a21529-c0a0-7000-846a-28d848cdf87c","device_id":"01a2056b-8e6f-7000-8bc0-158dd9579544","account_id":"account-1","recipient":"+7916***0016","state":"failed"}');
INSERT INTO public.log_entry VALUES (89, 1795651387872, 1, 'order queued', '{"at":"2026-11-26T00:03:07.872Z","request_id":"01a21529-c1e0-7000-8379-496886dbffef","order_id":"c09d4582-2c4d-4013-ad2f-689668b1a38f","integration_id":"01a2056b-8e77-7000-847b-549a980d0278"}');
INSERT INTO public.log_entry VALUES (98, 1795651388006, 1, 'otp confirmed', '{"at":"2026-11-26T00:03:08.006Z","request_id":"01a21529-c266-7000-80c7-c80cd2995c55","otp_id":"01a21529-c077-7000-8443-e135b92e63c8","recipient":"+7916***0011","attempts_left":5}');
INSERT INTO public.log_entry VALUES (34, 1795651387439, 1, 'otp created', '{"at":"2026-11-26T00:03:07.439Z","request_id":"01a21529-c02f-7000-8358-3be37c30178e","otp_id":"01a21529-c02f-7000-85e4-305c84a58ffc","channel":"sms","recipient":"+7916***0004","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (42, 1795651387455, 1, 'otp created', '{"at":"2026-11-26T00:03:07.455Z","request_id":"01a21529-c03f-7000-82a2-e925a08d91aa","otp_id":"01a21529-c03f-7000-8418-d51439536e51","channel":"sms","recipient":"+7916***0006","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (50, 1795651387468, 2, 'otp code wrong', '{"at":"2026-11-26T00:03:07.468Z","request_id":"01a21529-c04c-7000-81b6-758cf1eb375f","otp_id":"01a21529-c046-7000-8412-d2b3504dcd2a","recipient":"+7916***0007","attempts_left":3}');
INSERT INTO public.log_entry VALUES (55, 1795651387472, 1, 'otp created', '{"at":"2026-11-26T00:03:07.472Z","request_id":"01a21529-c050-7000-815a-4080e22f5066","otp_id":"01a21529-c050-7000-87a1-788da90690f0","channel":"sms","recipient":"+7916***0008","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (64, 1795651387539, 1, 'call challenge created', '{"at":"2026-11-26T00:03:07.539Z","request_id":"01a21529-c093-7000-82fd-c8269b382911","challenge_id":"01a21529-c093-7000-86d6-4634ba60d861","caller":"+7916***0014","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (71, 1795651387551, 1, 'message changed', '{"at":"2026-11-26T00:03:07.551Z","request_id":"01a21529-c09f-7000-83d7-ca450bc108ae","message_id":"01a21529-c09a-7000-853f-67460a0631f3","channel":"personal_messenger","state":"sent","recipient":"+7916***0015","account_id":"account-1"}');
INSERT INTO public.log_entry VALUES (88, 1795651387822, 1, 'order accepted by its ERP', '{"at":"2026-11-26T00:03:07.822Z","order_id":"086732a0-cdb7-48fe-9ff9-6f5afa89d422","integration_id":"01a2056b-8e77-7000-847b-549a980d0278","attempts":1,"outcome":"accepted","status":200}');
INSERT INTO public.log_entry VALUES (93, 1795651387936, 1, 'order queued', '{"at":"2026-11-26T00:03:07.936Z","request_id":"01a21529-c220-7000-8146-b6f2d097126a","order_id":"f69b1fb1-b3e2-40c1-adcf-5e6000240ef3","integration_id":"01a2056b-8e77-7000-847b-549a980d0278"}');
INSERT INTO public.log_entry VALUES (35, 1795651387441, 1, 'sms claimed', '{"at":"2026-11-26T00:03:07.441Z","request_id":"01a21529-c031-7000-800c-93faf15639cf","task_id":"01a21529-c02f-7000-8cfd-995ab75fdd1f","owner_id":"01a21529-c02f-7000-85e4-305c84a58ffc","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0004","attempt":1}');
INSERT INTO public.log_entry VALUES (47, 1795651387464, 1, 'sms claimed', '{"at":"2026-11-26T00:03:07.464Z","request_id":"01a21529-c048-7000-83fe-def3eaad9744","task_id":"01a21529-c046-7000-8cb9-6fc58d167766","owner_id":"01a21529-c046-7000-8412-d2b3504dcd2a","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0007","attempt":1}');
INSERT INTO public.log_entry VALUES (61, 1795651387518, 1, 'send changed', '{"at":"2026-11-26T00:03:07.518Z","send_id":"01a21529-c077-7000-89a4-21b1da20d7ef","owner_id":"01a21529-c077-7000-8443-e135b92e63c8","channel":"messenger_gateway","state":"sent","provider_id":"1795387264318","attempt":1}');
INSERT INTO public.log_entry VALUES (65, 1795651387540, 1, 'call challenge confirmed', '{"at":"2026-11-26T00:03:07.540Z","request_id":"01a21529-c094-7000-808c-e9818efdd34b","challenge_id":"01a21529-c092-7000-8720-10f130882828","caller":"+7916***0013"}');
INSERT INTO public.log_entry VALUES (80, 1795651387585, 1, 'message accepted', '{"at":"2026-11-26T00:03:07.585Z","request_id":"01a21529-c0c1-7000-8090-45f4bdeedb88","message_id":"01a21529-c0c1-7000-84dc-b03e4c453571","channel":"messenger_bot","state":"accepted","chat_id":"@channel"}');
INSERT INTO public.log_entry VALUES (96, 1795651387944, 1, 'order queued', '{"at":"2026-11-26T00:03:07.944Z","request_id":"01a21529-c228-7000-8373-fbe9bf5c26e9","order_id":"4e9aeefd-2e92-4e65-93e2-59bbac5bc9a4","integration_id":"01a2056b-8e77-7000-847b-549a980d0278"}');
INSERT INTO public.log_entry VALUES (102, 1795651450055, 1, 'order queued', '{"at":"2026-11-26T00:04:10.055Z","request_id":"01a2152a-b4c7-7000-8090-c24fb400c404","order_id":"df90b1ce-17f7-43cc-ac5a-40dde3ee09f9","integration_id":"01a2056b-8e7e-7000-87b5-7634d96b3c38"}');
INSERT INTO public.log_entry VALUES (104, 1795651450135, 1, 'otp expired', '{"at":"2026-11-26T00:04:10.135Z","otp_id":"01a21516-8238-7000-860a-f73e3fb686a5","recipient":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (36, 1795651387444, 2, 'sms failed', '{"at":"2026-11-26T00:03:07.444Z","request_id":"01a21529-c034-7000-8016-e4c371193833","task_id":"01a21529-c02f-7000-8cfd-995ab75fdd1f","owner_id":"01a21529-c02f-7000-85e4-305c84a58ffc","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0004","state":"failed"}');
INSERT INTO public.log_entry VALUES (40, 1795651387453, 2, 'otp code wrong', '{"at":"2026-11-26T00:03:07.453Z","request_id":"01a21529-c03d-7000-82e0-d7b8c2367c3e","otp_id":"01a21529-c036-7000-8533-fa3ba91a4db5","recipient":"+7916***0005","attempts_left":4}');
INSERT INTO public.log_entry VALUES (44, 1795651387458, 1, 'sms sent', '{"at":"2026-11-26T00:03:07.458Z","request_id":"01a21529-c042-7000-809a-26fb426a2808","task_id":"01a21529-c03f-7000-8dd8-88faea25a650","owner_id":"01a21529-c03f-7000-8418-d51439536e51","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0006","state":"sent"}');
INSERT INTO public.log_entry VALUES (48, 1795651387466, 1, 'sms sent', '{"at":"2026-11-26T00:03:07.466Z","request_id":"01a21529-c04a-7000-8108-57cfde55cf10","task_id":"01a21529-c046-7000-8cb9-6fc58d167766","owner_id":"01a21529-c046-7000-8412-d2b3504dcd2a","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0007","state":"sent"}');
INSERT INTO public.log_entry VALUES (68, 1795651387546, 1, 'message accepted', '{"at":"2026-11-26T00:03:07.546Z","request_id":"01a21529-c09a-7000-83b1-f8823bae648b","message_id":"01a21529-c09a-7000-853f-67460a0631f3","channel":"personal_messenger","state":"accepted","recipient":"+7916***0015","account_id":"account-1"}');
INSERT INTO public.log_entry VALUES (73, 1795651387554, 1, 'phone message claimed', '{"at":"2026-11-26T00:03:07.554Z","request_id":"01a21529-c0a2-7000-83d2-2f1c777eb61c","task_id":"01a21529-c0a0-7000-8961-3485097364d7","owner_id":"01a21529-c0a0-7000-846a-28d848cdf87c","device_id":"01a2056b-8e6f-7000-8bc0-158dd9579544","account_id":"account-1","recipient":"+7916***0016","attempt":1}');
INSERT INTO public.log_entry VALUES (83, 1795651387643, 3, 'package failed', '{"at":"2026-11-26T00:03:07.643Z","integration_id":"01a2056b-8e77-7000-847b-549a980d0278","event_id":"catalog:3aef4250-d112-4a94-a9f6-09894124827d","event_type":"snapshot","attempts":1,"error":"archive_limit"}');
INSERT INTO public.log_entry VALUES (86, 1795651387813, 1, 'order queued', '{"at":"2026-11-26T00:03:07.813Z","request_id":"01a21529-c1a5-7000-814a-99d6de01886c","order_id":"086732a0-cdb7-48fe-9ff9-6f5afa89d422","integration_id":"01a2056b-8e77-7000-847b-549a980d0278"}');
INSERT INTO public.log_entry VALUES (91, 1795651387930, 1, 'order queued', '{"at":"2026-11-26T00:03:07.930Z","request_id":"01a21529-c21a-7000-80d4-55bcd63b759d","order_id":"757ed699-70c6-45f0-96ce-a8cf6214ff84","integration_id":"01a2056b-8e77-7000-847b-549a980d0278"}');
INSERT INTO public.log_entry VALUES (97, 1795651387948, 3, 'orders wait: their ERP failed too often and is asked for its health', '{"at":"2026-11-26T00:03:07.948Z","integration_id":"01a2056b-8e77-7000-847b-549a980d0278","status":503}');
INSERT INTO public.log_entry VALUES (99, 1795651388011, 1, 'otp created', '{"at":"2026-11-26T00:03:08.011Z","request_id":"01a21529-c26b-7000-83e6-090cecc622c3","otp_id":"01a21529-c26b-7000-844e-02d3da8a4005","channel":"sms","recipient":"+7916***0018","gateway_number":"+7916***0000"}');
INSERT INTO public.log_entry VALUES (101, 1795651450053, 1, 'sms claimed', '{"at":"2026-11-26T00:04:10.053Z","request_id":"01a2152a-b4c5-7000-8830-539565456e19","task_id":"01a21529-c26b-7000-8cb7-af242cd3b144","owner_id":"01a21529-c26b-7000-844e-02d3da8a4005","device_id":"01a2056b-8e6d-7000-89ae-50ad52c11179","gateway_number":"+7916***0000","recipient":"+7916***0018","attempt":1}');


--
-- Data for Name: log_head; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.log_head VALUES (1, 105);


--
-- Data for Name: message; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.message VALUES ('\x01a21529c09a7000853f67460a0631f3', 'personal_messenger', 'sent', 'account-1', '+79161000015', NULL, 0, NULL, NULL, 1795651387546, 1795651387551, 1795737787546);
INSERT INTO public.message VALUES ('\x01a21529c0a07000846a28d848cdf87c', 'personal_messenger', 'failed', 'account-1', '+79161000016', NULL, 0, NULL, 'the phone could not send it', 1795651387552, 1795651387557, 1795737787552);
INSERT INTO public.message VALUES ('\x01a21529c0a6700085800978824d483a', 'personal_messenger', 'accepted', 'account-1', '+79161000017', NULL, 0, '\x4d1245637c7605fa5fd7a5df0f06ee4aef31099f53e8a70c5493f25d4e9c8be115f389d722f814cbd216bbd5bf31244732019b02966bca41d41db8', NULL, 1795651387558, 1795651387558, 1795737787558);
INSERT INTO public.message VALUES ('\x01a21529c0a87000872a52eb00f59425', 'messenger_bot', 'sent', NULL, NULL, '41', 1, NULL, NULL, 1795651387560, 1795651387563, 1795737787560);
INSERT INTO public.message VALUES ('\x01a21529c0c1700084dcb03e4c453571', 'messenger_bot', 'accepted', NULL, NULL, '@channel', 0, '\x12f164e8c8d93dee22d7863a5423ebf4ae9eaaeb7488afb48061eeff1726b301ebcac22bed62ab58bbea62b7083f08a44d154e91b084cb9c070e', NULL, 1795651387585, 1795651387585, 1795737787585);


--
-- Data for Name: order_attempt; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.order_attempt VALUES ('\xcab2c489646f41dc826e0c5e1fe071b5', 1, 1795387264652, 2, 503, 'refused', 'HTTP 503');
INSERT INTO public.order_attempt VALUES ('\x086732a0cdb748fe9ff96f5afa89d422', 1, 1795651387818, 1, 200, 'accepted', NULL);
INSERT INTO public.order_attempt VALUES ('\xc09d45822c4d4013ad2f689668b1a38f', 1, 1795651387875, 1, 200, 'rejected', 'Not in stock');
INSERT INTO public.order_attempt VALUES ('\x757ed69970c645f096cea8cf6214ff84', 1, 1795651387937, 2, 503, 'refused', 'HTTP 503');
INSERT INTO public.order_attempt VALUES ('\xcfb512b6d0b845f197f13e70b62be8f3', 1, 1795651387941, 2, 503, 'refused', 'HTTP 503');
INSERT INTO public.order_attempt VALUES ('\xf69b1fb1b3e240c1adcf5e6000240ef3', 1, 1795651387941, 2, 503, 'refused', 'HTTP 503');
INSERT INTO public.order_attempt VALUES ('\xa1fb20333a754b5c959bb2939ee538cb', 1, 1795651387945, 1, 503, 'refused', 'HTTP 503');
INSERT INTO public.order_attempt VALUES ('\x4e9aeefd2e924e6593e259bbac5bc9a4', 1, 1795651387947, 0, 503, 'refused', 'HTTP 503');
INSERT INTO public.order_attempt VALUES ('\xcfb512b6d0b845f197f13e70b62be8f3', 2, 1795651450060, 1, 503, 'refused', 'HTTP 503');


--
-- Data for Name: order_body; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.order_body VALUES ('\xcab2c489646f41dc826e0c5e1fe071b5', '\x1e44ada24ae02544abfb5d1fadccb497b884697444f1fdea1593d846c31a58430d3b9dfe571db2e6d7f5db1ecd5e46cad969ff34936a6f3a974c532bcf2f7da824c773dc89058b701668abc183cf8675ba134768ecc6889794ed95790654003221a6399072856a9c8b6f1678a3398e3d323444f17a3c0a40ffb6f2ff1d9c19e98e5b69e3ecdafce6215f44d3f598d9ab2bf703fa81e7fccd0762581308122682cde30cc94c32489be2eb674892a0d743701aa9f1f0fa02c8e91c150f669aee0b8ea6db845369032a3a39aaa563d27461ae9c8ba1ac1caf15f7635d4bd272d123676e2ad80b5c0c583bae2b38ba94661d0a0c966277cccfab86a4f36e43e5732f0a0492fe9d73e49af2ee00b09cbe82a1b7c25a16b6a5e274ccd665a0073c9df29a93d7bfd885d09a28b5b9e0d60897b6bcbf8618e3f03f433f9c686d7005adf9c529ba190a9d829053baa014febcf9a523039971af3c53a5fa35261b999461cf2acd6706e27836bde48a00bc5c1e9e6547edf342b2cfe920d23df6e384feb1690e67bd46d7ccc06af06abe80e62424aaac4d0fab9a981007e7a59e383eff2588643572d159a4dca4d86def9e0e95f72812ed02fd8c98d720ef7c74d39527e05d05e63d1177d076a2c4f30f0f570baa8748a575a872d6d15fc19bcc68873654b2cd3b6ee242a5c272ed025f78923c58ec6c2271864e8b9ad42a600e80b46ed628601ce01d8e7457d973a2a14a8385ee1a10d2af15d5744c45e6192fd63afdee9f058f20de30aaf2ec287ea293560e1af14d5134ac052f2f264bb22ad3725bc4fbad97e0655ffe59c733de123cf9a89ebd75183848ea48ea4d42d34c8d39f78caa385f5f218daf09e134bb2b8f3ba76971259c1b56f7f81e26d37b6d7e07af624159511b06252245ae34698a4045edb16fe8f0f74f609fe31e790faf6824bede4d608607ef2a1e1626a321f6314c0691fcab537e5e2c393ddc952adf5b1ecc3ef5600019c712c8a3cdb582b4a4e863494754bcf7f04c4a72874e364f28e7db7bcba39d14a4455f5358ae0f3776d6d6af488f60f60491b32ee14c600c50e332efe80cead5a92e7e3f379afb83b2c44e010a3e13771a556f27544a1e8e4767b6dc746a905118a16f3b5eb6eaaa295b4fc9fab2fda265e724ec11a48cc11b8bfffa456e920a14678a6f43b7ebe1b5c8a48defbf0f2a5d52426869ef7ce8a63bfd5cab5ee2106a04acfcfaf0852900924588d2885eb3fac65a735c756e6cde4b460896b62a9c6f54d3731961ea12974cef224a3adc818821115250d6da99c8bce05129e61c58d86b3b09a86e62354ebda4cd29c9cfeb0fa2c6bb3d8074a3dd6501608dbb2ad7137aa1ea9151c3e9110eb73602ab4f845bb29c635f23eb680491f7011069a4f9b1886820906d718a42c3fc57a26a80561205c2672265ee1f5dbf007515d46ebe');
INSERT INTO public.order_body VALUES ('\x757ed69970c645f096cea8cf6214ff84', '\x462b007be468531d831e35260f0066dd0717fab425010a49a30ca2ce6cbde11e3618d3f1117023ca9e8327b80f8246beb8eb49b3121bb6836868152126b99da65697f46bd3e4d5941f5d3dd47d5b0ba353dc4f22f792ba073181302c99b1522e4d445deeafa7e5f001d72aa63ed3901d461c4480d0f216c71f18ea5cecb00e6b7419c101736a7d5788f401ec5c8867189db253abe1ab78d67d4448bd277ad431404293c51d2486ca66adb5c07231bbc877f8d72cdd76fafb067ed4f0da36fba0110139adb72e72ffdabaf6bc008220cbbb924142df22461aebea02ad500e44d9ac2d3940ca4a22c990c0d3d9d8a04d834467ace39636b239aac0040af002b749a29a12fbe6103d3baef21891c86f446467675538f0fdfed3212a311617a9299089582746ea2bdbcf560e5bbd4bc44f8b436c20605c5e07703e627ef717654a6b3b47cbb6f504e51cf9ca903ac5f39f74dc9020e5a8ff8fcc929f27048ce09920cd7dccf2abf2a4202af85057f57d88a37f23b62076b0a05cfee17217e970e523cf4cd8be85c57d080ad184d6c07f61dcc4c8e00c01d18479fe91c43d273728709c826f7199acc1dabb44fa6e36a12853f3c2bda8c25b14976be0752cfffe260b4e809a4446b27215084573ecf65d5ca2594ceab6881b870cdfa3dfaa5525acbbbc47f0c25e37646a0556305f11c9e7801503ba76be0d0f63585ed97fe1666c4bee8a8e44cd6488f592d829b835b3429f6ba2497e02c69f0bc5ba31ce8570c1a2489c9bdc6fc9efe43269d8d0b48474eb4d946abdd64fdcffc04b32c2200a40f6622ad9a75414642e634f93d9d6e0b722b555bd14f39edc6031b93b724d7fd28361211ef01cace21c14f4f8ac12f56905549f6683db0840d6ab77816ebff53679951e9a7f97dc042ff1e0af53033fe9152540658ad658164e8e728d28005ee9aa613a4aef539475392c8642ce3b528093e9fcb7825649f670fffabe2e3f70337e3bae25aeb6e814b71b27b151b9218f45278773d44d40cc233aab1783c86844c069b54fa23f1a1aba3fe801ee165220e913c389c844d1d575060eb2b52b9a62d3dde77a4ed59f3718db2585527bf2e61d1de7ef4cd374df6af0669bdec1c3a0bf1065b584003dfe6972c5ca74d3daffec9d9a7d227ec7f656d023c84b747c18dc81723f36608d910e29be74c41cf7dba7dbd5eac984e7026bb5b7ddfeeae2ca2e2cc55df3a83ab8c682f309355de35fa4a270e19a3f5439f68a2ab7fe59a802bdd6678941233c7a90af7a0d02fff503b35ac87cde0373f4448cf329effbdeffd535f47a7d69f2c0e0066d488b1d7febc7df25c2010989ba84130c57f051bbed1a9a294bd59cebcf03c6f862153ec0eac3fb32d22bb4f470b29d20c905dc264e96d410fa84e8eca37c590674ba202519ae');
INSERT INTO public.order_body VALUES ('\xcfb512b6d0b845f197f13e70b62be8f3', '\x4be830bee9f4f843bfe6a181ebea66057875ad45a7d93e848338a143b178e4f653eaf9030add28a7ae6eababb4fefc83d5cf28d3b02079b395862836ece20aae61187a2a3e2077c4ee80747ce16c0a95d415a4621a58e4f57bcf5668a7257bee7a8ebc5d227134eed3605e9cf33ff3e86166eb9dcea164421fd0ea84596e512289665dd73115b5e871011ec8f5e544c22eaf41f5b54ea70e803b59568207951cefdd0cb235bfd15b94528f7d0666c026a2035bb47214081f16a9c99389fb35b13bb1e96ac3380da96d047b3421c8a6035f0f564ad798fb3259c7dff7f1679b9cb1aba70822ffc026d20fd583e952def7181f8e615c83f31f491f8899dbc8ee45541f3345207bba74fe90b686aa168781e0d6e701e4dea3177f0dd589b4ac7d33738aa552bc8187070c6a3a4a9c9d98c8edb857c986bddb15e65e81f92a352865407ef03638be57bab9415ac24317863ed8d68d41e297122b6cc812a67bf5ab0982b352a264740a1d3068d2189f224e096a5f2f90539a6f8c00bc29e04197e550857cdb76480dbab92fbe45cccb7fa13f07f8785c4dfaa6b70cb9782ba180f9c40ed79cb855771a0fac473ffec8750a2ee5c1e2c4b3141732f1d11cfeda6e83d033e267d4a3f6c4521f99bfb5b054522fc98256a4057abddefdc3324a26bc3a6c640d1a158591dc577bc2a8651be7117cc41ff492475d27f3467bd561f75cb64f969795c52f5d10c8048b293521aaba3d37a7f2be7ae93d1165700838e8860ca5d9ee72e6c0b15d98ecc52dfdd107140a35bbc52f11249ebd656e6d5994c64a8584a22525889e248689433f7b3b98fef0822da2573ab4bcacd68b8a4173efbacb3888d163e4d3319263cda91bcb4d235fc8c6ed00eca7a220af63ca304c84e15a7c94d42ab958dcc6d17c2c3fb157c862ce83ea5d609c7a2a770da01bf29746d4f694b182af279aca5c9bf73ed5b7524d88a7e76222c3fa332f54fdf7018eefae8330183254e6d2327893e910ae19d9fa441cdbd7f52b920ed13af2bd1c609f87d72122c829b1c49d091786e64221438825dce3236c6b1bcea98a9a4858018539b4388fc13eceb54459320690eb633d4056187c8fc4aa2de8700a02f6829cd8767b109af07d3e0325216f535cdd59048e1d92e817b2d32330d3a482b3c633562f28aab1553161b1e5bcfc38c5a1595e05c5e1d8eb4f3cbb6235b97399c26de0ab9093924feb9db273f0bdb0287bceaaf89beb8c20cbe805cd1eab2f4fbd05fce1aa6aa24aa9b5a3b5f65681073591566de639f717032c2f9ac6ffae2085de6b717306da14576bd8609db46b7f3e030870c9e2db1bb54ad2b477fb4dee1a6540a6901e4cbd07b2d02d63502fc1652ca0cb874a8103af483a870d5b2dd61654906cd56cb0136407a3e3518f4917148fcca3d8b698aee0f4160e665506613396c5925c648f12');
INSERT INTO public.order_body VALUES ('\xf69b1fb1b3e240c1adcf5e6000240ef3', '\x8b5bf165afce97a696c2b441233e0ab8bc71733ae3871cf43ddf4c83df9397dd0eb077e61f5a05fcc0a3fd34709fab43ff6e028d371020ed23e516f65b2d996ef2ebc038687df7d2ca7500f000455ac5bb6d93c3842f4fff7ecd926ff59fc28e43c3d66c6026a8f6aa715d63f614f015d98df34067bdf629cdde02f065afb3721a9e6bec3c0fd7e47329638f96010ff7c5c9d1d50e580821ad79a8fc49bf1a68bd2b500fec2e70cfd0692e284e9a34a91255d7bccab3880462a33f9b2ef42e96ae34233c06c1a2da93777b632227ba4888d21a25c66b283b22ba98383d77b6dfdb4b10b97f9b3216f0092f2a5118fc0b6a564d7a01c80a9c31491a1aa7eb5af60459a25d7e896d004b210e7685ccde6b84e4e611c4d03f68889b8d77235a924b6bb29411a726da9de84b9f43ce3d19c93e4464194a1f0a9a23da62de1b3ab9874cc792b20b41a5d6d708b176ff6a6a34d62452ced746353ff296d160df121c58aa323065f3aeb0b30eb03918e182b0b3f74d58dc46039c795e5a5ed8507b70df7f0e263713a420a1eb72b0af0737101a2f13a94fe5194a71c696a4e5aef285a1b126d7222fd4a18761660b829098a11acc91d7f4146a11df294145093470844617f3baf151807d7ad58ba8bfae806de8ae08cee97f40fe2a01815e6a4b92b6f7352d48902334cf2aa5f72f913b104950dfb0f9cd7e32b28bade969a89b67780f204b5ca4c2596aea51f325dad3a7dd031e2824ea96958f4cb4a961b36a1bb12c5a55ad062f5b209873a6545bc5cb8d07a8cf661f2f4a16c4f82cdb5ad25f037bf9c45b4cd2c941be18e8d1403ad7880343471aed06a8e5075ad02247608f08ee02dd8a2988fb16d016e16ed55638157430c8c01470a5e6aa1c4add7e359ad9ad7fc0b8f321255d0b14e738ed22ab9e241407da5d155d6cac3409567c21750931773e588e7cd2ea42a3cb0efc94b87a6bebbd489862d18711d4ad07c21e2458b927c0c268eee5ee4b5522b6022bdf4a6e88e9d92bf73cf08b22233f004948ceddf49ae3d1e73b3735f93dd7e56582287c353b4289794e495c9325b974a79bdd4a1cdf134e425f0322cef8a3dc917c1093f15efed8bb518a1a6842b34904e8119f024ee07f5c84847ff8c0fa183a80318181653acd01e757c4838bbce2fc7c8e33689572c3c4e8aac709457d424278786fee7b816767a342e6300b15eca9aecd0169abab7739afd025b29d8a62c32d220e524ce47d4d2593734e4b4307fc606457cf152e31d288aee33cc90a7f7fac32808e7ae76ed8f9a4175ddfb8560463a6e6e95477850a468b4e0e8ccc0942b4ff24f01c3c59875cf577ceee9f18723e80af51933e1714854260ee52757a034c2950692617b7f421a084256d4db7dcb132776fbaa6c44bfaf27d41ab9b6657e59cd771354365308760de4c7c7b8f159f41a44caa4ab7649c06b2d6503ef65c9ecabb3db1d7a74ee8a976');
INSERT INTO public.order_body VALUES ('\xa1fb20333a754b5c959bb2939ee538cb', '\x1244d0454087138a11d6a3280388c1af633138cb9d478e4ee660e9f03217ebaa1cc1ef1a221cd47bee1f897889e4164fccc56dfda5da80922bee7e8308d17da7285e32bc7b4c3b6cd9fa575b5aa26df80e0b454eb348de0701aa07e96cf90f9ce7e05d043543384df13c8154db328d88d4c64ea6573f7ce0583389580507669dd0c27fea50c2f8c4a4a000c720371be0a15c397612cee3856c15df634f8450d3c2bf613c9dae80c870e1cdc06a23af993face90872e501f34a689abbf318ab6d77013eaddb922ffc568472fb8acf0a20c2a1ab71dea06ac0a12e2675fbf6e8e112c9eb5e2aab590025a406358cf6531360f5b04f77c680a91649e27ce7d02a291c896a9dc1ef5f46ada27924f82e152447404b01598c1b08dc69d9be6a896facb763d096fd066f598bec592b58fb7f0eaa80cc253fc7dbdb1dddbb9eb9474b00f32173be012289bea2e4d63014890ff742116c0a13da86e87ddfe7ad210fd2f4a4a88b2330ab90e1d0091752271d661134dd2802484eb7c30fdedd3471951c5a9cfaeb06e7f40650be68909b207d330148c9032e46c1eb007ad95eccdb0f0daf58e5c671206a893457f68f199e050706656fc03df733b956e46919efc50e4cfe1e74039ff67b62656eecba2c089a1a187649b834e82cac0bf4d6b7bb288c2367dabeea8b7421cbc0ade471fcb65f0d570632be744ec653a17b25ade66c43906a830407b62a1fcc8c7bb1da78396a049c7044d190038a22e436b77492e24b33ddd1cd9e2c97cd3126c97f54b43d55be1221cf82d84d7e70c9c4aefc764cd64e0e1bf19a41d30af8fc27d9a857b5830d00b0a3137019fe5dad7669fd39bc728003b1fb3a8bcc3148954aa09a33314c2feb0dee8b97f0f6d3863442aa8d21cdbc406c83d0bbdc0c9edfa22b437a8b7d346e8743120c6fb93c3ce99a559269d11dd80f91728dbcb4bc7a0809d149255e91184a7357ecfff98d23b2bf9209e10dc3ef808802405df912f48710b7c0ea2b88fe2d41311d9e5a4e2f9918e7adfb0a7a02bb55849de5e622d4146d6976c7a383a0c16a735013aa07e0ff4689c5c97214e2dadc57e638ea9e105a9009f923e3381d19c6b6533995f4cf556e1884158a64a6cf9651883d5b47991244720e1438490951d220751ca5f4875bc3aa9bdfd2f4991eac1b97aa84f9fe4fa3d922f4a30fc599acb8edfd120d4fe61490549954747320feb22b27286a66ec5db8c1e47e9549c14cfc7968957b55a8277eae61a039591f9cee6188917bc3187418bac8b7295197fabb4d0abe427d60a7837b7473d7cb16479b1c370384aa70e315d51d82297565782535a9511118f33a6972eb8640a5ccf8d2c30d5d6954e214e2199373ee08a4146fbeb9e18a0a6c6336c5040aecf7a861e42a56d4264910cce7ee834c4d8b165d2d150706393490765f18170ab967350fbb3a4726c4f551322f56d2ed0fa6c0db831dba3b2614ec8fe8afeb02e889f7edafda47b9b068b32753e9');
INSERT INTO public.order_body VALUES ('\x4e9aeefd2e924e6593e259bbac5bc9a4', '\xe55f91504eb49a15df75e33a33abc02019f5826d92b56931005ea214b10a6b69a1c992ee39de55cda546b5919912d488708ac141b123dc5b7ffdfebbf406a185bbd8cb1ec2423dd05bb097329ecd4b27bfe8ce06a61d35c2fb5defb392c633cad9ec67c923d849757e3e99b5815e48d74860ff9529419ba471df34591952c37894d1600014c53356171c510b5a9f88a24b24565f93081837df9a7ae6a12c100414159660f12fccb812a9d8e484b210a80c300b5fb4faf51aaf2c448eaa6396c652fb8d8cff37981e6f83deefa7c8fa10e18218cd37dc67f589185bd6343a6a98094a029c838f2dac29fb5a5c8a53d56bb8d01909f7fdc24185851cc07989e2f0744b25260059d2ee4e70fd0c87605d2aafff74ecde9119f28bbcb0a0a1dc0beebb105a40773f585b435d58ab8788fe59242f11ad766d16371f2b285c33968841e39f4dc26b2b9ec1537d1e9dabae5fe6ae58c242450ca95cb6d9484a87bb04b0a5ab771d388e5fa993b848c8cb7fdd2d7f85242ffa4abeb2b6f1403e7816ec202b39a14b9b86e928f00b4b5dfbfdadaddc9382d58714f3e6b427113f2d92932f74c0900cbc4e069d6030e05d688bec2d6bec7d736e72ec18057c16c045a6d547e5575d11e1fa32889d5e10429e35346d760dbf05fd4ca200c9a8b81bf55a02ab7da92ceee6943b95a86faafda30945b44b4b58e260765713b208852ecd4d3c4d145cb90952c7c468ec5671ba103e911f2134df316d9203cb707798fedc2e15bfb0b683aedae52df3e476eface0a59890f9446e40cc1a18870418ed484150da255cab8fb46be26fbf7626452eb65029b3e8bc174fca1b73d7fe9d8c129b58fbde5b3871348a3ed8070f613112b47efeffc552aedc93d1a7f95859d03f6fdd5de1827d4bcfbfe3ca55d0ced85a1ca049ffd230bfb35770a1a0261d9529074858773e28be8a6174804f8c79693e831276cdfacac13b8685dbfae82afb1993578c6a1183f6b1ef999746d9a88ffeaa1fcb17c29f9a84d8bfc1d9eeb95325d969a29ad49090df453b0a9f26770fd3a5b7ec8becf03d5dd21804db28789c0c92c3900a3a268967c23ee288a262caac0f2dac8ee6e25a802eea3801a9babd085f631fac9b0c1abd502e2ea0fe9e83f5a0edffb82e6fc2afe998352139f45b12247a80c659eb9c19137d9fc32c6a195b3c3756650e8f632be41b31cc68c039240541eb518341b24bfef9ff2ee6aa8258771c88e7971078782dd025ef0e5339b60aa640838bf498efe8a2bb6b1135780a68ed6f6f0baa755c7bc449b572550cc7959785a027ce1291d312887f9aeaf1d128c1bdb9ccccbff8b432ea1fbb52b071efc4420fd554c468e79e34724179aa9b43ef97472ca7b541b5f6e4ac05ca8267e6b310041809121f145c61df38a916fea3953d43e72dac61492c73aaa58e72e41d8868c12253ee147b0bbaee75010449bf231bc86fe2c0f407bdd56d9eb1b187cdfbb65335ff2887fd8bb059c3322d3a12512253a216824213cdae0059959eccd77ee29e');
INSERT INTO public.order_body VALUES ('\xdf90b1ce17f743ccac5a40dde3ee09f9', '\x6a66e3694352830d7184c0aa25d3aa3aec92fd20a770eaf1dcad5145c3aece9fc15cf75582a377173c4ea89228276f7e5143dcfca1feb19f6286dafeba76a1f0c76dbad628ba0183b8f1d2dec4c1b280532fd9c313ed359039fd776c15bf4554d8928b40314527c3ced1fd4bed6ec970eea50aca102b94267cc62b7ef3f752e77b9c37c31d1b0071af5ca1726261aee6cb6548b77cd8153374de44cd95351bfe5dcda3a085c62fbb88a5d8696cc199064738cb555375905a68a651708a1bd84bb35c3dafec9282e46eca40359d059bb4a4f2dc6d5e464d10d9fc60a7edd24d59b825a7fd73b37f630d143b8dac2e478cd17bec848399f13da87341645b663c48980780e1428f9ec4776daae8bcb4c9599b52351d980c980455baf297a6da84971f12ea38b277b6c8568122cebcf8fb577601111ad46f19c1c3957a105a852a0e8ffc9d177b88aed06a1e5d356a9da9578489b720ca7b5c4d10570aa4c3edfd2b19b1d397090587a1ad66e61548ed6ff76a79d3d19ce3d0be76c302dffa3618e5d7880ba8050c06fa3fd3e18bf3b95621ca99ab060febe70a26da2505f2f09fe6894dd86d7433ae762b6d8b74d01b8bf1808f0cabff78d04768dfddb141ca0724b8bd4cca24c4cc9b323bf0affbeb4f4da627bd5cb5400249fbdf7ffb01b2f99306299229207a4472bc61d75b5e23c0c8666fff745dedb19246ad06392b63b43adc01065ae2dfc3b5bc235edc8bb7788c4bafba8ab1a38f65e4ecd3789125e3b14210e0fa727c20cf5e6b343bd81e09ea99a5a4d12f4ffeeec38d0e98d869f3b1d47c0efae319267db28b0c03914f0aae44ca8c47e1e4acbd8d49907ec50c627f93b58e68c029bbfd0c4eb6b83f7f4df745a25a56abb28bc9e8df70eb37676905f0e8bc8ff8a5585aa6602dfa92ba9e2e34360e731c7d59ca36fda34954537c29783c7af210ce643f69cfd0e7ba9c94155da240cdc13a136122fd99e896c9ecbede133fa90f8032c1083539a8895455294859a1f4459901cb95ecb5f13dd12ee0b4ef218714d19a35f6ce223c519e4e049eff19eadd2334013991af4fbea0294e6cdd1224c32a44529b2cba46da705004e1ef375c333195a52d8432a166edb0607b674ee2ad35e5a759c1fcfc462e66fd64e99286b1658f849daf1af02cd668f32823f229776d188e9c27797ea9b320e34642f7a2cc2359f590d4daac864b34d0a55f1a5091ea8a3c8a6f8c0948a9bae7bb323390b994f40bfbaa9fd30cbe8d682fc849357b22ed7608e16089ff0b6f62592da9e2fcef920273393a162e4c5ac2fcd47e2823376ed772e905adbbea46159a8ec6666eece9364ed684e852f08c3a0c9f0307c183c854d5869972643983fdf349311d29338d802bc1832097ac7ad99c89f1e3d80587038387edbdbdfddcbb11ba8fe9b2802121142686bdd5ebd28815763e');


--
-- Data for Name: order_delivery; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.order_delivery VALUES ('\xcab2c489646f41dc826e0c5e1fe071b5', '\x01a2056b8e777000847b549a980d0278', 'failed', 1, NULL, 1795646464645, '\x09ade400c77851501051afbebbf446e714842aa1956cae938fb63f3fb84a16cc', NULL, NULL, 'HTTP 503', 1795387264645, 1795650065133, 1);
INSERT INTO public.order_delivery VALUES ('\x086732a0cdb748fe9ff96f5afa89d422', '\x01a2056b8e777000847b549a980d0278', 'accepted', 1, NULL, 1795910587813, '\x5919143295003c45a9ffcb141c20c21a6b8ae6d2407bf51069b87e5c6b4c4c0c', 'doc-1', 'SO-1', NULL, 1795651387813, 1795651387820, 0);
INSERT INTO public.order_delivery VALUES ('\xc09d45822c4d4013ad2f689668b1a38f', '\x01a2056b8e777000847b549a980d0278', 'rejected', 1, NULL, 1795910587872, '\x96fd66d0b91d74ab6438b0b4f64103875d910a2d141dd5d979adf628751c9f24', NULL, NULL, 'Not in stock', 1795651387872, 1795651387876, 0);
INSERT INTO public.order_delivery VALUES ('\x757ed69970c645f096cea8cf6214ff84', '\x01a2056b8e777000847b549a980d0278', 'queued', 1, 1795651388818, 1795910587930, '\x1f295759dd45c255c95c1bde5d82a174eb872919ccccdbb40d4135cecdb1e1f6', NULL, NULL, 'HTTP 503', 1795651387930, 1795651387941, 1);
INSERT INTO public.order_delivery VALUES ('\xf69b1fb1b3e240c1adcf5e6000240ef3', '\x01a2056b8e777000847b549a980d0278', 'queued', 1, 1795651388871, 1795910587936, '\xbfb85bf6089f4721b9bd7df4f3e6a23776849952d0a4d8bc35f9978bfeee65fd', NULL, NULL, 'HTTP 503', 1795651387936, 1795651387945, 1);
INSERT INTO public.order_delivery VALUES ('\xa1fb20333a754b5c959bb2939ee538cb', '\x01a2056b8e777000847b549a980d0278', 'queued', 1, 1795651389003, 1795910587940, '\x357b3654b490071e66c8e9a989d502b6e3ec5f2b5a1f997e3762db9d63c89cef', NULL, NULL, 'HTTP 503', 1795651387940, 1795651387947, 1);
INSERT INTO public.order_delivery VALUES ('\x4e9aeefd2e924e6593e259bbac5bc9a4', '\x01a2056b8e777000847b549a980d0278', 'queued', 1, 1795651388928, 1795910587944, '\x2064446758cafeefe3ebb1fa364b11bb5c6089066851d3def77af89255917f89', NULL, NULL, 'HTTP 503', 1795651387944, 1795651387948, 1);
INSERT INTO public.order_delivery VALUES ('\xdf90b1ce17f743ccac5a40dde3ee09f9', '\x01a2056b8e7e700087b57634d96b3c38', 'delivering', 1, 1795651470057, 1795910650055, '\x56909ff82642226b498eab192f5e47f1b446be5c3c1a56bbf6a1d4397f3e80cc', NULL, NULL, NULL, 1795651450055, 1795651450057, 0);
INSERT INTO public.order_delivery VALUES ('\xcfb512b6d0b845f197f13e70b62be8f3', '\x01a2056b8e777000847b549a980d0278', 'queued', 2, 1795651454499, 1795910587934, '\xcbb420e659dc45d76ec766247a8a7a8eaf4f6a37ea1a8ab378ab91b576f058e9', NULL, NULL, 'HTTP 503', 1795651387934, 1795651450061, 2);


--
-- Data for Name: order_lane; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.order_lane VALUES ('\x01a2056b8e7e700087b57634d96b3c38', '\x01a2056b8e55700081474b41fa39f7c0', 1795651480057, 0, NULL, NULL);
INSERT INTO public.order_lane VALUES ('\x01a2056b8e777000847b549a980d0278', '\x01a2056b8e55700081474b41fa39f7c0', 1795651417816, 6, 1795651480061, NULL);


--
-- Data for Name: otp; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.otp VALUES ('\x01a21529c01f700080fd258624add92f', 'sms', '+79161000002', 'sent', '\xc2ed1c8e3d5d442da6f3bbbf4e085d429b2f4bf5b07343431af4d8c1d472b32fa78de69295a06b84f64be4404cc7', 6, 5, NULL, NULL, NULL, 0, 1795651387423, 1795652287423, NULL);
INSERT INTO public.otp VALUES ('\x01a21529c0267000861cf86ed0027a28', 'sms', '+79161000003', 'delivered', '\x1b09fb924cc1d39d3939882a487b0b6412d0a1e340fb752551dc7f29629c1bbb1b8d68b9ffbac4f14304143ede12', 6, 5, NULL, NULL, NULL, 0, 1795651387430, 1795652287430, NULL);
INSERT INTO public.otp VALUES ('\x01a21529c02f700085e4305c84a58ffc', 'sms', '+79161000004', 'undelivered', '\xa67b73b0e3f265f0fd1366792b74f9d05afeb22d883c6121e57587a556f0b26ac027f222fa7cf022ca21f76dcd0a', 6, 5, NULL, NULL, NULL, 0, 1795651387439, 1795652287439, NULL);
INSERT INTO public.otp VALUES ('\x01a21529c03670008533fa3ba91a4db5', 'sms', '+79161000005', 'sent', '\x91103953de6da4fa58ec9ca272ddb1db2f0b821c8ebece663a2209a42518305cb0897e9628158b51c6a8ab7aae06', 6, 3, NULL, NULL, NULL, 0, 1795651387446, 1795652287446, NULL);
INSERT INTO public.otp VALUES ('\x01a21529c03f70008418d51439536e51', 'sms', '+79161000006', 'confirmed', NULL, 6, 5, NULL, NULL, NULL, 0, 1795651387455, 1795652287455, 1795651387460);
INSERT INTO public.otp VALUES ('\x01a21529c04670008412d2b3504dcd2a', 'sms', '+79161000007', 'exhausted', NULL, 6, 0, NULL, NULL, NULL, 0, 1795651387462, 1795652287462, NULL);
INSERT INTO public.otp VALUES ('\x01a21529c050700087a1788da90690f0', 'sms', '+79161000008', 'canceled', NULL, 6, 5, NULL, NULL, NULL, 0, 1795651387472, 1795652287472, NULL);
INSERT INTO public.otp VALUES ('\x01a21529c0527000841b16b5f4081a0d', 'personal_messenger', '+79161000009', 'queued', '\x3a02b7c53eac5726be70b6b4404ef552836e5a0dd10b2d50bfe8b335a1768678417f8f6d2641f61ce1f2870934d5', 6, 5, 'account-moved', NULL, NULL, 0, 1795651387474, 1795652287474, NULL);
INSERT INTO public.otp VALUES ('\x01a21529c0547000841ace676fa2a5c1', 'messenger_gateway', '+79161000010', 'sent', '\x2dff58d1148d1426cc6d1786522915a50c94478ad8d4b18fb7a58a4abc9159db8c4d72be72957d763680d5b96868', 6, 5, NULL, NULL, NULL, 0, 1795651387476, 1795652287476, NULL);
INSERT INTO public.otp VALUES ('\x01a21529c07770008443e135b92e63c8', 'messenger_gateway', '+79161000011', 'confirmed', NULL, 6, 5, NULL, NULL, NULL, 0, 1795651387511, 1795652287511, 1795651388006);
INSERT INTO public.otp VALUES ('\x01a21529c26b7000844e02d3da8a4005', 'sms', '+79161000018', 'queued', '\x2a5f5dadf73ce3402c5251cfc219cc855bf13af02775db9b042070791ef157909cf4a10d75eb11a6c5ee772c86c6', 6, 5, NULL, NULL, NULL, 0, 1795651388011, 1795652288011, NULL);
INSERT INTO public.otp VALUES ('\x01a21529c26e700084f578ed47227bb7', 'sms', '+79161000019', 'queued', '\x2b5a5d869eb9d09fe5106ab8d4fa7e2bf3b8b8e7673b2ae8332c9ecdd6d65b1206e01244ccf2145a2fcf994c1cbb', 6, 5, NULL, NULL, NULL, 0, 1795651388014, 1795652288014, NULL);
INSERT INTO public.otp VALUES ('\x01a2151682387000860af73e3fb686a5', 'sms', '+79161000000', 'expired', NULL, 6, 5, NULL, NULL, NULL, 0, 1795650126392, 1795651026392, NULL);


--
-- Data for Name: phone_task; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.phone_task VALUES ('\x01a21516823870008e15352c7112ffd3', 'sms', 'otp', '\x01a2151682387000860af73e3fb686a5', '+79160000000', '+79161000000', 1, 'sent', NULL, '\x01a21516823e700088d469879e23e2b2', '\x01a2056b8e6d700089ae50ad52c11179', 1795650216398, 1795650126392, 1795650126403, 1795651026392);
INSERT INTO public.phone_task VALUES ('\x01a21529c01f7000895997b2da24f89f', 'sms', 'otp', '\x01a21529c01f700080fd258624add92f', '+79160000000', '+79161000002', 1, 'sent', NULL, '\x01a21529c0217000894bc2176a263236', '\x01a2056b8e6d700089ae50ad52c11179', 1795651477425, 1795651387423, 1795651387429, 1795652287423);
INSERT INTO public.phone_task VALUES ('\x01a21529c02670008c67607096cd0266', 'sms', 'otp', '\x01a21529c0267000861cf86ed0027a28', '+79160000000', '+79161000003', 1, 'delivered', NULL, '\x01a21529c02970008bdb4b9eeb167850', '\x01a2056b8e6d700089ae50ad52c11179', 1795651477433, 1795651387430, 1795651387438, 1795652287430);
INSERT INTO public.phone_task VALUES ('\x01a21529c02f70008cfd995ab75fdd1f', 'sms', 'otp', '\x01a21529c02f700085e4305c84a58ffc', '+79160000000', '+79161000004', 1, 'failed', NULL, '\x01a21529c0317000893c8539f0517605', '\x01a2056b8e6d700089ae50ad52c11179', 1795651477441, 1795651387439, 1795651387444, 1795652287439);
INSERT INTO public.phone_task VALUES ('\x01a21529c03670008e45ce07557fcffe', 'sms', 'otp', '\x01a21529c03670008533fa3ba91a4db5', '+79160000000', '+79161000005', 1, 'sent', NULL, '\x01a21529c03970008a90148487fdfe23', '\x01a2056b8e6d700089ae50ad52c11179', 1795651477449, 1795651387446, 1795651387451, 1795652287446);
INSERT INTO public.phone_task VALUES ('\x01a21529c03f70008dd888faea25a650', 'sms', 'otp', '\x01a21529c03f70008418d51439536e51', '+79160000000', '+79161000006', 1, 'sent', NULL, '\x01a21529c040700089c3e377ac4a10d6', '\x01a2056b8e6d700089ae50ad52c11179', 1795651477456, 1795651387455, 1795651387458, 1795652287455);
INSERT INTO public.phone_task VALUES ('\x01a21529c04670008cb96fc58d167766', 'sms', 'otp', '\x01a21529c04670008412d2b3504dcd2a', '+79160000000', '+79161000007', 1, 'sent', NULL, '\x01a21529c0487000888c57e2a10bf334', '\x01a2056b8e6d700089ae50ad52c11179', 1795651477464, 1795651387462, 1795651387466, 1795652287462);
INSERT INTO public.phone_task VALUES ('\x01a21529c05070008ede0bcc55e0ac24', 'sms', 'otp', '\x01a21529c050700087a1788da90690f0', '+79160000000', '+79161000008', 1, 'failed', 'canceled', NULL, NULL, 0, 1795651387472, 1795651387473, 1795651387472);
INSERT INTO public.phone_task VALUES ('\x01a21529c0527000889de47ef03a0579', 'personal_messenger', 'otp', '\x01a21529c0527000841b16b5f4081a0d', 'account-moved', '+79161000009', 1, 'queued', NULL, NULL, NULL, 0, 1795651387474, 1795651387474, 1795652287474);
INSERT INTO public.phone_task VALUES ('\x01a21529c09a70008b476c64d2f0481e', 'personal_messenger', 'message', '\x01a21529c09a7000853f67460a0631f3', 'account-1', '+79161000015', 1, 'sent', NULL, '\x01a21529c09c70008bd00654a97c2ca2', '\x01a2056b8e6f70008bc0158dd9579544', 1795651477548, 1795651387546, 1795651387551, 1795737787546);
INSERT INTO public.phone_task VALUES ('\x01a21529c0a0700089613485097364d7', 'personal_messenger', 'message', '\x01a21529c0a07000846a28d848cdf87c', 'account-1', '+79161000016', 1, 'failed', NULL, '\x01a21529c0a27000897792b4cedbad29', '\x01a2056b8e6f70008bc0158dd9579544', 1795651477554, 1795651387552, 1795651387557, 1795737787552);
INSERT INTO public.phone_task VALUES ('\x01a21529c0a67000893acf5835764e77', 'personal_messenger', 'message', '\x01a21529c0a6700085800978824d483a', 'account-1', '+79161000017', 1, 'queued', NULL, NULL, NULL, 0, 1795651387558, 1795651387558, 1795737787558);
INSERT INTO public.phone_task VALUES ('\x01a21529c26e70008f03c795fd16f394', 'sms', 'otp', '\x01a21529c26e700084f578ed47227bb7', '+79160000000', '+79161000019', 1, 'queued', NULL, NULL, NULL, 0, 1795651388014, 1795651388014, 1795652288014);
INSERT INTO public.phone_task VALUES ('\x01a21529c26b70008cb7af242cd3b144', 'sms', 'otp', '\x01a21529c26b7000844e02d3da8a4005', '+79160000000', '+79161000018', 1, 'claimed', NULL, '\x01a2152ab4c5700090b39700209b4db2', '\x01a2056b8e6d700089ae50ad52c11179', 1795651540053, 1795651388011, 1795651450053, 1795652288011);


--
-- Data for Name: schema_migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_migration VALUES (1, '0001_kit', 1795387264481);
INSERT INTO public.schema_migration VALUES (2, '0002_fleet', 1795387264485);
INSERT INTO public.schema_migration VALUES (3, '0003_challenge', 1795387264487);
INSERT INTO public.schema_migration VALUES (4, '0004_otp', 1795387264490);
INSERT INTO public.schema_migration VALUES (5, '0005_log', 1795387264492);
INSERT INTO public.schema_migration VALUES (6, '0006_channel', 1795387264494);
INSERT INTO public.schema_migration VALUES (7, '0007_message', 1795387264496);
INSERT INTO public.schema_migration VALUES (8, '0008_client', 1795387264500);
INSERT INTO public.schema_migration VALUES (9, '0009_token', 1795387264505);
INSERT INTO public.schema_migration VALUES (10, '0010_package', 1795387264511);
INSERT INTO public.schema_migration VALUES (11, '0011_catalog', 1795387264526);
INSERT INTO public.schema_migration VALUES (12, '0012_order', 1795387264531);
INSERT INTO public.schema_migration VALUES (13, '0013_due', 1795387264534);
INSERT INTO public.schema_migration VALUES (14, '0014_give_up', 1795387264536);
INSERT INTO public.schema_migration VALUES (15, '0015_task_open', 1795387264540);
INSERT INTO public.schema_migration VALUES (16, '0016_one_question', 1795387264542);
INSERT INTO public.schema_migration VALUES (17, '0017_unasked', 1795387264544);


--
-- Data for Name: signing_key; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signing_key VALUES (1, 'lTxciEksZY9DHS5yVstasVjo3h2eqTfehw5_bi7hZSA', '\xa160470b947db48f677a581ae85e2b396b41eeb0e1ddd6cbbea2b0b694c0f384', '\x9ebdc39c00575b7ac04a12fea88bb9f35af29499e30d8c90a6a80eaaf388770dde25d678cfce5e253a534d76b130014f867640f9f307d72b4db139e880b10f05b8bffa9b2d56cf8e', 1795387264604, 1795387264604);
INSERT INTO public.signing_key VALUES (2, 'FbvhQfuXo33jiaSQ21CC-r_aq-H6W2vxQ2W4lj7Zyqs', '\x41dd26825fba6a2d7de692034032860f0b6736aad8f2377a523dddb3b616aa14', '\x0a6ea86a3d5507c20cc27e3ff1e608ee5215ca105486a7bd46f7cb5abfb688801c26dd3bd0bbcbfdb8e3fbaa5e1c1a0ef36ba3c5a5dd8b5c71987d4be42e563ef901078957ffc77f', 1795651027408, 1795651342408);


--
-- Data for Name: store_pair; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: vault_check; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.vault_check VALUES (1, '\x013104ab95f68d3682340a02ade48e06013090c85e3c9afbd4e4a638e58c444bd6f7fca586d74c5327354a17bc09');


--
-- Data for Name: worker; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.worker VALUES ('\x01a2056b8e497000813feb795881e70e', 1795650065117);


--
-- Data for Name: workload_client; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.workload_client VALUES ('\x01a2056b8e8070008a2425e7b3497a30', '\x01a2056b8e777000847b549a980d0278', 'old', 'erp.catalog.write erp.changes.write erp.events.read', 1, 1795387264640);
INSERT INTO public.workload_client VALUES ('\x01a21529c017700088ecb5be2f79f205', '\x01a2056b8e777000847b549a980d0278', 'off', 'erp.catalog.write erp.changes.write erp.events.read', 0, 1795651387415);
INSERT INTO public.workload_client VALUES ('\x01a2152ab4fb700088bd486c86379c6a', '\x01a2056b8e7e700087b57634d96b3c38', NULL, 'erp.catalog.write erp.changes.write erp.events.read', 1, 1795651450107);


--
-- Data for Name: wrong_code; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wrong_code VALUES ('+79161000005', 1795651387453, '\x01a21529c03670008533fa3ba91a4db5', 4);
INSERT INTO public.wrong_code VALUES ('+79161000005', 1795651387454, '\x01a21529c03670008533fa3ba91a4db5', 3);
INSERT INTO public.wrong_code VALUES ('+79161000007', 1795651387467, '\x01a21529c04670008412d2b3504dcd2a', 4);
INSERT INTO public.wrong_code VALUES ('+79161000007', 1795651387468, '\x01a21529c04670008412d2b3504dcd2a', 3);
INSERT INTO public.wrong_code VALUES ('+79161000007', 1795651387469, '\x01a21529c04670008412d2b3504dcd2a', 2);
INSERT INTO public.wrong_code VALUES ('+79161000007', 1795651387470, '\x01a21529c04670008412d2b3504dcd2a', 1);
INSERT INTO public.wrong_code VALUES ('+79161000007', 1795651387471, '\x01a21529c04670008412d2b3504dcd2a', 0);


--
-- Name: active_challenge active_challenge_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.active_challenge
    ADD CONSTRAINT active_challenge_pkey PRIMARY KEY (number);


--
-- Name: call_challenge call_challenge_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.call_challenge
    ADD CONSTRAINT call_challenge_pkey PRIMARY KEY (id);


--
-- Name: call_event call_event_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.call_event
    ADD CONSTRAINT call_event_pkey PRIMARY KEY (device_id, event_id);


--
-- Name: catalog_category catalog_category_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog_category
    ADD CONSTRAINT catalog_category_pkey PRIMARY KEY (catalog, id);


--
-- Name: catalog_definition catalog_definition_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog_definition
    ADD CONSTRAINT catalog_definition_pkey PRIMARY KEY (catalog, id);


--
-- Name: catalog catalog_number_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog
    ADD CONSTRAINT catalog_number_key UNIQUE (number);


--
-- Name: catalog_offer catalog_offer_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog_offer
    ADD CONSTRAINT catalog_offer_pkey PRIMARY KEY (product, variant);


--
-- Name: catalog catalog_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog
    ADD CONSTRAINT catalog_pkey PRIMARY KEY (integration_id);


--
-- Name: catalog_product_doc catalog_product_doc_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog_product_doc
    ADD CONSTRAINT catalog_product_doc_pkey PRIMARY KEY (product);


--
-- Name: catalog_product_name catalog_product_name_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog_product_name
    ADD CONSTRAINT catalog_product_name_pkey PRIMARY KEY (product);


--
-- Name: catalog_product catalog_product_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog_product
    ADD CONSTRAINT catalog_product_pkey PRIMARY KEY (product);


--
-- Name: catalog_variant catalog_variant_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog_variant
    ADD CONSTRAINT catalog_variant_pkey PRIMARY KEY (product, id);


--
-- Name: channel_circuit channel_circuit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.channel_circuit
    ADD CONSTRAINT channel_circuit_pkey PRIMARY KEY (channel);


--
-- Name: channel_send channel_send_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.channel_send
    ADD CONSTRAINT channel_send_pkey PRIMARY KEY (id);


--
-- Name: chat_turn chat_turn_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chat_turn
    ADD CONSTRAINT chat_turn_pkey PRIMARY KEY (chat);


--
-- Name: client_secret client_secret_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.client_secret
    ADD CONSTRAINT client_secret_pkey PRIMARY KEY (id);


--
-- Name: device_account device_account_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_account
    ADD CONSTRAINT device_account_pkey PRIMARY KEY (account_id);


--
-- Name: device_number device_number_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_number
    ADD CONSTRAINT device_number_pkey PRIMARY KEY (number);


--
-- Name: device device_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device
    ADD CONSTRAINT device_pkey PRIMARY KEY (id);


--
-- Name: erp_package_body erp_package_body_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erp_package_body
    ADD CONSTRAINT erp_package_body_pkey PRIMARY KEY (integration_id, receipt);


--
-- Name: erp_package erp_package_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erp_package
    ADD CONSTRAINT erp_package_pkey PRIMARY KEY (integration_id, event_id);


--
-- Name: erp_receipt erp_receipt_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erp_receipt
    ADD CONSTRAINT erp_receipt_pkey PRIMARY KEY (integration_id);


--
-- Name: idempotency_key idempotency_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_key
    ADD CONSTRAINT idempotency_key_pkey PRIMARY KEY (family, key);


--
-- Name: integration integration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.integration
    ADD CONSTRAINT integration_pkey PRIMARY KEY (id);


--
-- Name: job job_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (id);


--
-- Name: lease lease_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lease
    ADD CONSTRAINT lease_pkey PRIMARY KEY (name);


--
-- Name: log_entry log_entry_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.log_entry
    ADD CONSTRAINT log_entry_pkey PRIMARY KEY (id);


--
-- Name: log_head log_head_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.log_head
    ADD CONSTRAINT log_head_pkey PRIMARY KEY (one);


--
-- Name: message message_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (id);


--
-- Name: order_attempt order_attempt_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_attempt
    ADD CONSTRAINT order_attempt_pkey PRIMARY KEY (id, attempt);


--
-- Name: order_body order_body_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_body
    ADD CONSTRAINT order_body_pkey PRIMARY KEY (id);


--
-- Name: order_delivery order_delivery_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_delivery
    ADD CONSTRAINT order_delivery_pkey PRIMARY KEY (id);


--
-- Name: order_lane order_lane_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_lane
    ADD CONSTRAINT order_lane_pkey PRIMARY KEY (integration_id);


--
-- Name: otp otp_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.otp
    ADD CONSTRAINT otp_pkey PRIMARY KEY (id);


--
-- Name: phone_task phone_task_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.phone_task
    ADD CONSTRAINT phone_task_pkey PRIMARY KEY (id);


--
-- Name: schema_migration schema_migration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (version);


--
-- Name: signing_key signing_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_key
    ADD CONSTRAINT signing_key_pkey PRIMARY KEY (number);


--
-- Name: store_pair store_pair_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.store_pair
    ADD CONSTRAINT store_pair_pkey PRIMARY KEY (one);


--
-- Name: vault_check vault_check_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vault_check
    ADD CONSTRAINT vault_check_pkey PRIMARY KEY (one);


--
-- Name: worker worker_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.worker
    ADD CONSTRAINT worker_pkey PRIMARY KEY (id);


--
-- Name: workload_client workload_client_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workload_client
    ADD CONSTRAINT workload_client_pkey PRIMARY KEY (id);


--
-- Name: wrong_code wrong_code_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wrong_code
    ADD CONSTRAINT wrong_code_pkey PRIMARY KEY (recipient, at, otp_id, attempt);


--
-- Name: active_challenge_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX active_challenge_by_expiry ON public.active_challenge USING btree (expires_at);


--
-- Name: call_challenge_by_caller; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX call_challenge_by_caller ON public.call_challenge USING btree (caller, gateway_number, created_at);


--
-- Name: call_event_by_arrival; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX call_event_by_arrival ON public.call_event USING btree (arrived_at);


--
-- Name: catalog_product_by_category; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX catalog_product_by_category ON public.catalog_product USING btree (catalog, category_id, product) WHERE (category_id IS NOT NULL);


--
-- Name: catalog_product_by_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX catalog_product_by_id ON public.catalog_product USING btree (catalog, id);


--
-- Name: channel_send_by_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX channel_send_by_owner ON public.channel_send USING btree (owner_id);


--
-- Name: channel_send_by_provider_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX channel_send_by_provider_id ON public.channel_send USING btree (provider_id) WHERE (provider_id IS NOT NULL);


--
-- Name: chat_turn_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX chat_turn_by_time ON public.chat_turn USING btree (next_at);


--
-- Name: client_secret_by_client; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX client_secret_by_client ON public.client_secret USING btree (client_id, id) WHERE (ended_at IS NULL);


--
-- Name: client_secret_by_hash; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX client_secret_by_hash ON public.client_secret USING btree (hash);


--
-- Name: device_account_by_device; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX device_account_by_device ON public.device_account USING btree (device_id, account_id);


--
-- Name: device_account_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX device_account_by_time ON public.device_account USING btree (state_until);


--
-- Name: device_by_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX device_by_key ON public.device USING btree (key_hash);


--
-- Name: device_number_by_device; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX device_number_by_device ON public.device_number USING btree (device_id, "position");


--
-- Name: device_number_by_load; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX device_number_by_load ON public.device_number USING btree (active_challenges, last_used_at, number) WHERE (is_enabled = 1);


--
-- Name: device_number_by_load_ready; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX device_number_by_load_ready ON public.device_number USING btree (active_challenges, last_used_at, number) WHERE ((is_enabled = 1) AND (is_ready = 1));


--
-- Name: erp_package_body_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erp_package_body_by_age ON public.erp_package_body USING btree (received_at);


--
-- Name: erp_package_by_receipt; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX erp_package_by_receipt ON public.erp_package USING btree (integration_id, receipt) WHERE (receipt IS NOT NULL);


--
-- Name: erp_package_failed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erp_package_failed ON public.erp_package USING btree (integration_id, receipt) WHERE (status = 'failed'::text);


--
-- Name: erp_package_new; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erp_package_new ON public.erp_package USING btree (integration_id, receipt) WHERE (status = 'accepted'::text);


--
-- Name: erp_package_new_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erp_package_new_due ON public.erp_package USING btree (due_at, integration_id) WHERE (status = 'accepted'::text);


--
-- Name: erp_package_processing; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erp_package_processing ON public.erp_package USING btree (integration_id, due_at) WHERE (status = 'processing'::text);


--
-- Name: erp_package_retry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erp_package_retry ON public.erp_package USING btree (integration_id, receipt) WHERE (status = 'retry'::text);


--
-- Name: erp_package_snapshot; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erp_package_snapshot ON public.erp_package USING btree (integration_id, receipt) WHERE (event_type = 'snapshot'::text);


--
-- Name: erp_package_tried; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erp_package_tried ON public.erp_package USING btree (integration_id, due_at, receipt) WHERE (status = ANY (ARRAY['retry'::text, 'processing'::text]));


--
-- Name: erp_package_tried_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX erp_package_tried_due ON public.erp_package USING btree (due_at, integration_id) WHERE ((status = ANY (ARRAY['retry'::text, 'processing'::text])) AND (attempts > 0));


--
-- Name: job_by_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX job_by_due ON public.job USING btree (kind, due_at_ms);


--
-- Name: message_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX message_by_expiry ON public.message USING btree (expires_at) WHERE (text IS NOT NULL);


--
-- Name: order_delivery_by_integration; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_delivery_by_integration ON public.order_delivery USING btree (integration_id, created_at, id);


--
-- Name: order_delivery_by_integration_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_delivery_by_integration_state ON public.order_delivery USING btree (integration_id, state, created_at, id) WHERE ((state <> 'accepted'::text) AND (integration_id IS NOT NULL));


--
-- Name: order_delivery_by_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_delivery_by_state ON public.order_delivery USING btree (state, created_at, id) WHERE ((state <> 'accepted'::text) AND (created_at > 0));


--
-- Name: order_delivery_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_delivery_by_time ON public.order_delivery USING btree (created_at, id);


--
-- Name: order_delivery_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_delivery_due ON public.order_delivery USING btree (integration_id, due_at) WHERE ((due_at IS NOT NULL) AND (integration_id IS NOT NULL));


--
-- Name: order_delivery_give_up; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX order_delivery_give_up ON public.order_delivery USING btree (give_up_at) WHERE ((due_at IS NOT NULL) AND (give_up_at > 0));


--
-- Name: otp_by_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX otp_by_expiry ON public.otp USING btree (expires_at) WHERE (code IS NOT NULL);


--
-- Name: otp_by_recipient; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX otp_by_recipient ON public.otp USING btree (recipient, created_at);


--
-- Name: phone_task_by_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX phone_task_by_owner ON public.phone_task USING btree (owner_id);


--
-- Name: phone_task_claimed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX phone_task_claimed ON public.phone_task USING btree (channel, sender) WHERE ((state = 'claimed'::text) AND (channel IS NOT NULL));


--
-- Name: phone_task_held; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX phone_task_held ON public.phone_task USING btree (lease_device_id) WHERE ((state = 'claimed'::text) AND (lease_device_id IS NOT NULL));


--
-- Name: phone_task_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX phone_task_open ON public.phone_task USING btree (channel, sender, id) WHERE ((state = ANY (ARRAY['queued'::text, 'claimed'::text])) AND (channel IS NOT NULL));


--
-- Name: phone_task_unreported; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX phone_task_unreported ON public.phone_task USING btree (expires_at) WHERE ((state = 'claimed'::text) AND (expires_at > 0));


--
-- Name: workload_client_by_integration; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX workload_client_by_integration ON public.workload_client USING btree (integration_id, id);


--
-- Name: wrong_code_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wrong_code_by_time ON public.wrong_code USING btree (at);


--
-- Name: catalog catalog_integration_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog
    ADD CONSTRAINT catalog_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES public.integration(id);


--
-- Name: client_secret client_secret_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.client_secret
    ADD CONSTRAINT client_secret_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.workload_client(id);


--
-- Name: device_account device_account_device_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_account
    ADD CONSTRAINT device_account_device_id_fkey FOREIGN KEY (device_id) REFERENCES public.device(id);


--
-- Name: device_number device_number_device_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_number
    ADD CONSTRAINT device_number_device_id_fkey FOREIGN KEY (device_id) REFERENCES public.device(id);


--
-- Name: erp_package erp_package_integration_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erp_package
    ADD CONSTRAINT erp_package_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES public.integration(id);


--
-- Name: erp_receipt erp_receipt_integration_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.erp_receipt
    ADD CONSTRAINT erp_receipt_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES public.integration(id);


--
-- Name: order_delivery order_delivery_integration_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_delivery
    ADD CONSTRAINT order_delivery_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES public.integration(id);


--
-- Name: order_lane order_lane_integration_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_lane
    ADD CONSTRAINT order_lane_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES public.integration(id);


--
-- Name: workload_client workload_client_integration_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workload_client
    ADD CONSTRAINT workload_client_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES public.integration(id);


--
-- PostgreSQL database dump complete
--


