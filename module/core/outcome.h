/* Outcomes: the possible results of a decision, and the one table of their classes, codes and texts.
 *
 * All outcomes from OUTCOME_FIRST on are refusals: they are answered by an error, and nothing has changed. The class
 * tells a program what to do next, the code is the storage service's own name for the case, and the text helps a
 * person to understand it. */
#ifndef HOLDFAST_OUTCOME_H
#define HOLDFAST_OUTCOME_H

#include <stdbool.h>

/* clang-format off */
#define QUEUE_OUTCOMES(X)                                                                                                    \
    X(QUEUE_EXISTS,            "CONFLICT", "QueueAlreadyExists",           "the queue exists with other settings") \
    X(QUEUE_NOT_FOUND,         "NOTFOUND", "QueueNotFound",                "the queue does not exist")            \
    X(MESSAGE_NOT_FOUND,       "NOTFOUND", "MessageNotFound",              "no message with this id and receipt") \
    X(RECEIPT_MISMATCH,        "INVALID",  "PopReceiptMismatch",           "the receipt is not the message's latest")    \
    X(RECEIPT_MISSING,         "INVALID",  "MissingRequiredQueryParameter", "the receipt is empty")                     \
    X(INVALID_QUERY,           "INVALID",  "InvalidQueryParameterValue",   "invalid value for this option")

#define FILE_OUTCOMES(X)                                                                                                     \
    X(SHARE_EXISTS,            "CONFLICT", "ShareAlreadyExists",           "the share already exists")             \
    X(SHARE_NOT_FOUND,         "NOTFOUND", "ShareNotFound",                "the share does not exist")            \
    X(SHARE_HAS_SNAPSHOTS,     "CONFLICT", "ShareHasSnapshots",            "the share has snapshots, use SNAPSHOTS INCLUDE") \
    X(SHARE_SNAPSHOTS_FULL,    "CONFLICT", "ShareSnapshotCountExceeded",   "a share has at most 200 snapshots")         \
    X(SHARE_FULL,              "CONFLICT", "ShareSizeLimitReached",        "the files of the share would exceed its quota") \
    X(FILE_NOT_FOUND,          "NOTFOUND", "ResourceNotFound",             "no file or directory at this path") \
    X(PARENT_NOT_FOUND,        "NOTFOUND", "ParentNotFound",               "the parent directory does not exist") \
    X(FILE_EXISTS,             "CONFLICT", "ResourceAlreadyExists",        "a file or directory already exists at this path") \
    X(FILE_KIND,               "CONFLICT", "ResourceTypeMismatch",         "expected a directory and found a file, or the reverse") \
    X(DIRECTORY_NOT_EMPTY,     "CONFLICT", "DirectoryNotEmpty",            "the directory is not empty")       \
    X(INVALID_PATH,            "INVALID",  "InvalidFileOrDirectoryPathName", "invalid path")                        \
    X(INVALID_NAME,            "INVALID",  "InvalidResourceName",          "invalid name in path")                \
    X(DELETE_PENDING,          "CONFLICT", "SMBDeletePending",             "the file is deleted when its last handle is closed") \
    X(READ_ONLY,               "CONFLICT", "ReadOnlyAttribute",            "the file is read-only")                     \
    X(CANNOT_DELETE,           "CONFLICT", "CannotDeleteFileOrDirectory",  "the file is read-only and cannot be marked for deletion") \
    X(SHARING_VIOLATION,       "CONFLICT", "SharingViolation",             "the file is open in a way that does not allow this") \
    X(FILE_LOCK_CONFLICT,      "CONFLICT", "FileLockConflict",             "another lock covers part of this range") \
    X(DEADLOCK,                "CONFLICT", "Deadlock",                     "waiting would deadlock: the holders wait for this session")   \
    X(RANGE_NOT_LOCKED,        "NOTFOUND", "RangeNotLocked",               "the handle has no lock on exactly this range") \
    X(INVALID_LOCK_RANGE,      "INVALID",  "InvalidLockRange",             "a locked range must lie between 0 and 2^64") \
    X(ACCESS_DENIED,           "INVALID",  "AccessDenied",                 "the handle was not opened for this")        \
    X(SESSION_NOT_FOUND,       "NOTFOUND", "SessionNotFound",              "no session with this id, or it has ended") \
    X(HANDLE_NOT_FOUND,        "NOTFOUND", "HandleNotFound",               "no open handle with this id")        \
    X(LEASE_MISMATCH_FILE,     "CONFLICT", "LeaseIdMismatchWithFileOperation",      "the active lease has another id")  \
    X(LEASE_ABSENT_FILE,       "PRECONDITION", "LeaseNotPresentWithFileOperation",  "no active lease with this id") \
    X(LEASE_MISMATCH_SHARE,    "CONFLICT", "LeaseIdMismatchWithShareOperation",     "the active lease has another id")  \
    X(LEASE_BREAKING_SHARE,    "PRECONDITION", "LeaseIdMismatchWithShareOperation", "the lease that is being broken has another id") \
    X(LEASE_ABSENT_SHARE,      "PRECONDITION", "LeaseNotPresentWithShareOperation", "no active lease with this id") \
    X(PREVIOUS_SHARE_SNAPSHOT, "CONFLICT", "PreviousSnapshotNotFound",     "the share has no snapshot with the id given by SINCE") \
    X(SNAPSHOT_NOT_FOUND,      "NOTFOUND", "ShareSnapshotNotFound",        "the share has no snapshot with this id")

