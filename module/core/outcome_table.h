/* The table of outcomes: class, code and text of each refusal. It is included where its rows become something: see
 * outcome.h and outcome.c. */
/* clang-format off */

/* --- Containers and blobs, and what all have in common --- */

OUTCOME(CONDITION_NOT_MET, "PRECONDITION", "ConditionNotMet", "the object does not match the conditions")
OUTCOME(BLOB_EXISTS, "CONFLICT", "BlobAlreadyExists", "the blob already exists")
OUTCOME(CONTAINER_EXISTS, "CONFLICT", "ContainerAlreadyExists", "the container already exists")
OUTCOME(BLOB_NOT_FOUND, "NOTFOUND", "BlobNotFound", "the blob does not exist")
OUTCOME(CONTAINER_NOT_FOUND, "NOTFOUND", "ContainerNotFound", "the container does not exist")
OUTCOME(OUT_OF_RANGE_INPUT, "INVALID", "OutOfRangeInput", "a name must be 1 to 1024 bytes long")
OUTCOME(INVALID_URI, "INVALID", "InvalidUri", "a name has at most 254 segments")
OUTCOME(INVALID_VALUE, "INVALID", "InvalidHeaderValue", "invalid value for this option")
OUTCOME(INVALID_RANGE, "INVALID", "InvalidRange", "the range lies outside the content")
OUTCOME(OUT_OF_RANGE, "INVALID", "OutOfRangeQueryParameterValue", "the value is out of range for this option")
OUTCOME(INVALID_METADATA, "INVALID", "InvalidMetadata",
        "a metadata name must be a letter or _, then letters, digits or _, and must not repeat")
OUTCOME(EMPTY_METADATA_KEY, "INVALID", "EmptyMetadataKey", "a metadata name is empty")
OUTCOME(METADATA_TOO_LARGE, "INVALID", "MetadataTooLarge", "metadata names and values exceed 8192 bytes")
OUTCOME(INVALID_MD5, "INVALID", "InvalidMd5", "content-md5 is not the base64 form of 16 bytes")
OUTCOME(MD5_MISMATCH, "INVALID", "Md5Mismatch", "the content does not match content-md5")
OUTCOME(INVALID_POLICIES, "INVALID", "InvalidXmlDocument",
        "at most 5 policies, each with a unique id of 1 to 64 bytes")
OUTCOME(INVALID_POLICY_VALUE, "INVALID", "InvalidXmlNodeValue",
        "a policy needs start and expiry in Unix milliseconds or -, and permissions as letters")
OUTCOME(BODY_TOO_LARGE, "INVALID", "RequestBodyTooLarge",
        "the content is larger than the setting for its kind allows")
OUTCOME(LEASE_PRESENT, "CONFLICT", "LeaseAlreadyPresent", "there is an active lease")
OUTCOME(LEASE_BREAKING_ACQUIRE, "CONFLICT", "LeaseIsBreakingAndCannotBeAcquired",
        "the lease with this id is being broken")
OUTCOME(LEASE_MISMATCH, "CONFLICT", "LeaseIdMismatchWithLeaseOperation",
        "the lease has another id, or has ended")
OUTCOME(LEASE_NOT_PRESENT, "CONFLICT", "LeaseNotPresentWithLeaseOperation", "there is no lease")
OUTCOME(LEASE_BROKEN_RENEW, "CONFLICT", "LeaseIsBrokenAndCannotBeRenewed", "the lease has been broken")
OUTCOME(LEASE_BREAKING_CHANGE, "CONFLICT", "LeaseIsBreakingAndCannotBeChanged", "the lease is being broken")
OUTCOME(LEASE_ID_MISSING, "PRECONDITION", "LeaseIdMissing", "there is an active lease and no LEASE was given")
OUTCOME(LEASE_MISMATCH_BLOB, "PRECONDITION", "LeaseIdMismatchWithBlobOperation",
        "the active lease has another id")
