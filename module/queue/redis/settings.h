/* The settings of queues. */
#ifndef HOLDFAST_QUEUE_SETTINGS_H
#define HOLDFAST_QUEUE_SETTINGS_H

#include "server/base/settings.h"

extern const struct setting queue_settings[];

extern long long queue_max_message_bytes, queue_max_count;

/* The error for a receipt that is not the message's own. */
enum { RECEIPT_NOTFOUND, RECEIPT_MISMATCH };
extern struct setting_choice queue_on_mismatch;

#endif
