/* What people read: a sentence when a trouble is there, and one when it is over. */
#include "domain/alert/alert.h"
#include "domain/sms/sms_text.h"
#include "kit/base/macros.h"

#include <ctype.h>

const char *const alert_kind_words[] = {"no_ready_sim",   "process_gone",      "disk_low",
                                        "channel_closed", "sim_silent",        "erp_circuit",
                                        "package_failed", "endpoint_disabled", NULL};
static_assert(COUNT_OF(alert_kind_words) == ALERT_KIND_COUNT + 1, "each kind has its word");

/* By language, and by whether it is over; @ stands for the name. */
static const char *const sentences[ALERT_KIND_COUNT][SMS_ENGLISH + 1][2] = {
    [ALERT_NO_READY_SIM] = {{"ни одна SIM-карта не готова, SMS не уходят.",
                             "снова есть готовая SIM-карта, SMS уходят."},
                            {"no SIM is ready, so no SMS goes out.",
                             "a SIM is ready again, so SMS go out."}},
    [ALERT_PROCESS_GONE] = {{"@ не подаёт признаков жизни.",
                             "@ снова работает или заменён, либо молчит сутки и забыт."},
                            {"@ gives no sign of life.",
                             "@ is back, or was replaced, or is forgotten after a day."}},
    [ALERT_DISK_LOW] = {{"на диске с базой (@) осталось меньше 1 ГБ.",
                         "на диске с базой (@) снова есть место."},
                        {"less than 1 GB is left on the disk of the database (@).",
                         "the disk of the database (@) has room again."}},
    [ALERT_CHANNEL_CLOSED] = {{"канал @ закрыт: провайдер не отвечает или не принимает ключ.",
                               "канал @ снова открыт."},
                              {"the channel @ is closed: its provider does not answer, or refuses "
                               "the key.",
                               "the channel @ is open again."}},
    [ALERT_SIM_SILENT] = {{"SIM-карта @ молчит: её телефон не выходит на связь.",
                           "SIM-карта @ снова на связи."},
                          {"SIM @ is silent: its phone has not been heard of.", "SIM @ is back."}},
    [ALERT_ERP_CIRCUIT] = {{"учётная система точки «@» не принимает заказы, они ждут.",
                            "учётная система точки «@» снова принимает заказы."},
                           {"the ERP of @ takes no orders; they wait.",
                            "the ERP of @ takes orders again."}},
    [ALERT_PACKAGE_FAILED] = {{"пакет точки «@» не загружен, её каталог не обновляется.",
                               "пакеты точки «@» снова загружаются."},
                              {"a package of @ failed, so its catalog is not up to date.",
                               "packages of @ are applied again."}},
    [ALERT_ENDPOINT_DISABLED] = {{"вебхук @ отключён: его адрес не принимает события.",
                                  "вебхук @ снова включён или удалён."},
                                 {"the webhook endpoint @ is disabled: it took no events.",
                                  "the webhook endpoint @ is enabled again, or gone."}},
};

enum { SHOWN_MAX = 200 }; /* characters */

/* Of an address only its host is told: what follows may be a secret. */
static struct str shown_name(const struct alert *alert)
{
    struct str name = str_of(alert->name);
    const char *host = strstr(alert->name, "://");

    if (alert->kind == ALERT_ENDPOINT_DISABLED && host)
        name.len = (size_t)(host - alert->name) + 3 + strcspn(host + 3, "/?#");
    return utf8_cut(name, SHOWN_MAX);
}

/* A name has no line of its own, in which it could say what it likes. */
static void write_name(struct str name, struct buf *out)
{
    for (size_t i = 0; i < name.len; i++)
        buf_char(out, iscntrl((unsigned char)name.data[i]) ? ' ' : name.data[i]);
}

void alert_write(const struct alert *alert, int sms_language, struct buf *out)
{
    for (const char *c = sentences[alert->kind][sms_language][!alert->is_there]; *c; c++) {
        if (*c == '@')
            write_name(shown_name(alert), out);
        else
            buf_char(out, *c);
    }
}
