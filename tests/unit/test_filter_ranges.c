/* Ranges of filters: exactly which bounds, where that can be said; and how sets that are too large get coarser. */
#include "table/filter_ranges.h"

#include "naive_row.h"
#include "table/filter_match.h"
#include "unit.h"

#include <stdio.h>

/* --- Expectations as text: "[from,to)" one after the other, with = for a single one, and escapes --- */

static char *show(struct bytes bytes, char *at) {
    for (size_t i = 0; i < bytes.length; i++) {
        unsigned char c = (unsigned char)bytes.data[i];
        at += sprintf(at, c > ' ' && c < 127 ? "%c" : "<%02X>", c);
    }
    return at;
}

static void write_ranges(const struct ranges *ranges, char *at) {
    *at = '\0';
    for (unsigned i = 0; i < ranges->count; i++) {
        at += sprintf(at, "%s%s", i ? " " : "", ranges->items[i].single ? "=" : "");
        at = show(ranges->items[i].from, at);
        at += sprintf(at, "..");
        if (ranges->items[i].to.data) at = show(ranges->items[i].to, at);
    }
}

struct range_row {
    const char *filter, *ranges;
};

static const struct range_row key_rows[] = {
    {"", ".."},
    {"price gt 5", ".."},
    {"PartitionKey eq 'p'", "p<00>..p<01>"},
    {"PartitionKey eq ''", "<00>..<01>"},
    {"PartitionKey eq 'p' and RowKey eq 'r'", "=p<00>r..p<00>r<00>"},
    {"RowKey eq '' and PartitionKey eq ''", "=<00>..<00><00>"},
    {"'p' eq PartitionKey and 'r' eq RowKey and price gt 5", "=p<00>r..p<00>r<00>"},
    {"PartitionKey eq 'p' and RowKey ge 'a' and RowKey lt 'b'", "p<00>a..p<00>b"},
    {"PartitionKey eq 'p' and RowKey gt 'a' and RowKey le 'b'", "p<00>a<00>..p<00>b<00>"},
    {"PartitionKey eq 'p' and RowKey gt 'a'", "p<00>a<00>..p<01>"},
    {"PartitionKey eq 'p' and RowKey lt 'a'", "p<00>..p<00>a"},
    {"PartitionKey eq 'p' and RowKey ne 'a'", "p<00>..p<00>a p<00>a<00>..p<01>"},
    {"PartitionKey eq 'p' and not (RowKey lt 'a')", "p<00>a..p<01>"},
    {"PartitionKey eq 'p' and (RowKey eq 'a' or RowKey eq 'b')", "=p<00>a..p<00>a<00> =p<00>b..p<00>b<00>"},
    {"(PartitionKey eq 'p' or PartitionKey eq 'q') and RowKey eq 'r'",
     "=p<00>r..p<00>r<00> =q<00>r..q<00>r<00>"},
    {"PartitionKey eq 'q' and RowKey eq 's' or PartitionKey eq 'p' and RowKey lt 'r'",
     "p<00>..p<00>r =q<00>s..q<00>s<00>"},
    {"PartitionKey lt 'p'", "..p<00>"},
    {"PartitionKey le 'p'", "..p<01>"},
    {"PartitionKey gt 'p'", "p<01>.."},
    {"PartitionKey ge 'p'", "p<00>.."},
    {"PartitionKey ne 'p'", "..p<00> p<01>.."},
    {"PartitionKey ge 'p' and PartitionKey lt 'q' and RowKey eq 'r'", "p<00>..q<00>"},
    {"PartitionKey ge 'p' and PartitionKey le 'p' and RowKey eq 'r'", "=p<00>r..p<00>r<00>"},
    {"RowKey eq 'r'", ".."},
    {"PartitionKey eq 'p' or RowKey eq 'r'", ".."},
    {"PartitionKey eq 'p' or price gt 5", ".."},
    {"PartitionKey eq 'p' and (RowKey eq 'r' or price gt 5)", "p<00>..p<01>"},
    {"PartitionKey eq 'p' and not (price gt 5)", "p<00>..p<01>"},
    {"PartitionKey lt 'p' or PartitionKey eq 'p'", "..p<01>"},
    {"PartitionKey lt 'p' or PartitionKey ge 'p'", ".."},
    {"PartitionKey eq 'p' or PartitionKey eq 'p'", "p<00>..p<01>"},
    {"PartitionKey eq 'p' and RowKey eq 'r' or RowKey eq 'r' and PartitionKey eq 'p'", "=p<00>r..p<00>r<00>"},
    {"PartitionKey eq 'p' and RowKey eq 'r' or PartitionKey eq 'p' and RowKey gt 'r'", "p<00>r..p<01>"},
    {"PartitionKey eq 'p' and PartitionKey eq 'q'", ""},
    {"PartitionKey gt 'q' and PartitionKey lt 'p'", ""},
    {"PartitionKey eq 'p' and RowKey lt ''", ""},
    {"PartitionKey lt ''", ""},
    {"not (PartitionKey ge '')", ""},
    {"PartitionKey ge ''", ".."},
    {"PartitionKey gt ''", "<01>.."},
    {"PartitionKey eq 5", ""},
    {"PartitionKey lt 5", ".."},
    {"not (RowKey ne X'00')", ""},
    {"RowKey gt true", ""},
    {"RowKey", ""},
    {"not RowKey", ".."},
    {"Timestamp", ""},
    {"Timestamp gt '2026'", ""},
    {"Timestamp le 5L", ".."},
    {"Timestamp eq datetime'2026-01-01'", ".."},
    {"RowKey eq 5 or PartitionKey eq 'p'", "p<00>..p<01>"},
    {"not (PartitionKey lt 'p' or PartitionKey gt 'q')", "p<00>..q<01>"},
    {"not (PartitionKey ne 'p' or not (RowKey eq 'r'))", "=p<00>r..p<00>r<00>"},
    {"not not (PartitionKey eq 'p')", "p<00>..p<01>"},
    {"PartitionKey eq '\xef\xbf\xbd' or PartitionKey eq '\xf0\x9f\x98\x80'",
     "<F0><9F><98><80><00>..<F0><9F><98><80><01> <FF><BF><BD><00>..<FF><BF><BD><01>"},
    {"PartitionKey eq 'O''N'", "O'N<00>..O'N<01>"},
};

