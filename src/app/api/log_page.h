/* Entries of the log become frames of an event stream, made once and shared by all readers. */
#pragma once

#include "domain/event_log/event_log.h"

#include <stdatomic.h>

struct log_frame {
    int64_t id;
    int level;
    size_t at, len;    /* place in the page's text: "id: 1\ndata: {...}\n\n" */
    struct str folded; /* what is searched of the entry (event_log_fold) */
    bool is_unmasked;  /* LOG_SENSITIVE was true */
};

struct log_page {
    atomic_int references;
    int64_t last_id; /* the end of the log when the page was read */
    bool is_full;    /* there may be more right behind it */
    size_t count;
    struct log_frame frames[EVENT_LOG_PAGE_MAX];
    struct buf text; /* all frames, one behind the other */
    struct arena arena;
};

/* Reads the page behind `after_id`; -1 gives an empty page at the end of the log. */
enum err log_page_read(struct db_tx *tx, int64_t after_id, struct log_page **ret_page) MUST_CHECK;
struct log_page *log_page_ref(struct log_page *page);
void log_page_unref(struct log_page *page);