#define TABLE_OUTCOMES(X)                                                                                                    \
    X(TABLE_EXISTS,            "CONFLICT", "TableAlreadyExists",           "the table already exists")             \
    X(TABLE_NOT_FOUND,         "NOTFOUND", "TableNotFound",                "the table does not exist")            \
    X(RESOURCE_NOT_FOUND,      "NOTFOUND", "ResourceNotFound",             "nothing exists with this name")             \
    X(ENTITY_EXISTS,           "CONFLICT", "EntityAlreadyExists",          "an entity with these keys already exists")          \
    X(UPDATE_CONDITION_NOT_MET, "PRECONDITION", "UpdateConditionNotSatisfied", "the entity does not match the condition") \
    X(IFMATCH_MISSING,         "INVALID",  "MissingRequiredHeader",        "IFMATCH is required: the entity's ETag, or * for any") \
    X(INVALID_INPUT,           "INVALID",  "InvalidInput",                 "invalid value for its type")        \
    X(NOT_IMPLEMENTED,         "INVALID",  "NotImplemented",               "a comparison must have a property on one side")   \
    X(BATCH_SIZE,              "INVALID",  "InvalidInput",                 "a batch has 1 to 100 operations")           \
    X(TYPE_UNKNOWN,            "INVALID",  "InvalidInput",                 "unknown type; use int32, int64, double, bool, datetime, guid, binary or string") \
    X(ROW_COUNT,               "INVALID",  "InvalidInput",                 "TOP takes a whole number")                  \
    X(KEY_CHARACTER,           "INVALID",  "OutOfRangeInput",              "a key must not contain / \\ # ? or control characters") \
    X(KEY_UNUSABLE,            "INVALID",  "InvalidInput",                 "a key must not contain / \\ # ? or control characters") \
    X(KEY_NOT_TEXT,            "INVALID",  "InvalidInput",                 "a key must be UTF-8")                            \
    X(NOT_INDEXED,             "INVALID",  "InvalidInput",                 "only properties can be indexed")              \
    X(INDEX_NOT_FOUND,         "NOTFOUND", "ResourceNotFound",             "the property has no index")        \
    X(OTHER_KEY,               "INVALID",  "InvalidInput",                 "PartitionKey and RowKey do not match the entity's keys") \
    X(INSTANT_OUT_OF_RANGE,    "INVALID",  "OutOfRangeInput",              "a datetime must lie in the years 1601 to 9999") \
    X(PROPERTY_VALUE_TOO_LARGE, "INVALID", "PropertyValueTooLarge",        "a key has at most 512 characters, a string 32768, a binary value 65536 bytes") \
    X(PROPERTY_NAME_INVALID,   "INVALID",  "PropertyNameInvalid",          "a property name must be a letter or _, then letters, digits or _") \
    X(PROPERTY_NAME_TOO_LONG,  "INVALID",  "PropertyNameTooLong",          "a property's name has at most 255 characters") \
    X(DUPLICATE_PROPERTIES,    "INVALID",  "DuplicatePropertiesSpecified", "duplicate property")                   \
    X(TOO_MANY_PROPERTIES,     "INVALID",  "TooManyProperties",            "an entity has at most 252 properties")      \
    X(ENTITY_TOO_LARGE,        "INVALID",  "EntityTooLarge",               "an entity has at most 1 MiB, as the storage service counts") \
    X(DUPLICATE_ROW,           "INVALID",  "InvalidDuplicateRow",          "duplicate entity in batch")

