/* Outcomes: what a decision can answer, and the one table of what each of them is called.
 *
 * An outcome other than OUTCOME_DONE and OUTCOME_UNCHANGED is a refusal: nothing has changed. The class tells
 * a program what to do next, the code is the storage service's own name for the case, the text helps a
 * person. */
#ifndef HOLDFAST_OUTCOME_H
#define HOLDFAST_OUTCOME_H

#include <stdbool.h>

/* clang-format off */
#define QUEUE_OUTCOMES(X)                                                                                                    \
    X(QUEUE_EXISTS,            "CONFLICT", "QueueAlreadyExists",           "there is a queue of this name, and it is another one") \
    X(QUEUE_NOT_FOUND,         "NOTFOUND", "QueueNotFound",                "there is no queue of this name")            \
    X(MESSAGE_NOT_FOUND,       "NOTFOUND", "MessageNotFound",              "no message of this id is there with this receipt") \
    X(RECEIPT_MISMATCH,        "INVALID",  "PopReceiptMismatch",           "the message has another receipt by now")    \
    X(RECEIPT_MISSING,         "INVALID",  "MissingRequiredQueryParameter", "the receipt is empty")                     \
    X(INVALID_QUERY,           "INVALID",  "InvalidQueryParameterValue",   "a value is not what the option takes")

#define FILE_OUTCOMES(X)                                                                                                     \
    X(SHARE_EXISTS,            "CONFLICT", "ShareAlreadyExists",           "there is a share of this name")             \
    X(SHARE_NOT_FOUND,         "NOTFOUND", "ShareNotFound",                "there is no share of this name")            \
    X(SHARE_HAS_SNAPSHOTS,     "CONFLICT", "ShareHasSnapshots",            "the share has snapshots, use SNAPSHOTS INCLUDE") \
    X(SHARE_SNAPSHOTS_FULL,    "CONFLICT", "ShareSnapshotCountExceeded",   "a share has at most 200 snapshots")         \
    X(SHARE_FULL,              "CONFLICT", "ShareSizeLimitReached",        "the files of the share would exceed its quota") \
    X(FILE_NOT_FOUND,          "NOTFOUND", "ResourceNotFound",             "there is no file or directory of this path") \
    X(PARENT_NOT_FOUND,        "NOTFOUND", "ParentNotFound",               "the directory that should hold it is not there") \
    X(FILE_EXISTS,             "CONFLICT", "ResourceAlreadyExists",        "there is a file or directory of this path") \
    X(FILE_KIND,               "CONFLICT", "ResourceTypeMismatch",         "a file stands where a directory should, or the reverse") \
    X(DIRECTORY_NOT_EMPTY,     "CONFLICT", "DirectoryNotEmpty",            "there is something in the directory")       \
    X(INVALID_PATH,            "INVALID",  "InvalidFileOrDirectoryPathName", "the path is none")                        \
    X(INVALID_NAME,            "INVALID",  "InvalidResourceName",          "a name in the path is none")                \
    X(DELETE_PENDING,          "CONFLICT", "SMBDeletePending",             "the file goes when its last handle is closed") \
    X(READ_ONLY,               "CONFLICT", "ReadOnlyAttribute",            "the file is read-only")                     \
    X(CANNOT_DELETE,           "CONFLICT", "CannotDeleteFileOrDirectory",  "the file is read-only and cannot be marked for deletion") \
    X(SHARING_VIOLATION,       "CONFLICT", "SharingViolation",             "the file is open in a way that does not allow this") \
    X(FILE_LOCK_CONFLICT,      "CONFLICT", "FileLockConflict",             "a lock of a range of the file stands in the way") \
    X(DEADLOCK,                "CONFLICT", "Deadlock",                     "those who hold it wait for this session")   \
    X(RANGE_NOT_LOCKED,        "NOTFOUND", "RangeNotLocked",               "the handle has no lock of exactly this range") \
    X(INVALID_LOCK_RANGE,      "INVALID",  "InvalidLockRange",             "a locked range begins at 0 or later and ends at 2^64 or before") \
    X(ACCESS_DENIED,           "INVALID",  "AccessDenied",                 "the handle was not opened for this")        \
    X(SESSION_NOT_FOUND,       "NOTFOUND", "SessionNotFound",              "there is no session of this id, or it has ended") \
    X(HANDLE_NOT_FOUND,        "NOTFOUND", "HandleNotFound",               "there is no open handle of this id")        \
    X(LEASE_MISMATCH_FILE,     "CONFLICT", "LeaseIdMismatchWithFileOperation",      "the active lease has another id")  \
    X(LEASE_ABSENT_FILE,       "PRECONDITION", "LeaseNotPresentWithFileOperation",  "there is no active lease of this id") \
    X(LEASE_MISMATCH_SHARE,    "CONFLICT", "LeaseIdMismatchWithShareOperation",     "the active lease has another id")  \
    X(LEASE_BREAKING_SHARE,    "PRECONDITION", "LeaseIdMismatchWithShareOperation", "the lease that is being broken has another id") \
    X(LEASE_ABSENT_SHARE,      "PRECONDITION", "LeaseNotPresentWithShareOperation", "there is no active lease of this id") \
    X(PREVIOUS_SHARE_SNAPSHOT, "CONFLICT", "PreviousSnapshotNotFound",     "the share has no snapshot of the id that SINCE names") \
    X(SNAPSHOT_NOT_FOUND,      "NOTFOUND", "ShareSnapshotNotFound",        "the share has no snapshot of this id")