TEST(keys_are_confined_exactly) {
    for (size_t i = 0; i < ARRAY_SIZE(key_rows); i++) {
        struct filter filter ENDS_BY(filter_end);
        struct ranges ranges ENDS_BY(ranges_end);
        char text[1000];
        filter_of(bytes_text(key_rows[i].filter), &filter);
        filter_key_ranges(&filter, &ranges);
        write_ranges(&ranges, text);
        require_bytes(bytes_text(text), bytes_text(key_rows[i].ranges), "%s", key_rows[i].filter);
    }
}

/* --- Indexes --- */

/* Classes: 1 string, 2 int32, 3 int64, 4 double, 5 bool, 6 datetime, 7 guid, 8 binary. NULL: not confined. */
static const struct range_row index_rows[] = {
    {"", NULL},
    {"Q eq 5", NULL},
    {"PartitionKey eq 'p'", NULL},
    {"P eq 'x'", "=<01>x<00><01>..<01>x<00><02>"},
    {"P eq 'x' and Q eq 5", "=<01>x<00><01>..<01>x<00><02>"},
    {"P eq 'x' or Q eq 5", NULL},
    {"not (P eq 'x')", NULL},
    {"not (P ne 'x')", NULL},
    {"not (not (P eq 'x'))", "=<01>x<00><01>..<01>x<00><02>"},
    {"not (not (P eq 'x') or Q)", "=<01>x<00><01>..<01>x<00><02>"},
    {"not (P eq 'x' and Q)", NULL},
    {"P eq 'x' and not (P gt 'y')", "=<01>x<00><01>..<01>x<00><02>"},
    {"P eq 'x' or P eq 'y'", "=<01>x<00><01>..<01>x<00><02> =<01>y<00><01>..<01>y<00><02>"},
    {"P eq 'x' and P eq 'y'", ""},
    {"P ge 'x' and P lt 'y'", "<01>x<00><01>..<01>y<00><01>"},
    {"P gt 'x'", "<01>x<00><02>..<02><00><01>"},
    {"P lt 'x'", "..<01>x<00><01> <02><00><01>.."},
    {"P le 'x'", "..<01>x<00><02> <02><00><01>.."},
    {"P ne 'x'", "..<01>x<00><01> <01>x<00><02>.."},
    {"P eq 5", "=<02><81><05><00><01>..<02><81><05><00><02> =<03><81><05><00><01>..<03><81><05><00><02> "
               "=<04><C0><14><00><01>..<04><C0><14><00><02>"},
    {"P eq 5L", "=<03><81><05><00><01>..<03><81><05><00><02> =<04><C0><14><00><01>..<04><C0><14><00><02>"},
    {"P eq 5.0", "=<04><C0><14><00><01>..<04><C0><14><00><02>"},
    {"P eq 0", "=<02><80><00><01>..<02><80><00><02> =<03><80><00><01>..<03><80><00><02> "
               "=<04><80><00><01>..<04><80><00><02>"},
    {"P eq -1", "=<02><7F><00><01>..<02><7F><00><02> =<03><7F><00><01>..<03><7F><00><02> "
                "=<04>@<0F><FF><FF><FF><FF><FF><FF><00><01>..<04>@<0F><FF><FF><FF><FF><FF><FF><00><02>"},
    {"P gt 5", "<02><81><05><00><02>..<03><00><01> <03><81><05><00><02>..<04><00><01> "
               "<04><C0><14><00><02>..<04><FF><F8><00><01>"},
    {"P ge 5.0", "<04><C0><14><00><01>..<04><FF><F8><00><01>"},
    {"P lt 5L", "..<03><81><05><00><01> <04><00><01>..<04><C0><14><00><01> <05><00><01>.."},
    {"P le 5.0", "..<04><C0><14><00><02> <05><00><01>.."},
    {"P ne 5.0", "..<04><C0><14><00><01> <04><C0><14><00><02>.."},
    {"P ge 5 and P lt 7",
     "<02><81><05><00><01>..<02><81><07><00><01> <03><81><05><00><01>..<03><81><07><00><01> "
     "<04><C0><14><00><01>..<04><C0><1C><00><01>"},
    {"P eq 9007199254740993L", "=<03><87><20><00><FF><00><FF><00><FF><00><FF><00><FF><01><00><01>..<03><87><"
                               "20><00><FF><00><FF><00><FF><00><FF><00><FF><01><00><02>"},
    {"P", "=<05><81><01><00><01>..<05><81><01><00><02>"},
    {"P eq true", "=<05><81><01><00><01>..<05><81><01><00><02>"},
    {"P le false", "..<05><80><00><02> <06><00><01>.."},
    {"P gt X'ff'", "<08><FF><00><02>.."},
    {"P eq X'00'", "=<08><00><FF><00><01>..<08><00><FF><00><02>"},
    {"P lt X''", "..<08><00><01>"},
    {"P ge 'x' and P eq 5", ""},
    {"PartitionKey eq 5 or P eq 'x'", "=<01>x<00><01>..<01>x<00><02>"},
    {"P eq 'x' and RowKey gt 5", ""},
};