OUTCOME(LEASE_MISMATCH_CONTAINER, "PRECONDITION", "LeaseIdMismatchWithContainerOperation",
        "the active lease has another id")
OUTCOME(LEASE_ABSENT_BLOB, "PRECONDITION", "LeaseNotPresentWithBlobOperation", "no active lease with this id")
OUTCOME(LEASE_ABSENT_CONTAINER, "PRECONDITION", "LeaseNotPresentWithContainerOperation",
        "no active lease with this id")
OUTCOME(LEASE_LOST, "PRECONDITION", "LeaseLost", "the lease with this id has ended")
OUTCOME(TOO_MANY_CONDITIONS, "INVALID", "MultipleConditionHeadersNotSupported",
        "a write takes one condition, or IFNONEMATCH with IFMODIFIEDSINCE, or IFMATCH with IFUNMODIFIEDSINCE")
OUTCOME(UNSATISFIABLE_CONDITION, "INVALID", "UnsatisfiableCondition", "no read can meet IFNONEMATCH *")
OUTCOME(TARGET_CONDITION_NOT_MET, "PRECONDITION", "TargetConditionNotMet",
        "the target does not match the conditions")
OUTCOME(SOURCE_CONDITION_NOT_MET, "PRECONDITION", "SourceConditionNotMet",
        "the source does not match the conditions")
OUTCOME(SEQUENCE_NOT_MET, "PRECONDITION", "SequenceNumberConditionNotMet",
        "the sequence number does not match IFSEQUENCE")
OUTCOME(APPEND_POSITION_NOT_MET, "PRECONDITION", "AppendPositionConditionNotMet",
        "the blob length does not match IFPOSITION")
OUTCOME(MAX_SIZE_NOT_MET, "PRECONDITION", "MaxBlobSizeConditionNotMet",
        "the blob would be longer than IFMAXSIZE")
OUTCOME(INFINITE_LEASE_REQUIRED, "PRECONDITION", "InfiniteLeaseDurationRequired",
        "only an infinite lease can cover a copy")
OUTCOME(INVALID_BLOB_TYPE, "CONFLICT", "InvalidBlobType", "the blob is of another type")
OUTCOME(CANNOT_VERIFY_SOURCE, "INVALID", "CannotVerifyCopySource", "copies from this source are not allowed")
OUTCOME(PENDING_COPY, "CONFLICT", "PendingCopyOperation", "a copy to this blob is pending")
OUTCOME(NO_PENDING_COPY, "CONFLICT", "NoPendingCopyOperation", "no copy to this blob is pending")
OUTCOME(COPY_ID_MISMATCH, "CONFLICT", "CopyIdMismatch", "the pending copy has another id")
OUTCOME(SNAPSHOTS_PRESENT, "CONFLICT", "SnapshotsPresent",
        "the blob has snapshots, use SNAPSHOTS INCLUDE or ONLY")
OUTCOME(BLOB_SEALED, "CONFLICT", "BlobIsSealed", "the blob is sealed: nothing is appended any more")
OUTCOME(BLOCK_COUNT_EXCEEDED, "CONFLICT", "BlockCountExceedsLimit",
        "a blob has at most 50000 blocks, and 100000 that are staged")
OUTCOME(BLOB_OVERWRITTEN, "CONFLICT", "BlobOverwritten", "the blob has been created anew since that snapshot")
OUTCOME(PREVIOUS_NOT_FOUND, "CONFLICT", "PreviousSnapshotNotFound", "no snapshot with the id given by SINCE")
OUTCOME(SEQUENCE_TOO_LARGE, "CONFLICT", "SequenceNumberIncrementTooLarge",
        "the sequence number is at its maximum")
OUTCOME(PREVIOUS_NEWER, "INVALID", "PreviousSnapshotCannotBeNewer", "the snapshot given by SINCE is newer")
OUTCOME(INVALID_PAGE_RANGE, "INVALID", "InvalidPageRange",
        "pages must begin and end at multiples of 512 within the blob")
