/* Answers as bytes of the protocol, which the server only has to copy.
 *
 * Each RedisModule_ReplyWith… takes the server 150 to 500 instructions: for one string it asks three times whether the
 * client takes a reply at all. RedisModule_ReplyWithCallReply copies the bytes of a reply as they are. So what a
 * command answers is gathered, written over the bytes of a sample of the same length, and handed over in one piece.
 *
 *   values ─▶ gathered ─▶ over the bytes of a sample ─▶ the server copies them
 *
 * - Clients, scripts and other modules get the same bytes as by one call for each value.
 * - What the two protocols write in different ways (nulls, flags, fractions) and errors, which are counted, the
 *   server writes itself. So it does with long strings, which it copies from where they are. What was gathered before
 *   is handed over first.
 * - The samples are taken at load. If the server does not answer as expected, for example because another module
 *   filters commands, what was gathered is handed over value by value.
 * - Who replies to a context says when that is all: raw_reply_end. Only the main thread replies. */
#ifndef HOLDFAST_RAW_REPLY_H
#define HOLDFAST_RAW_REPLY_H

#include "core/bytes.h"
#include "core/guid.h"
#include "core/version.h"
#include "server/base/api.h"

/* Takes the samples. */
int raw_reply_start(RedisModuleCtx *ctx);

void raw_reply_bytes(RedisModuleCtx *ctx, struct bytes bytes);
/* Strings of a known length. */
void raw_reply_version(RedisModuleCtx *ctx, version v);
void raw_reply_guid(RedisModuleCtx *ctx, struct guid id);
void raw_reply_guid_digits(RedisModuleCtx *ctx, struct guid id);
void raw_reply_number(RedisModuleCtx *ctx, long long number);
/* Two values at once: a short name, and the number behind it. */
void raw_reply_named_number(RedisModuleCtx *ctx, struct bytes name, long long number);
void raw_reply_array(RedisModuleCtx *ctx, long count);
/* In the older protocol an array of twice as many values. */
void raw_reply_map(RedisModuleCtx *ctx, long count);
/* Without line breaks. */
void raw_reply_line(RedisModuleCtx *ctx, struct bytes line);

/* Hands over what was gathered: at the end of an answer, and before the server writes a value itself. */
void raw_reply_end(void);

#endif
