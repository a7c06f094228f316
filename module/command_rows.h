/* The rows of the table of commands: included as often as something is made of them, each time with EACH_ROW and
 * EACH_EFFECT as macros, or with one for each sort of row. The first argument is the handler. Each row has an entry
 * function of its own, because the server does not say which command it calls. DECIDES(blob_put_decide, .name = …)
 * becomes, in this order,
 *
 *   enum outcome blob_put_decide(struct call *call);             its handler, declared by named_in_rows.h
 *   ROW_blob_put_decide,                                         its index, in commands.c as all that follows
 *   static int enter_blob_put_decide(ctx, argv, argc) {          what the server calls
 *       return run_command(&commands[ROW_blob_put_decide], ctx, argv, argc);
 *   }
 *   [ROW_blob_put_decide] = {.decide = blob_put_decide, .entry = enter_blob_put_decide, .name = …},
 *
 * ROW_… and enter_… are nowhere written out: look for the rest of their names. */
/* clang-format off */
#ifdef EACH_ROW
#define RUNS(row, ...) EACH_ROW(row)
#define DECIDES(row, ...) EACH_ROW(row)
#define WRITES_ENTITY(row, ...) EACH_ROW(row)
#define APPLIES(row, ...) EACH_EFFECT(row)
#endif

DECIDES(container_create_decide, .name = "CONTAINER.CREATE", ON_CONTAINER, CREATES,
    .grammar = GRAMMAR(&container, &access, &meta, &once),
    .complexity = "O(1)", .summary = "Creates a container and returns its ETag.",
    .example = "docs META 1 team web")
DECIDES(container_get_decide, .name = "CONTAINER.GET", .touches = touches_nothing, LOOKS_AT_CONTAINER, READS,
    .grammar = GRAMMAR(&container, &lease),
    .complexity = "O(1)", .summary = "Returns all properties of a container, with the number and size of its blobs.",
    .example = "docs")
DECIDES(container_getmeta_decide, .name = "CONTAINER.GETMETA", .touches = touches_nothing, LOOKS_AT_CONTAINER, READS,
    .grammar = GRAMMAR(&container, &lease),
    .complexity = "O(1)", .summary = "Returns a container's ETag and metadata.",
    .example = "docs")
DECIDES(container_setmeta_decide, .name = "CONTAINER.SETMETA", .touches = container_touches, ON_CONTAINER, WRITES, .conditions = CONDITIONS_WRITE,
    .grammar = GRAMMAR(&container, &new_meta, CONDITIONS, &lease, &once),
    .complexity = "O(1)", .summary = "Replaces a container's metadata as a whole and returns its new ETag.",
    .example = "docs META 1 team mobile IFMATCH " AN_ETAG)
DECIDES(container_getacl_decide, .name = "CONTAINER.GETACL", .touches = touches_nothing, LOOKS_AT_CONTAINER, READS,
    .grammar = GRAMMAR(&container, &lease),
    .complexity = "O(1)", .summary = "Returns a container's public access and stored access policies.",
    .example = "docs")
DECIDES(container_setacl_decide, .name = "CONTAINER.SETACL", .touches = container_touches, ON_CONTAINER, WRITES, .conditions = CONDITIONS_WRITE,
    .grammar = GRAMMAR(&container, &access, &policies, CONDITIONS, &lease, &once),
    .complexity = "O(1)", .summary = "Replaces a container's public access and policies and returns its new ETag.",
    .example = "docs ACCESS BLOB POLICIES 1 readers 0 - rl")
DECIDES(container_delete_decide, .name = "CONTAINER.DELETE", ON_CONTAINER, REMOVES, .conditions = CONDITIONS_WRITE,
    .grammar = GRAMMAR(&container, CONDITIONS, &lease),
    .complexity = "O(1); memory is freed in the background",
    .summary = "Deletes a container with everything in it.",
    .example = "docs IFMATCH " AN_ETAG)

DECIDES(container_feed_decide, .name = "CONTAINER.FEED", ON_CONTAINER, WRITES_ANYWAY, .check = feed_switch_check,
    .grammar = GRAMMAR(&container, &feed_word, &feed_keep, &once),
    .complexity = "O(1); the feed of a container with many blobs is built, and freed, in the background",
    .summary = "Turns the feed of a container on or off, or sets how many deletions it remembers.",
    .example = "docs ON KEEP 100000")
DECIDES(container_changes_since_decide, .name = "CONTAINER.CHANGES", LOOKS_AT_CONTAINER, .settle = upkeep_schedule, READS_OR_WAITS,
    .grammar = GRAMMAR(&container, &since_bookmark, &prefix, &page_size, &block),
    .complexity = "O(log N + M), N being the blobs in the container and M those that are looked at",
    .summary = "Returns what has changed in a container since a version, and the version to go on from, or waits for it.",
    .example = "docs SINCE " AN_ETAG " BLOCK 30")

DECIDES(blob_put_decide, .name = "BLOB.PUT", .touches = blob_touches, ON_BLOB, WRITES, .conditions = CONDITIONS_CREATE, .check = blob_put_check,
    .grammar = GRAMMAR(&container, &blob, &content, &props, &meta, CONDITIONS, &lease, &once),
    .complexity = "O(1); O(log N) for a new blob, N being the blobs in the container",
    .summary = "Creates or replaces a blob and returns its new ETag.",
    .example = "docs plan.txt \"ship on Friday\" IFMATCH " AN_ETAG)
DECIDES(blob_get_decide, .name = "BLOB.GET", .touches = touches_nothing, LOOKS_AT_BLOB, READS_OR_WAITS, .conditions = CONDITIONS_READ,
    .grammar = GRAMMAR(&container, &blob, &range, &snapshot, CONDITIONS, &lease, &block),
    .complexity = "O(log P) for a blob in P pieces, and the bytes that are returned",
    .summary = "Returns a blob's ETag and content, or null when the conditions say that nothing is new.",
    .example = "docs plan.txt IFNONEMATCH " AN_ETAG " BLOCK 30")
DECIDES(blob_stat_decide, .name = "BLOB.STAT", .touches = touches_nothing, LOOKS_AT_BLOB, READS, .conditions = CONDITIONS_READ,
    .grammar = GRAMMAR(&container, &blob, &snapshot, CONDITIONS, &lease),
    .complexity = "O(1)", .summary = "Returns all properties of a blob, without its content.",
    .example = "docs plan.txt")
