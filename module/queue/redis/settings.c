#include "queue/redis/settings.h"

#include "queue/redis/queue_commands.h"

long long queue_max_message_bytes = 65536, queue_max_count = 32;

static const char *mismatch_words[] = {"notfound", "mismatch", NULL};
struct setting_choice queue_on_mismatch = {mismatch_words, RECEIPT_NOTFOUND};

const struct setting queue_settings[] = {
    {.name = "queue-max-message-bytes",
     .bytes = true,
     .number = &queue_max_message_bytes,
     .min = 1,
     .max = QUEUE_TEXT_MAX_BYTES},
    {.name = "queue-max-count", .number = &queue_max_count, .min = 1, .max = QUEUE_BATCH_MAX},
    {.name = "queue-receipt-mismatch", .choice = &queue_on_mismatch},
    {.name = NULL},
};