#define TABLE_OUTCOMES(X)                                                                                                    \
    X(TABLE_EXISTS,            "CONFLICT", "TableAlreadyExists",           "there is a table of this name")             \
    X(TABLE_NOT_FOUND,         "NOTFOUND", "TableNotFound",                "there is no table of this name")            \
    X(RESOURCE_NOT_FOUND,      "NOTFOUND", "ResourceNotFound",             "there is nothing of this name")             \
    X(ENTITY_EXISTS,           "CONFLICT", "EntityAlreadyExists",          "there is an entity of these keys")          \
    X(UPDATE_CONDITION_NOT_MET, "PRECONDITION", "UpdateConditionNotSatisfied", "the entity is not as the condition wants it") \
    X(IFMATCH_MISSING,         "INVALID",  "MissingRequiredHeader",        "say which entity is meant: IFMATCH with its ETag, or IFMATCH * for any") \
    X(INVALID_INPUT,           "INVALID",  "InvalidInput",                 "a value is not what its type takes")        \
    X(NOT_IMPLEMENTED,         "INVALID",  "NotImplemented",               "a comparison has a property on one side")   \
    X(BATCH_SIZE,              "INVALID",  "InvalidInput",                 "a batch has 1 to 100 operations")           \
    X(TYPE_UNKNOWN,            "INVALID",  "InvalidInput",                 "a type is int32, int64, double, bool, datetime, guid, binary or string") \
    X(ROW_COUNT,               "INVALID",  "InvalidInput",                 "TOP takes a whole number")                  \
    X(KEY_CHARACTER,           "INVALID",  "OutOfRangeInput",              "a key has no / \\ # ? and no control characters") \
    X(KEY_UNUSABLE,            "INVALID",  "InvalidInput",                 "a key has no / \\ # ? and no control characters") \
    X(KEY_NOT_TEXT,            "INVALID",  "InvalidInput",                 "a key is UTF-8")                            \
    X(NOT_INDEXED,             "INVALID",  "InvalidInput",                 "only properties have indexes")              \
    X(INDEX_NOT_FOUND,         "NOTFOUND", "ResourceNotFound",             "there is no index of this property")        \
    X(OTHER_KEY,               "INVALID",  "InvalidInput",                 "PartitionKey and RowKey are not those of the entity") \
    X(INSTANT_OUT_OF_RANGE,    "INVALID",  "OutOfRangeInput",              "an instant lies in the years 1601 to 9999") \
    X(PROPERTY_VALUE_TOO_LARGE, "INVALID", "PropertyValueTooLarge",        "a key has at most 512 characters, a string 32768, a binary value 65536 bytes") \
    X(PROPERTY_NAME_INVALID,   "INVALID",  "PropertyNameInvalid",          "a property's name is a letter or _, then letters, digits or _") \
    X(PROPERTY_NAME_TOO_LONG,  "INVALID",  "PropertyNameTooLong",          "a property's name has at most 255 characters") \
    X(DUPLICATE_PROPERTIES,    "INVALID",  "DuplicatePropertiesSpecified", "a property stands twice")                   \
    X(TOO_MANY_PROPERTIES,     "INVALID",  "TooManyProperties",            "an entity has at most 252 properties")      \
    X(ENTITY_TOO_LARGE,        "INVALID",  "EntityTooLarge",               "an entity has at most 1 MiB, as the storage service counts") \
    X(DUPLICATE_ROW,           "INVALID",  "InvalidDuplicateRow",          "a batch has each entity once")

