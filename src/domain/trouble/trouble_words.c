/* People read this of a trouble: a sentence when it is there, one when it is over, and what to
 * do. */
#include "domain/sms/sms_text.h"
#include "domain/trouble/trouble.h"
#include "kit/base/macros.h"

#include <ctype.h>

const char *const trouble_kind_words[] = {"no_worker",
                                          "no_ready_sim",
                                          "process_gone",
                                          "disk_low",
                                          "degraded",
                                          "channel_closed",
                                          "sim_silent",
                                          "erp_circuit",
                                          "package_failed",
                                          "package_refused",
                                          "catalog_old",
                                          "endpoint_disabled",
                                          NULL};
static_assert(COUNT_OF(trouble_kind_words) == TROUBLE_KIND_COUNT + 1, "each kind has its word");

#define INTEGRATION_PATH    "/internal/v1/integrations/@"
#define INTEGRATION_COMMAND "herald admin integrations show @"

const struct trouble_form trouble_forms[TROUBLE_KIND_COUNT] = {
    [TROUBLE_NO_WORKER] = {TROUBLE_OF_SERVICE, "/internal/v1/processes",
                           "herald admin processes list",
                           "Start a worker. Until one runs, what goes to providers, ERPs and "
                           "webhooks waits, packages "
                           "are not applied, and nobody looks what else is wrong."},
    [TROUBLE_NO_READY_SIM] =
        {TROUBLE_OF_FLEET, "/internal/v1/devices?ready=false",
         "herald admin devices list --ready false",
         "See that the phones are on, are charged and have a network, and that their application "
         "runs. Until one is ready, codes by SMS are refused with no_ready_sim."},
    [TROUBLE_PROCESS_GONE] =
        {TROUBLE_OF_PROCESS, "/internal/v1/processes", "herald admin processes list",
         "See why it ended, or does not reach the database (journalctl -u herald on its machine), "
         "and start it again there."},
    [TROUBLE_DISK_LOW] =
        {TROUBLE_OF_DISK, NULL, "herald doctor",
         "Make room, or move the databases to a larger disk. On a full one nothing can be stored."},
    [TROUBLE_DEGRADED] =
        {TROUBLE_OF_SERVICE, "/internal/v1/settings", "herald admin settings list",
         "See that HERALD_JWKS_URL can be fetched from the machine of the process that answers."},
    [TROUBLE_CHANNEL_CLOSED] = {TROUBLE_OF_CHANNEL, "/internal/v1/channels",
                                "herald admin channels list",
                                "See the balance and the key at its provider, and whether the "
                                "provider is up. herald tries "
                                "it again by itself; until then send by SMS."},
    [TROUBLE_SIM_SILENT] = {TROUBLE_OF_DEVICE, "/internal/v1/devices/@",
                            "herald admin devices show @",
                            "See that the phone is on, is charged and has a network, and that its "
                            "application runs. If "
                            "it is out of use, disable it or take the number away from it."},
    [TROUBLE_ERP_CIRCUIT] =
        {TROUBLE_OF_INTEGRATION, INTEGRATION_PATH, INTEGRATION_COMMAND,
         "Ask the team of the ERP whether it is up. herald asks for its health every 30 seconds, "
         "and "
         "the orders that wait leave by themselves. If it refuses the token, store a new one with "
         "herald admin integrations change."},
    [TROUBLE_PACKAGE_FAILED] =
        {TROUBLE_OF_INTEGRATION, "/internal/v1/packages?status=failed&integration_id=@",
         "herald admin packages list @",
         "See with herald admin packages show why it failed. Then have the ERP send a snapshot "
         "without the faults, or release or retry the one that failed."},
    [TROUBLE_PACKAGE_REFUSED] = {TROUBLE_OF_INTEGRATION, INTEGRATION_PATH "/refusals",
                                 "herald admin refusals @",
                                 "Send the faults to the team of the ERP, which has to mend the "
                                 "package and send it again."},
    [TROUBLE_CATALOG_OLD] = {TROUBLE_OF_INTEGRATION, INTEGRATION_PATH, INTEGRATION_COMMAND,
                             "Ask the team of the ERP why no snapshot came."},
    [TROUBLE_ENDPOINT_DISABLED] =
        {TROUBLE_OF_WEBHOOK_ENDPOINT, "/internal/v1/webhook-endpoints/@",
         "herald admin webhooks show @",
         "Have its address answer with 2xx, enable it again with herald admin webhooks enable, and "
         "recover what it missed."},
};