DECIDES(blob_setprops_decide, .name = "BLOB.SETPROPS", .touches = blob_touches, ON_BLOB, WRITES, .conditions = CONDITIONS_WRITE, .check = blob_setprops_check,
    .grammar = GRAMMAR(&container, &blob, &props, &new_size, &new_sequence, CONDITIONS, &lease, &once),
    .complexity = "O(1), and the pages that a smaller size cuts off",
    .summary = "Replaces all properties of a blob, sets the size or sequence number of a page blob, and returns its new ETag.",
    .example = "docs plan.txt PROPS 1 content-type text/plain")
DECIDES(blob_getmeta_decide, .name = "BLOB.GETMETA", .touches = touches_nothing, LOOKS_AT_BLOB, READS, .conditions = CONDITIONS_READ,
    .grammar = GRAMMAR(&container, &blob, &snapshot, CONDITIONS, &lease),
    .complexity = "O(1)", .summary = "Returns a blob's ETag and metadata.",
    .example = "docs plan.txt")
DECIDES(blob_setmeta_decide, .name = "BLOB.SETMETA", .touches = blob_touches, ON_BLOB, WRITES, .conditions = CONDITIONS_WRITE,
    .grammar = GRAMMAR(&container, &blob, &new_meta, CONDITIONS, &lease, &once),
    .complexity = "O(1)", .summary = "Replaces a blob's metadata as a whole and returns its new ETag.",
    .example = "docs plan.txt META 2 status agreed by bob IFMATCH " AN_ETAG)
DECIDES(blob_delete_decide, .name = "BLOB.DELETE", .touches = blob_touches, ON_BLOB, WRITES_ANYWAY, .conditions = CONDITIONS_WRITE, .check = blob_delete_check,
    .grammar = GRAMMAR(&container, &blob, &snapshot, &snapshots, CONDITIONS, &lease, &once),
    .complexity = "O(log N), N being the blobs in the container, and the pieces that are freed",
    .summary = "Deletes a blob, with or without its snapshots, or one snapshot, or all.",
    .example = "docs plan.txt IFMATCH " AN_ETAG " SNAPSHOTS INCLUDE")
DECIDES(blob_list_decide, .name = "BLOB.LIST", LOOKS_AT_CONTAINER, READS_PAGES, .check = blob_list_check,
    .grammar = GRAMMAR(&container, &prefix, &delimiter, &marker, &page_size, &include),
    .complexity = "O(log N + M), N being the blobs in the container and M the items of the page",
    .summary = "Returns a page of a container's blobs in the order of their names, and the marker of the next page.",
    .example = "docs PREFIX 2026/ DELIMITER / COUNT 100 INCLUDE 1 META")

DECIDES(blob_snapshot_decide, .name = "BLOB.SNAPSHOT", .touches = blob_touches, ON_BLOB, WRITES, .conditions = CONDITIONS_WRITE,
    .grammar = GRAMMAR(&container, &blob, &meta, CONDITIONS, &lease, &once),
    .complexity = "O(1)", .summary = "Creates a read-only snapshot of a blob and returns its id and ETag.",
    .example = "docs plan.txt")
DECIDES(blob_copy_decide, .name = "BLOB.COPY", .touches = blob_touches, ON_BLOB, COPIES, .conditions = CONDITIONS_CREATE, .check = blob_copy_check,
    .elsewhere = SLOT_FROM,
    .grammar = GRAMMAR(&container, &blob, &source, &source_blob, &snapshot, &from, &meta, CONDITIONS, &lease, SOURCE_CONDITIONS, &once),
    .complexity = "O(1) within a container and from another server; O(P) from another container, P being the pieces of the blob",
    .summary = "Copies a blob or a snapshot, also from another server, and returns the new ETag, the copy's id and its status.",
    .example = "docs plan.old docs plan.txt SOURCEIFMATCH " AN_ETAG)
DECIDES(blob_abortcopy_decide, .name = "BLOB.ABORTCOPY", .touches = blob_touches, ON_BLOB, WRITES_ANYWAY, .check = blob_abortcopy_check,
    .grammar = GRAMMAR(&container, &blob, &copy_id, &lease, &once),
    .complexity = "O(1)", .summary = "Aborts a pending copy and leaves an empty blob.",
    .example = "docs plan.old " A_SNAPSHOT)
DECIDES(blob_putblock_decide, .name = "BLOB.PUTBLOCK", .touches = block_touches, ON_BLOB, WRITES, .check = blob_putblock_check,
    .grammar = GRAMMAR(&container, &blob, &block_id, &content, &lease, &once),
    .complexity = "O(log B), B being the staged blocks",
    .summary = "Stages a block that a later BLOB.PUTBLOCKLIST can make part of a blob.",
    .example = "docs video.mp4 MDAwMQ== \"the first part\"")
DECIDES(blob_putblocklist_decide, .name = "BLOB.PUTBLOCKLIST", .touches = block_list_touches, ON_BLOB, WRITES, .conditions = CONDITIONS_CREATE,
    .check = blob_putblocklist_check,
    .grammar = GRAMMAR(&container, &blob, &block_list, &props, &meta, CONDITIONS, &lease, &once),
    .complexity = "O(B log B), B being the blocks; no byte is copied",
    .summary = "Creates or replaces a blob from committed and staged blocks in one step and returns its new ETag.",
    .example = "docs video.mp4 2 LATEST MDAwMQ== LATEST MDAwMg==")
DECIDES(blob_getblocklist_decide, .name = "BLOB.GETBLOCKLIST", .touches = touches_nothing, LOOKS_AT_BLOB, READS_PAGES,
    .grammar = GRAMMAR(&container, &blob, &which_blocks, &snapshot, &lease),
    .complexity = "O(B), B being the blocks", .summary = "Returns the ids and sizes of a blob's blocks.",
    .example = "docs video.mp4 ALL")
DECIDES(blob_createpage_decide, .name = "BLOB.CREATEPAGE", .touches = blob_touches, ON_BLOB, WRITES, .conditions = CONDITIONS_CREATE, .check = blob_check_size,
    .grammar = GRAMMAR(&container, &blob, &size, &sequence, &props, &meta, CONDITIONS, &lease, &once),
    .complexity = "O(1); O(log N) for a new blob, N being the blobs in the container",
    .summary = "Creates or replaces a page blob without any pages and returns its new ETag.",
    .example = "docs disk 1048576")