OUTCOME(INVALID_BLOB_OR_BLOCK, "INVALID", "InvalidBlobOrBlock",
        "the blob's staged blocks have ids of another length")
OUTCOME(INVALID_BLOCK_ID, "INVALID", "InvalidBlockId", "a block id is the base64 form of 1 to 64 bytes")
OUTCOME(INVALID_BLOCK_LIST, "INVALID", "InvalidBlockList",
        "there is no such block, or one id stands for two blocks")
OUTCOME(SERVER_RECOVERING, "CONFLICT", "ServerRecovering",
        "the newest writes may be lost, nothing new is granted for a while")
OUTCOME(TOKEN_USED, "INVALID", "IdempotentParameterMismatch", "the token of ONCE was used for another call")
OUTCOME(TOKEN_LENGTH, "INVALID", "InvalidInput", "a token of ONCE has 1 to 64 bytes")
OUTCOME(TRANSACTION_SIZE, "INVALID", "InvalidInput", "a transaction has 1 to 100 commands")
OUTCOME(NOT_IN_TRANSACTION, "INVALID", "NotInTransaction", "not a command that can be part of a transaction")
OUTCOME(CHANGED_TWICE, "INVALID", "InvalidDuplicateRow", "two commands change the same thing")
OUTCOME(FEED_OFF, "CONFLICT", "FeedOff", "the feed is off")
OUTCOME(FEED_BUILDING, "CONFLICT", "FeedBuilding", "the feed is being built, try again soon")
OUTCOME(CHANGES_LOST, "CONFLICT", "ChangesLost",
        "changes behind this version are lost: list anew, then follow")
OUTCOME(BLOCK_LIST_TOO_LONG, "INVALID", "BlockListTooLong", "a blob has at most 50000 blocks")

/* --- Queues --- */

OUTCOME(QUEUE_EXISTS, "CONFLICT", "QueueAlreadyExists", "the queue exists with other settings, QUEUE.CONFIGURE and QUEUE.SETMETA change them")
OUTCOME(QUEUE_NOT_FOUND, "NOTFOUND", "QueueNotFound", "the queue does not exist")
OUTCOME(MESSAGE_NOT_FOUND, "NOTFOUND", "MessageNotFound", "no message with this id and receipt")
OUTCOME(RECEIPT_MISMATCH, "INVALID", "PopReceiptMismatch", "the receipt is not the message's latest")
OUTCOME(RECEIPT_MISSING, "INVALID", "MissingRequiredQueryParameter", "the receipt is empty")
OUTCOME(INVALID_QUERY, "INVALID", "InvalidQueryParameterValue", "invalid value for this option")

/* --- Tables --- */

OUTCOME(TABLE_EXISTS, "CONFLICT", "TableAlreadyExists", "the table already exists")
OUTCOME(TABLE_NOT_FOUND, "NOTFOUND", "TableNotFound", "the table does not exist")
OUTCOME(RESOURCE_NOT_FOUND, "NOTFOUND", "ResourceNotFound", "nothing exists with this name")
OUTCOME(ENTITY_EXISTS, "CONFLICT", "EntityAlreadyExists", "an entity with these keys already exists")
OUTCOME(UPDATE_CONDITION_NOT_MET, "PRECONDITION", "UpdateConditionNotSatisfied",
        "the entity does not match the condition")
OUTCOME(IFMATCH_MISSING, "INVALID", "MissingRequiredHeader",
        "IFMATCH is required: the entity's ETag, or * for any")
OUTCOME(INVALID_INPUT, "INVALID", "InvalidInput", "invalid value for its type")
OUTCOME(NOT_IMPLEMENTED, "INVALID", "NotImplemented", "a comparison must have a property on one side")
OUTCOME(BATCH_SIZE, "INVALID", "InvalidInput", "a batch has 1 to 100 operations")
OUTCOME(TYPE_UNKNOWN, "INVALID", "InvalidInput",
        "unknown type; use int32, int64, double, bool, datetime, guid, binary or string")