#define STORAGE_OUTCOMES(X)                                                                                                  \
    X(CONDITION_NOT_MET,       "PRECONDITION", "ConditionNotMet",          "the object does not match the conditions")        \
    X(BLOB_EXISTS,             "CONFLICT", "BlobAlreadyExists",            "the blob already exists")              \
    X(CONTAINER_EXISTS,        "CONFLICT", "ContainerAlreadyExists",       "the container already exists")         \
    X(BLOB_NOT_FOUND,          "NOTFOUND", "BlobNotFound",                 "the blob does not exist") \
    X(CONTAINER_NOT_FOUND,     "NOTFOUND", "ContainerNotFound",            "the container does not exist")        \
    X(OUT_OF_RANGE_INPUT,      "INVALID",  "OutOfRangeInput",              "a name must be 1 to 1024 bytes long")             \
    X(INVALID_URI,             "INVALID",  "InvalidUri",                   "a name has at most 254 segments")           \
    X(INVALID_VALUE,           "INVALID",  "InvalidHeaderValue",           "invalid value for this option")      \
    X(INVALID_RANGE,           "INVALID",  "InvalidRange",                 "the range lies outside the content")     \
    X(OUT_OF_RANGE,            "INVALID",  "OutOfRangeQueryParameterValue", "the value is out of range for this option")               \
    X(INVALID_METADATA,        "INVALID",  "InvalidMetadata",              "a metadata name must be a letter or _, then letters, digits or _, and must not repeat") \
    X(EMPTY_METADATA_KEY,      "INVALID",  "EmptyMetadataKey",             "a metadata name is empty")                  \
    X(METADATA_TOO_LARGE,      "INVALID",  "MetadataTooLarge",             "metadata names and values exceed 8192 bytes") \
    X(INVALID_MD5,             "INVALID",  "InvalidMd5",                   "content-md5 is not the base64 form of 16 bytes") \
    X(MD5_MISMATCH,            "INVALID",  "Md5Mismatch",                  "the content does not match content-md5") \
    X(INVALID_POLICIES,        "INVALID",  "InvalidXmlDocument",           "at most 5 policies, each with a unique id of 1 to 64 bytes") \
    X(INVALID_POLICY_VALUE,    "INVALID",  "InvalidXmlNodeValue",          "a policy needs start and expiry in Unix milliseconds or -, and permissions as letters") \
    X(BODY_TOO_LARGE,          "INVALID",  "RequestBodyTooLarge",          "the content is larger than the setting for its kind allows") \
    X(LEASE_PRESENT,           "CONFLICT", "LeaseAlreadyPresent",                "there is an active lease")            \
    X(LEASE_BREAKING_ACQUIRE,  "CONFLICT", "LeaseIsBreakingAndCannotBeAcquired", "the lease with this id is being broken")  \
    X(LEASE_MISMATCH,          "CONFLICT", "LeaseIdMismatchWithLeaseOperation",  "the lease has another id, or has ended")  \
    X(LEASE_NOT_PRESENT,       "CONFLICT", "LeaseNotPresentWithLeaseOperation",  "there is no lease")                   \
    X(LEASE_BROKEN_RENEW,      "CONFLICT", "LeaseIsBrokenAndCannotBeRenewed",    "the lease has been broken")           \
    X(LEASE_BREAKING_CHANGE,   "CONFLICT", "LeaseIsBreakingAndCannotBeChanged",  "the lease is being broken")           \
    X(LEASE_ID_MISSING,        "PRECONDITION", "LeaseIdMissing",                        "there is an active lease and no LEASE was given") \
    X(LEASE_MISMATCH_BLOB,     "PRECONDITION", "LeaseIdMismatchWithBlobOperation",      "the active lease has another id") \
    X(LEASE_MISMATCH_CONTAINER, "PRECONDITION", "LeaseIdMismatchWithContainerOperation", "the active lease has another id") \
    X(LEASE_ABSENT_BLOB,       "PRECONDITION", "LeaseNotPresentWithBlobOperation",      "no active lease with this id") \
    X(LEASE_ABSENT_CONTAINER,  "PRECONDITION", "LeaseNotPresentWithContainerOperation", "no active lease with this id") \
    X(LEASE_LOST,              "PRECONDITION", "LeaseLost",                             "the lease with this id has ended") \
    X(TOO_MANY_CONDITIONS,     "INVALID",  "MultipleConditionHeadersNotSupported", "a write takes one condition, or IFNONEMATCH with IFMODIFIEDSINCE, or IFMATCH with IFUNMODIFIEDSINCE") \
    X(UNSATISFIABLE_CONDITION, "INVALID",  "UnsatisfiableCondition",       "no read can meet IFNONEMATCH *")         \
    X(TARGET_CONDITION_NOT_MET, "PRECONDITION", "TargetConditionNotMet",   "the target does not match the conditions") \
    X(SOURCE_CONDITION_NOT_MET, "PRECONDITION", "SourceConditionNotMet",   "the source does not match the conditions") \
    X(SEQUENCE_NOT_MET,        "PRECONDITION", "SequenceNumberConditionNotMet", "the sequence number does not match IFSEQUENCE") \
    X(APPEND_POSITION_NOT_MET, "PRECONDITION", "AppendPositionConditionNotMet", "the blob length does not match IFPOSITION") \
    X(MAX_SIZE_NOT_MET,        "PRECONDITION", "MaxBlobSizeConditionNotMet",    "the blob would be longer than IFMAXSIZE") \
    X(INFINITE_LEASE_REQUIRED, "PRECONDITION", "InfiniteLeaseDurationRequired", "only an infinite lease can cover a copy") \
    X(INVALID_BLOB_TYPE,       "CONFLICT", "InvalidBlobType",              "the blob is of another type")             \
    X(CANNOT_VERIFY_SOURCE,    "INVALID",  "CannotVerifyCopySource",       "copies from this source are not allowed") \
    X(PENDING_COPY,            "CONFLICT", "PendingCopyOperation",         "a copy to this blob is pending")         \
    X(NO_PENDING_COPY,         "CONFLICT", "NoPendingCopyOperation",       "no copy to this blob is pending")        \
    X(COPY_ID_MISMATCH,        "CONFLICT", "CopyIdMismatch",               "the pending copy has another id") \
    X(SNAPSHOTS_PRESENT,       "CONFLICT", "SnapshotsPresent",             "the blob has snapshots, use SNAPSHOTS INCLUDE or ONLY") \
    X(BLOB_SEALED,             "CONFLICT", "BlobIsSealed",                 "the blob is sealed: nothing is appended any more") \
    X(BLOCK_COUNT_EXCEEDED,    "CONFLICT", "BlockCountExceedsLimit",       "a blob has at most 50000 blocks, and 100000 that are staged") \
    X(BLOB_OVERWRITTEN,        "CONFLICT", "BlobOverwritten",              "the blob has been created anew since that snapshot") \
    X(PREVIOUS_NOT_FOUND,      "CONFLICT", "PreviousSnapshotNotFound",     "no snapshot with the id given by SINCE") \
    X(SEQUENCE_TOO_LARGE,      "CONFLICT", "SequenceNumberIncrementTooLarge", "the sequence number is at its maximum") \
    X(PREVIOUS_NEWER,          "INVALID",  "PreviousSnapshotCannotBeNewer", "the snapshot given by SINCE is newer") \
    X(INVALID_PAGE_RANGE,      "INVALID",  "InvalidPageRange",             "pages must begin and end at multiples of 512 within the blob") \
    X(INVALID_BLOB_OR_BLOCK,   "INVALID",  "InvalidBlobOrBlock",           "the blob's staged blocks have ids of another length") \
    X(INVALID_BLOCK_ID,        "INVALID",  "InvalidBlockId",               "a block id is the base64 form of 1 to 64 bytes") \
    X(INVALID_BLOCK_LIST,      "INVALID",  "InvalidBlockList",             "there is no such block, or one id stands for two blocks") \
    X(SERVER_RECOVERING,       "CONFLICT", "ServerRecovering",             "the newest writes may be lost, nothing new is granted for a while") \
    X(TOKEN_USED,              "INVALID",  "IdempotentParameterMismatch",  "the token of ONCE was used for another call") \
    X(TOKEN_LENGTH,            "INVALID",  "InvalidInput",                 "a token of ONCE has 1 to 64 bytes")         \
    X(TRANSACTION_SIZE,        "INVALID",  "InvalidInput",                 "a transaction has 1 to 100 commands") \
    X(NOT_IN_TRANSACTION,      "INVALID",  "NotInTransaction",             "not a command that can be part of a transaction") \
    X(CHANGED_TWICE,           "INVALID",  "InvalidDuplicateRow",          "two commands change the same thing") \
    X(FEED_OFF,                "CONFLICT", "FeedOff",                      "the feed is off") \
    X(FEED_BUILDING,           "CONFLICT", "FeedBuilding",                 "the feed is being built, try again soon") \
    X(CHANGES_LOST,            "CONFLICT", "ChangesLost",                  "changes behind this version are lost: list anew, then follow") \
    X(BLOCK_LIST_TOO_LONG,     "INVALID",  "BlockListTooLong",             "a blob has at most 50000 blocks") \
    QUEUE_OUTCOMES(X) TABLE_OUTCOMES(X) FILE_OUTCOMES(X)