DECIDES(blob_putpage_decide, .name = "BLOB.PUTPAGE", .touches = blob_touches, ON_BLOB, WRITES, .conditions = CONDITIONS_WRITE, .check = blob_putpage_check,
    .grammar = GRAMMAR(&container, &blob, &page_offset, &content, &if_sequence, CONDITIONS, &lease, &once),
    .complexity = "O(M), M being the bytes", .summary = "Writes pages and returns the blob's new ETag and its sequence number.",
    .example = "docs disk 512 \"the 512 bytes of a page\" IFSEQUENCE EQ 7")
DECIDES(blob_clearpage_decide, .name = "BLOB.CLEARPAGE", .touches = blob_touches, ON_BLOB, WRITES_ANYWAY, .conditions = CONDITIONS_WRITE, .check = blob_clearpage_check,
    .grammar = GRAMMAR(&container, &blob, &page_offset, &page_length, &if_sequence, CONDITIONS, &lease, &once),
    .complexity = "O(M), M being the pages that exist",
    .summary = "Clears pages, which frees their memory, and returns the blob's new ETag and its sequence number.",
    .example = "docs disk 0 512")
DECIDES(blob_getpages_decide, .name = "BLOB.GETPAGES", LOOKS_AT_BLOB, READS_PAGES, .conditions = CONDITIONS_READ,
    .grammar = GRAMMAR(&container, &blob, &range, &snapshot, &since, CONDITIONS, &lease),
    .complexity = "O(M), M being the pages that exist",
    .summary = "Returns which pages a page blob has, or what has changed in it since a snapshot.",
    .example = "docs disk SINCE " A_SNAPSHOT)
DECIDES(blob_createappend_decide, .name = "BLOB.CREATEAPPEND", .touches = blob_touches, ON_BLOB, WRITES, .conditions = CONDITIONS_CREATE,
    .grammar = GRAMMAR(&container, &blob, &props, &meta, CONDITIONS, &lease, &once),
    .complexity = "O(1); O(log N) for a new blob, N being the blobs in the container",
    .summary = "Creates or replaces an append blob, empty, and returns its new ETag.",
    .example = "docs log IFNONEMATCH *")
DECIDES(blob_append_decide, .name = "BLOB.APPEND", .touches = blob_touches, ON_BLOB, WRITES, .conditions = CONDITIONS_WRITE, .check = blob_append_check,
    .grammar = GRAMMAR(&container, &blob, &content, &if_position, &if_max_size, CONDITIONS, &lease, &once),
    .complexity = "O(1), and the bytes that are appended",
    .summary = "Appends to an append blob and returns its new ETag, where the bytes begin, and the number of blocks.",
    .example = "docs log \"one more line\" IFMAXSIZE 1048576")
DECIDES(blob_seal_decide, .name = "BLOB.SEAL", .touches = blob_touches, ON_BLOB, WRITES_ANYWAY, .conditions = CONDITIONS_WRITE,
    .grammar = GRAMMAR(&container, &blob, CONDITIONS, &lease, &once),
    .complexity = "O(1)", .summary = "Seals an append blob, so that nothing can be appended any more, and returns its new ETag.",
    .example = "docs log")

DECIDES(lease_acquire_decide, .name = "LEASE.ACQUIRE", .missing = lease_missing_check, .touches = lease_touches, WAITS, .conditions = CONDITIONS_WRITE, .check = lease_acquire_check,
    .settle = lease_settle, GIVES_WAY(OUTCOME_LEASE_PRESENT, lease_acquire_give_back), .give_way = lease_acquire_give_way,
    .grammar = GRAMMAR(&key, &duration, &on_blob, &on_file, &proposed, &owner, CONDITIONS, &block, &once),
    .complexity = "O(1)", .summary = "Acquires a lease, or waits in line for it, and returns its id and fencing token.",
    .example = "docs 60 BLOB plan.txt OWNER worker-7 BLOCK 30")
DECIDES(lease_renew_decide, .name = "LEASE.RENEW", .missing = lease_missing_check, .touches = lease_touches, ON_LEASE, .conditions = CONDITIONS_WRITE,
    .grammar = GRAMMAR(&key, &lease_id, &on_blob, &on_file, CONDITIONS, &once),
    .complexity = "O(1)", .summary = "Renews a lease for its full duration.",
    .example = "docs " AN_ID " BLOB plan.txt")
DECIDES(lease_change_decide, .name = "LEASE.CHANGE", .missing = lease_missing_check, .touches = lease_touches, ON_LEASE, .conditions = CONDITIONS_WRITE,
    .grammar = GRAMMAR(&key, &lease_id, &new_guid, &on_blob, &on_file, CONDITIONS, &once),
    .complexity = "O(1)", .summary = "Changes the id of a lease, and so its holder.",
    .example = "docs " AN_ID " 8a6504ab-2748-404c-a85f-75ed529b190c BLOB plan.txt")
DECIDES(lease_release_decide, .name = "LEASE.RELEASE", .missing = lease_missing_check, .touches = lease_touches, ON_LEASE, .conditions = CONDITIONS_WRITE,
    .grammar = GRAMMAR(&key, &lease_id, &on_blob, &on_file, CONDITIONS, &once),
    .complexity = "O(1)", .summary = "Releases a lease; the next client in line gets it at once.",
    .example = "docs " AN_ID " BLOB plan.txt")
DECIDES(lease_break_decide, .name = "LEASE.BREAK", .missing = lease_missing_check, .touches = lease_touches, ON_LEASE, .conditions = CONDITIONS_WRITE,
    .grammar = GRAMMAR(&key, &period, &on_blob, &on_file, CONDITIONS, &once),
    .complexity = "O(1)", .summary = "Breaks a lease, now or after a period, and returns the seconds until then.",
    .example = "docs PERIOD 0 BLOB plan.txt")
DECIDES(lease_get_decide, .name = "LEASE.GET", .missing = lease_missing_check, .touches = touches_nothing, READS,
    .grammar = GRAMMAR(&key, &on_blob, &on_file),
    .complexity = "O(1)", .summary = "Returns the state of a lease, its holder's label and how many wait for it.",
    .example = "docs BLOB plan.txt")
DECIDES(lease_list_decide, .name = "LEASE.LIST", READS_PAGES,
    .grammar = GRAMMAR(&key, &marker, &page_size),
    .complexity = "O(log N + M), N being the leases and M those of the page",
    .summary = "Returns a page of the leases that are held or being broken, with the names of what is leased.",
    .example = "docs")

DECIDES(queue_create_decide, .name = "QUEUE.CREATE", ON_QUEUE, CREATES,
    .grammar = GRAMMAR(&queue, &meta, &deliveries, &once),
    .complexity = "O(1)", .summary = "Creates a queue, unless it exists with the same metadata.",
    .example = "jobs MAXDELIVERIES 5")