OUTCOME(ROW_COUNT, "INVALID", "InvalidInput", "TOP takes a whole number")
OUTCOME(KEY_CHARACTER, "INVALID", "OutOfRangeInput", "a key must not contain / \\ # ? or control characters")
OUTCOME(KEY_UNUSABLE, "INVALID", "InvalidInput", "a key must not contain / \\ # ? or control characters")
OUTCOME(KEY_NOT_TEXT, "INVALID", "InvalidInput", "a key must be UTF-8")
OUTCOME(NOT_INDEXED, "INVALID", "InvalidInput", "only properties can be indexed")
OUTCOME(INDEX_NOT_FOUND, "NOTFOUND", "ResourceNotFound", "the property has no index")
OUTCOME(OTHER_KEY, "INVALID", "InvalidInput", "PartitionKey and RowKey do not match the entity's keys")
OUTCOME(INSTANT_OUT_OF_RANGE, "INVALID", "OutOfRangeInput", "a datetime must lie in the years 1601 to 9999")
OUTCOME(PROPERTY_VALUE_TOO_LARGE, "INVALID", "PropertyValueTooLarge",
        "a key has at most 512 characters, a string 32768, a binary value 65536 bytes")
OUTCOME(PROPERTY_NAME_INVALID, "INVALID", "PropertyNameInvalid",
        "a property name must be a letter or _, then letters, digits or _")
OUTCOME(PROPERTY_NAME_TOO_LONG, "INVALID", "PropertyNameTooLong",
        "a property's name has at most 255 characters")
OUTCOME(DUPLICATE_PROPERTIES, "INVALID", "DuplicatePropertiesSpecified", "duplicate property")
OUTCOME(TOO_MANY_PROPERTIES, "INVALID", "TooManyProperties", "an entity has at most 252 properties")
OUTCOME(ENTITY_TOO_LARGE, "INVALID", "EntityTooLarge",
        "an entity has at most 1 MiB, as the storage service counts")
OUTCOME(DUPLICATE_ROW, "INVALID", "InvalidDuplicateRow", "duplicate entity in batch")

/* --- Files --- */

OUTCOME(SHARE_EXISTS, "CONFLICT", "ShareAlreadyExists", "the share already exists")
OUTCOME(SHARE_NOT_FOUND, "NOTFOUND", "ShareNotFound", "the share does not exist")
OUTCOME(SHARE_HAS_SNAPSHOTS, "CONFLICT", "ShareHasSnapshots",
        "the share has snapshots, use SNAPSHOTS INCLUDE")
OUTCOME(SHARE_SNAPSHOTS_FULL, "CONFLICT", "ShareSnapshotCountExceeded", "a share has at most 200 snapshots")
OUTCOME(SHARE_FULL, "CONFLICT", "ShareSizeLimitReached", "the files of the share would exceed its quota")
OUTCOME(FILE_NOT_FOUND, "NOTFOUND", "ResourceNotFound", "no file or directory at this path")
OUTCOME(PARENT_NOT_FOUND, "NOTFOUND", "ParentNotFound", "the parent directory does not exist")
OUTCOME(FILE_EXISTS, "CONFLICT", "ResourceAlreadyExists", "a file or directory already exists at this path")
OUTCOME(FILE_KIND, "CONFLICT", "ResourceTypeMismatch",
        "expected a directory and found a file, or the reverse")
OUTCOME(DIRECTORY_NOT_EMPTY, "CONFLICT", "DirectoryNotEmpty", "the directory is not empty")
OUTCOME(INVALID_PATH, "INVALID", "InvalidFileOrDirectoryPathName", "invalid path")
OUTCOME(INVALID_NAME, "INVALID", "InvalidResourceName", "invalid name in path")
OUTCOME(DELETE_PENDING, "CONFLICT", "SMBDeletePending", "the file is deleted when its last handle is closed")
OUTCOME(READ_ONLY, "CONFLICT", "ReadOnlyAttribute", "the file is read-only")
OUTCOME(CANNOT_DELETE, "CONFLICT", "CannotDeleteFileOrDirectory",
        "the file is read-only and cannot be marked for deletion")
