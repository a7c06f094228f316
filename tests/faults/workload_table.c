/* Batches of a table: money goes from one account to another, and a journal tells of it, all in one batch under the
 * ETags of both accounts. So the sum never changes, and accounts and journal agree, whatever is lost. */
#include <stdio.h>
#include <stdlib.h>

#include "checks.h"
#include "expect.h"
#include "workloads.h"

enum { ACCOUNTS = 6, BALANCE = 1000, SUM_ONE_IN = 20 };

static const char all_accounts[] = "PartitionKey eq 'p' and RowKey lt 'b'";

static void table_prepare(struct client *client) {
    expect_ok(call(client, "TABLE.CREATE bank"));
    for (int i = 0; i < ACCOUNTS; i++)
        expect_etag(call(client, "TABLE.INSERT bank p a%d PROPS 1 balance:int32 %d", i, BALANCE));
}

/* --- Steps -------------------------------------------------------------------------------------------------- */

struct account {
    int which;
    char etag[24];
    long long balance;
};

static bool read_account(struct actor *actor, struct account *account) {
    redisReply *reply = actor_asks(actor, "TABLE.GET bank p a%d", account->which);
    if (!reply) return false;
    snprintf(account->etag, sizeof(account->etag), "%s", reply->element[0]->str);
    account->balance = reply_field_if_any(reply->element[1], "balance:int32")->integer;
    return true;
}

static long long sum_of(const redisReply *rows) {
    long long sum = 0;
    for (size_t i = 0; i < rows->elements; i++) {
        const redisReply *balance = reply_field_if_any(rows->element[i]->element[3], "balance:int32");
        sum += balance ? balance->integer : 0;
    }
    return sum;
}

/* One look at all accounts, while others move money. */
static void look_at_sum(struct actor *actor) {
    redisReply *reply = actor_asks(actor, "TABLE.QUERY bank FILTER %s", all_accounts);
    if (!reply) return;
    long long sum = sum_of(reply->element[1]);
    if (sum != (long long)ACCOUNTS * BALANCE) violation(actor->part, "the sum is %lld", sum);
}

static void transfer(struct actor *actor) {
    struct account from = {.which = actor_chance(actor, ACCOUNTS)}, to = from;
    to.which = (from.which + 1 + actor_chance(actor, ACCOUNTS - 1)) % ACCOUNTS;
    if (!read_account(actor, &from) || !read_account(actor, &to)) return;
    long long amount = 1 + actor_chance(actor, 10), number = actor_operation(actor);
    redisReply *reply = actor_asks(actor,
                                   "TABLE.BATCH bank p 3 MERGE a%d IFMATCH %s PROPS 1 balance:int32 %lld "
                                   "MERGE a%d IFMATCH %s PROPS 1 balance:int32 %lld "
                                   "INSERT j%lld PROPS 3 from:int32 %d to:int32 %d amount:int32 %lld",
                                   from.which, from.etag, from.balance - amount, to.which, to.etag,
                                   to.balance + amount, number, from.which, to.which, amount);
    struct event event = actor_event(actor, MOVED);
    event.number = number;
    event.version = reply ? version_of(reply->element[2]->str) : 0;
    actor_notes(actor, event);
}

static void table_step(struct actor *actor) {
    if (actor_chance(actor, SUM_ONE_IN))
        transfer(actor);
    else
        look_at_sum(actor);
}

/* --- The books ----------------------------------------------------------------------------------------------- */

struct books {
    long long balances[ACCOUNTS], journal[ACCOUNTS];
    struct numbers entries;
};

static long long number_in(const redisReply *map, const char *name) {
    return field(map, name)->integer;
}

static void enter_row(struct books *books, const redisReply *row) {
    const char *key = row->element[1]->str;
    const redisReply *map = row->element[3];
    if (*key == 'a') books->balances[atoi(key + 1)] = number_in(map, "balance:int32");
    if (*key != 'j') return;
    books->journal[number_in(map, "from:int32")] -= number_in(map, "amount:int32");
    books->journal[number_in(map, "to:int32")] += number_in(map, "amount:int32");
    numbers_add(&books->entries, atoll(key + 1));
}

static struct books books_of(struct client *client) {
    struct books books = {.entries = {0}};
    redisReply *page = call(client, "TABLE.QUERY bank");
    for (;;) {
        expect_elements(page, 2);
        for (size_t i = 0; i < page->element[1]->elements; i++)
            enter_row(&books, page->element[1]->element[i]);
        const redisReply *next = page->element[0];
        if (reply_is_null(next)) break;
        page = call(client, "TABLE.QUERY bank NEXT %s %s", next->element[0]->str, next->element[1]->str);
    }
    numbers_sort(&books.entries);
    return books;
}

static void table_check(struct part *part, struct client *client) {
    struct books books = books_of(client);
    for (int i = 0; i < ACCOUNTS; i++)
        if (books.balances[i] != BALANCE + books.journal[i])
            violation(part, "account %d has %lld, and %lld by its journal", i, books.balances[i],
                      BALANCE + books.journal[i]);
    for_each_event(&part->history) {
        if (event->kind != MOVED || event->outcome != DONE) continue;
        ledger_add(part, event->version, numbers_have(&books.entries, event->number));
    }
    versions_check(part);
}

const struct workload table_workload = {"table", "bank", 3, table_prepare, table_step, table_check};