DECIDES(queue_drop_decide, .name = "QUEUE.DROP", ON_QUEUE, REMOVES,
    .grammar = GRAMMAR(&queue),
    .complexity = "O(1); memory is freed in the background", .summary = "Deletes a queue with everything in it.",
    .example = "jobs")
DECIDES(queue_configure_decide, .name = "QUEUE.CONFIGURE", ON_QUEUE, WRITES_ANYWAY,
    .grammar = GRAMMAR(&queue, &new_deliveries, &once),
    .complexity = "O(1)", .summary = "Sets after how many deliveries a message becomes a dead letter; 0 for never.",
    .example = "jobs MAXDELIVERIES 5")
DECIDES(queue_getmeta_decide, .name = "QUEUE.GETMETA", LOOKS_AT_QUEUE, READS,
    .grammar = GRAMMAR(&queue),
    .complexity = "O(1)", .summary = "Returns a queue's metadata.",
    .example = "jobs")
DECIDES(queue_setmeta_decide, .name = "QUEUE.SETMETA", ON_QUEUE, WRITES,
    .grammar = GRAMMAR(&queue, &new_meta, &once),
    .complexity = "O(1)", .summary = "Replaces a queue's metadata as a whole.",
    .example = "jobs META 1 team web")
DECIDES(queue_getacl_decide, .name = "QUEUE.GETACL", LOOKS_AT_QUEUE, READS,
    .grammar = GRAMMAR(&queue),
    .complexity = "O(1)", .summary = "Returns a queue's stored access policies.",
    .example = "jobs")
DECIDES(queue_setacl_decide, .name = "QUEUE.SETACL", ON_QUEUE, WRITES,
    .grammar = GRAMMAR(&queue, &policies, &once),
    .complexity = "O(1)", .summary = "Replaces a queue's stored access policies.",
    .example = "jobs POLICIES 1 workers 0 - p")
DECIDES(queue_stat_decide, .name = "QUEUE.STAT", LOOKS_AT_QUEUE, READS,
    .grammar = GRAMMAR(&queue),
    .complexity = "O(log N), N being the messages in the queue",
    .summary = "Returns how many messages a queue has, how many of them are visible, and the age of the oldest.",
    .example = "jobs")
DECIDES(queue_put_decide, .name = "QUEUE.PUT", .touches = queue_put_touches, ON_QUEUE, WRITES, .check = queue_put_check,
    .grammar = GRAMMAR(&queue, &message, &ttl, &hidden, &dedup, &within, &group, &once),
    .complexity = "O(log N), N being the messages in the queue",
    .summary = "Puts a message into a queue and returns its id and its first receipt.",
    .example = "jobs \"resize cat.jpg\" VISIBILITY 60 DEDUP cat.jpg")
DECIDES(queue_putmany_decide, .name = "QUEUE.PUTMANY", .touches = queue_put_touches, ON_QUEUE, WRITES_MUCH, .check = queue_put_check,
    .grammar = GRAMMAR(&queue, &messages, &ttl, &hidden, &group, &once),
    .complexity = "O(M log N), M being the messages that are put and N those in the queue",
    .summary = "Puts up to 1000 messages into a queue, all or none.",
    .example = "jobs 2 \"resize cat.jpg\" \"resize dog.jpg\"")
DECIDES(queue_get_decide, .name = "QUEUE.GET", .data_type = &queue_type, .settle = queue_settle_heads, TAKES_OR_WAITS,
    GIVES_WAY(OUTCOME_DONE, queue_get_give_back), .give_way = queue_get_give_way,
    .remember = queue_get_remember, .recall = queue_get_recall, .check = queue_count_check,
    .grammar = GRAMMAR(&queue, &how_many, &window, &block, &once),
    .complexity = "O(M log N), M being the messages that are returned and N those in the queue",
    .summary = "Takes visible messages and hides them from others for a while, or waits in line for one.",
    .example = "jobs VISIBILITY 30 BLOCK 20")
DECIDES(queue_peek_decide, .name = "QUEUE.PEEK", LOOKS_AT_QUEUE, READS_PAGES, .check = queue_count_check,
    .grammar = GRAMMAR(&queue, &how_many),
    .complexity = "O(M log N), M being the messages that are returned and N those in the queue",
    .summary = "Returns visible messages without taking them.",
    .example = "jobs COUNT 10")
DECIDES(queue_update_decide, .name = "QUEUE.UPDATE", .touches = queue_message_touches, ON_QUEUE, WRITES_ANYWAY,
    .grammar = GRAMMAR(&queue, &message_id, &receipt, &new_window, &new_text, &once),
    .complexity = "O(log N), N being the messages in the queue",
    .summary = "Changes how long a message stays hidden, and its text if one is given, and returns its new receipt.",
    .example = "jobs " AN_ID " " A_RECEIPT " VISIBILITY 60")
DECIDES(queue_release_decide, .name = "QUEUE.RELEASE", .touches = queue_message_touches, ON_QUEUE, WRITES_ANYWAY,
    .grammar = GRAMMAR(&queue, &message_id, &receipt, &hidden, &reason, &once),
    .complexity = "O(log N), N being the messages in the queue",
    .summary = "Returns a message to its queue, now or after a delay.",
    .example = "jobs " AN_ID " " A_RECEIPT " VISIBILITY 10 REASON \"disk full\"")
DECIDES(queue_delete_decide, .name = "QUEUE.DELETE", .touches = queue_message_touches, ON_QUEUE, WRITES_ANYWAY,
    .grammar = GRAMMAR(&queue, &message_id, &receipt, &once),
    .complexity = "O(log N), N being the messages in the queue", .summary = "Deletes a message: its work is done.",
    .example = "jobs " AN_ID " " A_RECEIPT)
DECIDES(queue_deletemany_decide, .name = "QUEUE.DELETEMANY", .touches = queue_messages_touches, ON_QUEUE, WRITES_MUCH_ANYWAY, .check = queue_deletemany_check,
    .grammar = GRAMMAR(&queue, &receipts, &once),
    .complexity = "O(M log N), M being the messages that are named and N those in the queue",
    .summary = "Deletes up to 1000 messages and returns a reply for each.",
    .example = "jobs 1 " AN_ID " " A_RECEIPT)