#define STORAGE_OUTCOMES(X)                                                                                                  \
    X(CONDITION_NOT_MET,       "PRECONDITION", "ConditionNotMet",          "the object is not as the conditions want it")        \
    X(BLOB_EXISTS,             "CONFLICT", "BlobAlreadyExists",            "there is a blob of this name")              \
    X(CONTAINER_EXISTS,        "CONFLICT", "ContainerAlreadyExists",       "there is a container of this name")         \
    X(BLOB_NOT_FOUND,          "NOTFOUND", "BlobNotFound",                 "there is no blob of this name in the container") \
    X(CONTAINER_NOT_FOUND,     "NOTFOUND", "ContainerNotFound",            "there is no container of this name")        \
    X(OUT_OF_RANGE_INPUT,      "INVALID",  "OutOfRangeInput",              "a name is 1 to 1024 bytes long")             \
    X(INVALID_URI,             "INVALID",  "InvalidUri",                   "a name has at most 254 segments")           \
    X(INVALID_VALUE,           "INVALID",  "InvalidHeaderValue",           "a value is not what the option takes")      \
    X(INVALID_RANGE,           "INVALID",  "InvalidRange",                 "the range lies outside of the content")     \
    X(OUT_OF_RANGE,            "INVALID",  "OutOfRangeQueryParameterValue", "a value lies outside of the range of its option")               \
    X(INVALID_METADATA,        "INVALID",  "InvalidMetadata",              "a metadata name is a letter or _, then letters, digits or _, and stands once") \
    X(EMPTY_METADATA_KEY,      "INVALID",  "EmptyMetadataKey",             "a metadata name is empty")                  \
    X(METADATA_TOO_LARGE,      "INVALID",  "MetadataTooLarge",             "names and values of the metadata exceed 8192 bytes") \
    X(INVALID_MD5,             "INVALID",  "InvalidMd5",                   "content-md5 is not the base64 form of 16 bytes") \
    X(MD5_MISMATCH,            "INVALID",  "Md5Mismatch",                  "the content has another MD5 than content-md5") \
    X(INVALID_POLICIES,        "INVALID",  "InvalidXmlDocument",           "at most 5 policies, each with an id of 1 to 64 bytes that stands once") \
    X(INVALID_POLICY_VALUE,    "INVALID",  "InvalidXmlNodeValue",          "a policy has start and expiry in Unix milliseconds or -, and letters as permissions") \
    X(BODY_TOO_LARGE,          "INVALID",  "RequestBodyTooLarge",          "the content is larger than the setting for its kind allows") \
    X(LEASE_PRESENT,           "CONFLICT", "LeaseAlreadyPresent",                "there is an active lease")            \
    X(LEASE_BREAKING_ACQUIRE,  "CONFLICT", "LeaseIsBreakingAndCannotBeAcquired", "the lease of this id is being broken")  \
    X(LEASE_MISMATCH,          "CONFLICT", "LeaseIdMismatchWithLeaseOperation",  "the lease has another id, or has ended")  \
    X(LEASE_NOT_PRESENT,       "CONFLICT", "LeaseNotPresentWithLeaseOperation",  "there is no lease")                   \
    X(LEASE_BROKEN_RENEW,      "CONFLICT", "LeaseIsBrokenAndCannotBeRenewed",    "the lease has been broken")           \
    X(LEASE_BREAKING_CHANGE,   "CONFLICT", "LeaseIsBreakingAndCannotBeChanged",  "the lease is being broken")           \
    X(LEASE_ID_MISSING,        "PRECONDITION", "LeaseIdMissing",                        "there is an active lease, and no LEASE was given") \
    X(LEASE_MISMATCH_BLOB,     "PRECONDITION", "LeaseIdMismatchWithBlobOperation",      "the active lease has another id") \
    X(LEASE_MISMATCH_CONTAINER, "PRECONDITION", "LeaseIdMismatchWithContainerOperation", "the active lease has another id") \
    X(LEASE_ABSENT_BLOB,       "PRECONDITION", "LeaseNotPresentWithBlobOperation",      "there is no active lease of this id") \
    X(LEASE_ABSENT_CONTAINER,  "PRECONDITION", "LeaseNotPresentWithContainerOperation", "there is no active lease of this id") \
    X(LEASE_LOST,              "PRECONDITION", "LeaseLost",                             "the lease of this id has ended") \
    X(TOO_MANY_CONDITIONS,     "INVALID",  "MultipleConditionHeadersNotSupported", "a write takes one condition, or IFNONEMATCH with IFMODIFIEDSINCE, or IFMATCH with IFUNMODIFIEDSINCE") \
    X(UNSATISFIABLE_CONDITION, "INVALID",  "UnsatisfiableCondition",       "no read can meet IFNONEMATCH *")         \
    X(TARGET_CONDITION_NOT_MET, "PRECONDITION", "TargetConditionNotMet",   "the target is not as the conditions want it") \
    X(SOURCE_CONDITION_NOT_MET, "PRECONDITION", "SourceConditionNotMet",   "the source is not as the conditions want it") \
    X(SEQUENCE_NOT_MET,        "PRECONDITION", "SequenceNumberConditionNotMet", "the sequence number is not as IFSEQUENCE wants it") \
    X(APPEND_POSITION_NOT_MET, "PRECONDITION", "AppendPositionConditionNotMet", "the blob has another length than IFPOSITION") \
    X(MAX_SIZE_NOT_MET,        "PRECONDITION", "MaxBlobSizeConditionNotMet",    "the blob would be longer than IFMAXSIZE") \
    X(INFINITE_LEASE_REQUIRED, "PRECONDITION", "InfiniteLeaseDurationRequired", "only an infinite lease can cover a copy") \
    X(INVALID_BLOB_TYPE,       "CONFLICT", "InvalidBlobType",              "the blob is of another type")             \
    X(PENDING_COPY,            "CONFLICT", "PendingCopyOperation",         "a copy to this blob is going on")         \
    X(NO_PENDING_COPY,         "CONFLICT", "NoPendingCopyOperation",       "no copy to this blob is going on")        \
    X(COPY_ID_MISMATCH,        "CONFLICT", "CopyIdMismatch",               "the copy that is going on has another id") \
    X(SNAPSHOTS_PRESENT,       "CONFLICT", "SnapshotsPresent",             "the blob has snapshots, use SNAPSHOTS INCLUDE or ONLY") \
    X(BLOCK_COUNT_EXCEEDED,    "CONFLICT", "BlockCountExceedsLimit",       "a blob has at most 50000 blocks, and 100000 that are staged") \
    X(BLOB_OVERWRITTEN,        "CONFLICT", "BlobOverwritten",              "the blob has been created anew since that snapshot") \
    X(PREVIOUS_NOT_FOUND,      "CONFLICT", "PreviousSnapshotNotFound",     "there is no snapshot of the id that SINCE names") \
    X(SEQUENCE_TOO_LARGE,      "CONFLICT", "SequenceNumberIncrementTooLarge", "the sequence number cannot grow any more") \
    X(PREVIOUS_NEWER,          "INVALID",  "PreviousSnapshotCannotBeNewer", "the snapshot that SINCE names is the newer one") \
    X(INVALID_PAGE_RANGE,      "INVALID",  "InvalidPageRange",             "pages begin and end at multiples of 512, inside of the blob") \
    X(INVALID_BLOB_OR_BLOCK,   "INVALID",  "InvalidBlobOrBlock",           "the blob's staged blocks have ids of another length") \
    X(INVALID_BLOCK_ID,        "INVALID",  "InvalidBlockId",               "a block id is the base64 form of 1 to 64 bytes") \
    X(INVALID_BLOCK_LIST,      "INVALID",  "InvalidBlockList",             "there is no such block, or one id stands for two blocks") \
    X(BLOCK_LIST_TOO_LONG,     "INVALID",  "BlockListTooLong",             "a blob has at most 50000 blocks") \
    QUEUE_OUTCOMES(X) TABLE_OUTCOMES(X) FILE_OUTCOMES(X)

