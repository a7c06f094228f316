/* The sessions and handles that commands name. */
#ifndef HOLDFAST_FILE_HANDLES_H
#define HOLDFAST_FILE_HANDLES_H

#include "file/redis/file_commands.h"

enum outcome file_find_session(struct call *call, struct bytes text, struct share_session **session);
/* The command's handle, which needs one of these rights; 0 for none. */
enum outcome file_find_handle(struct call *call, unsigned rights, struct file_handle **handle);
/* The handle of a grant that is given back; NULL if it is closed. */
struct file_handle *file_granted_handle(const struct call *call, struct record_reader *granted);
/* Decides a change that concerns a handle, and its file if it still has one. */
struct share_change *file_decide_with_handle(struct call *call, enum share_change_kind kind,
                                             struct file_handle *handle, RedisModuleString *content);

#endif