DECIDES(queue_clear_decide, .name = "QUEUE.CLEAR", ON_QUEUE, WRITES_ANYWAY,
    .grammar = GRAMMAR(&queue, &dead, &once),
    .complexity = "O(log N), N being the messages in the queue; where some have just had their last window, O(M log N), M being these or the others, whichever are fewer; memory is freed bit by bit",
    .summary = "Deletes all messages of a queue, or all its dead letters, and returns how many.",
    .example = "jobs DEAD")
DECIDES(queue_dead_decide, .name = "QUEUE.DEAD", LOOKS_AT_QUEUE, READS_PAGES,
    .grammar = GRAMMAR(&queue, &how_many),
    .complexity = "O(M), M being the dead letters that are returned",
    .summary = "Returns the dead letters of a queue in the order in which they died.",
    .example = "jobs COUNT 10")
DECIDES(queue_redrive_decide, .name = "QUEUE.REDRIVE", .data_type = &queue_type, .settle = queue_settle_many, WRITES_MUCH_ANYWAY, .check = queue_redrive_check,
    .grammar = GRAMMAR(&queue, &how_many, &ids, &once),
    .complexity = "O(M log N), M being the dead letters that are put back and N the messages in the queue",
    .summary = "Puts dead letters back into their queue, as new messages, and returns how many.",
    .example = "jobs IDS 1 " AN_ID)

DECIDES(share_create_decide, .name = "SHARE.CREATE", ON_SHARE, CREATES,
    .grammar = GRAMMAR(&share, &quota, &meta, &once),
    .complexity = "O(1)",
    .summary = "Creates a share and returns its ETag.",
    .example = "drive QUOTA 1073741824")
DECIDES(share_get_decide, .name = "SHARE.GET", ON_SHARE, READS,
    .grammar = GRAMMAR(&share, &lease),
    .complexity = "O(S), S being the snapshots, and what ended sessions still have open in memory",
    .summary = "Returns all properties of a share, with the number and size of its files and the ids of its snapshots.",
    .example = "drive")
DECIDES(share_getmeta_decide, .name = "SHARE.GETMETA", ON_SHARE, READS,
    .grammar = GRAMMAR(&share, &snapshot, &lease),
    .complexity = "O(1)",
    .summary = "Returns a share's ETag and metadata, now or in a snapshot.",
    .example = "drive")
DECIDES(share_setmeta_decide, .name = "SHARE.SETMETA", ON_SHARE, WRITES,
    .grammar = GRAMMAR(&share, &new_meta, &lease, &once),
    .complexity = "O(1)",
    .summary = "Replaces a share's metadata as a whole and returns its new ETag.",
    .example = "drive META 1 team web")
DECIDES(share_setprops_decide, .name = "SHARE.SETPROPS", ON_SHARE, WRITES_ANYWAY,
    .grammar = GRAMMAR(&share, &new_quota, &lease, &once),
    .complexity = "O(1)",
    .summary = "Sets how large the files of a share may be in all; 0 for no limit.",
    .example = "drive QUOTA 0")
DECIDES(share_getacl_decide, .name = "SHARE.GETACL", ON_SHARE, READS,
    .grammar = GRAMMAR(&share, &lease),
    .complexity = "O(1)",
    .summary = "Returns a share's ETag and stored access policies.",
    .example = "drive")
DECIDES(share_setacl_decide, .name = "SHARE.SETACL", ON_SHARE, WRITES,
    .grammar = GRAMMAR(&share, &policies, &lease, &once),
    .complexity = "O(1)",
    .summary = "Replaces a share's stored access policies and returns its new ETag.",
    .example = "drive POLICIES 1 readers 0 - rl")
DECIDES(share_delete_decide, .name = "SHARE.DELETE", ON_SHARE, REMOVES,
    .grammar = GRAMMAR(&share, &share_snapshots, &lease),
    .complexity = "O(1); memory is freed in the background",
    .summary = "Deletes a share with everything in it, open or not.",
    .example = "drive SNAPSHOTS INCLUDE")
DECIDES(share_snapshot_decide, .name = "SHARE.SNAPSHOT", ON_SHARE, .settle = file_settle_sessions, WRITES,
    .grammar = GRAMMAR(&share, &meta, &once),
    .complexity = "O(1), and what sessions have open whose time has just ended; O(log N) for each that had a file open for deletion, N being the sessions",
    .summary = "Creates a read-only snapshot of a share and returns its id.",
    .example = "drive")
DECIDES(share_connect_decide, .name = "SHARE.CONNECT", ON_SHARE, WRITES, .check = share_connect_check,
    .grammar = GRAMMAR(&share, &time_to_live, &session_label, &on_close, &once),
    .complexity = "O(log N), N being the sessions",
    .summary = "Starts a session, which can open files and ends unless it is pinged in time, and returns its id.",
    .example = "drive 30 OWNER worker-7")
DECIDES(share_ping_decide, .name = "SHARE.PING", ON_SHARE, WRITES_ANYWAY,
    .grammar = GRAMMAR(&share, &share_session, &once),
    .complexity = "O(log N), N being the sessions",
    .summary = "Renews a session for its full time and returns that time in milliseconds.",
    .example = "drive " AN_ID)
DECIDES(share_disconnect_decide, .name = "SHARE.DISCONNECT", ON_SHARE, WRITES_ANYWAY,
    .grammar = GRAMMAR(&share, &share_session, &once),
    .complexity = "O(1), and O(log N) for each of its clients that waits, N being all that wait; what it had open is freed bit by bit",
    .summary = "Ends a session with all its handles and locks.",
    .example = "drive " AN_ID)
DECIDES(file_mkdir_decide, .name = "FILE.MKDIR", .touches = file_begins_touches, ON_PATH, .settle = file_settle_path, WRITES,
    .grammar = GRAMMAR(&share, &path, &meta, &once),
    .complexity = "O(D), D being the names in the path",
    .summary = "Creates a directory and returns its ETag.",
    .example = "drive reports")
DECIDES(file_rmdir_decide, .name = "FILE.RMDIR", .touches = file_rmdir_touches, ON_PATH, .settle = file_settle_directory, WRITES_ANYWAY,
    .grammar = GRAMMAR(&share, &path, &once),
    .complexity = "O(D), D being the names in the path, and what ended sessions have left open in it",
    .summary = "Deletes an empty directory.",
    .example = "drive reports")
DECIDES(file_list_decide, .name = "FILE.LIST", ON_PATH, READS_PAGES,
    .grammar = GRAMMAR(&share, &path, &prefix, &marker, &page_size, &snapshot),
    .complexity = "O(D + log N + M), N being the files and M those of the page",
    .summary = "Returns a page of what is in a directory, in the order of names.",
    .example = "drive reports COUNT 100")
