/* What every unit test program needs: cmocka, tests and requirements. */
#ifndef HOLDFAST_UNIT_UNIT_H
#define HOLDFAST_UNIT_UNIT_H

#include "allocations.h"
#include "ccan/array_size/array_size.h"
#include "require.h"
#include "test_list.h"

/* What ENDS_BY wants for a pointer: FREES(table) makes table_release of table_free. */
#define FREES(type)                                                                                          \
    static inline void type##_release(struct type **place) {                                                 \
        type##_free(*place);                                                                                 \
    }

/* What many tests begin with. */
#define RECORD_WRITER(writer)                                                                                \
    struct record_writer writer ENDS_BY(record_end);                                                         \
    record_start(&(writer))

#endif