/* Refusals that Redis has classes of its own for; their codes only name their counters. */
#define REDIS_OUTCOMES(X)                                                                                            \
    X(SYNTAX,                  "ERR",       "SyntaxError",     "syntax error")                                       \
    X(OUT_OF_MEMORY,           "OOM",       "OutOfMemory",     "command not allowed when used memory > 'maxmemory'.") \
    X(WRONG_TYPE,              "WRONGTYPE", "WrongType",       "Operation against a key holding the wrong kind of value") \
    X(NOT_FOR_CLIENTS,         "NOPERM",    "NotForClients",   "HOLDFAST.APPLY is for the primary's link and the append-only file (see holdfast.accept-effects)") \
    X(MALFORMED_EFFECT,        "ERR",       "MalformedEffect", "the effect cannot be read")                               \
    X(MISFIT_EFFECT,           "ERR",       "MisfitEffect",    "the effect does not fit the state of its key")
/* clang-format on */

enum outcome {
    OUTCOME_DONE = 0,
    OUTCOME_UNCHANGED, /* a read whose conditions say "not modified" */
    OUTCOME_WAITING,   /* the caller waits in line, and is answered later */
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
    bool redis_own; /* answered as "CLASS text", without a code */
};

/* Only for refusals. */
const struct outcome_text *outcome_text(enum outcome outcome);

#endif