OUTCOME(SHARING_VIOLATION, "CONFLICT", "SharingViolation",
        "the file is open in a way that does not allow this")
OUTCOME(FILE_LOCK_CONFLICT, "CONFLICT", "FileLockConflict", "another lock covers part of this range")
OUTCOME(DEADLOCK, "CONFLICT", "Deadlock", "waiting would deadlock: the holders wait for this session")
OUTCOME(RANGE_NOT_LOCKED, "NOTFOUND", "RangeNotLocked", "the handle has no lock on exactly this range")
OUTCOME(INVALID_LOCK_RANGE, "INVALID", "InvalidLockRange", "a locked range must lie between 0 and 2^64, and a length is at most 2^64 - 1")
OUTCOME(ACCESS_DENIED, "INVALID", "AccessDenied", "the handle was not opened for this")
OUTCOME(SESSION_NOT_FOUND, "NOTFOUND", "SessionNotFound", "no session with this id, or it has ended")
OUTCOME(HANDLE_NOT_FOUND, "NOTFOUND", "HandleNotFound", "no open handle with this id")
OUTCOME(LEASE_MISMATCH_FILE, "CONFLICT", "LeaseIdMismatchWithFileOperation",
        "the active lease has another id")
OUTCOME(LEASE_ABSENT_FILE, "PRECONDITION", "LeaseNotPresentWithFileOperation", "no active lease with this id")
OUTCOME(LEASE_MISMATCH_SHARE, "CONFLICT", "LeaseIdMismatchWithShareOperation",
        "the active lease has another id")
OUTCOME(LEASE_BREAKING_SHARE, "PRECONDITION", "LeaseIdMismatchWithShareOperation",
        "the lease that is being broken has another id")
OUTCOME(LEASE_ABSENT_SHARE, "PRECONDITION", "LeaseNotPresentWithShareOperation",
        "no active lease with this id")
OUTCOME(PREVIOUS_SHARE_SNAPSHOT, "CONFLICT", "PreviousSnapshotNotFound",
        "the share has no snapshot with the id given by SINCE")
OUTCOME(SNAPSHOT_NOT_FOUND, "NOTFOUND", "ShareSnapshotNotFound", "the share has no snapshot with this id")

/* --- Refusals for which Redis has its own error classes; their codes only name counters --- */

REDIS_OUTCOME(SYNTAX, "ERR", "SyntaxError", "syntax error")
REDIS_OUTCOME(OUT_OF_MEMORY, "OOM", "OutOfMemory", "command not allowed when used memory > 'maxmemory'.")
REDIS_OUTCOME(WRONG_TYPE, "WRONGTYPE", "WrongType", "Operation against a key holding the wrong kind of value")
REDIS_OUTCOME(NOT_FOR_CLIENTS, "NOPERM", "NotForClients",
              "HOLDFAST.APPLY is for the primary's link and the append-only file (see "
              "holdfast.accept-effects)")
REDIS_OUTCOME(NOT_PERMITTED, "NOPERM", "NotPermitted",
              "this user has no permissions to run one of the commands")
REDIS_OUTCOME(CROSS_SLOT, "CROSSSLOT", "CrossSlot", "Keys in request don't hash to the same slot")
REDIS_OUTCOME(SLOT_MIGRATES, "TRYAGAIN", "SlotMigrates", "Multiple keys request during rehashing of slot")
REDIS_OUTCOME(MALFORMED_EFFECT, "ERR", "MalformedEffect", "the effect cannot be read")
REDIS_OUTCOME(MISFIT_EFFECT, "ERR", "MisfitEffect", "the effect does not fit the state of its key")

#undef OUTCOME
#undef REDIS_OUTCOME
/* clang-format on */