/* Refusals for which Redis has its own error classes; their codes only name counters. */
#define REDIS_OUTCOMES(X)                                                                                            \
    X(SYNTAX,                  "ERR",       "SyntaxError",     "syntax error")                                       \
    X(OUT_OF_MEMORY,           "OOM",       "OutOfMemory",     "command not allowed when used memory > 'maxmemory'.") \
    X(WRONG_TYPE,              "WRONGTYPE", "WrongType",       "Operation against a key holding the wrong kind of value") \
    X(NOT_FOR_CLIENTS,         "NOPERM",    "NotForClients",   "HOLDFAST.APPLY is for the primary's link and the append-only file (see holdfast.accept-effects)") \
    X(NOT_PERMITTED,           "NOPERM",    "NotPermitted",    "this user has no permissions to run one of the commands") \
    X(MALFORMED_EFFECT,        "ERR",       "MalformedEffect", "the effect cannot be read")                               \
    X(MISFIT_EFFECT,           "ERR",       "MisfitEffect",    "the effect does not fit the state of its key")
/* clang-format on */

enum outcome {
    OUTCOME_DONE = 0,
    OUTCOME_UNCHANGED, /* a read whose conditions say "not modified" */
    OUTCOME_WAITING,   /* the caller waits in line and is answered later */
#define OUTCOME_NAME(name, class, code, text) OUTCOME_##name,
    STORAGE_OUTCOMES(OUTCOME_NAME) REDIS_OUTCOMES(OUTCOME_NAME)
#undef OUTCOME_NAME
        OUTCOME_COUNT,
    OUTCOME_FIRST = OUTCOME_WAITING + 1, /* the first refusal */
};

struct outcome_text {
    const char *class;
    const char *code;
    const char *text;
    bool redis_own; /* replied as "CLASS text", without a code */
};

/* Only for refusals. */
const struct outcome_text *outcome_text(enum outcome outcome);

#endif