DECIDES(file_create_decide, .name = "FILE.CREATE", .touches = file_begins_touches, ON_PATH, .settle = file_settle_path, WRITES,
    .grammar = GRAMMAR(&share, &path, &file_size, &attributes, &props, &meta, &lease, &once),
    .complexity = "O(D), D being the names in the path",
    .summary = "Creates a file of a given size, or empties an existing one, and returns its ETag.",
    .example = "drive reports/june.txt 1024")
DECIDES(file_get_decide, .name = "FILE.GET", .touches = touches_nothing, ON_PATH, READS,
    .grammar = GRAMMAR(&share, &path, &range, &snapshot, &lease),
    .complexity = "O(D), D being the names in the path, and the bytes that are returned",
    .summary = "Returns a file's ETag and bytes.",
    .example = "drive reports/june.txt RANGE 0 100")
DECIDES(file_stat_decide, .name = "FILE.STAT", .touches = touches_nothing, ON_PATH, READS,
    .grammar = GRAMMAR(&share, &path, &snapshot, &lease),
    .complexity = "O(D), D being the names in the path",
    .summary = "Returns all properties of a file or directory.",
    .example = "drive reports/june.txt")
DECIDES(file_getmeta_decide, .name = "FILE.GETMETA", .touches = touches_nothing, ON_PATH, READS,
    .grammar = GRAMMAR(&share, &path, &snapshot, &lease),
    .complexity = "O(D), D being the names in the path",
    .summary = "Returns a file's or directory's ETag and metadata.",
    .example = "drive reports/june.txt")
DECIDES(file_setprops_decide, .name = "FILE.SETPROPS", .touches = file_touches, ON_PATH, .settle = file_settle_path, WRITES, .check = file_setprops_check,
    .grammar = GRAMMAR(&share, &path, &new_file_size, &attributes, &props, &lease, &once),
    .complexity = "O(D), D being the names in the path",
    .summary = "Replaces a file's properties, sets its attributes or its size, and returns its new ETag.",
    .example = "drive reports/june.txt SIZE 2048 ATTRIBUTES 1 READONLY")
DECIDES(file_setmeta_decide, .name = "FILE.SETMETA", .touches = file_touches, ON_PATH, .settle = file_settle_path, WRITES,
    .grammar = GRAMMAR(&share, &path, &new_meta, &lease, &once),
    .complexity = "O(D), D being the names in the path",
    .summary = "Replaces a file's or directory's metadata as a whole and returns its new ETag.",
    .example = "drive reports/june.txt META 1 status agreed")
DECIDES(file_putrange_decide, .name = "FILE.PUTRANGE", .touches = file_touches, ON_PATH, .settle = file_settle_path, WRITES, .check = file_putrange_check,
    .grammar = GRAMMAR(&share, &path, &file_offset, &content, &lease, &once),
    .complexity = "O(D), D being the names in the path, and the bytes that are written",
    .summary = "Writes bytes into a file and returns its new ETag.",
    .example = "drive reports/june.txt 0 \"the first words\"")
DECIDES(file_clearrange_decide, .name = "FILE.CLEARRANGE", .touches = file_touches, ON_PATH, .settle = file_settle_path, WRITES_ANYWAY,
    .grammar = GRAMMAR(&share, &path, &file_offset, &clear_length, &lease, &once),
    .complexity = "O(D), D being the names in the path, and the bytes that are cleared",
    .summary = "Clears bytes of a file, which then read as zeros, and returns its new ETag.",
    .example = "drive reports/june.txt 0 512")
DECIDES(file_getranges_decide, .name = "FILE.GETRANGES", .touches = touches_nothing, ON_PATH, READS_PAGES,
    .grammar = GRAMMAR(&share, &path, &range, &snapshot, &since, &lease),
    .complexity = "O(D + M), M being the ranges",
    .summary = "Returns which parts of a file have been written, or changed and cleared since a snapshot.",
    .example = "drive reports/june.txt")
DECIDES(file_delete_decide, .name = "FILE.DELETE", .touches = file_touches, ON_PATH, .settle = file_settle_path, WRITES_ANYWAY,
    .grammar = GRAMMAR(&share, &path, &lease, &once),
    .complexity = "O(D), D being the names in the path",
    .summary = "Deletes a file that nobody has open.",
    .example = "drive reports/june.txt")
DECIDES(file_copy_decide, .name = "FILE.COPY", ON_PATH, .settle = file_settle_paths, WRITES,
    .grammar = GRAMMAR(&share, &path, &new_path, &meta, &lease, &once),
    .complexity = "O(D), D being the names in the path",
    .summary = "Copies a file, sharing its bytes, and returns the ETag of the copy.",
    .example = "drive reports/june.txt reports/june.old")
DECIDES(file_rename_decide, .name = "FILE.RENAME", ON_PATH, .settle = file_settle_move, WRITES,
    .grammar = GRAMMAR(&share, &path, &new_path, &replace, &lease, &new_lease, &once),
    .complexity = "O(D), D being the names in the path, and what ended sessions have left open in it",
    .summary = "Moves a file, or a directory with everything in it, and returns its new ETag.",
    .example = "drive reports/june.txt reports/july.txt REPLACE")
DECIDES(file_handles_decide, .name = "FILE.HANDLES", ON_SHARE, READS_PAGES, .check = file_handles_check,
    .grammar = GRAMMAR(&share, &maybe_path, &recursive, &marker, &page_size),
    .complexity = "O(log N + M), N being the handles and M those that are looked at",
    .summary = "Returns a page of the handles of a file, below a directory or of the share: who has what open.",
    .example = "drive reports RECURSIVE")
DECIDES(file_closehandles_decide, .name = "FILE.CLOSEHANDLES", ON_SHARE, .settle = file_settle_path, WRITES_MUCH_ANYWAY, .check = file_closehandles_check,
    .grammar = GRAMMAR(&share, &path, &which_handles, &recursive, &once),
    .complexity = "O(N), N being the handles",
    .summary = "Closes a handle of a file by its public number, or all of them, and returns how many.",
    .example = "drive reports/june.txt 7")
