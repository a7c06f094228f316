#include "file_model.h"

#include <string.h>

struct model_file model_files[MODEL_FILES];
struct model_session model_sessions[MODEL_SESSIONS];
struct model_open model_opens[MODEL_OPENS];

void model_begin(void) {
    memset(model_files, 0, sizeof model_files);
    memset(model_sessions, 0, sizeof model_sessions);
    memset(model_opens, 0, sizeof model_opens);
}

static bool is_open(int file) {
    for (int index = 0; index < MODEL_OPENS; index++)
        if (model_opens[index].is && model_opens[index].file == file) return true;
    return false;
}

static void settle(int file) {
    if (!model_files[file].pending || is_open(file)) return;
    memset(&model_files[file], 0, sizeof model_files[file]);
}

void model_close(struct model_open *open) {
    open->is = false;
    memset(open->locks, 0, sizeof open->locks);
    if (open->deletes) model_files[open->file].pending = true;
    settle(open->file);
}

void model_end(int session) {
    model_sessions[session].lives = false;
    for (int index = 0; index < MODEL_OPENS; index++)
        if (model_opens[index].is && model_opens[index].session == session) model_close(&model_opens[index]);
}

bool model_is_locked(int file, const struct model_open *self, enum model_question question,
                     struct model_range wanted) {
    for (int index = 0; index < MODEL_OPENS; index++) {
        if (!model_opens[index].is || model_opens[index].file != file) continue;
        bool own = &model_opens[index] == self;
        for (int at = 0; at < MODEL_LOCKS; at++) {
            const struct model_lock *lock = &model_opens[index].locks[at];
            if (lock->held && open_model_locks(lock->range, lock->exclusive, own, question, wanted))
                return true;
        }
    }
    return false;
}

bool model_has_locks(int file) {
    for (int index = 0; index < MODEL_OPENS; index++)
        for (int at = 0; at < MODEL_LOCKS; at++)
            if (model_opens[index].is && model_opens[index].file == file && model_opens[index].locks[at].held)
                return true;
    return false;
}

static struct model_sharing sharing_of(const struct model_open *open) {
    return (struct model_sharing){(unsigned)open->access, (unsigned)open->share};
}

bool model_is_shared(int file, enum model_class class) {
    for (int index = 0; index < MODEL_OPENS; index++)
        if (model_opens[index].is && model_opens[index].file == file &&
            !open_model_lets(sharing_of(&model_opens[index]), class))
            return false;
    return true;
}

const char *model_refusal(int file, const struct model_wish *wish) {
    bool writes = wish->class >= MODEL_WRITES && wish->class <= MODEL_DELETES;
    if (!model_files[file].exists) return NO_FILE;
    if (model_files[file].pending) return PENDING;
    if (wish->lease && !model_files[file].lease) return LEASE_ABSENT;
    if (wish->lease && wish->lease != model_files[file].lease) return LEASE_OTHER;
    if (writes && model_files[file].lease && !wish->lease) return LEASE_MISSING;
    if (writes && model_files[file].readonly && !wish->ignores_readonly) return READ_ONLY;
    if (!model_is_shared(file, wish->class)) return SV;
    if (!wish->minds_locks) return NULL;
    struct model_range read = {wish->offset, wish->length};
    if (writes ? model_has_locks(file) : model_is_locked(file, NULL, TO_READ, read)) return LOCKED;
    return NULL;
}

void model_create(int file, size_t size) {
    memset(model_files[file].content, 0, MODEL_SIZE);
    model_files[file].exists = true;
    model_files[file].readonly = false;
    model_files[file].meta = 0;
    model_files[file].length = size;
}

void model_resize(int file, size_t size) {
    if (size < model_files[file].length) memset(model_files[file].content + size, 0, MODEL_SIZE - size);
    model_files[file].length = size;
}

void model_take(int file, int source) {
    memcpy(model_files[file].content, model_files[source].content, MODEL_SIZE);
    model_files[file].length = model_files[source].length;
    model_files[file].readonly = model_files[source].readonly;
    model_files[file].meta = model_files[source].meta;
    model_files[file].exists = true;
}

const char *model_refusal_to_open(const struct model_open *open, enum model_disposition disposition,
                                  int counted) {
    int file = open->file;
    if (!model_sessions[open->session].lives) return NO_SESSION;
    if (!model_files[file].exists) return disposition == OPEN || disposition == OVERWRITE ? NO_FILE : NULL;
    if (model_files[file].pending) return PENDING;
    if (disposition == CREATE) return EXISTS;
    if (model_files[file].readonly && (open->access & W || disposition >= OVERWRITE)) return READ_ONLY;
    if (model_files[file].readonly && open->deletes) return CANNOT_DELETE;
    struct model_sharing wanted = {(unsigned)counted, (unsigned)open->share};
    if (model_files[file].lease && counted & (W | D)) return SV;
    for (int index = 0; index < MODEL_OPENS; index++) {
        const struct model_open *other = &model_opens[index];
        if (other->is && other->file == file && !open_model_fits(wanted, sharing_of(other))) return SV;
    }
    return NULL;
}