static void require_index(const char *text, const char *expected) {
    struct filter filter ENDS_BY(filter_end);
    struct ranges ranges;
    char shown[4000];
    filter_of(bytes_text(text), &filter);
    bool confined = filter_index_ranges(&filter, bytes_text("P"), &ranges);
    require_same(confined, expected != NULL, "%.60s", text);
    if (confined && expected) {
        write_ranges(&ranges, shown);
        require_bytes(bytes_text(shown), bytes_text(expected), "%.60s", text);
        ranges_end(&ranges);
    }
}

TEST(indexes_are_confined_exactly) {
    for (size_t i = 0; i < ARRAY_SIZE(index_rows); i++)
        require_index(index_rows[i].filter, index_rows[i].ranges);
}

/* From 256 bytes on a value stands for all that it begins, so nothing that only might be one of them is left out. */
TEST(long_values_widen_ranges) {
    static const struct {
        size_t length;
        const char *relation, *expected; /* # is the value */
    } rows[] = {
        {255, "eq", "=<01>#<00><01>..<01>#<00><02>"},
        {256, "eq", "<01>#<00><01>..<01>#<00><02>"},
        {900, "eq", "<01>#<00><01>..<01>#<00><02>"},
        {255, "gt", "<01>#<00><02>..<02><00><01>"},
        {256, "gt", "<01>#<00><01>..<02><00><01>"},
        {900, "ge", "<01>#<00><01>..<02><00><01>"},
        {255, "lt", "..<01>#<00><01> <02><00><01>.."},
        {900, "lt", "..<01>#<00><02> <02><00><01>.."},
        {256, "le", "..<01>#<00><02> <02><00><01>.."},
        {255, "ne", "..<01>#<00><01> <01>#<00><02>.."},
        {256, "ne", ".."},
        {900, "ne", ".."},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char text[1000], expected[2000], *at = expected;
        (void)sprintf(text, "P %s '%0*d'", rows[i].relation, (int)rows[i].length, 0);
        for (const char *from = rows[i].expected; *from; from++)
            at += *from == '#' ? sprintf(at, "%0*d", (int)(rows[i].length < 256 ? rows[i].length : 256), 0)
                               : sprintf(at, "%c", *from);
        require_index(text, expected);
    }
}

