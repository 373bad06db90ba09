-- file: herald.db
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE schema_migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT;
INSERT INTO schema_migration VALUES(1,'0001_kit',1795387263088);
INSERT INTO schema_migration VALUES(2,'0002_fleet',1795387263088);
INSERT INTO schema_migration VALUES(3,'0003_challenge',1795387263089);
INSERT INTO schema_migration VALUES(4,'0004_otp',1795387263090);
INSERT INTO schema_migration VALUES(5,'0005_log',1795387263090);
INSERT INTO schema_migration VALUES(6,'0006_channel',1795387263090);
INSERT INTO schema_migration VALUES(7,'0007_message',1795387263091);
INSERT INTO schema_migration VALUES(15,'0015_task_open',1795387263091);
INSERT INTO schema_migration VALUES(17,'0017_unasked',1795387263091);
CREATE TABLE idempotency_key (
    family      TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    resource_id BLOB NOT NULL,
    PRIMARY KEY (family, key)
) STRICT, WITHOUT ROWID;
INSERT INTO idempotency_key VALUES('challenges','call-canceled',X'65c636dac2213a99e8387cad7097d467d17b6a7bf6e2cc8e838a2f509d461af1',X'01a21529b99d700086dd610e65b22089');
INSERT INTO idempotency_key VALUES('challenges','call-confirmed',X'2a98831c16e9da7a5ecd11b0740aa000e42af743d2a95ea17e49961abce44edd',X'01a21529b99c700085ee8a48d3fc63bf');
INSERT INTO idempotency_key VALUES('challenges','call-expired',X'7eaa43fe0bad8e54ccd851d3ecc1fc9b59492d6eb038101665d3039dba797322',X'01a215167b9470008671fd4d3b963321');
INSERT INTO idempotency_key VALUES('challenges','call-pending',X'97fc9d00dceb38fa316a40eb40d5c8c4fe9254f03f6c139ffa3ec8b56e121efa',X'01a21529b99b70008ff45201cd76ebc6');
INSERT INTO idempotency_key VALUES('messages','message-bot',X'7732f6b0ffb8aa3d6c7312e3951c7b6cb9d68bf323b153acc1e7379be85a3cbc',X'01a21529b9a57000903b33257e768984');
INSERT INTO idempotency_key VALUES('messages','message-closed',X'b28a3948c958888f502b34ed66e400ae7b7df45f92d8d0c4ff930b9f23f4f0a8',X'01a21529b9bd700086f650c33cbcdd03');
INSERT INTO idempotency_key VALUES('messages','message-failed',X'a6e9067b7b4ab974869505ce7615df553149c16b1a0bcdee15ef59061e96fdd5',X'01a21529b9a2700084971b882fcb0c73');
INSERT INTO idempotency_key VALUES('messages','message-sent',X'7529257993e4e54155d5a9ddf95e2ea025f27aaa8f11fe16de52997ea2e2218f',X'01a21529b9a0700085d4bd46238b1f5c');
INSERT INTO idempotency_key VALUES('messages','message-waiting',X'5b9c94841c7aff86212ec554477a715dfbae3c6016ebce7bf4fa3941b2efb8f8',X'01a21529b9a57000868561604ce4f1c4');
INSERT INTO idempotency_key VALUES('otp','otp-account',X'd8ea33316298f56c6fb5c76638a0e547338ce3db74ab26a8939311ec9821c07b',X'01a21529b98070008fa2367a5d93cd7f');
INSERT INTO idempotency_key VALUES('otp','otp-canceled',X'46b37635730ce076c16c397e43c0477468074527f0c108f9eaed4c33e027e445',X'01a21529b97f700084001ab6979ae565');
INSERT INTO idempotency_key VALUES('otp','otp-claimed',X'cc9989ba1d8d3496f955f9a72d14f87ea5f91973a17e36c9b2db2ba4bd2e227d',X'01a21529bb1870008f14b25d6aa8c68c');
INSERT INTO idempotency_key VALUES('otp','otp-confirmed',X'9ab644c58b4564e73f057db49e4dc091672111199f9588e2cce26548e50c756d',X'01a21529b97570008e641f67017a2f99');
INSERT INTO idempotency_key VALUES('otp','otp-delivered',X'31544b4454282f44fbeabcbc4dd53e5f4c8f30632b7baf478db69fb8a4ac3f7d',X'01a21529b96b7000871466fa5bed2d69');
INSERT INTO idempotency_key VALUES('otp','otp-exhausted',X'e462714e5dc677f868f61456efc69757a1e70177a35067178e7dbcc7ed17051a',X'01a21529b979700087ea4d104b4e919e');
INSERT INTO idempotency_key VALUES('otp','otp-expired',X'ca65625c1d6e391d4484be865c386f1b732a09f8cae06555dc1dd5165acebc38',X'01a215167b8f700087f50f7ef103fe7f');
INSERT INTO idempotency_key VALUES('otp','otp-gateway',X'07cd1222130fdacff4fb1d9ecee1173910bc6e5539d1428fced061659d445c3e',X'01a21529b9817000865ec4422b1adbbc');
INSERT INTO idempotency_key VALUES('otp','otp-queued',X'0faccb2836a205282f8376df2b6d969f4825e2382fd73511a7e83b1bb3ac37c9',X'01a21529bb19700085acc784dbb28e73');
INSERT INTO idempotency_key VALUES('otp','otp-sent',X'e5dfa8b245bd39daff6ca3829ff9c42ab774f178bf239c31f61197ecbd944ee6',X'01a21529b96870008733f480f541bd3d');
INSERT INTO idempotency_key VALUES('otp','otp-told',X'aaed2030e5eaf29a30fb61339209b7d0b1d60433eb6db1b49a40ba2bd74084ce',X'01a21529b99970008484aecb03cfed14');
INSERT INTO idempotency_key VALUES('otp','otp-tried',X'a380147242fccf11c8d7b928a22df6bee2f434a2e3a867006192f73b57304e9a',X'01a21529b9717000850bbb1050c56f38');
INSERT INTO idempotency_key VALUES('otp','otp-undelivered',X'271122f4cd30f435eb7fa2d9cdd0a89c8dd695511149d07f107fd17c4215777c',X'01a21529b96d70008764d51fb90cd459');
CREATE TABLE job (
    id             BLOB PRIMARY KEY NOT NULL,
    kind           TEXT NOT NULL,
    subject        BLOB NOT NULL,
    attempt        INTEGER NOT NULL,
    created_at_ms  INTEGER NOT NULL,
    run_at_ms      INTEGER NOT NULL, -- when it was to run
    due_at_ms      INTEGER NOT NULL, -- when it may be claimed: run_at_ms, or the end of its lease
    lease_id       BLOB
) STRICT, WITHOUT ROWID;
INSERT INTO job VALUES(X'01a21529b983700083360e80b4a2d600','messenger_gateway/status',X'01a21529b981700089aaf2808d2fec39',0,1795651385731,1795651387731,1795651387731,NULL);
INSERT INTO job VALUES(X'01a21529b99a70008af72e70757108fe','messenger_gateway/status',X'01a21529b99970008935428284cb9891',0,1795651385754,1795651387754,1795651387754,NULL);
INSERT INTO job VALUES(X'01a21529b9bd70008cbff7faddcce830','messenger_bot/send',X'01a21529b9bd700089c2649ff67a189a',1,1795651385789,1795651388789,1795651388789,NULL);
INSERT INTO job VALUES(X'01a21529bb1670008a27fbc00bc78982','messenger_gateway/success',X'01a21529b99970008935428284cb9891',0,1795651386134,1795651386134,1795651386134,NULL);
CREATE TABLE lease (
    name     TEXT PRIMARY KEY NOT NULL,
    holder   BLOB NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO lease VALUES('periodic',X'01a2056b8882700081be13f70d876f30',1795650093614);
CREATE TABLE vault_check (
    one    INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    sealed BLOB NOT NULL
) STRICT;
INSERT INTO vault_check VALUES(1,X'be33fe840c4c4e09e7601adc4b422c72c3fd48c7b09e4f59a33df8e704739e70c1e378d3d205ee52a5b8ca5f8a13');
CREATE TABLE store_pair (
    one         INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    pair_id     BLOB NOT NULL,
    is_complete INTEGER NOT NULL
) STRICT;
INSERT INTO store_pair VALUES(1,X'9ff8182cdcaa736c5487a33d0a3c4ce2',1);
CREATE TABLE device (
    id           BLOB PRIMARY KEY NOT NULL,
    name         TEXT NOT NULL,
    key_hash     BLOB NOT NULL,
    is_enabled   INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    last_seen_at INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO device VALUES(X'01a2056b8894700088b64f8dba3bbf75','Phone 0',X'9052c640c6625afc6eea9f014b4ed73eb93095ba3b22644ceea57d0af7fe9c2f',1,1795387263124,NULL);
INSERT INTO device VALUES(X'01a2056b889670008a039b79e65045f4','Phone 1',X'f54a164b375ba8ea294f7569859effdae26d64a6c04a26e1c80143f40a061532',1,1795387263126,NULL);
INSERT INTO device VALUES(X'01a2056b88977000882a27e677547eb5','Phone 2',X'1eb8539fedc70db3d619181aa10e83b9fdf3d84d5619ef1f72da2c6ab6e9183f',0,1795387263127,NULL);
CREATE TABLE device_number (
    number          TEXT PRIMARY KEY NOT NULL,
    device_id       BLOB NOT NULL REFERENCES device (id),
    position        INTEGER NOT NULL,
    is_enabled      INTEGER NOT NULL,
    sim_ready_until INTEGER NOT NULL DEFAULT 0,
    is_ready        INTEGER NOT NULL DEFAULT 0, -- 0 for sure not; 1 until somebody saw that it lapsed
    active_challenges INTEGER NOT NULL DEFAULT 0, -- rows of active_challenge, also those just expired
    last_used_at    INTEGER NOT NULL DEFAULT 0 -- uuid_tick: never the same twice
) STRICT, WITHOUT ROWID;
INSERT INTO device_number VALUES('+79160000000',X'01a2056b8894700088b64f8dba3bbf75',0,1,1795651508155,1,6,117679809241874434);
INSERT INTO device_number VALUES('+79160000010',X'01a2056b889670008a039b79e65045f4',0,1,0,0,0,117679726571814914);
INSERT INTO device_number VALUES('+79160000011',X'01a2056b889670008a039b79e65045f4',1,1,0,0,0,0);
INSERT INTO device_number VALUES('+79160000020',X'01a2056b88977000882a27e677547eb5',0,0,0,0,0,0);
CREATE TABLE device_account (
    account_id  TEXT PRIMARY KEY NOT NULL,
    device_id   BLOB NOT NULL REFERENCES device (id),
    messenger   TEXT NOT NULL,
    state       TEXT NOT NULL, -- as the phone said it
    state_until INTEGER NOT NULL -- how long that word holds
) STRICT, WITHOUT ROWID;
INSERT INTO device_account VALUES('account-0',X'01a2056b8894700088b64f8dba3bbf75','telegram','connected',1795650123682);
INSERT INTO device_account VALUES('account-1',X'01a2056b889670008a039b79e65045f4','telegram','connected',1795651445703);
INSERT INTO device_account VALUES('account-moved',X'01a2056b889670008a039b79e65045f4','telegram','connected',1795651445703);
CREATE TABLE active_challenge (
    number         TEXT PRIMARY KEY NOT NULL,
    challenge_id   BLOB NOT NULL,
    gateway_number TEXT,
    expires_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO active_challenge VALUES('+79161000002',X'01a21529b96870008733f480f541bd3d','+79160000000',1795652285704);
INSERT INTO active_challenge VALUES('+79161000003',X'01a21529b96b7000871466fa5bed2d69','+79160000000',1795652285707);
INSERT INTO active_challenge VALUES('+79161000005',X'01a21529b9717000850bbb1050c56f38','+79160000000',1795652285713);
INSERT INTO active_challenge VALUES('+79161000009',X'01a21529b98070008fa2367a5d93cd7f',NULL,1795652285728);
INSERT INTO active_challenge VALUES('+79161000010',X'01a21529b9817000865ec4422b1adbbc',NULL,1795652285729);
INSERT INTO active_challenge VALUES('+79161000012',X'01a21529b99b70008ff45201cd76ebc6','+79160000000',1795652285755);
INSERT INTO active_challenge VALUES('+79161000018',X'01a21529bb1870008f14b25d6aa8c68c','+79160000000',1795652286136);
INSERT INTO active_challenge VALUES('+79161000019',X'01a21529bb19700085acc784dbb28e73','+79160000000',1795652286137);
CREATE TABLE call_challenge (
    id             BLOB PRIMARY KEY NOT NULL,
    caller         TEXT NOT NULL,
    gateway_number TEXT NOT NULL,
    state          TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,
    confirmed_at   INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO call_challenge VALUES(X'01a215167b9470008671fd4d3b963321','+79161000001','+79160000010','pending',1795650124692,1795650184692,NULL);
INSERT INTO call_challenge VALUES(X'01a21529b99b70008ff45201cd76ebc6','+79161000012','+79160000000','pending',1795651385755,1795652285755,NULL);
INSERT INTO call_challenge VALUES(X'01a21529b99c700085ee8a48d3fc63bf','+79161000013','+79160000000','confirmed',1795651385756,1795652285756,1795651385757);
INSERT INTO call_challenge VALUES(X'01a21529b99d700086dd610e65b22089','+79161000014','+79160000000','canceled',1795651385757,1795652285757,NULL);
CREATE TABLE call_event (
    device_id    BLOB NOT NULL,
    event_id     TEXT NOT NULL,
    result       TEXT NOT NULL,
    challenge_id BLOB,
    arrived_at   INTEGER NOT NULL,
    PRIMARY KEY (device_id, event_id)
) STRICT, WITHOUT ROWID;
INSERT INTO call_event VALUES(X'01a2056b8894700088b64f8dba3bbf75','event-confirmed','confirmed',X'01a21529b99c700085ee8a48d3fc63bf',1795651385757);
INSERT INTO call_event VALUES(X'01a2056b8894700088b64f8dba3bbf75','event-unknown','no_challenge',NULL,1795651385758);
CREATE TABLE otp (
    id             BLOB PRIMARY KEY NOT NULL,
    channel        TEXT NOT NULL,
    recipient      TEXT NOT NULL,
    state          TEXT NOT NULL,
    code           BLOB, -- sealed; erased once the state is final
    code_length    INTEGER NOT NULL,
    attempts_left  INTEGER NOT NULL,
    account_id     TEXT,
    app_hash       TEXT,
    origin         TEXT,
    has_fallback   INTEGER NOT NULL DEFAULT 0, -- an SMS was asked for, over another channel's code
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,
    confirmed_at   INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO otp VALUES(X'01a215167b8f700087f50f7ef103fe7f','sms','+79161000000','sent',X'807d182bcfff900196702425a088592a9acd1f2822e9e07afc00bdcabad277528dc06ad58d4f61fde8d9c51acce5',6,5,NULL,NULL,NULL,0,1795650124687,1795651024687,NULL);
INSERT INTO otp VALUES(X'01a21529b96870008733f480f541bd3d','sms','+79161000002','sent',X'a4788aef59c08cca60860a04c3072cd3a35e3ba53a40f0d57284534663cef254b6dbf159d9ba7d56d75d4b7e2d5d',6,5,NULL,NULL,NULL,0,1795651385704,1795652285704,NULL);
INSERT INTO otp VALUES(X'01a21529b96b7000871466fa5bed2d69','sms','+79161000003','delivered',X'd28c2109ed6593a27d9841d02beb8c72d405c4429f90d0b8e798bcd38e05837ec2884c193ba34bd38518f705c453',6,5,NULL,NULL,NULL,0,1795651385707,1795652285707,NULL);
INSERT INTO otp VALUES(X'01a21529b96d70008764d51fb90cd459','sms','+79161000004','undelivered',X'4eeec5bd5440da4590417a380efdd29cc5279a77429316dce18671e97385981a81b576e64b78b6bda8d3e4733b76',6,5,NULL,NULL,NULL,0,1795651385709,1795652285709,NULL);
INSERT INTO otp VALUES(X'01a21529b9717000850bbb1050c56f38','sms','+79161000005','sent',X'6f4cca18f17756b017edae488b85ba50bb155b7372e4e354cbaef2cb28ed8e1e92399ff692d08cd071f8511674bc',6,3,NULL,NULL,NULL,0,1795651385713,1795652285713,NULL);
INSERT INTO otp VALUES(X'01a21529b97570008e641f67017a2f99','sms','+79161000006','confirmed',NULL,6,5,NULL,NULL,NULL,0,1795651385717,1795652285717,1795651385720);
INSERT INTO otp VALUES(X'01a21529b979700087ea4d104b4e919e','sms','+79161000007','exhausted',NULL,6,0,NULL,NULL,NULL,0,1795651385721,1795652285721,NULL);
INSERT INTO otp VALUES(X'01a21529b97f700084001ab6979ae565','sms','+79161000008','canceled',NULL,6,5,NULL,NULL,NULL,0,1795651385727,1795652285727,NULL);
INSERT INTO otp VALUES(X'01a21529b98070008fa2367a5d93cd7f','personal_messenger','+79161000009','queued',X'faca6c6c4337e2078d370270b1343bea2627924f8e3426de87af8943545cf119c8ec794d83ea6fa96011c5866583',6,5,'account-moved',NULL,NULL,0,1795651385728,1795652285728,NULL);
INSERT INTO otp VALUES(X'01a21529b9817000865ec4422b1adbbc','messenger_gateway','+79161000010','sent',X'3aef1ed777fc09a6e7fbe884cf9bc961c74127523dfb90d1fe1751ad0f4365c2902ae698000e436d4514f213d504',6,5,NULL,NULL,NULL,0,1795651385729,1795652285729,NULL);
INSERT INTO otp VALUES(X'01a21529b99970008484aecb03cfed14','messenger_gateway','+79161000011','confirmed',NULL,6,5,NULL,NULL,NULL,0,1795651385753,1795652285753,1795651386134);
INSERT INTO otp VALUES(X'01a21529bb1870008f14b25d6aa8c68c','sms','+79161000018','queued',X'e6b37b4a7feb861e2f5dc7504e79135fa1799ff7809f7b981be01921220ed2f1150747f15a84c246768dc1d805c1',6,5,NULL,NULL,NULL,0,1795651386136,1795652286136,NULL);
INSERT INTO otp VALUES(X'01a21529bb19700085acc784dbb28e73','sms','+79161000019','queued',X'6c2bb6442500d139351fb24752b7f117d0eefee80a4b0f29183025d37389691adb56d34612e4a5e2695b3901df79',6,5,NULL,NULL,NULL,0,1795651386137,1795652286137,NULL);
CREATE TABLE wrong_code (
    recipient    TEXT NOT NULL,
    at           INTEGER NOT NULL,
    otp_id       BLOB NOT NULL,
    attempt      INTEGER NOT NULL,
    PRIMARY KEY (recipient, at, otp_id, attempt)
) STRICT, WITHOUT ROWID;
INSERT INTO wrong_code VALUES('+79161000005',1795651385716,X'01a21529b9717000850bbb1050c56f38',4);
INSERT INTO wrong_code VALUES('+79161000005',1795651385717,X'01a21529b9717000850bbb1050c56f38',3);
INSERT INTO wrong_code VALUES('+79161000007',1795651385723,X'01a21529b979700087ea4d104b4e919e',4);
INSERT INTO wrong_code VALUES('+79161000007',1795651385724,X'01a21529b979700087ea4d104b4e919e',3);
INSERT INTO wrong_code VALUES('+79161000007',1795651385725,X'01a21529b979700087ea4d104b4e919e',1);
INSERT INTO wrong_code VALUES('+79161000007',1795651385725,X'01a21529b979700087ea4d104b4e919e',2);
INSERT INTO wrong_code VALUES('+79161000007',1795651385726,X'01a21529b979700087ea4d104b4e919e',0);
CREATE TABLE phone_task (
    id              BLOB PRIMARY KEY NOT NULL,
    channel         TEXT NOT NULL,
    owner_kind      TEXT NOT NULL,
    owner_id        BLOB NOT NULL, -- the code or the message
    sender          TEXT NOT NULL, -- the gateway number or the account
    recipient       TEXT NOT NULL,
    attempt         INTEGER NOT NULL,
    state           TEXT NOT NULL,
    error           TEXT,
    lease_id        BLOB,
    lease_device_id BLOB,
    lease_until     INTEGER NOT NULL DEFAULT 0,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO phone_task VALUES(X'01a215167b8f70008e67dcc87a623c7f','sms','otp',X'01a215167b8f700087f50f7ef103fe7f','+79160000000','+79161000000',1,'sent',NULL,X'01a215167b9170008f90b0071673df60',X'01a2056b8894700088b64f8dba3bbf75',1795650214689,1795650124687,1795650124691,1795651024687);
INSERT INTO phone_task VALUES(X'01a21529b96870008c28e8e96b1ef65c','sms','otp',X'01a21529b96870008733f480f541bd3d','+79160000000','+79161000002',1,'sent',NULL,X'01a21529b96970008f186caec5c9381b',X'01a2056b8894700088b64f8dba3bbf75',1795651475705,1795651385704,1795651385706,1795652285704);
INSERT INTO phone_task VALUES(X'01a21529b96b70008f38539cf1dff34a','sms','otp',X'01a21529b96b7000871466fa5bed2d69','+79160000000','+79161000003',1,'delivered',NULL,X'01a21529b96c70008f91b2fe3982bec6',X'01a2056b8894700088b64f8dba3bbf75',1795651475708,1795651385707,1795651385708,1795652285707);
INSERT INTO phone_task VALUES(X'01a21529b96d70008d5a33ff9ffce9a5','sms','otp',X'01a21529b96d70008764d51fb90cd459','+79160000000','+79161000004',1,'failed',NULL,X'01a21529b96f70008c6e5f679e884276',X'01a2056b8894700088b64f8dba3bbf75',1795651475711,1795651385709,1795651385712,1795652285709);
INSERT INTO phone_task VALUES(X'01a21529b97170008f87589cf21cffc4','sms','otp',X'01a21529b9717000850bbb1050c56f38','+79160000000','+79161000005',1,'sent',NULL,X'01a21529b97270008d80d51f55fa398b',X'01a2056b8894700088b64f8dba3bbf75',1795651475714,1795651385713,1795651385715,1795652285713);
INSERT INTO phone_task VALUES(X'01a21529b9757000966968c9aec9da80','sms','otp',X'01a21529b97570008e641f67017a2f99','+79160000000','+79161000006',1,'sent',NULL,X'01a21529b97670008d4d3ed931e18312',X'01a2056b8894700088b64f8dba3bbf75',1795651475718,1795651385717,1795651385719,1795652285717);
INSERT INTO phone_task VALUES(X'01a21529b97970008d3a4a0e898bc5ac','sms','otp',X'01a21529b979700087ea4d104b4e919e','+79160000000','+79161000007',1,'sent',NULL,X'01a21529b97a70008c0343586356451c',X'01a2056b8894700088b64f8dba3bbf75',1795651475722,1795651385721,1795651385722,1795652285721);
INSERT INTO phone_task VALUES(X'01a21529b97f70008d83006d74b9c4f4','sms','otp',X'01a21529b97f700084001ab6979ae565','+79160000000','+79161000008',1,'failed','canceled',NULL,NULL,0,1795651385727,1795651385728,1795651385727);
INSERT INTO phone_task VALUES(X'01a21529b980700092d1d35d692875af','personal_messenger','otp',X'01a21529b98070008fa2367a5d93cd7f','account-moved','+79161000009',1,'queued',NULL,NULL,NULL,0,1795651385728,1795651385728,1795652285728);
INSERT INTO phone_task VALUES(X'01a21529b9a0700089cb3bebd09a1959','personal_messenger','message',X'01a21529b9a0700085d4bd46238b1f5c','account-1','+79161000015',1,'sent',NULL,X'01a21529b9a070009b637a71aac27c26',X'01a2056b889670008a039b79e65045f4',1795651475760,1795651385760,1795651385761,1795737785760);
INSERT INTO phone_task VALUES(X'01a21529b9a270008a0658a273d24c3e','personal_messenger','message',X'01a21529b9a2700084971b882fcb0c73','account-1','+79161000016',1,'failed',NULL,X'01a21529b9a370008c7d54d9500d8117',X'01a2056b889670008a039b79e65045f4',1795651475763,1795651385762,1795651385764,1795737785762);
INSERT INTO phone_task VALUES(X'01a21529b9a57000895c0514a2637f6c','personal_messenger','message',X'01a21529b9a57000868561604ce4f1c4','account-1','+79161000017',1,'queued',NULL,NULL,NULL,0,1795651385765,1795651385765,1795737785765);
INSERT INTO phone_task VALUES(X'01a21529bb18700096c200ecbfae657c','sms','otp',X'01a21529bb1870008f14b25d6aa8c68c','+79160000000','+79161000018',1,'claimed',NULL,X'01a2152aad5b70009256dcb721dfc51d',X'01a2056b8894700088b64f8dba3bbf75',1795651538155,1795651386136,1795651448155,1795652286136);
INSERT INTO phone_task VALUES(X'01a21529bb1970008faa153c6d808a62','sms','otp',X'01a21529bb19700085acc784dbb28e73','+79160000000','+79161000019',1,'queued',NULL,NULL,NULL,0,1795651386137,1795651386137,1795652286137);
CREATE TABLE log_entry (
    id      INTEGER PRIMARY KEY NOT NULL,
    at      INTEGER NOT NULL,
    level   INTEGER NOT NULL, -- 0 debug, 1 info, 2 warning, 3 error
    message TEXT NOT NULL,
    fields  TEXT NOT NULL -- a JSON object
) STRICT;
INSERT INTO log_entry VALUES(14,1795650063617,3,'order failed; an operator can have it tried again','{"at":"2026-11-25T23:41:03.617Z","order_id":"567e413d-f223-4bc5-a441-11bcfcc6c479","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6","attempts":1,"error":"not delivered within its time"}');
INSERT INTO log_entry VALUES(15,1795650063640,3,'package failed','{"at":"2026-11-25T23:41:03.640Z","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6","event_id":"changes:c740917b-cf8f-4ba2-8b8a-8cef6383b6e8","event_type":"delta","attempts":2,"error":"1 row names a product or variant that the catalog does not have"}');
INSERT INTO log_entry VALUES(16,1795650063682,1,'account declared','{"at":"2026-11-25T23:41:03.682Z","request_id":"01a21515-8d42-7000-8030-11cb3c8cb22b","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","account_id":"account-0","messenger":"telegram","state":"connected"}');
INSERT INTO log_entry VALUES(17,1795650063682,1,'account declared','{"at":"2026-11-25T23:41:03.682Z","request_id":"01a21515-8d42-7000-8030-11cb3c8cb22b","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","account_id":"account-moved","messenger":"telegram","state":"connected"}');
INSERT INTO log_entry VALUES(18,1795650124685,1,'account declared','{"at":"2026-11-25T23:42:04.685Z","request_id":"01a21516-7b8d-7000-83a6-82df03d094cd","device_id":"01a2056b-8896-7000-8a03-9b79e65045f4","account_id":"account-1","messenger":"telegram","state":"connected"}');
INSERT INTO log_entry VALUES(19,1795650124685,1,'account declared','{"at":"2026-11-25T23:42:04.685Z","request_id":"01a21516-7b8d-7000-83a6-82df03d094cd","device_id":"01a2056b-8896-7000-8a03-9b79e65045f4","account_id":"account-moved","messenger":"telegram","state":"connected"}');
INSERT INTO log_entry VALUES(20,1795650124687,1,'otp created','{"at":"2026-11-25T23:42:04.687Z","request_id":"01a21516-7b8f-7000-83f5-d7dac426faaa","otp_id":"01a21516-7b8f-7000-87f5-0f7ef103fe7f","channel":"sms","recipient":"+7916***0000","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(21,1795650124689,1,'sms claimed','{"at":"2026-11-25T23:42:04.689Z","request_id":"01a21516-7b91-7000-8214-f3e8b232f815","task_id":"01a21516-7b8f-7000-8e67-dcc87a623c7f","owner_id":"01a21516-7b8f-7000-87f5-0f7ef103fe7f","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0000","attempt":1}');
INSERT INTO log_entry VALUES(22,1795650124691,1,'sms sent','{"at":"2026-11-25T23:42:04.691Z","request_id":"01a21516-7b93-7000-816a-42b2c763de99","task_id":"01a21516-7b8f-7000-8e67-dcc87a623c7f","owner_id":"01a21516-7b8f-7000-87f5-0f7ef103fe7f","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0000","state":"sent"}');
INSERT INTO log_entry VALUES(23,1795650124692,1,'call challenge created','{"at":"2026-11-25T23:42:04.692Z","request_id":"01a21516-7b94-7000-8295-6d20e7c62645","challenge_id":"01a21516-7b94-7000-8671-fd4d3b963321","caller":"+7916***0001","gateway_number":"+7916***0010"}');
INSERT INTO log_entry VALUES(24,1795651025694,1,'signing key made','{"at":"2026-11-25T23:57:05.694Z","request_id":"01a21524-3b1e-7000-8164-d99f01fce2f2","kid":"cw1ubCLXBI97OjWHCZuf6mRCh4libxGFXchPTik5gEA"}');
INSERT INTO log_entry VALUES(25,1795651385698,1,'client secret rotated','{"at":"2026-11-26T00:03:05.698Z","request_id":"01a21529-b962-7000-8ee7-1756d0ec4fcb","client_id":"01a2056b-8899-7000-90b8-3724eb82d9a4","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6","overlap_seconds":3600,"secret_id":"01a21529-b962-7000-95e0-0ec3925d65b0"}');
INSERT INTO log_entry VALUES(26,1795651385699,1,'client created','{"at":"2026-11-26T00:03:05.699Z","request_id":"01a21529-b963-7000-81b0-7936d612119e","client_id":"01a21529-b963-7000-8909-a7a69bbf4cd0","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6","name":"off","scopes":"erp.catalog.write erp.changes.write erp.events.read","secret_id":"01a21529-b963-7000-8fb1-47c3e98226cd"}');
INSERT INTO log_entry VALUES(27,1795651385700,1,'client disabled','{"at":"2026-11-26T00:03:05.700Z","request_id":"01a21529-b964-7000-8200-34a9925942bc","client_id":"01a21529-b963-7000-8909-a7a69bbf4cd0"}');
INSERT INTO log_entry VALUES(28,1795651385704,1,'otp created','{"at":"2026-11-26T00:03:05.704Z","request_id":"01a21529-b968-7000-81d2-1b3d0b0fb603","otp_id":"01a21529-b968-7000-8733-f480f541bd3d","channel":"sms","recipient":"+7916***0002","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(29,1795651385705,1,'sms claimed','{"at":"2026-11-26T00:03:05.705Z","request_id":"01a21529-b969-7000-80d6-c59be752a9f8","task_id":"01a21529-b968-7000-8c28-e8e96b1ef65c","owner_id":"01a21529-b968-7000-8733-f480f541bd3d","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0002","attempt":1}');
INSERT INTO log_entry VALUES(30,1795651385706,1,'sms sent','{"at":"2026-11-26T00:03:05.706Z","request_id":"01a21529-b96a-7000-83b0-0d1206bd0c09","task_id":"01a21529-b968-7000-8c28-e8e96b1ef65c","owner_id":"01a21529-b968-7000-8733-f480f541bd3d","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0002","state":"sent"}');
INSERT INTO log_entry VALUES(31,1795651385707,1,'otp created','{"at":"2026-11-26T00:03:05.707Z","request_id":"01a21529-b96b-7000-83b3-455b0bba1261","otp_id":"01a21529-b96b-7000-8714-66fa5bed2d69","channel":"sms","recipient":"+7916***0003","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(32,1795651385708,1,'sms claimed','{"at":"2026-11-26T00:03:05.708Z","request_id":"01a21529-b96c-7000-8337-79760585da59","task_id":"01a21529-b96b-7000-8f38-539cf1dff34a","owner_id":"01a21529-b96b-7000-8714-66fa5bed2d69","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0003","attempt":1}');
INSERT INTO log_entry VALUES(33,1795651385708,1,'sms delivered','{"at":"2026-11-26T00:03:05.708Z","request_id":"01a21529-b96c-7000-936c-855f430e5133","task_id":"01a21529-b96b-7000-8f38-539cf1dff34a","owner_id":"01a21529-b96b-7000-8714-66fa5bed2d69","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0003","state":"delivered"}');
INSERT INTO log_entry VALUES(34,1795651385709,1,'otp created','{"at":"2026-11-26T00:03:05.709Z","request_id":"01a21529-b96d-7000-8212-4e812a3cb512","otp_id":"01a21529-b96d-7000-8764-d51fb90cd459","channel":"sms","recipient":"+7916***0004","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(35,1795651385711,1,'sms claimed','{"at":"2026-11-26T00:03:05.711Z","request_id":"01a21529-b96f-7000-814f-893c63e20395","task_id":"01a21529-b96d-7000-8d5a-33ff9ffce9a5","owner_id":"01a21529-b96d-7000-8764-d51fb90cd459","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0004","attempt":1}');
INSERT INTO log_entry VALUES(36,1795651385712,2,'sms failed','{"at":"2026-11-26T00:03:05.712Z","request_id":"01a21529-b970-7000-804c-3cd8e6ed0791","task_id":"01a21529-b96d-7000-8d5a-33ff9ffce9a5","owner_id":"01a21529-b96d-7000-8764-d51fb90cd459","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0004","state":"failed"}');
INSERT INTO log_entry VALUES(37,1795651385713,1,'otp created','{"at":"2026-11-26T00:03:05.713Z","request_id":"01a21529-b971-7000-80a2-6d6f247226dd","otp_id":"01a21529-b971-7000-850b-bb1050c56f38","channel":"sms","recipient":"+7916***0005","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(38,1795651385714,1,'sms claimed','{"at":"2026-11-26T00:03:05.714Z","request_id":"01a21529-b972-7000-82a3-49b4bff9e445","task_id":"01a21529-b971-7000-8f87-589cf21cffc4","owner_id":"01a21529-b971-7000-850b-bb1050c56f38","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0005","attempt":1}');
INSERT INTO log_entry VALUES(39,1795651385715,1,'sms sent','{"at":"2026-11-26T00:03:05.715Z","request_id":"01a21529-b973-7000-80bd-d10ecf47ca6e","task_id":"01a21529-b971-7000-8f87-589cf21cffc4","owner_id":"01a21529-b971-7000-850b-bb1050c56f38","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0005","state":"sent"}');
INSERT INTO log_entry VALUES(40,1795651385716,2,'otp code wrong','{"at":"2026-11-26T00:03:05.716Z","request_id":"01a21529-b974-7000-83bd-f060ae1fd2da","otp_id":"01a21529-b971-7000-850b-bb1050c56f38","recipient":"+7916***0005","attempts_left":4}');
INSERT INTO log_entry VALUES(41,1795651385717,2,'otp code wrong','{"at":"2026-11-26T00:03:05.717Z","request_id":"01a21529-b975-7000-821c-4f342dd1846c","otp_id":"01a21529-b971-7000-850b-bb1050c56f38","recipient":"+7916***0005","attempts_left":3}');
INSERT INTO log_entry VALUES(42,1795651385717,1,'otp created','{"at":"2026-11-26T00:03:05.717Z","request_id":"01a21529-b975-7000-8830-9b6d3d5a90ea","otp_id":"01a21529-b975-7000-8e64-1f67017a2f99","channel":"sms","recipient":"+7916***0006","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(43,1795651385718,1,'sms claimed','{"at":"2026-11-26T00:03:05.718Z","request_id":"01a21529-b976-7000-82b3-846951399c7d","task_id":"01a21529-b975-7000-9669-68c9aec9da80","owner_id":"01a21529-b975-7000-8e64-1f67017a2f99","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0006","attempt":1}');
INSERT INTO log_entry VALUES(44,1795651385719,1,'sms sent','{"at":"2026-11-26T00:03:05.719Z","request_id":"01a21529-b977-7000-823c-57181eb07725","task_id":"01a21529-b975-7000-9669-68c9aec9da80","owner_id":"01a21529-b975-7000-8e64-1f67017a2f99","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0006","state":"sent"}');
INSERT INTO log_entry VALUES(45,1795651385720,1,'otp confirmed','{"at":"2026-11-26T00:03:05.720Z","request_id":"01a21529-b978-7000-820f-a2bd5ad27092","otp_id":"01a21529-b975-7000-8e64-1f67017a2f99","recipient":"+7916***0006","attempts_left":5}');
INSERT INTO log_entry VALUES(46,1795651385721,1,'otp created','{"at":"2026-11-26T00:03:05.721Z","request_id":"01a21529-b979-7000-803c-29687089e953","otp_id":"01a21529-b979-7000-87ea-4d104b4e919e","channel":"sms","recipient":"+7916***0007","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(47,1795651385722,1,'sms claimed','{"at":"2026-11-26T00:03:05.722Z","request_id":"01a21529-b97a-7000-829d-df8f3be2d9b8","task_id":"01a21529-b979-7000-8d3a-4a0e898bc5ac","owner_id":"01a21529-b979-7000-87ea-4d104b4e919e","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0007","attempt":1}');
INSERT INTO log_entry VALUES(48,1795651385722,1,'sms sent','{"at":"2026-11-26T00:03:05.722Z","request_id":"01a21529-b97a-7000-902f-fc2b58488b69","task_id":"01a21529-b979-7000-8d3a-4a0e898bc5ac","owner_id":"01a21529-b979-7000-87ea-4d104b4e919e","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0007","state":"sent"}');
INSERT INTO log_entry VALUES(49,1795651385723,2,'otp code wrong','{"at":"2026-11-26T00:03:05.723Z","request_id":"01a21529-b97b-7000-80a8-a5e314043722","otp_id":"01a21529-b979-7000-87ea-4d104b4e919e","recipient":"+7916***0007","attempts_left":4}');
INSERT INTO log_entry VALUES(50,1795651385724,2,'otp code wrong','{"at":"2026-11-26T00:03:05.724Z","request_id":"01a21529-b97c-7000-800f-a7c33dde6603","otp_id":"01a21529-b979-7000-87ea-4d104b4e919e","recipient":"+7916***0007","attempts_left":3}');
INSERT INTO log_entry VALUES(51,1795651385725,2,'otp code wrong','{"at":"2026-11-26T00:03:05.725Z","request_id":"01a21529-b97d-7000-82f7-96f00314155d","otp_id":"01a21529-b979-7000-87ea-4d104b4e919e","recipient":"+7916***0007","attempts_left":2}');
INSERT INTO log_entry VALUES(52,1795651385725,2,'otp code wrong','{"at":"2026-11-26T00:03:05.725Z","request_id":"01a21529-b97d-7000-8890-27e242130277","otp_id":"01a21529-b979-7000-87ea-4d104b4e919e","recipient":"+7916***0007","attempts_left":1}');
INSERT INTO log_entry VALUES(53,1795651385726,2,'otp code wrong','{"at":"2026-11-26T00:03:05.726Z","request_id":"01a21529-b97e-7000-8394-31d6f3516db9","otp_id":"01a21529-b979-7000-87ea-4d104b4e919e","recipient":"+7916***0007","attempts_left":0}');
INSERT INTO log_entry VALUES(54,1795651385726,2,'otp exhausted','{"at":"2026-11-26T00:03:05.726Z","request_id":"01a21529-b97e-7000-8394-31d6f3516db9","otp_id":"01a21529-b979-7000-87ea-4d104b4e919e","recipient":"+7916***0007","attempts_left":0}');
INSERT INTO log_entry VALUES(55,1795651385727,1,'otp created','{"at":"2026-11-26T00:03:05.727Z","request_id":"01a21529-b97f-7000-8008-22fbbbbd78e4","otp_id":"01a21529-b97f-7000-8400-1ab6979ae565","channel":"sms","recipient":"+7916***0008","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(56,1795651385728,1,'otp canceled','{"at":"2026-11-26T00:03:05.728Z","request_id":"01a21529-b980-7000-8203-69440dde2d50","otp_id":"01a21529-b97f-7000-8400-1ab6979ae565","recipient":"+7916***0008"}');
INSERT INTO log_entry VALUES(57,1795651385728,1,'otp created','{"at":"2026-11-26T00:03:05.728Z","request_id":"01a21529-b980-7000-8bac-a9acb8ad0c2b","otp_id":"01a21529-b980-7000-8fa2-367a5d93cd7f","channel":"personal_messenger","recipient":"+7916***0009","account_id":"account-moved"}');
INSERT INTO log_entry VALUES(58,1795651385729,1,'otp created','{"at":"2026-11-26T00:03:05.729Z","request_id":"01a21529-b981-7000-8173-8412321eb287","otp_id":"01a21529-b981-7000-865e-c4422b1adbbc","channel":"messenger_gateway","recipient":"+7916***0010"}');
INSERT INTO log_entry VALUES(59,1795651385731,1,'send changed','{"at":"2026-11-26T00:03:05.731Z","send_id":"01a21529-b981-7000-89aa-f2808d2fec39","owner_id":"01a21529-b981-7000-865e-c4422b1adbbc","channel":"messenger_gateway","state":"sent","provider_id":"1795387262991","attempt":1}');
INSERT INTO log_entry VALUES(60,1795651385753,1,'otp created','{"at":"2026-11-26T00:03:05.753Z","request_id":"01a21529-b999-7000-823a-f6014752f8e2","otp_id":"01a21529-b999-7000-8484-aecb03cfed14","channel":"messenger_gateway","recipient":"+7916***0011"}');
INSERT INTO log_entry VALUES(61,1795651385754,1,'send changed','{"at":"2026-11-26T00:03:05.754Z","send_id":"01a21529-b999-7000-8935-428284cb9891","owner_id":"01a21529-b999-7000-8484-aecb03cfed14","channel":"messenger_gateway","state":"sent","provider_id":"1795387262992","attempt":1}');
INSERT INTO log_entry VALUES(62,1795651385755,1,'call challenge created','{"at":"2026-11-26T00:03:05.755Z","request_id":"01a21529-b99b-7000-89eb-f48cd8cd71f1","challenge_id":"01a21529-b99b-7000-8ff4-5201cd76ebc6","caller":"+7916***0012","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(63,1795651385756,1,'call challenge created','{"at":"2026-11-26T00:03:05.756Z","request_id":"01a21529-b99c-7000-8159-0609267738a9","challenge_id":"01a21529-b99c-7000-85ee-8a48d3fc63bf","caller":"+7916***0013","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(64,1795651385757,1,'call challenge created','{"at":"2026-11-26T00:03:05.757Z","request_id":"01a21529-b99d-7000-83f1-7e664a70d801","challenge_id":"01a21529-b99d-7000-86dd-610e65b22089","caller":"+7916***0014","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(65,1795651385757,1,'call challenge confirmed','{"at":"2026-11-26T00:03:05.757Z","request_id":"01a21529-b99d-7000-8cb9-2d66ddfa0ad5","challenge_id":"01a21529-b99c-7000-85ee-8a48d3fc63bf","caller":"+7916***0013"}');
INSERT INTO log_entry VALUES(66,1795651385758,1,'call reported','{"at":"2026-11-26T00:03:05.758Z","request_id":"01a21529-b99e-7000-8192-9fda128ba249","result":"no_challenge","gateway_number":"+7916***0000","caller":"+7999***0000","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75"}');
INSERT INTO log_entry VALUES(67,1795651385759,1,'call challenge canceled','{"at":"2026-11-26T00:03:05.759Z","request_id":"01a21529-b99f-7000-821b-85d36cbb8b4f","challenge_id":"01a21529-b99d-7000-86dd-610e65b22089"}');
INSERT INTO log_entry VALUES(68,1795651385760,1,'message accepted','{"at":"2026-11-26T00:03:05.760Z","request_id":"01a21529-b9a0-7000-807f-61cfac75f225","message_id":"01a21529-b9a0-7000-85d4-bd46238b1f5c","channel":"personal_messenger","state":"accepted","recipient":"+7916***0015","account_id":"account-1"}');
INSERT INTO log_entry VALUES(69,1795651385760,1,'phone message claimed','{"at":"2026-11-26T00:03:05.760Z","request_id":"01a21529-b9a0-7000-8c25-e9a0f7890fb0","task_id":"01a21529-b9a0-7000-89cb-3bebd09a1959","owner_id":"01a21529-b9a0-7000-85d4-bd46238b1f5c","device_id":"01a2056b-8896-7000-8a03-9b79e65045f4","account_id":"account-1","recipient":"+7916***0015","attempt":1}');
INSERT INTO log_entry VALUES(70,1795651385761,1,'phone message sent','{"at":"2026-11-26T00:03:05.761Z","request_id":"01a21529-b9a1-7000-80ad-b8a3bb5c2e3b","task_id":"01a21529-b9a0-7000-89cb-3bebd09a1959","owner_id":"01a21529-b9a0-7000-85d4-bd46238b1f5c","device_id":"01a2056b-8896-7000-8a03-9b79e65045f4","account_id":"account-1","recipient":"+7916***0015","state":"sent"}');
INSERT INTO log_entry VALUES(71,1795651385761,1,'message changed','{"at":"2026-11-26T00:03:05.761Z","request_id":"01a21529-b9a1-7000-80ad-b8a3bb5c2e3b","message_id":"01a21529-b9a0-7000-85d4-bd46238b1f5c","channel":"personal_messenger","state":"sent","recipient":"+7916***0015","account_id":"account-1"}');
INSERT INTO log_entry VALUES(72,1795651385762,1,'message accepted','{"at":"2026-11-26T00:03:05.762Z","request_id":"01a21529-b9a2-7000-8055-496e89690101","message_id":"01a21529-b9a2-7000-8497-1b882fcb0c73","channel":"personal_messenger","state":"accepted","recipient":"+7916***0016","account_id":"account-1"}');
INSERT INTO log_entry VALUES(73,1795651385763,1,'phone message claimed','{"at":"2026-11-26T00:03:05.763Z","request_id":"01a21529-b9a3-7000-8233-3b63ed4e04d9","task_id":"01a21529-b9a2-7000-8a06-58a273d24c3e","owner_id":"01a21529-b9a2-7000-8497-1b882fcb0c73","device_id":"01a2056b-8896-7000-8a03-9b79e65045f4","account_id":"account-1","recipient":"+7916***0016","attempt":1}');
INSERT INTO log_entry VALUES(74,1795651385764,2,'phone message failed','{"at":"2026-11-26T00:03:05.764Z","request_id":"01a21529-b9a4-7000-812f-b5688c4e881d","task_id":"01a21529-b9a2-7000-8a06-58a273d24c3e","owner_id":"01a21529-b9a2-7000-8497-1b882fcb0c73","device_id":"01a2056b-8896-7000-8a03-9b79e65045f4","account_id":"account-1","recipient":"+7916***0016","state":"failed"}');
INSERT INTO log_entry VALUES(75,1795651385764,2,'message changed','{"at":"2026-11-26T00:03:05.764Z","request_id":"01a21529-b9a4-7000-812f-b5688c4e881d","message_id":"01a21529-b9a2-7000-8497-1b882fcb0c73","channel":"personal_messenger","state":"failed","recipient":"+7916***0016","account_id":"account-1","error":"the phone could not send it"}');
INSERT INTO log_entry VALUES(76,1795651385765,1,'message accepted','{"at":"2026-11-26T00:03:05.765Z","request_id":"01a21529-b9a5-7000-8071-dbaeae4516f3","message_id":"01a21529-b9a5-7000-8685-61604ce4f1c4","channel":"personal_messenger","state":"accepted","recipient":"+7916***0017","account_id":"account-1"}');
INSERT INTO log_entry VALUES(77,1795651385765,1,'message accepted','{"at":"2026-11-26T00:03:05.765Z","request_id":"01a21529-b9a5-7000-8cb4-b41e6abf3378","message_id":"01a21529-b9a5-7000-903b-33257e768984","channel":"messenger_bot","state":"accepted","chat_id":"41"}');
INSERT INTO log_entry VALUES(78,1795651385767,1,'message changed','{"at":"2026-11-26T00:03:05.767Z","message_id":"01a21529-b9a5-7000-903b-33257e768984","channel":"messenger_bot","state":"sent","chat_id":"41"}');
INSERT INTO log_entry VALUES(79,1795651385767,1,'send changed','{"at":"2026-11-26T00:03:05.767Z","send_id":"01a21529-b9a5-7000-96a5-b0f1847d86ca","owner_id":"01a21529-b9a5-7000-903b-33257e768984","channel":"messenger_bot","state":"sent","provider_id":"1795387262993","attempt":1}');
INSERT INTO log_entry VALUES(80,1795651385789,1,'message accepted','{"at":"2026-11-26T00:03:05.789Z","request_id":"01a21529-b9bd-7000-8291-e500a70c93f6","message_id":"01a21529-b9bd-7000-86f6-50c33cbcdd03","channel":"messenger_bot","state":"accepted","chat_id":"@channel"}');
INSERT INTO log_entry VALUES(81,1795651385790,3,'channel closed for a while: its provider does not serve','{"at":"2026-11-26T00:03:05.790Z","channel":"messenger_bot","driver":"telegram_bot","error":"401: Unauthorized"}');
INSERT INTO log_entry VALUES(82,1795651385794,1,'snapshot received','{"at":"2026-11-26T00:03:05.794Z","request_id":"01a21529-b9c2-7000-80fa-126e22752639","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6","event_id":"catalog:b2e3f691-6fd7-4d2b-ba63-1448d5fc1071","receipt":3,"rows":2,"bytes":268}');
INSERT INTO log_entry VALUES(83,1795651385797,3,'package failed','{"at":"2026-11-26T00:03:05.797Z","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6","event_id":"catalog:b2e3f691-6fd7-4d2b-ba63-1448d5fc1071","event_type":"snapshot","attempts":1,"error":"archive_limit"}');
INSERT INTO log_entry VALUES(84,1795651385850,1,'package applied','{"at":"2026-11-26T00:03:05.850Z","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6","event_id":"changes:be347c42-2f5c-4c8c-a45a-3703672cf3e2","event_type":"delta","attempts":1,"added":0,"changed":0,"archived":0,"prices_changed":1,"stocks_changed":1,"superseded":0,"ms":2}');
INSERT INTO log_entry VALUES(85,1795651385905,2,'package cannot be applied yet','{"at":"2026-11-26T00:03:05.905Z","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6","event_id":"changes:7b7a089b-e0e8-43de-8ead-40ce7996066f","event_type":"delta","attempts":1,"error":"1 row names a product or variant that the catalog does not have"}');
INSERT INTO log_entry VALUES(86,1795651385959,1,'order queued','{"at":"2026-11-26T00:03:05.959Z","request_id":"01a21529-ba67-7000-8105-a600e1545a0a","order_id":"da6f4819-5226-4714-98d0-9a9c509de302","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6"}');
INSERT INTO log_entry VALUES(87,1795651385965,1,'an ERP takes orders again','{"at":"2026-11-26T00:03:05.965Z","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6"}');
INSERT INTO log_entry VALUES(88,1795651385967,1,'order accepted by its ERP','{"at":"2026-11-26T00:03:05.967Z","order_id":"da6f4819-5226-4714-98d0-9a9c509de302","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6","attempts":1,"outcome":"accepted","status":200}');
INSERT INTO log_entry VALUES(89,1795651386014,1,'order queued','{"at":"2026-11-26T00:03:06.014Z","request_id":"01a21529-ba9e-7000-8033-6a38abf14a7b","order_id":"db48b4f6-3f04-4e68-be8d-9d34c717175e","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6"}');
INSERT INTO log_entry VALUES(90,1795651386018,2,'order rejected by its ERP','{"at":"2026-11-26T00:03:06.018Z","order_id":"db48b4f6-3f04-4e68-be8d-9d34c717175e","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6","attempts":1,"outcome":"rejected","status":200}');
INSERT INTO log_entry VALUES(91,1795651386070,1,'order queued','{"at":"2026-11-26T00:03:06.070Z","request_id":"01a21529-bad6-7000-8308-7995392d9912","order_id":"c601a443-3dad-4c09-88b3-c6600156f5a0","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6"}');
INSERT INTO log_entry VALUES(92,1795651386071,1,'order queued','{"at":"2026-11-26T00:03:06.071Z","request_id":"01a21529-bad7-7000-8262-b58cdefd077a","order_id":"17aae7de-abb9-403d-a83c-e53eeda3011a","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6"}');
INSERT INTO log_entry VALUES(93,1795651386073,2,'an ERP does not take orders; they are tried again','{"at":"2026-11-26T00:03:06.073Z","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6","status":503}');
INSERT INTO log_entry VALUES(94,1795651386073,1,'order queued','{"at":"2026-11-26T00:03:06.073Z","request_id":"01a21529-bad9-7000-810c-0a316220c26b","order_id":"bf63f98c-9413-4d35-ab2f-1c92ce860d84","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6"}');
INSERT INTO log_entry VALUES(95,1795651386075,1,'order queued','{"at":"2026-11-26T00:03:06.075Z","request_id":"01a21529-badb-7000-8127-a51e8f306467","order_id":"94b66d31-89b9-4425-9447-5d651d6d048c","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6"}');
INSERT INTO log_entry VALUES(96,1795651386076,1,'order queued','{"at":"2026-11-26T00:03:06.076Z","request_id":"01a21529-badc-7000-830c-ba580397f7da","order_id":"840cdcf1-ae82-42c0-9bb7-bdcdb492f714","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6"}');
INSERT INTO log_entry VALUES(97,1795651386078,3,'orders wait: their ERP failed too often and is asked for its health','{"at":"2026-11-26T00:03:06.078Z","integration_id":"01a2056b-8898-7000-8648-e29cda89baa6","status":503}');
INSERT INTO log_entry VALUES(98,1795651386134,1,'otp confirmed','{"at":"2026-11-26T00:03:06.134Z","request_id":"01a21529-bb16-7000-8175-161ab2bdd724","otp_id":"01a21529-b999-7000-8484-aecb03cfed14","recipient":"+7916***0011","attempts_left":5}');
INSERT INTO log_entry VALUES(99,1795651386136,1,'otp created','{"at":"2026-11-26T00:03:06.136Z","request_id":"01a21529-bb18-7000-881b-0c9b5ae27d6c","otp_id":"01a21529-bb18-7000-8f14-b25d6aa8c68c","channel":"sms","recipient":"+7916***0018","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(100,1795651386137,1,'otp created','{"at":"2026-11-26T00:03:06.137Z","request_id":"01a21529-bb19-7000-809f-25824858ea46","otp_id":"01a21529-bb19-7000-85ac-c784dbb28e73","channel":"sms","recipient":"+7916***0019","gateway_number":"+7916***0000"}');
INSERT INTO log_entry VALUES(101,1795651448155,1,'sms claimed','{"at":"2026-11-26T00:04:08.155Z","request_id":"01a2152a-ad5b-7000-86c1-af0aced9d508","task_id":"01a21529-bb18-7000-96c2-00ecbfae657c","owner_id":"01a21529-bb18-7000-8f14-b25d6aa8c68c","device_id":"01a2056b-8894-7000-88b6-4f8dba3bbf75","gateway_number":"+7916***0000","recipient":"+7916***0018","attempt":1}');
INSERT INTO log_entry VALUES(102,1795651448156,1,'order queued','{"at":"2026-11-26T00:04:08.156Z","request_id":"01a2152a-ad5c-7000-82ee-abb019ff294a","order_id":"da6a7ee8-437f-4bba-bd14-57ff7da8192a","integration_id":"01a2056b-8899-7000-85b4-f440a8803c77"}');
INSERT INTO log_entry VALUES(103,1795651448210,1,'client created','{"at":"2026-11-26T00:04:08.210Z","request_id":"01a2152a-ad91-7000-8061-d247ec0b294f","client_id":"01a2152a-ad92-7000-862f-365ccd83306b","integration_id":"01a2056b-8899-7000-85b4-f440a8803c77","scopes":"erp.catalog.write erp.changes.write erp.events.read","secret_id":"01a2152a-ad92-7000-88f2-5a49353f6f79"}');
INSERT INTO log_entry VALUES(104,1795651448256,1,'snapshot received','{"at":"2026-11-26T00:04:08.256Z","request_id":"01a2152a-adb8-7000-8011-0c4acacd3639","integration_id":"01a2056b-8899-7000-85b4-f440a8803c77","event_id":"catalog:f0315557-536a-4adb-a883-b27ad44be877","receipt":1,"rows":6000,"bytes":447910}');
CREATE TABLE log_head (
    one     INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    last_id INTEGER NOT NULL
) STRICT;
INSERT INTO log_head VALUES(1,104);
CREATE TABLE worker (
    id      BLOB PRIMARY KEY NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO worker VALUES(X'01a2056b8882700081be13f70d876f30',1795650063613);
CREATE TABLE channel_send (
    id           BLOB PRIMARY KEY NOT NULL,
    channel      TEXT NOT NULL,
    owner_id     BLOB NOT NULL, -- the code or the message
    state        TEXT NOT NULL,
    attempt      INTEGER NOT NULL,
    provider_id  TEXT,
    error        TEXT,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    success_code BLOB -- sealed: the code that was right, until the provider was told
) STRICT, WITHOUT ROWID;
INSERT INTO channel_send VALUES(X'01a21529b981700089aaf2808d2fec39','messenger_gateway',X'01a21529b9817000865ec4422b1adbbc','sent',1,'1795387262991',NULL,1795651385729,1795651385731,1795652285729,NULL);
INSERT INTO channel_send VALUES(X'01a21529b99970008935428284cb9891','messenger_gateway',X'01a21529b99970008484aecb03cfed14','sent',1,'1795387262992',NULL,1795651385753,1795651385754,1795652285753,X'aa1f2d4a38337150c5f2597b4def5b267c7f72023de765a92ccc67fc8428e28a1f25a5ef06b98e3ea34b53dc5afe');
INSERT INTO channel_send VALUES(X'01a21529b9a5700096a5b0f1847d86ca','messenger_bot',X'01a21529b9a57000903b33257e768984','sent',1,'1795387262993',NULL,1795651385765,1795651385767,1795737785765,NULL);
INSERT INTO channel_send VALUES(X'01a21529b9bd700089c2649ff67a189a','messenger_bot',X'01a21529b9bd700086f650c33cbcdd03','queued',1,NULL,'401: Unauthorized',1795651385789,1795651385790,1795737785789,NULL);
CREATE TABLE channel_circuit (
    channel    TEXT PRIMARY KEY NOT NULL,
    open_until INTEGER NOT NULL,
    reason     TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO channel_circuit VALUES('messenger_bot',1795651418790,'401: Unauthorized');
CREATE TABLE message (
    id              BLOB PRIMARY KEY NOT NULL,
    channel         TEXT NOT NULL,
    state           TEXT NOT NULL,
    account_id      TEXT,
    recipient       TEXT,
    chat_id         TEXT,
    chat_is_integer INTEGER NOT NULL, -- chat_id came as a number and is answered as one
    text            BLOB, -- sealed; erased once nothing will be sent any more
    error           TEXT,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO message VALUES(X'01a21529b9a0700085d4bd46238b1f5c','personal_messenger','sent','account-1','+79161000015',NULL,0,NULL,NULL,1795651385760,1795651385761,1795737785760);
INSERT INTO message VALUES(X'01a21529b9a2700084971b882fcb0c73','personal_messenger','failed','account-1','+79161000016',NULL,0,NULL,'the phone could not send it',1795651385762,1795651385764,1795737785762);
INSERT INTO message VALUES(X'01a21529b9a57000868561604ce4f1c4','personal_messenger','accepted','account-1','+79161000017',NULL,0,X'097f2c5cdf3d4d2f4fb9d0e8831c867466aefedf1da287fb028d38b3905df9755214fceb1e2815ca4328b581d1a0aa23ed6a03d5d8e0f02306ab1b',NULL,1795651385765,1795651385765,1795737785765);
INSERT INTO message VALUES(X'01a21529b9a57000903b33257e768984','messenger_bot','sent',NULL,NULL,'41',1,NULL,NULL,1795651385765,1795651385767,1795737785765);
INSERT INTO message VALUES(X'01a21529b9bd700086f650c33cbcdd03','messenger_bot','accepted',NULL,NULL,'@channel',0,X'b27cd85968cc159fafe775dd709b3482afc698258fcbc3467b80f01c2214e77f9ad408dd25f0b043a167175e21196304f5adfac487b7a27c8eb5',NULL,1795651385789,1795651385789,1795737785789);
CREATE TABLE chat_turn (
    chat    TEXT PRIMARY KEY NOT NULL,
    next_at INTEGER NOT NULL,
    late_at INTEGER NOT NULL DEFAULT 0 -- the same of messages that were found late
) STRICT, WITHOUT ROWID;
INSERT INTO chat_turn VALUES('41',1795651386765,0);
INSERT INTO chat_turn VALUES('@channel',1795651391789,0);
CREATE INDEX job_by_due ON job (kind, due_at_ms);
CREATE UNIQUE INDEX device_by_key ON device (key_hash);
CREATE INDEX device_number_by_device ON device_number (device_id, position);
CREATE INDEX device_number_by_load ON device_number (active_challenges, last_used_at, number)
    WHERE is_enabled = 1;
CREATE INDEX device_number_by_load_ready ON device_number (active_challenges, last_used_at, number)
    WHERE is_enabled = 1 AND is_ready = 1;
CREATE INDEX device_account_by_device ON device_account (device_id, account_id);
CREATE INDEX device_account_by_time ON device_account (state_until);
CREATE INDEX active_challenge_by_expiry ON active_challenge (expires_at);
CREATE INDEX call_challenge_by_caller ON call_challenge (caller, gateway_number, created_at);
CREATE INDEX call_event_by_arrival ON call_event (arrived_at);
CREATE INDEX otp_by_recipient ON otp (recipient, created_at);
CREATE INDEX otp_by_expiry ON otp (expires_at) WHERE code IS NOT NULL;
CREATE INDEX wrong_code_by_time ON wrong_code (at);
CREATE INDEX phone_task_open ON phone_task (channel, sender, id)
    WHERE state IN ('queued', 'claimed');
CREATE INDEX phone_task_claimed ON phone_task (channel, sender) WHERE state = 'claimed';
CREATE INDEX phone_task_held ON phone_task (lease_device_id) WHERE state = 'claimed';
CREATE INDEX phone_task_by_owner ON phone_task (owner_id);
CREATE INDEX channel_send_by_owner ON channel_send (owner_id);
CREATE INDEX channel_send_by_provider_id ON channel_send (provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX message_by_expiry ON message (expires_at) WHERE text IS NOT NULL;
CREATE INDEX chat_turn_by_time ON chat_turn (next_at);
CREATE INDEX phone_task_unreported ON phone_task (expires_at)
    WHERE state = 'claimed' AND expires_at > 0;
COMMIT;
-- file: herald-exchange.db
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE schema_migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT;
INSERT INTO schema_migration VALUES(1,'0001_kit',1795387263094);
INSERT INTO schema_migration VALUES(8,'0008_client',1795387263098);
INSERT INTO schema_migration VALUES(9,'0009_token',1795387263098);
INSERT INTO schema_migration VALUES(10,'0010_package',1795387263099);
INSERT INTO schema_migration VALUES(11,'0011_catalog',1795387263100);
INSERT INTO schema_migration VALUES(12,'0012_order',1795387263100);
INSERT INTO schema_migration VALUES(13,'0013_due',1795387263101);
INSERT INTO schema_migration VALUES(14,'0014_give_up',1795387263102);
INSERT INTO schema_migration VALUES(16,'0016_one_question',1795387263102);
INSERT INTO schema_migration VALUES(17,'0017_unasked',1795387263103);
CREATE TABLE idempotency_key (
    family      TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    resource_id BLOB NOT NULL,
    PRIMARY KEY (family, key)
) STRICT, WITHOUT ROWID;
INSERT INTO idempotency_key VALUES('orders','order-accepted',X'7c8c0e52789753fade94f1097cd819e2710ba2b43b63f38f302725157f256a25',X'01a21529ba677000854176d19097615f');
INSERT INTO idempotency_key VALUES('orders','order-delivering',X'a0ac68e05e59b59222ad777e694dc09e61cd1f79a18a5ec503db7782de022e85',X'01a2152aad5c70008469b87407b094d1');
INSERT INTO idempotency_key VALUES('orders','order-failed',X'59b29fa7e88310e9a175ed9216b01f5bff43d02230f0647241ab6f38d7bed343',X'01a2056b889b7000852113b906c8d4f3');
INSERT INTO idempotency_key VALUES('orders','order-rejected',X'a30a2808f2d501dab69867a2ee06ef53850e42767ceb12b40fc54c21e64bb838',X'01a21529ba9e7000855816f2b14b37e4');
INSERT INTO idempotency_key VALUES('orders','order-waiting-0',X'9428b9d72ed9d47c7b12de1651761ae403ea4611f289c65e6d820886c2655b13',X'01a21529bad6700085d00ed852df88aa');
INSERT INTO idempotency_key VALUES('orders','order-waiting-1',X'75adcab5f687c11c31d62939e254ea716676adf85988cdda9b00993ffd9f3ad4',X'01a21529bad77000876f4f094027b085');
INSERT INTO idempotency_key VALUES('orders','order-waiting-2',X'ec4ccf38fdc43b692697ae168f30a0fe78cada8096dcb3b28356f77c598fc582',X'01a21529bad9700086797df7753448b4');
INSERT INTO idempotency_key VALUES('orders','order-waiting-3',X'4e1a655e28acd8cf5c1d9f0b2fb9f192f6592b7aeabbda8aed3fed13e19a8ce3',X'01a21529badb700085c222eaf568855d');
INSERT INTO idempotency_key VALUES('orders','order-waiting-4',X'e46c6ba4481153f5cbad329ee2ed16e0a49a910188b1e36045e9890061dfe553',X'01a21529badc7000863e7bfc49a288a1');
CREATE TABLE job (
    id             BLOB PRIMARY KEY NOT NULL,
    kind           TEXT NOT NULL,
    subject        BLOB NOT NULL,
    attempt        INTEGER NOT NULL,
    created_at_ms  INTEGER NOT NULL,
    run_at_ms      INTEGER NOT NULL, -- when it was to run
    due_at_ms      INTEGER NOT NULL, -- when it may be claimed: run_at_ms, or the end of its lease
    lease_id       BLOB
) STRICT, WITHOUT ROWID;
CREATE TABLE lease (
    name     TEXT PRIMARY KEY NOT NULL,
    holder   BLOB NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE vault_check (
    one    INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    sealed BLOB NOT NULL
) STRICT;
INSERT INTO vault_check VALUES(1,X'a4fc6c7e972fae32f0eb25e448436f64ed9cb05a269152bba3c26cef17a36766239eb7811e055ec9a30d901ff78c');
CREATE TABLE store_pair (
    one         INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    pair_id     BLOB NOT NULL,
    is_complete INTEGER NOT NULL
) STRICT;
INSERT INTO store_pair VALUES(1,X'9ff8182cdcaa736c5487a33d0a3c4ce2',1);
CREATE TABLE integration (
    id            BLOB PRIMARY KEY NOT NULL, -- in order of creation: a page begins behind an id
    tenant_id     BLOB NOT NULL,
    point_id      BLOB NOT NULL,
    name          TEXT NOT NULL,
    is_enabled    INTEGER NOT NULL,
    erp_url       TEXT NOT NULL,
    erp_token     BLOB NOT NULL, -- sealed, bound to the id
    erp_path      TEXT NOT NULL, -- of orders
    erp_timeout_s INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO integration VALUES(X'01a2056b889870008648e29cda89baa6',X'1fd1bc3df09a4b3a9fcf2b3a64eed64b',X'bb0f9652841b46e3a50327c131e5fbc4','The shop',1,'http://erp-of-the-shop.example',X'b05124ef2cb415cdd87e524a31edf5a7b94606f8ad944620c06664302ce791998025fc133b0c37163b86a709e318bcf567351d2ada73c1421a8de13aac9f4bc19ba231','/svc/v1/orders',10,1795387263128,1795387263128);
INSERT INTO integration VALUES(X'01a2056b8899700085b4f440a8803c77',X'e2570d2753d347639cff36db16627dd8',X'5cb68713b1ab4dc98bec434431c3037f','The slow one',1,'http://erp-that-hangs.example',X'aa2f3a7da6244ad1cd22af4f09693454ffdf2f282a35e246c56ae3df6ad4f5de680ee36f81abf67a0a20bf9b86afd673be74c880ee8670ab479091dd2f190d1288c6ca','/svc/v1/orders',10,1795387263129,1795387263129);
CREATE TABLE workload_client (
    id             BLOB PRIMARY KEY NOT NULL,
    integration_id BLOB NOT NULL REFERENCES integration (id),
    name           TEXT,
    scopes         TEXT NOT NULL, -- words, separated by spaces
    is_enabled     INTEGER NOT NULL,
    created_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO workload_client VALUES(X'01a2056b8899700090b83724eb82d9a4',X'01a2056b889870008648e29cda89baa6','old','erp.catalog.write erp.changes.write erp.events.read',1,1795387263129);
INSERT INTO workload_client VALUES(X'01a21529b96370008909a7a69bbf4cd0',X'01a2056b889870008648e29cda89baa6','off','erp.catalog.write erp.changes.write erp.events.read',0,1795651385699);
INSERT INTO workload_client VALUES(X'01a2152aad927000862f365ccd83306b',X'01a2056b8899700085b4f440a8803c77',NULL,'erp.catalog.write erp.changes.write erp.events.read',1,1795651448210);
CREATE TABLE client_secret (
    id         BLOB PRIMARY KEY NOT NULL,
    client_id  BLOB NOT NULL REFERENCES workload_client (id),
    hash       BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER, -- the end of its overlap with a newer one
    ended_at   INTEGER  -- revoked or replaced; whatever another machine's clock says
) STRICT, WITHOUT ROWID;
INSERT INTO client_secret VALUES(X'01a2056b88997000971b3957e09cf11c',X'01a2056b8899700090b83724eb82d9a4',X'9fe78898ab98e6e3fb9d768ba4ac5a509954e3a527ea5328af5b2471a536dc87',1795387263129,1795654985698,NULL);
INSERT INTO client_secret VALUES(X'01a21529b962700095e00ec3925d65b0',X'01a2056b8899700090b83724eb82d9a4',X'd72c1fdc8e9755c4317d90d0ebe9d3e64a5363559c9b7d82e413b7b66bb3a510',1795651385698,NULL,NULL);
INSERT INTO client_secret VALUES(X'01a21529b96370008fb147c3e98226cd',X'01a21529b96370008909a7a69bbf4cd0',X'51fdccef106c27ccbf284df7136c3d426cfbb955c9817e0ec68c7414b8f36d1d',1795651385699,NULL,NULL);
INSERT INTO client_secret VALUES(X'01a2152aad92700088f25a49353f6f79',X'01a2152aad927000862f365ccd83306b',X'151903bf15c1e81f86386f59add96fe37a72b573d5d63aa685dd024b9fb58a8c',1795651448210,NULL,NULL);
CREATE TABLE signing_key (
    number      INTEGER PRIMARY KEY NOT NULL, -- 1, 2, 3 ...: of two that are made at once, one stays
    kid         TEXT NOT NULL,
    public_key  BLOB NOT NULL,
    sealed_seed BLOB NOT NULL, -- bound to the kid
    created_at  INTEGER NOT NULL,
    signs_from  INTEGER NOT NULL -- until the next number's does; grows with the number
) STRICT;
INSERT INTO signing_key VALUES(1,'2pAq8IAXQGvqoJXANIQ6UzTMwt_soc5AEjblkYOOZ2s',X'365a06d245fca023d7d0cf21bbafc75b47f35a689c34affbda4c011d3942144c',X'a250ab4bc2b11c669fdcdeef2e1153afedd135e848e533c2e432ab74e081a13cfe559edcfc7620628a41403042950dd799d2e6bf76193c91e329b325007ef85fc99b4370f6185678',1795387263110,1795387263110);
INSERT INTO signing_key VALUES(2,'cw1ubCLXBI97OjWHCZuf6mRCh4libxGFXchPTik5gEA',X'd29bd59e90decba6b7cc430a8ff8d741067afab93da37fc617933881bbe16ee9',X'371513b6087e726d5c55f89868463294ef678e8b3df36240650fa9f20c0daf4dbe91c37bf54b48cd93495dda17a02ad7aa55448d8a501990adc402006063486150d021cc3025492d',1795651025694,1795651340694);
CREATE TABLE erp_receipt (
    integration_id BLOB PRIMARY KEY NOT NULL REFERENCES integration (id),
    last_receipt   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO erp_receipt VALUES(X'01a2056b889870008648e29cda89baa6',5);
INSERT INTO erp_receipt VALUES(X'01a2056b8899700085b4f440a8803c77',2);
CREATE TABLE erp_package (
    integration_id BLOB NOT NULL REFERENCES integration (id),
    event_id       TEXT NOT NULL,
    receipt        INTEGER NOT NULL, -- order of receipt within the integration
    event_type     TEXT NOT NULL,
    status         TEXT NOT NULL,
    attempts       INTEGER NOT NULL,
    received_at    INTEGER NOT NULL,
    generated_at   INTEGER NOT NULL,
    processed_at   INTEGER,
    due_at         INTEGER, -- accepted, retry: when it is to be tried; processing: when another
                            -- process may; NULL: never again by itself
    give_up_at     INTEGER NOT NULL, -- when retries end
    released       INTEGER NOT NULL, -- the safety brake does not hold for it
    last_error     TEXT,
    row_count      INTEGER NOT NULL,
    rows_done      INTEGER NOT NULL, -- of the attempt that runs
    result         TEXT, -- a JSON object, once it is applied
    errors         TEXT, -- a JSON object: the rows at fault of the last attempt
    body_length    INTEGER NOT NULL, -- bytes as they were sent
    PRIMARY KEY (integration_id, event_id)
) STRICT, WITHOUT ROWID;
INSERT INTO erp_package VALUES(X'01a2056b889870008648e29cda89baa6','catalog:b2e3f691-6fd7-4d2b-ba63-1448d5fc1071',3,'snapshot','failed',1,1795651385794,1795387263793,1795651385796,NULL,1795737785794,0,'archive_limit',2,0,NULL,NULL,268);
INSERT INTO erp_package VALUES(X'01a2056b889870008648e29cda89baa6','catalog:e70bcf50-bdfc-4dfb-b8f1-6791e8c7398c',1,'snapshot','applied',1,1795387263133,1795235580123,1795387263136,NULL,1795473663133,0,NULL,29,29,'{"products":{"added":27,"changed":0,"unchanged":0,"archived":0},"categories":{"added":2,"changed":0,"unchanged":0,"archived":0},"prices":{"changed":28,"unchanged":0,"superseded":0},"stocks":{"changed":0,"unchanged":0,"superseded":0}}',NULL,5215);
INSERT INTO erp_package VALUES(X'01a2056b889870008648e29cda89baa6','changes:7b7a089b-e0e8-43de-8ead-40ce7996066f',5,'delta','retry',2,1795651385903,1795387263903,1795651448258,1795651463258,1795737785903,0,'1 row names a product or variant that the catalog does not have',1,0,NULL,'{"errors":[{"list":"stocks","index":0,"product_id":"later","variant_id":"v-1","message":"The catalog has no such product."}]}',177);
INSERT INTO erp_package VALUES(X'01a2056b889870008648e29cda89baa6','changes:be347c42-2f5c-4c8c-a45a-3703672cf3e2',4,'delta','applied',1,1795651385848,1795387263848,1795651385850,NULL,1795737785848,0,NULL,2,2,'{"products":{"added":0,"changed":0,"unchanged":0,"archived":0},"categories":{"added":0,"changed":0,"unchanged":0,"archived":0},"prices":{"changed":1,"unchanged":0,"superseded":0},"stocks":{"changed":1,"unchanged":0,"superseded":0}}',NULL,241);
INSERT INTO erp_package VALUES(X'01a2056b889870008648e29cda89baa6','changes:c740917b-cf8f-4ba2-8b8a-8cef6383b6e8',2,'delta','failed',2,1795387263188,1795387263188,1795650063638,NULL,1795473663188,0,'1 row names a product or variant that the catalog does not have',1,0,NULL,'{"errors":[{"list":"stocks","index":0,"product_id":"never-sent","variant_id":"v-1","message":"The catalog has no such product."}]}',182);
INSERT INTO erp_package VALUES(X'01a2056b8899700085b4f440a8803c77','catalog:f0315557-536a-4adb-a883-b27ad44be877',1,'snapshot','processing',1,1795651448256,1795387264229,NULL,1795651463259,1795737848256,0,NULL,6000,0,NULL,NULL,447910);
INSERT INTO erp_package VALUES(X'01a2056b8899700085b4f440a8803c77','changes:1116c192-3c2d-48de-b7f6-49270c810dbb',2,'delta','accepted',0,1795651448259,1795387264229,NULL,1795651448259,1795737848259,0,NULL,1,0,NULL,NULL,173);
CREATE TABLE erp_package_body (
    integration_id BLOB NOT NULL,
    receipt        INTEGER NOT NULL,
    received_at    INTEGER NOT NULL,
    packed         BLOB NOT NULL,
    PRIMARY KEY (integration_id, receipt)
) STRICT;
INSERT INTO erp_package_body VALUES(X'01a2056b889870008648e29cda89baa6',1,1795387263133,X'28b52ffd645f13fd2400c6af9138404bdb1cc330ecfcd2992d9b15897c5f8833cf0934f6478b854ba6c225fb3bd6c436610e780d58f1324d534244446cea46aa9086cb30c6047d0089007d002d310b2419c64927431be7fdbb8df3febd270f2cd31513f87b573cdf5ba2f0ecd48cd55acdd4d22318bc5b93461b679c5a82dade28566bf9ec0b1ed7148ef39ee72d1c04cd35ad350de7b8bf5b86a4b65c7b367576f8803c0ef8e80671349a363da2269aa4450327296a1cc60423c7d18fa2922dc3bf4b11b2b329fd88962b6499f288f70adbb3bed5beb78c5846a6f0038b4e2a0acf18007f9f34da49acd06ae9ec102e488460204c60b8345c974bc204d3e19a30014242ca3b5978255a276711cb335c1bae0f9785cb32a46041220473b93c5c97ebc375b92a5c9661ac946acbf02c628958ee9c6b4c756780d69aeaceee2b9952ddd96d599adc92d2a836d57646c955840150d76b7157565e9e5a3a8bbc39f6d69cc6e2128595a304030efcfd4aac338802f2786f18ebe4ec8d51303956a69c45a2288aa2c8310d3756ac7085217a16b13c5ce39ce6140fb330d301b595b60cffddd296e4a921577b76898cd5df279756aac6dba0eb23dea9192595ab33cb2d8952eaef90d4d295704676a7fdbd0396c8e271cd390ef27034188ba741208f87c3d16830188bc5f338d79ad39c66e2a0348c8119594e0ee2ba5c1cae0d578489b33be849b13d8bbc2d6a21cbb3cfb657526faab6947c1671ce39e79c73ce39e7a4bc936b57623114ad79672b5b821a53a035aec2d5597bb7b0655bd08cd5e4d22aa03551d4b0152bcc5038efafb8525446c95f813ba8d1bd9111111191942405496b7105844806dda80712a0a04198e4604a22a2082188312212c8c44a2856c3012c3270a9c0f8e201f1841022e5c18d09d19c5835209ef0007cf14078c203f0c503e1090f806f64cc42d1a5a85ca0c5e5c45b425246e039f454692c02f624d965864d52f019c2961c9c8cb027092e336c422ac4dca1e8068af5bba71beb11ad295c8f0f3fd7b41e6da31a244b960f21949f4b13d948ef3bdf10c873d6a4a11575ec8c2445b27681a58c187c111a897e84679905335e1723f75f73dcf01ee378dff797ca528ad344669c73480982661eb15702c05214ad5334a21b52fb4f7c662246354decf70924112b8a824f5cf2a3a13e6cbae0d558dd1fd1a29eb2da1d34778fe50a28676f7cb7ffd322877957d947318da46f01e83852313baf25903f2db608c50992577826bed120c4a1e948ec9521063628ac1cc7835be283310d3ad50ed3851c9c959fdf739184ef45619af9ac6144e6a4b55985988d79c971e463869cdb0ceacf4c9b4f05cd8224058fd9a46bc83c11079410498e07a9402377bda561a03aaeaebd77430b8980c69bdb554898433089bcd9a57e861f427831e5d3bd49f227016299d24302b79fb524eb139d637ec8a500cb931bf668c260efc8f8989852ade142c3baade8774af28c823670af25f9742c8e27649cf0201cb4319591c9854e08666fe127d8145288523cdac4c3ad7f2f700f7c2d88d01ba70e9b8342c78a9c06d725c225cc879b7c540390ca231a19fadee4d69048fe854ed991308418e2fbd1c95bc720956c78bf8ceb0c3b1615b6e2db3120ca82abf8ee3c87bd1f1069566502ecc5bb0a0215c86b');
INSERT INTO erp_package_body VALUES(X'01a2056b889870008648e29cda89baa6',2,1795387263188,X'28b52ffd24b6ad0400724a221f5049ac0341b8e0768aa3a35ac813095a1cc48cbb4d60ffb439243766669e1a0782435a4f904e3e7e10926e18378e271f3de96407791e5dbe8e0a7bf66b8fe2c0831b06d6a34173643cbac06e2a14c44ac6522a40294d490f45a8af4b4e94960cfb3573f4ed83155b1c4bb7555eb6aa9819baecd2942109803090b662338f0bdad71597c8d7b36f0802001c46c24d67210ad7fbc433');
INSERT INTO erp_package_body VALUES(X'01a2056b889870008648e29cda89baa6',3,1795651385794,X'28b52ffd640c002d0500220b24205049ac03a97f70fd0698b52624e44055f38c19341283292182e7078751550d30cf91899ee351b9eff660737467e107d90120f8be117839ba4acdf7ee3d61d823624b700c6c8e0ec31ed10f324a476e473758052360a94db6aa05aa293315aaf4fbc807d791612fad1c3d0d952d1170038c655a05230951c792e1922265a148562bb20a73c091dbf7ee1de2d24e3f110600c023406f24680b2a5e38c7b5884149015434e495');
INSERT INTO erp_package_body VALUES(X'01a2056b889870008648e29cda89baa6',4,1795651385848,X'28b52ffd24f15d0500624b252060679c03a865ddaffeae395254f9b234dc8f00e048a28b4f5636e3800c41b05cd3613a068582fe92d3fc1ee7ea3021fa82f862b31181d210b1f0adb457670bc288d9f7ac7475082386a345f1385f04e8a1015644e8ea00894b06cd50e634d390b9185b8434f2fab8cad2719f6e3a71f5ecc670228466206dede17671c26ef1c1e44ac7886b8d50a813cd0af0f5cb5362d3527f110600523384c285d6eb3e8af41046f2a6b360064cd4dec7');
INSERT INTO erp_package_body VALUES(X'01a2056b889870008648e29cda89baa6',5,1795651385903,X'28b52ffd24b1950400228a211f5047ac034858f49bcb49ebfc89b6a01a72c19859ac41716e470f38aaaac21acfe169f005765aca0dc1d10ac2cae4cb475fe9f2ac7c8f5edbb2121bb9d4813b067846202e96397aa1a937680a2e023246602cad951c53ecf0960fd9966bd34e8e0ee09c72ef151d159124b7915a362219ad3a21cf505c2005643aa11c100f2fe76169dfbe13020009237fd3593803c6d2b482');
INSERT INTO erp_package_body VALUES(X'01a2056b8899700085b4f440a8803c77',1,1795651448256,X'28b52ffd0448f47000faee681b1a50b791032835bbb8aaac71603203e3de15119118b4139999d0030e02a2018e01b66ddbb66db76ddbb66ddbb62d499224499224496edbb66ddbb66d9b244992244992240506060606060606060606060606060606060606cecccccccccccccccccc8888888888888888888844444444444444444444fcffffffffffffbf6ddbb66ddbb66db76ddbb66ddbb62d499224499224496edbb66ddbb66d9b244992244992248585858585858585858585858585858585858585cdcccccccccccccccccc8888888888888888888844444444444444444444fcffffffffffffbf6ddbb66ddbb66db76ddbb66ddbb62d499224499224496edbb66ddbb66d9b244992244992240505050505050505050505050505050505050505cdcccccccccccccccccc8888888888888888888844444444444444444444fcffffffffffffbf6ddbb66ddbb66db76ddbb66ddbb62d499224499224496edbb66ddbb66d9b244992244992342312f1db2db949027ca0c00741050400810313648041000204d081050c4c9001031d0420400061000c00d8c0010e1eb820030302282000082a60c082000408200c8041000504f0c00401789040010168b081031c3c70410618042080020914108006104c90c1051240b001030e0420400008cc464043016a01db01db00d2005f58000504b001030b3c00c1060c640081051048108000014408040db40f30106b60008a303040030f30d00118383d40d816430405487001050c6cc08003011410c003132cb0810510740041001e0433333333332222222222222222222211111111111111111111ffffffffffffff6fdbb66ddbb66ddb6ddbb66ddbb66d4b92244992244992dbb66ddbb66ddb264992244992244921428408112244881021428408112244881021428408313333333333333333332322222222222222222212111111111111111111f1ffffffffffffffb66ddbb66ddbb6ddb66ddbb66ddbb624499224499224b96ddbb66ddbb66d92244992244992141e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e3e3333333333333333332322222222222222222212111111111111111111f1ffffffffffffffb66ddbb66ddbb6ddb66ddbb66ddbb624499224499224b96ddbb66ddbb66d92244992244992141c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c3c3333333333333333332322222222222222222212111111111111111111f1ffffffffffffffb66ddbb66ddbb6ddb66ddbb66ddbb624499224499224b96ddbb66ddbb66d92244992244992141a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a3a3333333333333333332322222222222222222212111111111111111111f1ffffffffffffffb66d07dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66d922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449237197d3841989bb9c24c848dce5142146e22ea7878fc45d4e0e1e89bb9c1a3a127739317024ee725ad848dce5a4a091b8cba0a010343333333333333333332322222222222222222212111111111111111111f1ffffffffffffffb66ddbb66ddbb6ddb66ddbb66ddbb624499224499224b96ddbb66ddbb66d9224499224499214264c983061c2840913264c983061c2840913264c9830333333333333333333332222222222222222222211111111111111111111ffffffffffffff6fdbb66ddbb66ddb6ddbb66ddbb66d4b92244992244992dbb66ddbb66ddb264992244992244941820409122448902041820409122448902041820409323333333313013822222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222feffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb6dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66d499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224038e43a8f4217cef1f7a01731f0120b0a00614000604000001000404107000010868b0930608fc47f01ffe5cefe1d887774df7f19de7bec3677dc730afefbade63da8f773ef71ab6f51ba3b97ee7f29dd93ebef39c77f0adef18e6f51dd7f74cfbf18ee7de83b77ee33057efdcbd33dbc7739ef71cbef51bc3b8bee7f59e693bdef5dcf5f0ae6f18e6f65db77726fbf8cef3bca3b73e6338d7f7b99e33edc7bb9ef51d9ef54dc3dc7ee7f2ce691fdf79b977f0d66f0ce7fa39d777a6fd78cfe6bac3b7be6998abefbcde39edcb3b1ef71edefa8dc1bc7ee7face741fcff2dc77f8d6370cf3f59dd7bba67d78cee7dec35bbd313ad7ef5cdf99ec63779efb0ecffa8ed1bcbeeb7ac7b41fdef9dc6b78eb378ee6fa9dcb3bb3bdf8ce73dee15bdf6998d7775cef99d6c73b9e7b0f6ffd8ec35cbd737b67361fcf79de3b7ceb6f0ce3fa9eeb3d93ed78d773efe15dbf6198db776eef8cece33bcf7b476ffd8ce15cdf733dc7b41fef7aee3b3cd7370d73fbcee52da77d7ce775efe05bbf319ceb73aecf99f6e33dcf7587dffaa6612edf796de7b42fef3cee3d7aeb370673fdcee53bd37d3ce7b9efe15bdf30cceb3b57ef9af6e19dcfbd0f6ff5c668aedf717d67b28fef3cf73b3ceb3b86797dabeb1dd37ebcf3b9afe1addf18cdf5732eefccf6f19de779876f7dc730afdb71bd67da8f77bcee3dbcf51b87b9f4ceed9dd93e9ef379eff0addf18b4efa79f671beef04ef73ebbf7d4fb4772e0d19579d6d717051e5d91677d7d18f0e84a3cebeb63047874f522008f2efd8bff8eae5ec2bfa34b3fa0bfa3ab17f27774e907ec7774f57afd8e2efd87fc8eae5e86dfd1a5df71dfd1d5cbec3bbaf417ea3bba7a157d873ebb770903a9d867c19c33e401455c087cc610838afd6d9ad9731ecddb0b52949b900f0c2242e137421c1aecb0c2bc09f9c978de1831687acf252833431e50c48580cf186250b1cf823933e423e0e9317cd3ccde88418929f9411013061ea3c4a3608f0d668c92bf9867c69847f3f6428a7213f281414428fc8c1087063bac9837213f19cf1b23064defb90465cc9007147121f019430c2af659306706f908787a0cdf34b337322831253f0862c2c06314f128d863831953f217f3cc18f368de5e48516e847c6010110abf11e2d0608715f326e427c3f3c68841d37b2e419919f280222e043e6388818a7d16cc99211f014f8fe19b66f6460625a6e407829830f018251e057b7c6cc8f09b8dfd3730f2be7691f753e47d415bc5d1e579f7df0b912bc670846f7ddbf2adb71b6f7abbf16d6f1bdefab6d15bdf369ef576e3dade36bced6dd3b5be6d5cebdbc657bdcd78dbdb96577bdbf0d6b78d6f7ab3f1adb79bf0b804a35fb82ea6501f0bd87625ca7d4798445132244eb49ee284e9499eb03de50aeb559c603dc509d6533a617bca13d6a734c27a9413aca769a2f554276c4f3984f5284758af7224eb694ed89ee204cb538e08e39206f560e742c4c4e7759b20b8aee57c4b0409aa351ddaca8ab6ad2d29aeb05ee504eb299a603dd509db533a617dca11d6a31cc17a9a13ada73ac2f69423ac473982f52a27594f7382ed294e589e7204eb53e6ae9c3816f34d4954faee38a9231fb8eece90df48505a51b4dc2b95d6bd526ad9578aaa7da5e8aa5714ad7ba5d26aaf145afb4ad1b5ae28baf6aaa2755d29b4ee95526b975274ed3545d7aea268dd2b95d6ae544a85a3e7a9364d7841cbc59202e575e340c4dc9f645189c23b9dd92ba5d6ae5274d56b8aaebdaa685d570aad7ba5d45aa7145d7b4dd1b5ab285af74aa5b55329b5f695a26b2f5174ed55456b5e5269ed2ba5d6ee48d475bb62528f3ef69d9aa1bcd6715b0b14b8dee094e79a4e39aed129e7364e716ea3a9ceb59c725cd351ae6b1ce5dcc6d19cdb38c5b996933cd738ca758d2b39b7718a731ba774aee194e71a4f715de32887cefc72cb912511e2518d1b1983df8b3645e86a1374df14a4293ad54a95366d2b514eb09ee208db539db03de50ad6a39c603dca09ada739617bca132c4f39c27a949358af72a2f55427949e7284e52957a83ee55cc67eebbb9ca17bad625b1728763bc5a58cbff38aa25545abbd5268ed2aa5d67aa568da6b8ad67555d19a572aadbd4a51b5af145dbb9aa255af2a5af792426b5f29baf62545d35e53b4ee1585d6bd526aed2b0a6988872db73296dfbb7daae0ea86e32d29d493bdb59d67bddd78a5b7196f7bdbf0a66b1bdffab6f14d6f37def6b6e56ddd36bcf56de35bdd6c7cebedc6dbae6d78dbdba6b72edbf8d6db8d6fbd9af1b6b72d6fc4c46ed71c373a6b9bae59db65cb468360d3415dbbae5ba377d574ced4aed2349a44693a5fb48b1c1aad7ba653e3ec126a46cf31d3b5965d90952d28aa05f5ce4788a434071714d58274e72345529a830b8b6a02bbf31123298dc185426d01ddf9889194e6e04262b540f77c84484a537051a15aa07b3e6224a53968a1682dd0351f1191d254b850b42e944c07c82e1da36f63ba15bb9c18bd613a22ec52309a02d3e9d7a57cd1eaa51b5ed776d1b02edd2dd7d5e3a27b4b77b6a056bee33bbec7777cc777f88eeff8aa3947fafbff4f41fefefe03f459007af3a8190ac0a50389942b2958f5808d01a001b901dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddb365114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114455114c599999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f11111111111111111111111111111111111111111111111110218410420821841042082184104208218410420821841042082184104208218410420821841042082184104208218410420821841042082184104208218488888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888808dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb6edb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66d5b9224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224c96ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66d015555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555555559d999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999f9ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff17111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111092184104208218410420821841042082184104208218410420821841042082184104208218410420821841042082184104208218410420821841042082184101111111111111111111111111111111111111111111111b66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddb6ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb6244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66daaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2a8da7981480e33f0014e0fff1302ee05f80fffffb67fc5d77efceb93ff6c6bdbbebc6f97d77defcfd7befeff8bbe7fe9a3b7ff6cd793bf786fbfbe7dcf8fff6dffff03befde9d77dfec997b76f78df37bef9cf9ffd7dffbf176dffd3977fecc9bf7d6ee19f7f6dfb9f1ffee9fffe3d7def93beefed933f7ecce1befd7df71f3feefbffbe3ee9efb77cefdb137eeeddd33eeee9f73e7dfdf77ffc6efbdf377dcbdb36fcedbb537dcefbfe3e6fe9f7fff87df75f7edbcfb636fdc9bbb6f9cdf77e7ccffbff7fe8e9f7befafb9f367ddbcb7736fb89f7fcf8dff6ffffc4fbff3eedd39f7cf9eb96777dd78bff7ce99bf7fffbd1f6ff7dcdf73e7cfbc396fef9e716fffeceaf58746c202f79d8e48c937dc9e9e4f31102dabbf74020abce1f4a8fc78c36dd57c8e03a8788da527e1831b4e4be4e73b66a567703c88bed5585a011fde312a2a23dfe3f66b06c702f4bdce504918f01ea72f32f22db3df73280aa2e1f52cfd80016f197d9513afb88d9e87e3031a5e6be8271c70c569a83cf9bed9e859141fd1b12a4b23e181f78d86ca8af7dd4e4de118881eaf3f341216b8ef74444abee1f6f47c8a816899df5ffffecc7bff63cd9f3fe7ccdd3ffbe6bd9d7bd3fdfe7b6efcfffbf77ffa9d77ffcebb7ff6ccbdbbfbc6fbbd77defcfffbeffdf8bbf7fe9e3b7ff6cd7b7bf78cfbfbf7dcfa7ff7dffff47beffc9d77ffec9b7b76f78df7fbefb8f9fff7dfff7177dffd3df7fed89bf7f6ee1b77f7dfb9f5ffefbbffe3f7defb3beefed937f7edda1beff7df7573ffefbfffe3efbafb77eefdb537eeeddd37eeefbb73e7ffdf7f7fc7efbdf7f7dcf9b36feedbbd37dcefbfebe6ffb77fffc7df7df7eebcfb6befdcb3bb6fdcdf7fe7ccffbffffe8fb77befefb9f767debcb77befb8b77fcfcdff7ffffc4fbffbeedf71f7cfdeb96f77de78bfffce9bf77ffffd1f7ff7dcdf73efcfbd716fefde717fff9c5bfffffefb377eefddbfebee9d7d73dfeebde17eff9d37fffffcfb3ffeeebb6fe7de9f7bebdedc7de3fefe3b67fefffdf77ffcdc7b7fd7dd3febe6bedd7bd3fdfcbb6efefffbe77ffcdd77ffceb9bff6d6bdbbebc6fdfd77defcfdfbeffff8bbe7fe9ebb7ff6cd79bbf7a6fbfbe7dcfcfff7dffff0bbeffe9d77dfec9d7b77f78df3fbefbcf9ffd7dffff177dffd39f7feec9bf7d6ee1df7f7dfb9f1ffefbfffe3d7defd3beffed933f7edee1befd7df79f3ffefbffbe3efbefb77cefdb937efeddd33eeefbf73e7dfdf7fffc7efbdf377ddfdb36fcedbbd37deefbfe3e6ffdf7fff87df7df7efbcfb636fdddbbb6f9cdf7fbb2efd80816dd57c8e03a0bc0d9647e33f1b5e6be8271c64a567703c08fed9605912ffdbb12a4b23e1c1f66b06c702f0df0e49d118df1eaf3f341216b2df73280a82f1f6b07c89f16d59fda51350b08d9e87e303186f8be46b9c67c56b2c3d091fd9e859141fc1392b2c43e3f9f6adc6d20af8d84e4de118089eb74f3234d6b3ef75864ac2c0f6f47c8a81609d7d962351be0daf67e9070c6cabe6731c00e56db03c1affd9f05ae3efd7bf7bf3ddff59e3c7cf7173ee8fbd756fee9e7177ff9d33fffebefb3f7eee9dbfe3ee9f7573deaebde97efe1d37f7fffdf33ffcaebb7fe7dc1f7be3dedd75e3fcbe3b6ffefebdf777fcdd737fcd9d3ffbe6bc9d7bc3fdfd736efc7ffbef7ff89d77efcebb6ff6cc3dbbfbc6f9bd77cefcffebeffd78bbeffe9c3b7fe611fe3f65145a008af3bc1908c0778c6c96ad8a67a0019f018401a2288aa2288aa23833333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333323222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222f2ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6fdbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb6ddb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddb061111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66da2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa2288aa218222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222222ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddb6ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb6244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992244992111111010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000dbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66daaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa3333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333322222222222222222222222222222222018da8981480e33f0014e0fff1302ee07ffe03defcdbffcfccb33767d7b931fbff9979f6d6ec3e3766dfbf31efde9adde6c6ecff37e6cddbb1fbdc98fdfec6bc7d3b768f9bb1ffdf98b76ec7ee7533f6df9bf1f6edd83d6ec6fe7f33de9e9db9e7cdd8ff6ec6dbb733f79c99f5ffcd787b76d6dede9304e4bf62345442bae3ad93748dfc2d5ba5a51030903d9d9da201586f9924698467c3ea19ed010dd9eac9140941381b248f627fd6acd6520e48d842cda07800f6b346b234f2b3e4158646c083b6d7348a85209f259620319e3dae7da8052c6cb926710400e3eca1ec12edd9f2ca432921201b350f6307d0ce164b9648df82d5187a023bb256b3383280f4164886c4f3b65bb5a1959091a59e4031003cb79da449ac6fd92aad9cb76fc7ee75b3f6df1bf3d6edd83d6ed6fe7b33de9e9dbbc7cdd8ff6ed6dbb333f79c99fbdfcd787b76f69e33b3fe9f996fcfceda7366f6ff33f3eccdd97bceccf67f66bebd39bbce8dd9ffcfccb3b766f7b931fbfe8d79f7d6ec363766ffbf316fde8edde7c6ecf737e6eddbb17bdc8cfdffc6bc753b76af9bb1ffde8cb76fc7ee7133f6ff9bf1f6eccc3d6fc6fe7733debe9db9e7ccacff6fc6dbb3b3f6bc99f5ffcc3c7b77d69e33b3fdbf99676fceae7367b6ff33f3ecedd9756eccbe7f679ebd35bbcdadd9f76fcc9bb767b7b931fbfdad79f376ec1e3767bfbf316fddaedde366ecbf37e7addbb17bdcacfdf766bc3d3b778f9bb1ffddacb76767ee3933f7bf9bf1f6ecec3d6766fd3f33df9e9db5e7ccecff67e6d99bb3f79c99edffcc7c7b73769d1bb3ff9f99676fcdee7363f6fd1bf3eeadd96d6eccfe7f63debc1dbbcf8dd9ef6fccdbb763f7b819fbff8d79eb76ec5e3763ffbd196fdf8edde366ecff37e3edd9997bde8cfdef66bc7d3b73cf9959ffdf8cb76767ed7933ebff9979f6eeac3d6766fb7f33cfde9c5de7ce6cff67e6d9dbb3ebdc987dffce3c7b6b769b5bb3efdf98376fcf6e7363f6fb5bf3e6edd83d6ece7e7f63deba5dbbc7cdd87f6fce5bb763f7b859fbefcd787b76ee1e3763ffbb596fcfcedc7366ee7f37e3edd9d97bceccfa7f66be3d3b6bcf99d9ffcfccb33767ef3933db3f4e45d56cf6348e1b51b7ea4b3921834b4e4164c47b6c7b4da35888b2555a0a0103dc63da455abce5966b12470034ac9ed11ed0c02da72c92f205b351f3307640cd6a2de580042f180d91276f376b358b23034a5e6168043c70bb511359f9b259ea091403d0e3da875ac082978d924a8837cc9ece4ed1002daf3c941202b861f448f678cd6cf5648a8428588da127b0836b464b25c74b6ea166503c40bb551b5a09195c720a2223fa5bf77fefd8fd6fcf8e7de367fc3fbfebecd9596feeccffe7779c3d3bfbcd9d79ffeeceb36767bb7933ffdfdd39f6e6ec376fe6fb7b3bd7de9c7de6c7fc7f6fe7d85bb3dffc987fefe79c7b6bf6991ff3fffd9c336fc7bef363febb5f73f6edd8377ec6fff76bceba1dfbd6cff87f7ec7d9b763dff819ffdfef387b76d69b3fe3fff91d67dfce7a7367debfbfe3ecd9d96efeccfb77778ebd3bdbcd9bf9fefeceb137679ff933dfdfdb39f6f6ec333fe6dffb3bc7de9a7de6d7fc7b3fe7ccdbb3cffc98ffeef79c793bf68d9ff3dffd9ab36ed7bef133fe9fdf73d6edd8377ed6fff33bce9e9dfbc6cff87f7ed7d9b3b3dedc99ffcfef387b76f69b3bf3fedd9d67cfce76f366febfbb73eccdd9069103351e005a5b0c090ec02507bfeb7f262929a95f7f670191008a008a0092244992244992244992244992244992244992244992244992244992244992244992244992244992922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449922449222222222222222222222222222222222222222222222222222222222242244992244992244992244992244992244992244992244992244992dcb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66d932449922449922449922449922449922449922449922449922449922449922449922405b66ddbb66ddbb66ddbb66ddbb66dbb6ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddb9624499224499224499224499224499224499224499224499224499224499224499224499224499224499224499224490601f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff6fdbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb66ddbb6ed85b358010013f0ff010614045e41a07fb8ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddfd7507d89820f1');
INSERT INTO erp_package_body VALUES(X'01a2056b8899700085b4f440a8803c77',2,1795651448259,X'28b52ffd24ad850400e209211f5049ac0341b8e0db6047415a1592823a2aaeaa7a81ff1126787e703233136a07838300fb828432f2a380b4d258813cf9e89361c3f3e89a18f7bca5616e28607712dc229da3131cbb004b315d6c776037a92662d59e5d32f25a72d3b193a3b7f6941a4e157bac441c142df533567aeb02d21eea0855654e279111dcd91f4464ecd93704020007237ed35938032a482cfb');
CREATE TABLE catalog (
    integration_id   BLOB PRIMARY KEY NOT NULL REFERENCES integration (id),
    number           INTEGER NOT NULL UNIQUE, -- small: the upper half of the numbers of its products
    last_product     INTEGER NOT NULL,        -- the lower half that was given last
    snapshot_receipt INTEGER NOT NULL,        -- of the newest snapshot applied; 0: none
    updated_at       INTEGER NOT NULL
, edition INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
INSERT INTO catalog VALUES(X'01a2056b889870008648e29cda89baa6',1,27,1,1795651385849,4655966510203605726);
INSERT INTO catalog VALUES(X'01a2056b8899700085b4f440a8803c77',2,0,0,1795651448259,0);
CREATE TABLE catalog_category (
    catalog    INTEGER NOT NULL,
    id         TEXT NOT NULL,
    name       TEXT NOT NULL,
    archived   INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (catalog, id)
) STRICT, WITHOUT ROWID;
INSERT INTO catalog_category VALUES(1,'cat-1','Молоко 🥛',0,1795387263136);
INSERT INTO catalog_category VALUES(1,'cat-2','Хлеб',0,1795387263136);
CREATE TABLE catalog_definition (
    catalog    INTEGER NOT NULL,
    id         TEXT NOT NULL,
    doc        TEXT NOT NULL, -- a JSON object: the definition as it was sent
    archived   INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (catalog, id)
) STRICT, WITHOUT ROWID;
INSERT INTO catalog_definition VALUES(1,'def-boolean','{"id":"def-boolean","code":"code-boolean","name":"Name boolean","type":"boolean","unit":"unit-boolean","canonical_code":"canonical-boolean"}',0,1795387263136);
INSERT INTO catalog_definition VALUES(1,'def-date','{"id":"def-date","code":"code-date","name":"Name date","type":"date","unit":"unit-date","canonical_code":"canonical-date"}',0,1795387263136);
INSERT INTO catalog_definition VALUES(1,'def-decimal','{"id":"def-decimal","code":"code-decimal","name":"Name decimal","type":"decimal","unit":"unit-decimal","canonical_code":"canonical-decimal"}',0,1795387263136);
INSERT INTO catalog_definition VALUES(1,'def-enum','{"id":"def-enum","code":"code-enum","name":"Name enum","type":"enum","unit":"unit-enum","canonical_code":"canonical-enum","values":[{"id":"enum-1","code":"enum-code-1","name":"Enum 1"},{"id":"enum-2","code":"enum-code-2","name":"Enum 2"}]}',0,1795387263136);
INSERT INTO catalog_definition VALUES(1,'def-integer','{"id":"def-integer","code":"code-integer","name":"Name integer","type":"integer","unit":"unit-integer","canonical_code":"canonical-integer"}',0,1795387263136);
INSERT INTO catalog_definition VALUES(1,'def-string','{"id":"def-string","code":"code-string","name":"Name string","type":"string","unit":"unit-string","canonical_code":"canonical-string"}',0,1795387263136);
CREATE TABLE catalog_product (
    product     INTEGER PRIMARY KEY NOT NULL,
    catalog     INTEGER NOT NULL,
    id          TEXT NOT NULL,
    category_id TEXT,
    text_hash   BLOB NOT NULL, -- of its bytes in the newest snapshot: equal bytes are not read again
    doc_hash    BLOB NOT NULL, -- of its content: equal content is no change
    last_variant INTEGER NOT NULL,
    variant_count INTEGER NOT NULL, -- of those that are not archived
    archived    INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL -- of content and archival
) STRICT;
INSERT INTO catalog_product VALUES(4294967297,1,'full','cat-1',X'196145a08e3042907f53dae8b94769eb',X'1fd8453a65603855ac8f4db72ff66549',2,2,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967298,1,'plain',NULL,X'44e4afefa209f7bff0001e8112c2e454',X'5bf56e4161ba7511754c3b01a29231f0',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967299,1,'p-0',NULL,X'993f56e46e97256b557afc67f83fd827',X'2a0f5eca08c0df99a01e0e4b659d56d1',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967300,1,'p-1',NULL,X'f5c93520abf882d8acde363fc0ae15f9',X'1282158aa9069740e64a00f0e1d2814d',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967301,1,'p-2',NULL,X'572f5b42d5796980781a34e442494afe',X'fcba51d960438fa72fac237ffc668ee7',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967302,1,'p-3',NULL,X'cc1561c036d8d3f59262df6b9c2ac7c8',X'a3aa0fe00bd3b384d243bef12a467c29',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967303,1,'p-4',NULL,X'4f7c3ca90f499f51e7287be4e52b2b3b',X'1885ccaf5733f5336641df947b37d1eb',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967304,1,'p-5',NULL,X'c3d7fae548f0a44bc604dfa6b99bc794',X'4387e2c532bc1ce5a9525dd7adb76944',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967305,1,'p-6',NULL,X'48c9d1e8e0cb4092c91c1f233aff23b6',X'fea5590b3df4e7deac756a07a8d5dce5',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967306,1,'p-7',NULL,X'b9579c9c5cf076237b84103385ef8ffb',X'af23f86eceda4fc75044c21756623159',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967307,1,'p-8',NULL,X'f6d109438ce766eacef8f6da0db07176',X'1135cb1c6ac27454d4f0fb807f3db12b',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967308,1,'p-9',NULL,X'6aff9342f46b3e24dcd6a5dfa35ad173',X'd3c0561afa64e79acb72ea9841a05ec6',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967309,1,'p-10',NULL,X'004b7ce1510fdf7aa41fe3440fc8902d',X'80a173ac4b549095647783b256a02a92',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967310,1,'p-11',NULL,X'4e2c66bdcf49f0be09ab9c277d4161c0',X'dc87cf340c14755da6636e5ab866c264',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967311,1,'p-12',NULL,X'c39ba85e5352d57188819e76cd8147bc',X'9cca29e6f66d3ed64d8d0aace3bb62bb',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967312,1,'p-13',NULL,X'd89f7d4c510bd504d861028232fcbe45',X'8fbc8e1c5b8dc206e15fadd06ccaebd4',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967313,1,'p-14',NULL,X'0c15870ba5620eb3562ea275fc77e07a',X'366647853e7d9e4f2c663a8ce34bd1dd',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967314,1,'p-15',NULL,X'de9c5db15d67fa16a0568027025cc2ea',X'53f511907836f6e1f4a215e5b46468ad',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967315,1,'p-16',NULL,X'30846e9650c28c9c8a67a43f55b17fb3',X'c372674ecd04df29178a6638ea421b9e',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967316,1,'p-17',NULL,X'24d3dd9decab8b01e2ae5dc76386a911',X'c46d186b8edcafc2c72af8af6fba88fd',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967317,1,'p-18',NULL,X'fb3e8c783b672d4fe55b0a6dc5ab8ee6',X'3dcda1038f9d47396936ac8bb2f2242e',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967318,1,'p-19',NULL,X'bd64fd59c64c5de56b9b37f32b16d64c',X'926c6fb3b22d5e15d87ca5455f7e8cd2',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967319,1,'p-20',NULL,X'2c01c26cd9788defff1e555fb4175c92',X'6a575cb6a13c3e757ed8c07cdd104f79',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967320,1,'p-21',NULL,X'aea3593e76ad235a2058c7b65082b7ec',X'0db280ff68132fac433ff3c9a244cb26',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967321,1,'p-22',NULL,X'0244dcc760341257e4fa25978b5b6cf9',X'6db3a926dd408b564845d6317f55f271',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967322,1,'p-23',NULL,X'7eed318b71f5fd8688542fe0c7708f58',X'b4c3bce710fc43fa21d5c01b56f62391',1,1,0,1795387263136);
INSERT INTO catalog_product VALUES(4294967323,1,'p-24',NULL,X'd63bd1afdc845d26af28e43fea8a9dae',X'43245bad29bd8e8c73877502628af946',1,1,0,1795387263136);
CREATE TABLE catalog_product_doc (
    product INTEGER PRIMARY KEY NOT NULL,
    doc     TEXT NOT NULL -- a JSON object: the product without prices
) STRICT;
INSERT INTO catalog_product_doc VALUES(4294967297,'{"id":"full","name":"Полный товар 🧀","description":"A description","composition":"A composition","category_id":"cat-1","available":true,"tax":{"vat_rate":"10","vat_included":true,"tax_category":"goods"},"marking":{"required":true,"group":"milk","traceable":false},"attributes":[{"attribute_id":"def-string","value":"a text","unit":"own unit"},{"attribute_id":"def-decimal","value":3.2},{"attribute_id":"def-integer","value":12},{"attribute_id":"def-boolean","value":false},{"attribute_id":"def-date","value":"2026-02-28"},{"attribute_id":"def-enum","value_id":"enum-2"}],"option_axes":[{"id":"axis-a","code":"axis-a-code","name":"axis-a name","values":[{"id":"axis-a-1","code":"axis-a-code-1","name":"axis-a name 1"},{"id":"axis-a-2","code":"axis-a-code-2","name":"axis-a name 2"}]},{"id":"axis-b","code":"axis-b-code","name":"axis-b name","values":[{"id":"axis-b-1","code":"axis-b-code-1","name":"axis-b name 1"},{"id":"axis-b-2","code":"axis-b-code-2","name":"axis-b name 2"}]}],"variants":[{"id":"full-1","name":"Variant 1","sku":"SKU-1","barcodes":["4600000000011","4600000000021"],"default":true,"measure_unit":"kilogram","measure_value":0.5,"option_values":[{"axis_id":"axis-a","value_id":"axis-a-1"},{"axis_id":"axis-b","value_id":"axis-b-1"}],"option_groups":[{"id":"group-1","name":"Group 1","required":true,"min_select":1,"max_select":2,"options":[{"id":"option-1-1","name":"Option 1 1","price_delta":-1.5,"available":true,"sku":"option-sku-1-1"},{"id":"option-1-2","name":"Option 1 2","price_delta":-1.5,"available":true,"sku":"option-sku-1-2"}]}]},{"id":"full-2","name":"Variant 2","sku":"SKU-2","barcodes":["4600000000012","4600000000022"],"default":false,"measure_unit":"kilogram","measure_value":0.5,"option_values":[{"axis_id":"axis-a","value_id":"axis-a-2"},{"axis_id":"axis-b","value_id":"axis-b-2"}],"option_groups":[{"id":"group-2","name":"Group 2","required":true,"min_select":1,"max_select":2,"options":[{"id":"option-2-1","name":"Option 2 1","price_delta":-1.5,"available":true,"sku":"option-sku-2-1"},{"id":"option-2-2","name":"Option 2 2","price_delta":-1.5,"available":true,"sku":"option-sku-2-2"}]}]}],"allergens":["gluten","lactose"],"tags":["new","сезон"]}');
INSERT INTO catalog_product_doc VALUES(4294967298,'{"id":"plain","name":"Product plain","available":true,"variants":[{"id":"plain-v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967299,'{"id":"p-0","name":"Product p-0","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967300,'{"id":"p-1","name":"Product p-1","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967301,'{"id":"p-2","name":"Product p-2","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967302,'{"id":"p-3","name":"Product p-3","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967303,'{"id":"p-4","name":"Product p-4","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967304,'{"id":"p-5","name":"Product p-5","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967305,'{"id":"p-6","name":"Product p-6","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967306,'{"id":"p-7","name":"Product p-7","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967307,'{"id":"p-8","name":"Product p-8","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967308,'{"id":"p-9","name":"Product p-9","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967309,'{"id":"p-10","name":"Product p-10","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967310,'{"id":"p-11","name":"Product p-11","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967311,'{"id":"p-12","name":"Product p-12","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967312,'{"id":"p-13","name":"Product p-13","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967313,'{"id":"p-14","name":"Product p-14","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967314,'{"id":"p-15","name":"Product p-15","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967315,'{"id":"p-16","name":"Product p-16","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967316,'{"id":"p-17","name":"Product p-17","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967317,'{"id":"p-18","name":"Product p-18","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967318,'{"id":"p-19","name":"Product p-19","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967319,'{"id":"p-20","name":"Product p-20","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967320,'{"id":"p-21","name":"Product p-21","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967321,'{"id":"p-22","name":"Product p-22","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967322,'{"id":"p-23","name":"Product p-23","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
INSERT INTO catalog_product_doc VALUES(4294967323,'{"id":"p-24","name":"Product p-24","available":true,"variants":[{"id":"v","name":"","default":false,"measure_unit":"piece","measure_value":1}]}');
CREATE TABLE catalog_product_name (
    product INTEGER PRIMARY KEY NOT NULL,
    folded  TEXT NOT NULL
) STRICT;
INSERT INTO catalog_product_name VALUES(4294967297,'полный товар 🧀');
INSERT INTO catalog_product_name VALUES(4294967298,'product plain');
INSERT INTO catalog_product_name VALUES(4294967299,'product p-0');
INSERT INTO catalog_product_name VALUES(4294967300,'product p-1');
INSERT INTO catalog_product_name VALUES(4294967301,'product p-2');
INSERT INTO catalog_product_name VALUES(4294967302,'product p-3');
INSERT INTO catalog_product_name VALUES(4294967303,'product p-4');
INSERT INTO catalog_product_name VALUES(4294967304,'product p-5');
INSERT INTO catalog_product_name VALUES(4294967305,'product p-6');
INSERT INTO catalog_product_name VALUES(4294967306,'product p-7');
INSERT INTO catalog_product_name VALUES(4294967307,'product p-8');
INSERT INTO catalog_product_name VALUES(4294967308,'product p-9');
INSERT INTO catalog_product_name VALUES(4294967309,'product p-10');
INSERT INTO catalog_product_name VALUES(4294967310,'product p-11');
INSERT INTO catalog_product_name VALUES(4294967311,'product p-12');
INSERT INTO catalog_product_name VALUES(4294967312,'product p-13');
INSERT INTO catalog_product_name VALUES(4294967313,'product p-14');
INSERT INTO catalog_product_name VALUES(4294967314,'product p-15');
INSERT INTO catalog_product_name VALUES(4294967315,'product p-16');
INSERT INTO catalog_product_name VALUES(4294967316,'product p-17');
INSERT INTO catalog_product_name VALUES(4294967317,'product p-18');
INSERT INTO catalog_product_name VALUES(4294967318,'product p-19');
INSERT INTO catalog_product_name VALUES(4294967319,'product p-20');
INSERT INTO catalog_product_name VALUES(4294967320,'product p-21');
INSERT INTO catalog_product_name VALUES(4294967321,'product p-22');
INSERT INTO catalog_product_name VALUES(4294967322,'product p-23');
INSERT INTO catalog_product_name VALUES(4294967323,'product p-24');
CREATE TABLE catalog_variant (
    product  INTEGER NOT NULL,
    id       TEXT NOT NULL,
    variant  INTEGER NOT NULL,
    archived INTEGER NOT NULL, -- 1: not among the variants of the newest snapshot that has the
                             -- product; 2: it was, when the product was archived
    PRIMARY KEY (product, id)
) STRICT, WITHOUT ROWID;
INSERT INTO catalog_variant VALUES(4294967297,'full-1',1,0);
INSERT INTO catalog_variant VALUES(4294967297,'full-2',2,0);
INSERT INTO catalog_variant VALUES(4294967298,'plain-v',1,0);
INSERT INTO catalog_variant VALUES(4294967299,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967300,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967301,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967302,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967303,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967304,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967305,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967306,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967307,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967308,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967309,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967310,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967311,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967312,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967313,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967314,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967315,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967316,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967317,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967318,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967319,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967320,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967321,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967322,'v',1,0);
INSERT INTO catalog_variant VALUES(4294967323,'v',1,0);
CREATE TABLE catalog_offer (
    product       INTEGER NOT NULL,
    variant       INTEGER NOT NULL,
    price         TEXT NOT NULL, -- a decimal
    price_receipt INTEGER NOT NULL,
    stock         INTEGER,       -- units; NULL: never told
    stock_receipt INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    PRIMARY KEY (product, variant)
) STRICT, WITHOUT ROWID;
INSERT INTO catalog_offer VALUES(4294967297,1,'89.9',1,7,4,1795651385849);
INSERT INTO catalog_offer VALUES(4294967297,2,'89.9',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967298,1,'7',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967299,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967300,1,'99.5',4,NULL,0,1795651385849);
INSERT INTO catalog_offer VALUES(4294967301,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967302,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967303,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967304,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967305,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967306,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967307,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967308,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967309,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967310,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967311,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967312,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967313,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967314,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967315,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967316,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967317,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967318,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967319,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967320,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967321,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967322,1,'10',1,NULL,0,1795387263136);
INSERT INTO catalog_offer VALUES(4294967323,1,'10',1,NULL,0,1795387263136);
CREATE TABLE order_delivery (
    id             BLOB PRIMARY KEY NOT NULL, -- the order's own
    integration_id BLOB NOT NULL REFERENCES integration (id),
    state          TEXT NOT NULL,
    attempts       INTEGER NOT NULL, -- begun; a record is a compare-and-set on it
    due_at         INTEGER,          -- queued: when it is to be tried; delivering: when another
                                     -- worker may; NULL: never again by itself
    give_up_at     INTEGER NOT NULL, -- when retries end
    fingerprint    BLOB NOT NULL,    -- of the content: the same id with other content is refused
    erp_order_id   TEXT,
    erp_number     TEXT,
    last_error     TEXT,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
, failures INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
INSERT INTO order_delivery VALUES(X'17aae7deabb9403da83ce53eeda3011a',X'01a2056b889870008648e29cda89baa6','queued',1,1795651387187,1795910586071,X'e687aa9591da3ab1718844867d1bcdd5c74ee217e43089760adb2e00f0b3a77e',NULL,NULL,'HTTP 503',1795651386071,1795651386075,1);
INSERT INTO order_delivery VALUES(X'567e413df2234bc5a44111bcfcc6c479',X'01a2056b889870008648e29cda89baa6','failed',1,NULL,1795646463131,X'9798b08e4e3aa98a950a35dcdd3e451703eff5e9e870d1b3bcf35d93de67c2aa',NULL,NULL,'HTTP 503',1795387263131,1795650063617,1);
INSERT INTO order_delivery VALUES(X'840cdcf1ae8242c09bb7bdcdb492f714',X'01a2056b889870008648e29cda89baa6','queued',2,1795651452183,1795910586076,X'87b2600ceaeee08aa7a4be2c09f8c398f1d396f92862d69523979d1c70395724',NULL,NULL,'HTTP 503',1795651386076,1795651448160,2);
INSERT INTO order_delivery VALUES(X'94b66d3189b9442594475d651d6d048c',X'01a2056b889870008648e29cda89baa6','queued',1,1795651386931,1795910586075,X'7ef12eebec4a7948e9e099aebcefbac55e5390c0b4d9bf0d839064283bd79121',NULL,NULL,'HTTP 503',1795651386075,1795651386077,1);
INSERT INTO order_delivery VALUES(X'bf63f98c94134d35ab2f1c92ce860d84',X'01a2056b889870008648e29cda89baa6','queued',1,1795651387123,1795910586073,X'45d56befbb77345262568b9620d155f6d6079cedf30dfd13c4e427a5ebab049f',NULL,NULL,'HTTP 503',1795651386073,1795651386076,1);
INSERT INTO order_delivery VALUES(X'c601a4433dad4c0988b3c6600156f5a0',X'01a2056b889870008648e29cda89baa6','queued',1,1795651387131,1795910586070,X'4ecd72136280a0586f55960834ad2e6bd5259c1a99c5ae7532e3d9b7e2f37574',NULL,NULL,'HTTP 503',1795651386070,1795651386074,1);
INSERT INTO order_delivery VALUES(X'da6a7ee8437f4bbabd1457ff7da8192a',X'01a2056b8899700085b4f440a8803c77','delivering',1,1795651468157,1795910648156,X'bcf9a064c8bacb791c224fa4efbdac881e37cf32413f85b215b1dc97dd2ef4ff',NULL,NULL,NULL,1795651448156,1795651448157,0);
INSERT INTO order_delivery VALUES(X'da6f48195226471498d09a9c509de302',X'01a2056b889870008648e29cda89baa6','accepted',1,NULL,1795910585959,X'c94975aeb90d46aa6097a6f92aa3fba3a61e390d58a58855d21c0da512a6430e','doc-1','SO-1',NULL,1795651385959,1795651385966,0);
INSERT INTO order_delivery VALUES(X'db48b4f63f044e68be8d9d34c717175e',X'01a2056b889870008648e29cda89baa6','rejected',1,NULL,1795910586014,X'8223e0ccb93856f45d7d28ddcbf72cd1921281fe2b4182e91db4c525cd62a16b',NULL,NULL,'Not in stock',1795651386014,1795651386018,0);
CREATE TABLE order_body (
    id     BLOB PRIMARY KEY NOT NULL,
    sealed BLOB NOT NULL
) STRICT;
INSERT INTO order_body VALUES(X'567e413df2234bc5a44111bcfcc6c479',X'f7153659373366233f42efcee242760bcf474f895365c4f90a025825c9310073ef1b7301d9cbdc7fb8ebdb05e6d9324f44bcfc8dca99121e274961b7fbe2ea9a0f05210acd42ce9304fb75fbb7999f3ba005d42e85812c7901a3290bf6e218d3d3f525cbdc8f3d3bb9c51021e1f51b31447ea8e00234e92961ea9fa661c83535c1729840dd74fa05bbfdf3bdedc64b33d53541f9a8af70ac557c8f7d6e6544b1bf47280f0db31ac10947ffa6fe7af29707e9c4841fea26096a54eb36729690a35f87ae55c73b2370b815e1f3f1ee91a94a52c4a6a3779357900a606389ee8e9a197c5a45a2950f46dc26e585ef66dacad1b42ac4bace05ad2b05a2c84ab0909d4238f3cf8025c4d76a1b23a2629505f888f69d96dc40762486a17f2d8af10e13112d5f322ffe5dbd95a88cdeb359b8ac320106411c89629706c39c0d2578aed11ad6e608237c7e8b2b882d2651e28f2c1f415fd50bd214d3e27ca492c1498153a3955f991023dd113b7def927926b7e4605df86e8f24d4248ad9eed565fae20f42a2710341f3d84135f74c18a27bf8dc4adb47b89c3ff2ce32c470dfe2d9b3440b34f4d4ceadf470b28293b449b7c614c745de515e2a665debbf4f6c1d23fe4add47cc52179328acfeb0d3ed90e23fea147d57e9c1f9ada04763d28f0419ae0d76465148b6714f7ec00818f46280440bf8418612b4dc3cb8cfc32782fd1f311d04539f86475922516136cee6e99771be601f850045e189d27ec1699e3e1243beb25b3933613f42b9ad9d870cfede6662cd1560132dcbca7b908877fdcfc3b3815a5b2b61a5b7e8114fee23ea9d590bb88e7eb252ab01868f60f5169d299a9dcc81c920e50363e8c0d84ad1673710560679e3f171e84498ccd0466280f845b1a2337ca6ccfa676bedbd59b9ee33be1da8ecb5cb78a84e456e08c92b16fcb827b901551a2093207ed0229e7d6f48ba2247c94f4f2ba1748f2087478e79716c3aeb2b3e12181f8bc298cc613c83e97c984c1d770377578947f7bf6f43c72814bbf96ba069d34a2050327fa318103510f10ce09a1d2cce65482eeeac6f19243a1d01c29c1c6d1bc2844ac78d04e48006e2cb83aeb57372d2ca28cbb7df28b5688b130b724f981e501b73aeec58c77a9ca23284f471e08072fa78e58fef13ffe647b327c690a64091eb7849da624896a54e0ee7d5e6ae2a3b3aeec5fff40f742738d003ed0d899de6c242315e8f381d3d112e8ca6e63ee5935afd2f44dd37b20c6cc441e83958ba195bc2acf656e13d97f2479bbf360826cecb69af90caedb84f69d9cbea9efa21cec062ae5d160ff15c2c130339a98b1ae7b239242afbfe96ccd5669c5104e5069bbc0972372b161cb89def6da099e964f616f57c48dbe585a18060f62a5ff40542c21e1b5a73db949643e8b361ae7502a9889f8d832a51a6e0ae27523586');
INSERT INTO order_body VALUES(X'c601a4433dad4c0988b3c6600156f5a0',X'9558db6cfcc18779ee2407560f874ea26feacccbb7e72a463d58487cf08a99c53d46598cb9cb8bc0f2a37707f5fb364510537c4c0560cf9dd01bd55d1abca85f45a5b4a1ddb02eb194a04946b7f4d862dbd6a711a6b847bc6cb1fab135db7f2c873aa70e815b7a172655bdaa474f47c9986829ab79599f099d19614fd8ae386c39d3748a6a5c41206d0ea81494bd1e19735856ee345bd53f9016bf986d4f7edf17394ed3993d405d15d92a822376668f6823056c4962f4b9d9644a87ab6ea2fb0f3ea0f3de967588deec3f344829f75166de8424f1420af4fe6d496139c9bacf781287e23a07f1f62c57d76e329a7c7c4288c6df53bd49ec0307800dea22d13a91505166fa7f93318207f1cd9200339c32fff9c59a6aeaf86ab58acf59b161bc658eff568ca117b4b032c864b76e61d98571ad21572b7f877f4428c21f1c83783baf955bfe20413833867e44bc9ef35f1e9749e371bf8e26a51488bc623d66487aac7922f4c0f4d00ac184309870a05f92b54fafab363c5302057a962245ad3b1e7c370e4fd186aa0f2e6c25d40e738404331a3228ccbdfdeedd808adbd2fd4dd66525b3c754995178535495743cbb310f67bb2862f1525d65e8744ba2a76ee44f8c469fd445fa9d2ee0190ccf07c28bdf39bde25bdd7738dfd0a55724c523fa9bd28f7b86d1ae50259d1f1755085f58ae0759eb8ac0eb428711688da49013fa7c452e85a89bfcb54ca1379a55db7f928f55c938e228126429d9582c0cf06f2f151796d6d069cccbe7cee63115dfe0be78b8c5aec7a6d32fd256888f79670f6b2d797609fa32b605c1aedc2ad5669607fca991455bc0eea692486fe4035ccb3516070d26d31f1d5091100c426f86aec5b8d4a6a76dcd29959060962d0f0b9540e5f307986bb140108b647aaa922b0f6350bc126f1c5a2da5fb718a495789a1fd8a2dd2aacf63213f963962b4daaf95e451edd552a989b81ec3af975886e1bab02fbd205b4e8fd1782f3b0ce28ee50457f00d08a86214696e36fcedfab574aa6dd6b7a6b9755cfc54c6389cc16901806df163d37c177b5899900f0c85ba14eb4c37b2fdd0ec1a24c64530a47118359984f9adddd6f8743e70e1f2371a3b1556dc3ec9d6054cd3ebd85bb1ccad95f9a2075e02d99e9ddf97633e5ce443aa39fa5a369e2f24e1fd3ff01898e9c7fec2e04f482dadf1a874a27a698514abd370f7f2806bbcc81b4a949c3deb74a28c01681311a31e89b3eaac560e0a599289b53230909875dd215c9fc5a3ea1bb32ca32e9d8b255d07852ed69a3f98901cc51367b66f8ddce4fdb3869df12849b151ba5572bebe09738f415042a4282ab1b9eb4e92cf1d08a2dd55540bd217dde3991e2b3c6c3d2efdcbc35b304ac77a3fc83d2ceae95edf5b206b31b33bdaa44e44928a47');
INSERT INTO order_body VALUES(X'17aae7deabb9403da83ce53eeda3011a',X'9d864c909b595fa43509f4e0b7d133ba7f88e3a98831cc2bc0ea01cd4388bb8d17df0b7ab3a518310ae7d1cc137f3663bcbb536a2fb883b0091a6e4f7b129c70a768dbae6b298a0084694c203f5b11daf60326ac999bb41aa1c0198b272e7380f73bf37c5d72ad5e784e9a827bef3962f055cd7fac451da69b4ab6abeaae51e6ddf22d92391674b94b7962cefab9ace17c9176aee23c9e87744079f106b443577e5fe6e5ac267e4e16c61717ec81fbed96eeaa6f6d2ab0ff7745b3ee0d13943c1f979592da1adbca150b9051995da2be69d2ac25010a2816dffea1d15d22f5d9afd8a189c9a98ef933dcacedb7ec989d27c4dc4f1c3a06243c5faea8731743d12415f8916da9072c605d67f7169764703368adf51c7b6dff0c2ccedca954c19e9276b4276f985e54a7b7b785426da55037dab58c3efd6e9977cdc7504334bc58e455175bd9283c2ac0b019e82b5a97e16380ce03956b4c9883b259a12159fee69bfe607afdf4bd660ae4c04598e698f8342517df73d1684b3720bd48e173ad2e1cad780289231e9afbdeba469ad809fd4af2baa64188243fb8a54b9499f6b9ce338d219e73fd4af643ae3762d1bec83be03565431d87ec7ecc83038ce5f13b5af54417b2305f7365da41aa1c5baa576acebec013442c2b1884347b9ae0cd9dc83f7ca4b608ee8f9dfb42f7a2b5845f90367ebc18b264cfe225175003d7d5cab9f8f08a5c4ad43b02e3ea403fa114872516a698aa328e28094759bc01bf4344b3b78cb063feb31c0e60a2febd14dea182bcb8d88e2a3a7cff1aec31197d6371efabedb36b2bcde769f00c5e856f93569e6bc3d90af4ae666c68677f0c223ad9191d28f2eb26bde9b670b77f5b34764f1a679e943274722eeb1f39f562b67a24f67caa2494211af76f2f597968732ffdb190c52844b3e9ae548d0e61a502a58cf80c86f28dab839d2e7eb315a7c08cc17ab758f31a1dd8d44fce91151e50b2868d6c19ccd33cf73207b87e0c64f68c32152fe3af723debc11bd8bdf655758624ad038fcb140c0105677d572ba354b1c77c327043cd89151a95eb586d6fdb7c1170a1d49e2552fb304cc53ecadac996a9115ce6db8c6098526a5dd27ad1adc6bb4532691ff5f7a6dcc35d0ab1f719db523f9903f8b9cd60f229327f06446d3e6fe7bbe661877fb6f4383b94dd20a92b2cfffd0d5f427217ffab8a42b5c5cb59133670217b061e14a9984173b83fdf9bbade56ac026c823566263478ab3cb0eefbf70d09deb16d27d24c9c724da48607e7598b17ab8c23c5697b03aea6b639a36d02dd69ee5ee18a76908f78afc416a6429331ba18d5747a9b738dfd3eb7c0ae65276a40b9ae70e9d4b68a5eb2db6f6107bcb11ad2cd236b5c43139f4ec560403373db9fd2e9753af930f3583889ec2d62784efa5edf2eea645bb03d20b5a3e41813c1790fc0');
INSERT INTO order_body VALUES(X'bf63f98c94134d35ab2f1c92ce860d84',X'a7c20786d71077cb4f8519ed98145eb6060994c379738b540e968bbdd056970a03ef87e1f29410ef6c1914e3ea245cd27f13df2c97ce2b9a23a87c3e105d169246c57b78439a4fadd146e795774ccaaaf42699b97bb5fa081d66295d554d6377af2d15b077e24c6837881f9ea0204f012677e61e55b2d46365468d43df505ae13f9c35f267c8a345fa7759553d3dd2e59dd869b1cbf2f7cfdbd144973c1fc5eba79e1a1452a437884c52de6b1361be5b212597c9c1fd2248d6d2009b2aabb74547c05b433ffd19bfdb7ee36236c0dbca646fc0bc9eb4825758fa89e4833913622f6a7d3ba28e666e76e1d05888a5136f924f338adc16beb53ee70653cb5fc7ae25f0ecb3712230c70686cac120a9dc7ab792e63bc55541d07be4407cee8a3dccd5d2fa3df95b66e4b62ed14da2abd716614bba0bc46207213c01fe1c2bc17aeb5c4939e5222492e35fdd454c54b0d61e22b040aed321282904716db6467a4a1722bd72e0dc1754deb647411ccb0f92e77350e1f38685e912a2a1292d9f940eb41ad063a0d497c9c0d73df766122a3a9e0f2dcb0a542f3af3cdd42b214fcb98bbae26bc67ff030523a1d653b60396b4c5631df8c9386ee840437c06935b7e5986fa3fbd7d957c905a59952fbdcf41181bc31112417ff7aa0edcd906e08d219a8737958cecc154f2fc93fb7c95a6a7371ea6835561e926ce43db56ec037266fc9e20a7e57ff8898772925f77256ef8c562d29c9004c516fbcf798f51c9b530109867a4f304e940b73406b19fa5245a1af31ae66ea5927fa5a43ed227db809a6444d600691aaacded63496cc579e24c55f4d7b1d75fe0b180642a59238e03dbdcf7dc8e320b204e2b073358f020e2a74500e7452ef35a8f3647d842c9375dc5dd3fa6a512c895bd8e7a7023ca37abf18540462d497fa8cfb5f00635320490231e7f4bb4e65c537ce9411df4a34a3a0a3fc18579e42fd5641d4f816e06c2ee56ea0874f71e18da3da538392921ac24462cede29f0e92e20f1715e5f863455903c9d0ac08295ad7fcf3a9fda87afeb0e82d25f910ad38cb62465ec8adc569d37869545abed2d3139c019c67c0dcbd4a6051b1af42425008b2a0355d3cdfab11b186bedb8401a553c407a89158058773cec8d8c84f9891890897e373f4fb28396d9b83c9b32eff601d743f4cce8e789ba07ee34b94297965752b81518811c45aa89b2225097cc0211e9fd9bc9efd3910cac23489196a2bab232170924ff99e848143136a8a156e398e219100fddf651e099efc1c7415cc9a9564b727017d51652038bfbf0ca098cab02a998b56083120bf9d9eb1cd547d077359bad3b238d0226b9611a1fd32d3af53dea07d788ae5f4cf9e34d2af8c0a8af27e33262fd73ea654ba804199cfe8850a81e013d0149f70c7963679d684901a11aa582d92e28d7acbc43e15c273f131bcb45f81f8625f6e71326d22d14687bb636b80');
INSERT INTO order_body VALUES(X'94b66d3189b9442594475d651d6d048c',X'9c5e9477b6be45141cdff2b8406e59fe9f2945e9a4545dfe6116d5b4053ba7b6b2244f4c29ba9e65802aa9bd919218ea963472f45d5d25bc2ccdae7b43fab511083fb325fd8b5d288e34ec738d4d5c8e5923533fc843051153ba38d03ea90bee6d38b84bad8ff97c730d5c266c0f8e42fca510656714349fb6bbe5e8c4ca2eccbabe3ecaf48c9a2e78565ba71d904d632e49319a8b8f87a1762ca202095850b42b46b699153e5bf434836d10577e23efeb81fb2594234c767e52725aad6216361a7ecac023436919672cc92087548d04f0405eb94f501a4f5bbebdc4d99a2c66ba0c560ea1db3fa77213b1ece139e07d3c217545b05d356a0fb2cc943c287a80d1baa51a3e1e15d062d0d03e9bc7eb92efdfba5ae827effd54dd6a068fe79209d72944ca2039e2bcd3c1b30754955f7947c4dd584d7161ef7fa935d6bf0bea60d69beca10f1f268a0456a38a7cafd9d63415ab9b1143a1129e2bc9d9574504a4d06d2d9eeb2820d1cf548b920b24df662df295ef70d7be80ad7fb4a0f2abba1b750284f75bae0ef81397caa738f6cecf87e188992d0d6a44c18c7c15713441e05b50b0df6adac931aaf029ed85f3cfe7b0e458e107ef9b176984fd4b71df9eadf14cfc5a4c133f9be68c6a25205c1dfa42bc153764b13c7a286b9ff222aef068b7de6ae564fb189a013a6c38794448ff58d70fec6eb285da0fbea7e3134fc5a50368ca1970f749e40b0cf7081bcd5b8902291b7aa6e59fa61596404bebfe95c796dbe8c14e30c376cec232953d80701e6e28b75d8a800d5e30193cbb15e707874c8855a586e47c965a05ec88d1592bfd65231f56c0bd4b04396c68eb0f2f78284487620ac7d1258be85cc7c08832b045ebe78c4ce54d422962e877e842af9c620f52804b2f61b8ffe8f37b8aa123638e0a5bab0a710826b7890a0e5ff8cae1e14acda51efe87d521f71e2a30f62392e969617e58f4feec84fc7c22fdf5455f827f7497c15292e8087be144a9b4982f983fe8a03d9060edf592762c263f30d95d7cc51833b3ab93a977615b1997c3256c8974ed0800254a0fb6ec6a5584c2594ad1fbb683f480fb844248a05354cad40fd9d027b68841298856c9eb70e61ea0a0a4388a6fc0a043653c9556e202ddff1fe32ee9afb345ef83e9af54d4f9bba3ac4c525e1aa8d2d46fa76e39b950bd105ad5e04293d26666886b762cd6ef7f4144d240cc828c91f666abc0ed33c085ce3c7f4f4e52831ca87f2f87dc888c49db7ab26bf2721f9aac8f46a57961002d67731dab18058b49be74edaf1368107d06444bc11fcd92d9c099294bef93dae82796b68373b926cc51bd6eb7221a958eec7bf6685f0a1516be3f5ae6f7e613e53ea6ba34795a05b8a2da6bd9ecc28dd69945039f5df14f14d9bd47c1d3d696d803391de31f0326bc8f12b5fecc517f5968da6c96ed321e984a0ae0cc373b2cda05e68c0acfb0853efd3fabc0859d1deadecf5c0f93923d0d1bb61a336a09');
INSERT INTO order_body VALUES(X'840cdcf1ae8242c09bb7bdcdb492f714',X'a4b9b32762a3b57875e77510ed73bbedf78359745760504852dffbb8c607b44a3ceaca0c38132b0d903bc9d8a7df73de3666aa01acf890c2b951a98fce423091eaa939fd65e527dddcacacddd7d5c3ddf75fcee6d57aa6a60f9bca82d748edf0484607139c13a158dfed41d1ec25438248d4ee63d98de08976871d0df86fab305fd6be7e53efdbb414cd90bb767cbd7d8bd053bc18d8b029eb93ae727f74f9cb2450f8392785c052aa00fd3524444191df024e62b7cdc64eadda5ebfc83b67b2c4240b9392f7e1af031de2ea3fed10821a0a785134a9cf5258bc48f254d3017c8d42ee8219252dd36ccffbdf5892d95170423aa78757e5b723d60b7b1a988899a506219f273a3b7e65800398874c2d3cffadeec1b5159ecee8cce6cbbafdf6825eec53deafaba0720210afd315cff96d2485bcd9b363157f88b581d4bb4413d8200c1b36606c6215f0ff08df2788298a9073cf98fa3327916209382f24f581371429ce67844a821a29355ab3c440ab25e0deafc0269e00d97a6a5412d8b48de450e720bcdcbfdbcd6a957e1ef428a1927c49cc317326d8e50fe856cf22bc3e4c486645c93e5f26559918432370857d5e2dd01f87911f8a34a32a74f6a0895331c0ba91996d59cb6485cc24f8fa22a69988d38c02507a279ddc156975cdd21e1b820a386f51d91b5035b0b903a655e105587a2d025eea0d2b163b0d2963dfc80b43bcc61fead7bfac8e7badbdb50039d9be028a822ae4c17b4541ee12fe86844e1dcee0ee40c53f419bf86d128ba4b74413c6af0ca6c3425bb39cd87207f1cd1b3a613d324c2410bfc6a70605db4935e56c806698ed0f926b1c766a2fd054b71c493582142aad96e3c63f6754cc32fff8d9dba9b1df9287ff07eb902818ec0c909ffb601971c829bcd3bf2c4f19d31c0ba05aa2bfd1876d6ec8b95e1436bbe1b22a0e757d08e8a1fad543c61a7d7e6287aa5f3f09cd12455198dfe96850dfe274f4de5ef6dc1064f713819e416e1ea1fe36c4a80ab97f12d512166ad001c94e9e327a8bd3c1d898d38ed6a6a67d8699b0d9bc475f65455f0a403386d60b203076d6446a1613c05f6f9a8433af7dc4fc8caa19165059723879ce01675f12f107e025562421c908e73afe1da91924217c020802c6b706f1aeb27dce6188ee6107149a71c8ec62647bdb371be9bac741f297c5aa9aceb6e08405477b8496d1db5fcf5af42629310defc0065cbe433228c57de94ad1fd864c596bd0a204fe790c28604a456db680b677890adea2e89d6b3182319e1cb85bf3f904e2f92aca6b3e13f7c111fbf0141f76764bd631e45a7cfb7644b1017d557ba9f17536b31ebb0c92439095045d8efd505b6eb6f21253e07dfea12ca10024ab192c064ac5f39972de89d3caa53bf72ba6558065bb26968f75391a9fad47e3b76e648e70039c81c5108b27b1da03a20e369c917f8c29484ceaf012542afa944f7f23ca43786f40a038fdb41176d0ddbf2541c69a65fa5e02defdb1f75e687850ff7445ec96b64e2d9312');
INSERT INTO order_body VALUES(X'da6a7ee8437f4bbabd1457ff7da8192a',X'35c146c2fafe492a84ea4f9a09fcb9a96c244be351cb64dad16272b028a724b64bdbfd06776db9fbaf4330c02411d7d2b842ab3178bb66d05a657945bcce7b18ebbbeef6f0e2d2f9d2124fbade650563166221b90b15887ca6bd2d2c5d73d14c69f09a1f4fe175bb7f40c0e5134105d0518d36ee100a0fa539ccdd9ed6b5b388c287cb17c2e403bfc9e3ea15f0811ad195954f16118d59638f709173b8e6bf7226786cd56a53b3ec0612aac911b683175e067976e5d97c25165e11204301629bb7c169d708adadb1e0c435861d67533561b7b4e200f88cc4e8943dd232ec64f707b32809cba280ed88c5388cd946fb77043645336baeee0dac303a18697f207026fcafcfbfcbd09e6272b478679bc5a39d19d3a7138116d53d8dcd1a61cbdf7aade391e9d0e3a43506eb8738b3b3306621be7b29037e68008a738f3a389542b01ed32ac8127c92eba8a2c554af7fbe5870ebad6d55aadd1f12f4051bba0772b5ffbc9ee31343f04e9c3d17a5cbcb8efbfd30d769946e702c235f52021094d884fcb079c058337959872fb6295d79d3b26b9b09f1d98bac6da7088ce8a8dffa2e9a7cd35625af08122670dc5e17406894699c886422f24bcfbd22fc5f28e38c7f33d9b5f83b29b9188308ff92546c2dc2c2ce2b8393e2f1c675853544d51978ae97536c6ec2ecac44a2cd3a0a6cc15bdd747563f6464d8e572bc19c1d6ba48c260459bf7ba4c176a2b1caa269b584247637f6be2055bfae289a1b124c83ac43493d2d3d09c9b7dee6bba0b0e2ff3aa4aff5a17c0e248bed2ae48a494d7e33243f778733075dfad33b3cd3fa2eb95eaea8702f7c6f25ced30855e2d105d85ea58767a220e7e89a5ca3fd030abefb4cb08cf15c000903caa3ec447c64bc37778bf20f36e23a440da782e71d86ea1bf67cb07fedc2d085d0b2c897c96f4d7a330eaceda114326073967bab3dd9538dcae09f1c0bd7cc7762dc7ca078f8a39d2bc5ca56cdcf69dd3700730fc5c8c75ca965e34416ca83561e2a38bd303f8d535714a4ab862e25bdee9fdbbed3c5fab24bab0b54a197227c7b43676526e187a145a0cd6968ea7756255db35f580fca2f9ffaa5b1ca6860b2ac31313cd6f18fcf109ce41b6f6e15a9d01356a08c34e29130301c08db87dc33fd5ba7b43874c074f2d917a9a9b53e70fc90e408126226b8a5dfad00e37ad1df8da273f8bd02c8a41789542ba937f01bcdf9085fee403a05d1b6777ad97957f2f0faf5d65db0a9a30be8048fe63a7249bc2b4e53886d25c0017d9923b271dbc089fca7c0eca584e75c4dc6cf2fde1ced8c11bc86f87dcb0e846f1d3b65a3e3a8209bbe592e147c26a9828fa173f0ef6db593053c8bd525cc5a26c113ccccea68de091eab3261b37595c8dead1d77283ec2dd3329f47009ac94f61149235070e768ebc980543970254aa24075cd70');
CREATE TABLE order_attempt (
    id          BLOB NOT NULL,
    attempt     INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    outcome     TEXT NOT NULL,
    error       TEXT,
    PRIMARY KEY (id, attempt)
) STRICT, WITHOUT ROWID;
INSERT INTO order_attempt VALUES(X'17aae7deabb9403da83ce53eeda3011a',1,1795651386073,1,503,'refused','HTTP 503');
INSERT INTO order_attempt VALUES(X'567e413df2234bc5a44111bcfcc6c479',1,1795387263132,1,503,'refused','HTTP 503');
INSERT INTO order_attempt VALUES(X'840cdcf1ae8242c09bb7bdcdb492f714',1,1795651386077,1,503,'refused','HTTP 503');
INSERT INTO order_attempt VALUES(X'840cdcf1ae8242c09bb7bdcdb492f714',2,1795651448160,0,503,'refused','HTTP 503');
INSERT INTO order_attempt VALUES(X'94b66d3189b9442594475d651d6d048c',1,1795651386076,0,503,'refused','HTTP 503');
INSERT INTO order_attempt VALUES(X'bf63f98c94134d35ab2f1c92ce860d84',1,1795651386075,1,503,'refused','HTTP 503');
INSERT INTO order_attempt VALUES(X'c601a4433dad4c0988b3c6600156f5a0',1,1795651386072,1,503,'refused','HTTP 503');
INSERT INTO order_attempt VALUES(X'da6f48195226471498d09a9c509de302',1,1795651385962,4,200,'accepted',NULL);
INSERT INTO order_attempt VALUES(X'db48b4f63f044e68be8d9d34c717175e',1,1795651386016,2,200,'rejected','Not in stock');
CREATE TABLE order_lane (
    integration_id BLOB PRIMARY KEY NOT NULL REFERENCES integration (id),
    holder         BLOB,             -- of the lease: a worker process
    held_until     INTEGER NOT NULL,
    failures       INTEGER NOT NULL, -- in a row
    probe_at       INTEGER,          -- open circuit: when its ERP is asked again; NULL: closed
    warned_at      INTEGER           -- when refused credentials were last logged as an error
) STRICT, WITHOUT ROWID;
INSERT INTO order_lane VALUES(X'01a2056b889870008648e29cda89baa6',X'01a2056b88847000805a24aafde37212',1795651415961,6,1795651478160,NULL);
INSERT INTO order_lane VALUES(X'01a2056b8899700085b4f440a8803c77',X'01a2056b88847000805a24aafde37212',1795651478157,0,NULL,NULL);
CREATE INDEX job_by_due ON job (kind, due_at_ms);
CREATE INDEX workload_client_by_integration ON workload_client (integration_id, id);
CREATE UNIQUE INDEX client_secret_by_hash ON client_secret (hash);
CREATE INDEX client_secret_by_client ON client_secret (client_id, id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX erp_package_by_receipt ON erp_package (integration_id, receipt);
CREATE INDEX erp_package_failed ON erp_package (integration_id, receipt) WHERE status = 'failed';
CREATE INDEX erp_package_snapshot ON erp_package (integration_id, receipt)
    WHERE event_type = 'snapshot';
CREATE INDEX erp_package_processing ON erp_package (integration_id, due_at) WHERE status = 'processing';
CREATE INDEX erp_package_body_by_age ON erp_package_body (received_at);
CREATE UNIQUE INDEX catalog_product_by_id ON catalog_product (catalog, id);
CREATE INDEX catalog_product_by_category ON catalog_product (catalog, category_id, product)
    WHERE category_id IS NOT NULL;
CREATE INDEX order_delivery_due ON order_delivery (integration_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX order_delivery_by_time ON order_delivery (created_at, id);
CREATE INDEX order_delivery_by_integration ON order_delivery (integration_id, created_at, id);
CREATE INDEX erp_package_new_due ON erp_package (due_at, integration_id) WHERE status = 'accepted';
CREATE INDEX erp_package_new ON erp_package (integration_id, receipt) WHERE status = 'accepted';
CREATE INDEX erp_package_tried_due ON erp_package (due_at, integration_id)
    WHERE status IN ('retry', 'processing') AND attempts > 0;
CREATE INDEX erp_package_tried ON erp_package (integration_id, due_at, receipt)
    WHERE status IN ('retry', 'processing');
CREATE INDEX erp_package_retry ON erp_package (integration_id, receipt) WHERE status = 'retry';
CREATE INDEX order_delivery_by_integration_state
    ON order_delivery (integration_id, state, created_at, id) WHERE state <> 'accepted';
CREATE INDEX order_delivery_give_up ON order_delivery (give_up_at)
    WHERE due_at IS NOT NULL AND give_up_at > 0;
CREATE INDEX order_delivery_by_state ON order_delivery (state, created_at, id)
    WHERE state <> 'accepted' AND created_at > 0;
COMMIT;