/* By language, and by whether it is over; @ stands for the name. */
static const char *const sentences[TROUBLE_KIND_COUNT][SMS_ENGLISH + 1][2] = {
    [TROUBLE_NO_WORKER] = {{"ни один рабочий процесс не запущен.",
                            "рабочий процесс снова запущен."},
                           {"no worker runs.", "a worker runs again."}},
    [TROUBLE_NO_READY_SIM] = {{"ни одна SIM-карта не готова, SMS не уходят.",
                               "снова есть готовая SIM-карта, SMS уходят."},
                              {"no SIM is ready, so no SMS goes out.",
                               "a SIM is ready again, so SMS go out."}},
    [TROUBLE_PROCESS_GONE] = {{"@ не подаёт признаков жизни.",
                               "@ снова работает или заменён, либо молчит сутки и забыт."},
                              {"@ gives no sign of life.",
                               "@ is back, or was replaced, or is forgotten after a day."}},
    [TROUBLE_DISK_LOW] = {{"на диске с базой (@) осталось меньше 1 ГБ.",
                           "на диске с базой (@) снова есть место."},
                          {"less than 1 GB is left on the disk of the database (@).",
                           "the disk of the database (@) has room again."}},
    [TROUBLE_DEGRADED] = {{"токены внешней службы не принимаются.",
                           "токены внешней службы снова принимаются."},
                          {"tokens of the identity service are refused.",
                           "tokens of the identity service are taken again."}},
    [TROUBLE_CHANNEL_CLOSED] =
        {{"канал @ закрыт: провайдер не отвечает или не принимает ключ.",
          "канал @ снова открыт или больше не настроен."},
         {"the channel @ is closed: its provider does not answer, or refuses "
          "the key.",
          "the channel @ is open again, or not configured any more."}},
    [TROUBLE_SIM_SILENT] = {{"SIM-карта @ молчит: её телефон не выходит на связь.",
                             "SIM-карта @ снова на связи или выведена из работы."},
                            {"SIM @ is silent: its phone has not been heard of.",
                             "SIM @ is back, or out of use."}},
    [TROUBLE_ERP_CIRCUIT] =
        {{"учётная система точки «@» не принимает заказы, они ждут.",
          "учётная система точки «@» снова принимает заказы, либо интеграция отключена."},
         {"the ERP of @ takes no orders; they wait.",
          "the ERP of @ takes orders again, or its integration was disabled."}},
    [TROUBLE_PACKAGE_FAILED] =
        {{"пакет точки «@» не загружен, её каталог не обновляется.",
          "пакеты точки «@» снова загружаются, либо интеграция отключена."},
         {"a package of @ failed, so its catalog is not up to date.",
          "packages of @ are applied again, or its integration was disabled."}},
    [TROUBLE_PACKAGE_REFUSED] = {{"пакет точки «@» не принят, её каталог не обновляется.",
                                  "пакеты точки «@» снова принимаются, либо отказу больше трёх "
                                  "суток, либо интеграция отключена."},
                                 {"a package of @ was refused, so its catalog is not up to date.",
                                  "packages of @ are taken again, or the refusal is three days "
                                  "old, or its integration was disabled."}},
    [TROUBLE_CATALOG_OLD] =
        {{"каталог точки «@» старше трёх суток.",
          "каталог точки «@» снова свежий, либо интеграция отключена."},
         {"the catalog of @ is older than three days.",
          "the catalog of @ is up to date again, or its integration was disabled."}},
    [TROUBLE_ENDPOINT_DISABLED] = {{"вебхук @ отключён: его адрес не принимает события.",
                                    "вебхук @ снова включён или удалён."},
                                   {"the webhook endpoint @ is disabled: it took no events.",
                                    "the webhook endpoint @ is enabled again, or gone."}},
};

enum { SHOWN_MAX = 200 }; /* characters */

/* Of an address only its host is told: what follows may be a secret. */
static struct str shown_name(int kind, const char *text)
{
    struct str name = str_of(text);
    const char *host = strstr(text, "://");

    if (kind == TROUBLE_ENDPOINT_DISABLED && host)
        name.len = (size_t)(host - text) + 3 + strcspn(host + 3, "/?#");
    return utf8_cut(name, SHOWN_MAX);
}

/* A name has no line of its own, in which it could say what it likes. */
static void write_name(struct str name, struct buf *out)
{
    for (size_t i = 0; i < name.len; i++)
        buf_char(out, iscntrl((unsigned char)name.data[i]) ? ' ' : name.data[i]);
}

const char *trouble_shown_name(const struct trouble *trouble, struct arena *arena)
{
    AUTO_BUF out = {0};

    buf_init(&out, TROUBLE_SENTENCE_MAX);
    write_name(shown_name(trouble->kind, trouble->name), &out);
    return arena_str(arena, buf_view(&out));
}

void trouble_write(int kind, const char *name, bool is_over, int sms_language, struct buf *out)
{
    for (const char *c = sentences[kind][sms_language][is_over]; *c; c++) {
        if (*c == '@')
            write_name(shown_name(kind, name), out);
        else
            buf_char(out, *c);
    }
}