TEST(long_keys_are_compared_by_what_keys_can_be) {
    char text[4000], shown[4000], expected[4000];
    static const char *const relations[] = {"eq", "ge", "gt", "lt", "le", "ne"};
    for (size_t i = 0; i < ARRAY_SIZE(relations); i++) {
        struct filter filter ENDS_BY(filter_end);
        struct ranges ranges ENDS_BY(ranges_end);
        (void)sprintf(text, "PartitionKey %s '%01600d'", relations[i], 0);
        filter_of(bytes_text(text), &filter);
        filter_key_ranges(&filter, &ranges);
        write_ranges(&ranges, shown);
        expected[0] = '\0';
        if (i == 1 || i == 2) (void)sprintf(expected, "%01536d<01>..", 0);
        if (i == 3 || i == 4) (void)sprintf(expected, "..%01536d<01>", 0);
        if (i == 5) (void)sprintf(expected, "..");
        require_bytes(bytes_text(shown), bytes_text(expected), "%s", relations[i]);
    }
}

/* --- Too many --- */

/* Rows r0 to r5 but two, in so many partitions: each row alone is a range. */
TEST(large_sets_of_areas_get_coarser) {
    struct filter filter ENDS_BY(filter_end);
    struct ranges ranges ENDS_BY(ranges_end);
    char text[2000], *at = text;
    at += sprintf(at, "(");
    for (int i = 0; i < 8; i++) at += sprintf(at, "%sPartitionKey eq 'p%d'", i ? " or " : "", i);
    at += sprintf(at, ") and (");
    for (int i = 0; i < 7; i++) at += sprintf(at, "%sRowKey eq 'r%d'", i ? " or " : "", i);
    (void)sprintf(at, ")");
    filter_of(bytes_text(text), &filter);
    filter_key_ranges(&filter, &ranges);
    require_same(ranges.count, RANGES_MAX, "as many as there may be");
    for (unsigned i = 0; i < ranges.count; i++) {
        struct bytes from = ranges.items[i].from, to = ranges.items[i].to;
        require(from.length == 5 && to.length == 6 && memcmp(from.data, to.data, 3) == 0,
                "partitions are not joined");
        require_same(ranges.items[i].single, bytes_equal(from, bytes_of(to.data, 5)), "single");
    }
}

/* More areas than are kept: what is joined still has all of them. */
TEST(sets_that_get_coarser_drop_no_area) {
    struct filter filter ENDS_BY(filter_end);
    struct ranges ranges ENDS_BY(ranges_end);
    char text[3000], *at = text;
    at += sprintf(at, "(PartitionKey ne 'a'");
    for (int i = 1; i < 8; i++) at += sprintf(at, " and PartitionKey ne 'a%d'", i);
    at += sprintf(at, ") and (RowKey ne 'r'");
    for (int i = 1; i < 7; i++) at += sprintf(at, " and RowKey ne 'r%d'", i);
    (void)sprintf(at, ")");
    filter_of(bytes_text(text), &filter); /* 9 by 8 areas */
    filter_key_ranges(&filter, &ranges);
    static const char *const keys[] = {"", "A", "a0", "a1x", "a2", "a6b", "a7", "a71", "zz"};
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        for (size_t j = 0; j < ARRAY_SIZE(keys); j++) {
            char key[16];
            size_t length = (size_t)sprintf(key, "%s_%s", keys[i], keys[j]), inside = 0, work = 0;
            key[strlen(keys[i])] = '\0';
            struct row row = {bytes_text(keys[i]), bytes_text(keys[j]), 0, {"", 0}};
            for (unsigned k = 0; k < ranges.count; k++)
                inside += bytes_compare(bytes_of(key, length), ranges.items[k].from) >= 0 &&
                          (!ranges.items[k].to.data ||
                           bytes_compare(bytes_of(key, length), ranges.items[k].to) < 0);
            require(inside || !filter_matches(&filter, &row, &work), "%s and %s lie outside", keys[i],
                    keys[j]);
        }
}

TEST(ranges_of_usual_filters_allocate_nothing) {
    struct filter filter;
    struct ranges ranges;
    size_t before = allocations_made();
    filter_of(bytes_text("PartitionKey eq 'customers-of-europe' and RowKey eq "
                         "'00112233-4455-6677-8899-aabbccddeeff' and P eq 'O''Neil'"),
              &filter);
    filter_key_ranges(&filter, &ranges);
    ranges_end(&ranges);
    require(filter_index_ranges(&filter, bytes_text("P"), &ranges), "it is confined");
    ranges_end(&ranges);
    filter_end(&filter);
    require_same(allocations_made(), before, "allocations");
}