DECIDES(file_open_decide, .name = "FILE.OPEN", ON_SHARE, .settle = file_settle_opening, WAITS, .check = file_open_check, GIVES_WAY(OUTCOME_SHARING_VIOLATION, file_open_give_back),
    .grammar = GRAMMAR(&share, &share_session, &path, &open_access, &open_share, &disposition, &new_file_size, &delete_on_close, &block, &once),
    .complexity = "O(D + log N), D being the names in the path and N the handles",
    .summary = "Opens a file, or waits in line until that is possible, and returns a handle.",
    .example = "drive " AN_ID " reports/june.txt ACCESS 2 READ WRITE SHARE 1 READ DISPOSITION OPENIF")
DECIDES(file_read_decide, .name = "FILE.READ", ON_SHARE, READS,
    .grammar = GRAMMAR(&share, &handle, &read_offset, &read_length),
    .complexity = "O(M), M being the bytes that are returned",
    .summary = "Returns bytes of an open file, as many as there are.",
    .example = "drive " AN_ID " 0 100")
DECIDES(file_write_decide, .name = "FILE.WRITE", ON_SHARE, WRITES, .check = file_write_check,
    .grammar = GRAMMAR(&share, &handle, &file_offset, &content, &once),
    .complexity = "O(M), M being the bytes that are written",
    .summary = "Writes bytes to an open file, which grows if necessary, and returns how many.",
    .example = "drive " AN_ID " 0 \"the first words\"")
DECIDES(file_truncate_decide, .name = "FILE.TRUNCATE", ON_SHARE, WRITES_ANYWAY,
    .grammar = GRAMMAR(&share, &handle, &file_size, &once),
    .complexity = "O(M), M being the bytes that are cut off",
    .summary = "Shortens an open file, or extends it with zeros.",
    .example = "drive " AN_ID " 100")
DECIDES(file_lock_decide, .name = "FILE.LOCK", ON_SHARE, .settle = file_settle_locks, WAITS, .check = file_lock_check, GIVES_WAY(OUTCOME_FILE_LOCK_CONFLICT, file_lock_give_back),
    .grammar = GRAMMAR(&share, &handle, &lock_mode, &lock_offset, &lock_length, &block, &once),
    .complexity = "O(log N), N being the locks of the file",
    .summary = "Locks a range of an open file, or waits in line until it can be locked.",
    .example = "drive " AN_ID " EXCLUSIVE 0 100 BLOCK 10")
DECIDES(file_unlock_decide, .name = "FILE.UNLOCK", ON_SHARE, WRITES_ANYWAY,
    .grammar = GRAMMAR(&share, &handle, &lock_offset, &lock_length, &once),
    .complexity = "O(log N), N being the locks of the file",
    .summary = "Unlocks a range, exactly as it was locked.",
    .example = "drive " AN_ID " 0 100")
DECIDES(file_dispose_decide, .name = "FILE.DISPOSE", ON_SHARE, .settle = file_settle_handle, WRITES_ANYWAY,
    .grammar = GRAMMAR(&share, &handle, &switch_word, &once),
    .complexity = "O(1)",
    .summary = "Marks an open file for deletion with its last handle, or removes the mark.",
    .example = "drive " AN_ID " ON")
DECIDES(file_close_decide, .name = "FILE.CLOSE", ON_SHARE, WRITES_ANYWAY,
    .grammar = GRAMMAR(&share, &handle, &once),
    .complexity = "O(log N), N being the handles",
    .summary = "Closes a handle and releases its locks.",
    .example = "drive " AN_ID)
DECIDES(table_create_decide, .name = "TABLE.CREATE", ON_TABLE, CREATES,
    .grammar = GRAMMAR(&table, &once),
    .complexity = "O(1)", .summary = "Creates a table.",
    .example = "stock")
DECIDES(table_drop_decide, .name = "TABLE.DROP", ON_TABLE, DROPS,
    .grammar = GRAMMAR(&table),
    .complexity = "O(1); memory is freed in the background", .summary = "Deletes a table with everything in it.",
    .example = "stock")
DECIDES(table_getacl_decide, .name = "TABLE.GETACL", ON_TABLE, READS,
    .grammar = GRAMMAR(&table),
    .complexity = "O(1)", .summary = "Returns a table's stored access policies.",
    .example = "stock")
DECIDES(table_setacl_decide, .name = "TABLE.SETACL", ON_TABLE, WRITES,
    .grammar = GRAMMAR(&table, &policies, &once),
    .complexity = "O(1)", .summary = "Replaces a table's stored access policies.",
    .example = "stock POLICIES 1 readers 0 - r")
DECIDES(table_index_decide, .name = "TABLE.INDEX", ON_TABLE, .settle = upkeep_schedule, WRITES, .check = table_names_check,
    .grammar = GRAMMAR(&table, &property, &more_properties, &once),
    .complexity = "O(1); existing entities are added in the background",
    .summary = "Creates indexes of properties, by which queries then find entities.",
    .example = "stock colour")
DECIDES(table_unindex_decide, .name = "TABLE.UNINDEX", ON_TABLE, WRITES_ANYWAY, .check = table_names_check,
    .grammar = GRAMMAR(&table, &property, &more_properties, &once),
    .complexity = "O(1); memory is freed bit by bit", .summary = "Removes indexes of properties.",
    .example = "stock colour")
DECIDES(table_indexes_decide, .name = "TABLE.INDEXES", ON_TABLE, READS,
    .grammar = GRAMMAR(&table),
    .complexity = "O(1)", .summary = "Returns which properties have indexes.",
    .example = "stock")
DECIDES(table_feed_decide, .name = "TABLE.FEED", ON_TABLE, WRITES_ANYWAY, .check = feed_switch_check,
    .grammar = GRAMMAR(&table, &feed_word, &feed_keep, &once),
    .complexity = "O(1); the feed of a table with many entities is built, and freed, in the background",
    .summary = "Turns the feed of a table on or off, or sets how many deletions it remembers.",
    .example = "stock ON KEEP 100000")
DECIDES(table_changes_since_decide, .name = "TABLE.CHANGES", ON_TABLE, .settle = upkeep_schedule, READS_OR_WAITS,
    .grammar = GRAMMAR(&table, &since_bookmark, &page_size, &block),
    .complexity = "O(log N + M), N being the entities in the table and M those that are looked at",
    .summary = "Returns what has changed in a table since a version, and the version to go on from, or waits for it.",
    .example = "stock SINCE " AN_ETAG " BLOCK 30")
WRITES_ENTITY(table_insert, VERB_INSERT, .name = "TABLE.INSERT", .touches = entity_touches, WRITES,
    .grammar = GRAMMAR(&table, &new_partition, &new_row, &entity, &once),
    .complexity = "O(log N), N being the entities in the table",
    .summary = "Creates an entity that does not exist yet and returns its ETag.",
    .example = "stock lamps 4711 PROPS 2 count:int32 3 colour red")
