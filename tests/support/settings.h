/* Lines of redis.conf that servers of the tests, of the bench and under faults have alike. */
#ifndef HOLDFAST_TESTS_SETTINGS_H
#define HOLDFAST_TESTS_SETTINGS_H

/* An append-only file that is synced "always", "everysec" or "no", and never rewritten by itself: a rewrite in the middle
 * would show what is in memory, not what was written, and would be measured as if it were the writers'. */
#define APPEND_ONLY_FILE(when) "appendonly yes\nappendfsync " when "\nauto-aof-rewrite-percentage 0\n"

#endif