DECIDES(table_get_decide, .name = "TABLE.GET", .touches = touches_nothing, ON_ENTITY, READS, .check = table_get_check,
    .grammar = GRAMMAR(&table, &partition, &row, &selected),
    .complexity = "O(1)", .summary = "Returns an entity's ETag and its properties, all or those that are selected.",
    .example = "stock lamps 4711 SELECT 1 count")
DECIDES(table_query_decide, .name = "TABLE.QUERY", ON_TABLE, .settle = upkeep_schedule, READS_PAGES, .check = table_query_check,
    .grammar = GRAMMAR(&table, &filter, &selected, &top, &next, &explained),
    .complexity = "O(log N + M), N being the entities in the table and M those that are looked at, which is bounded",
    .summary = "Returns a page of the entities that match a filter, in the order of their keys, and where the next page begins.",
    .example = "stock FILTER \"PartitionKey eq 'lamps' and count lt 5\" TOP 100")
WRITES_ENTITY(table_replace, VERB_REPLACE, .name = "TABLE.REPLACE", .touches = entity_touches, WRITES,
    .grammar = GRAMMAR(&table, &partition, &row, &match, &condition, &entity, &once),
    .complexity = "O(1); O(log N) where indexes change, N being the entities in the table",
    .summary = "Replaces the properties of an entity if its ETag matches and returns its new ETag.",
    .example = "stock lamps 4711 IFMATCH " AN_ETAG " PROPS 1 count:int32 2")
WRITES_ENTITY(table_merge, VERB_MERGE, .name = "TABLE.MERGE", .touches = entity_touches, WRITES,
    .grammar = GRAMMAR(&table, &partition, &row, &match, &condition, &entity, &once),
    .complexity = "O(1); O(log N) where indexes change, N being the entities in the table",
    .summary = "Sets some properties of an entity if its ETag matches and returns its new ETag.",
    .example = "stock lamps 4711 IFMATCH * IF \"count eq 3\" PROPS 1 count:int32 2")
WRITES_ENTITY(table_delete, VERB_DELETE, .name = "TABLE.DELETE", .touches = entity_touches, WRITES_ANYWAY,
    .grammar = GRAMMAR(&table, &partition, &row, &match, &condition, &once),
    .complexity = "O(log N), N being the entities in the table",
    .summary = "Deletes an entity if its ETag matches.",
    .example = "stock lamps 4711 IFMATCH " AN_ETAG)
WRITES_ENTITY(table_insertorreplace, VERB_INSERTORREPLACE, .name = "TABLE.INSERTORREPLACE", .touches = entity_touches, WRITES,
    .grammar = GRAMMAR(&table, &partition, &row, &entity, &once),
    .complexity = "O(log N), N being the entities in the table",
    .summary = "Creates or replaces an entity, whatever was there, and returns its new ETag.",
    .example = "stock lamps 4711 PROPS 1 count:int32 3")
WRITES_ENTITY(table_insertormerge, VERB_INSERTORMERGE, .name = "TABLE.INSERTORMERGE", .touches = entity_touches, WRITES,
    .grammar = GRAMMAR(&table, &partition, &row, &entity, &once),
    .complexity = "O(log N), N being the entities in the table",
    .summary = "Sets some properties of an entity, creates it if it does not exist, and returns its new ETag.",
    .example = "stock lamps 4711 PROPS 1 colour blue")
DECIDES(table_batch_decide, .name = "TABLE.BATCH", ON_TABLE, WRITES_MUCH, .check = table_batch_check,
    .grammar = GRAMMAR(&table, &partition, &operation_count, &operations, &once), .parts = table_operations,
    .complexity = "O(M log N), M being the operations and N the entities in the table",
    .summary = "Runs up to 100 operations on entities of one partition, all or none, and returns their ETags.",
    .example = "stock lamps 2 INSERT 4712 PROPS 1 count:int32 1 DELETE 4711 IFMATCH *")

APPLIES(effect_apply, .name = EFFECT_COMMAND,
    .grammar = GRAMMAR(&key, &effect, &payload),
    .complexity = "That of the command whose effect it is",
    .summary = "Applies what another server has decided. For the primary's link and append-only files alone.")
APPLIES(effect_apply_short, .name = EFFECT_COMMAND_SHORT,
    .grammar = GRAMMAR(&key, &effect, &payload),
    .complexity = "That of the command whose effect it is",
    .summary = "HOLDFAST.APPLY by the name under which effects travel.")
RUNS(atomic_handle, .name = "HOLDFAST.ATOMIC",
    .key = KEY_NONE, .first_key = 4, .tell_keys = atomic_tell_keys, .flags = "write", .categories = "write slow",
    .grammar = GRAMMAR(&command_count, &transaction_part, &once),
    .complexity = "The sum of those of the commands, and O(M), M being the things that they change",
    .summary = "Runs up to 100 commands as one: all of them happen, or none. Returns an array of their replies.",
    .example = "2 4 QUEUE.DELETE jobs " AN_ID " " A_RECEIPT " 3 QUEUE.PUT mail \"order 4711 is on its way\"")
DECIDES(grace_decide, .name = "HOLDFAST.GRACE", ADMINISTERS,
    .grammar = GRAMMAR(&grace_word),
    .complexity = "O(N), N being the lines in which clients wait",
    .summary = "Ends the time after a failover in which the server grants nothing new.",
    .example = "END")
DECIDES(help_decide, .name = "HOLDFAST.HELP", TELLS,
    .grammar = GRAMMAR(&help_topic),
    .complexity = "O(N), N being the commands of Holdfast",
    .summary = "Returns the syntax of a command and an example, or the commands of a family, or all commands.",
    .example = "BLOB.PUT")
DECIDES(version_decide, .name = "HOLDFAST.VERSION", TELLS,
    .grammar = GRAMMAR(NULL),
    .complexity = "O(1)", .summary = "Returns the version of Holdfast.",
    .example = "")
DECIDES(doctor_decide, .name = "HOLDFAST.DOCTOR", EXAMINES,
    .grammar = GRAMMAR(NULL),
    .complexity = "O(N), N being the keys that may have something to tell, which are 1,000 at most",
    .summary = "Returns what endangers the promises, and what to do about it: an empty array when all is well.",
    .example = "")
#undef RUNS
#undef APPLIES
#undef DECIDES
#undef WRITES_ENTITY
#undef EACH_ROW
#undef EACH_EFFECT
